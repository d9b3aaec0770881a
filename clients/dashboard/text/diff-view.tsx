import { useMemo } from "preact/hooks";
import { counted } from "../words.ts";
import { type DiffLine, diffOf, inOrder } from "./diff.ts";

/** Lines that are alike around those that differ. */
const context = 3;

export function Diff(props: { readonly label: string; readonly before: unknown; readonly after: unknown }) {
  const { label, before, after } = props;
  const [old, next] = [inOrder(before), inOrder(after)];
  // Views are drawn again every few seconds.
  const lines = useMemo(() => diffOf(old, next), [old, next]);
  const countOf = (sign: DiffLine["sign"]) => lines.filter((line) => line.sign === sign).length;
  const [gone, come] = [countOf("-"), countOf("+")];
  if (gone + come === 0) return <p class="quiet">Nothing differs.</p>;
  return (
    <>
      <p class="quiet">
        {[gone > 0 && `${counted(gone, "line")} removed`, come > 0 && `${counted(come, "line")} added`]
          .filter(Boolean)
          .join(", ")}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section class="source" tabIndex={0} aria-label={label}>
        <pre>
          {lines.map(({ sign, text }, index) => {
            if (sign === "-") return <del key={index}>- {text}</del>;
            if (sign === "+") return <ins key={index}>+ {text}</ins>;
            if (isNear(lines, index)) return `  ${text}\n`;
            return isNear(lines, index - 1) || index === 0 ? "  …\n" : null;
          })}
        </pre>
      </section>
    </>
  );
}

function isNear(lines: readonly DiffLine[], index: number): boolean {
  return lines.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== " ");
}
