import { useEffect, useRef } from "preact/hooks";

/** A text with the numbers of its lines; those in question are marked. */
export function Source(props: {
  readonly label: string;
  readonly text: string;
  /** Lines from 1. */
  readonly marked?: ReadonlySet<number>;
}) {
  const { label, text, marked = new Set() } = props;
  const lines = text.split("\n");
  // As few elements as there are marks: texts may have thousands of lines.
  const runs: { readonly isMarked: boolean; readonly text: string }[] = [];
  let from = 0;
  for (const line of [...marked].toSorted((a, b) => a - b)) {
    if (line > lines.length) break;
    runs.push({ isMarked: false, text: lines.slice(from, line - 1).join("\n") });
    runs.push({ isMarked: true, text: lines[line - 1] ?? "" });
    from = line;
  }
  runs.push({ isMarked: false, text: lines.slice(from).join("\n") });
  const box = useRef<HTMLElement>(null);
  const first = Math.min(...marked);
  useEffect(() => {
    const element = box.current;
    // With some lines above it.
    if (element !== null && first !== Infinity)
      element.scrollTop = (element.scrollHeight / lines.length) * (first - 6);
  }, [first]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section ref={box} class="source" tabIndex={0} aria-label={label}>
      <pre aria-hidden="true" class="quiet number">
        {lines.map((_, index) => index + 1).join("\n")}
      </pre>
      <pre>
        {runs.map(({ isMarked, text: run }, index) =>
          isMarked ? <mark key={index}>{run || " "}</mark> : run === "" ? null : `${run}\n`,
        )}
      </pre>
    </section>
  );
}
