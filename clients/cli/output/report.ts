import { printable } from "../../../shared/text/text.ts";
import { styled, type Terminal, widthOf } from "../terminal.ts";
import { fitTable, type Narrowing } from "./fit-table.ts";
import { wrapped, wrappedAfter } from "./wrapped.ts";

/** A page for people. Control characters are escaped, and sentences break at the terminal's width. */
export interface Page {
  title(text: string): void;
  line(text: string): void;
  /** A problem, in red. */
  warning(text: string): void;
  /** One line for each name with its value. Names without a value are left out. */
  facts(facts: readonly (readonly [name: string, value: string | null])[]): void;
  table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void;
  bullets(lines: readonly string[]): void;
  /** What another page printed. */
  verbatim(text: string): void;
}

/** Last columns that hold sentences. */
const sentences: readonly string[] = ["WHY", "WHY NOT", "PROBLEM", "MESSAGES", "WHAT TO DO"];

/** On a narrow screen a page keeps every column that there is room for. */
function narrowingOf(head: readonly string[]): Narrowing {
  const last = head.at(-1);
  return {
    keeps: head,
    ofSizes: ["BUCKET", "VM SIZE"],
    whole: ["ID", "ACTION", "WHEN"],
    ...(last !== undefined && sentences.includes(last) && { sentence: last }),
  };
}

export function pageOn(terminal: Terminal): Page {
  const { stdout } = terminal;
  const line = (text: string) => stdout.write(`${text}\n`);
  const sentence = (text: string) => wrapped(printable(text), widthOf(stdout));
  return {
    title: (text) => line(`\n${styled(stdout, "bold", printable(text))}`),
    line: (text) => line(sentence(text)),
    warning: (text) => line(styled(stdout, "red", sentence(text))),
    facts: (facts) => {
      const given = facts.filter(([, value]) => value !== null);
      const width = Math.max(0, ...given.map(([name]) => name.length));
      for (const [name, value] of given) {
        const start = `${name.padEnd(width)}  `;
        const room = { columns: widthOf(stdout), hang: start.length };
        line(wrappedAfter(start, printable(value ?? ""), room));
      }
    },
    table: (head, rows) => {
      const cells = rows.map((row) => row.map((cell) => printable(String(cell))));
      const wayOut = "--format json shows all";
      fitTable(terminal, { head, rows: cells, isHeaded: true, wayOut, narrowing: narrowingOf(head) });
    },
    bullets: (lines) => {
      for (const text of lines) line(sentence(`  - ${text}`));
    },
    verbatim: (text) => stdout.write(text),
  };
}
