import type { RefObject } from "preact";
import { lineOf, type linesIn } from "./json-text.ts";

export function Editor(props: {
  readonly label: string;
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly isFixed: boolean;
  readonly onText: (text: string) => void;
}) {
  const { label, box, text, isFixed, onText } = props;
  return (
    <label>
      {label}
      <textarea
        ref={box}
        rows={Math.min(30, Math.max(8, text.split("\n").length + 1))}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={text}
        readOnly={isFixed}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  );
}

/** Goes to the line that a problem is about; nothing where none is known. */
export function ToLine(props: {
  readonly problem: string;
  readonly text: string;
  readonly lines: ReturnType<typeof linesIn>;
  readonly box: RefObject<HTMLTextAreaElement | null>;
}) {
  const { problem, text, lines, box } = props;
  const line = lineOf(problem, lines);
  if (line === undefined) return null;
  const go = () => {
    const element = box.current;
    if (element === null) return;
    const all = text.split("\n");
    const start = all.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    element.focus();
    element.setSelectionRange(start, start + (all[line - 1]?.length ?? 0));
    element.scrollTop = (element.scrollHeight / all.length) * (line - 4);
  };
  return (
    <button type="button" class="plain inline" onClick={go}>
      Line {line}
    </button>
  );
}
