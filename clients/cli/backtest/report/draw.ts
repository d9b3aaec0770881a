import { type PlotOptions, plot } from "@observablehq/plot";
import { html, raw } from "hono/html";
import { parseHTML } from "linkedom/worker";

/** Text of the page. Whatever is put into it is escaped, except other text of the page. */
export type Html = ReturnType<typeof html>;

/** Made once: Plot draws into a document, and nothing of this one is kept. */
const { document } = parseHTML("<!doctype html><html><body></body></html>");

/** For a large screen, and for a telephone: letters keep their size on both. */
const sizes = [
  { name: "wide", width: 1_120, height: 340, fontSize: 13 },
  { name: "narrow", width: 358, height: 260, fontSize: 11 },
] as const;

export type Size = (typeof sizes)[number];

/** A picture as SVG, in two sizes, of which the style sheet shows one. `alt` says in a sentence what is to be seen. */
export function drawn(alt: string, options: (size: Size) => PlotOptions): Html {
  const svgs = sizes.map((size) => {
    const { name, width, height, fontSize } = size;
    const figure = plot({
      document: document as unknown as NonNullable<PlotOptions["document"]>,
      width,
      height,
      style: { fontSize: `${fontSize}px`, background: "transparent" },
      ariaLabel: alt,
      ...options(size),
    });
    // Its own style sheet sets a white background; the report has one.
    for (const sheet of figure.querySelectorAll("style")) sheet.remove();
    figure.setAttribute("role", "img");
    figure.setAttribute("class", `plot ${name}`);
    // Parts of a picture have no names of their own: the table beside it has the numbers.
    for (const part of figure.querySelectorAll("[aria-label],[aria-hidden]")) {
      part.removeAttribute("aria-label");
      part.removeAttribute("aria-hidden");
    }
    return figure.outerHTML;
  });
  return html`${raw(svgs.join("\n"))}`;
}
