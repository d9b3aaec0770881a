/** Colours and letters of all pictures. They follow the reader's theme: dark ones are for those who prefer dark. */

const letters = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif";
export const monospace =
  "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

interface Theme {
  readonly paper: string;
  readonly frame: string;
  readonly ink: string;
  readonly faint: string;
  readonly line: string;
  /** Fill and border of each kind of box. */
  readonly kinds: Readonly<Record<Kind, readonly [fill: string, border: string]>>;
}

export const kinds = ["step", "queue", "outside", "store", "plain", "good", "bad"] as const;
export type Kind = (typeof kinds)[number];

const light: Theme = {
  paper: "#ffffff",
  frame: "#f6f8fa",
  ink: "#1f2328",
  faint: "#59636e",
  line: "#6e7781",
  kinds: {
    step: ["#ddf4ff", "#0969da"],
    queue: ["#fff8c5", "#9a6700"],
    outside: ["#eaeef2", "#57606a"],
    store: ["#fbefff", "#8250df"],
    plain: ["#ffffff", "#8c959f"],
    good: ["#dafbe1", "#1a7f37"],
    bad: ["#ffebe9", "#cf222e"],
  },
};

const dark: Theme = {
  paper: "#0d1117",
  frame: "#151b23",
  ink: "#f0f6fc",
  faint: "#9198a1",
  line: "#8b949e",
  kinds: {
    step: ["#0c2d5c", "#4493f8"],
    queue: ["#3a2d08", "#d29922"],
    outside: ["#262c36", "#9198a1"],
    store: ["#2d1e4f", "#ab7df8"],
    plain: ["#0d1117", "#656c76"],
    good: ["#0f3320", "#3fb950"],
    bad: ["#4b1113", "#f85149"],
  },
};

/** The style sheet of a drawing; both themes, without variables, because not every program that shows SVG knows them. */
export function styleSheet(): string {
  return `text{font-family:${letters};font-size:13px}.small{font-size:11.5px}.bold{font-weight:600}.code{font-family:${monospace};font-size:12px}
.box{stroke-width:1.25}.line{fill:none;stroke-width:1.5}.dashed{stroke-dasharray:4 3}
${rulesOf(light)}
@media (prefers-color-scheme:dark){
${rulesOf(dark)}
}`;
}

function rulesOf({ paper, frame, ink, faint, line, kinds: colours }: Theme): string {
  const boxes = kinds.map((kind) => `.${kind}{fill:${colours[kind][0]};stroke:${colours[kind][1]}}`);
  return [
    `.paper{fill:${paper}}.frame{fill:${frame};stroke:${line};stroke-width:1}.ink{fill:${ink}}.faint{fill:${faint}}`,
    `.line{stroke:${line}}.tip{fill:${line}}.halo{fill:${paper}}`,
    boxes.join(""),
  ].join("\n");
}
