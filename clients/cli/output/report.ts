import { printable } from "../../../shared/text.ts";
import { styled, type Terminal, widthOf } from "../terminal.ts";
import { fitTable } from "./fit-table.ts";
import { wrapped, wrappedAfter } from "./wrapped.ts";

/**
 * A page for people: titles, facts, tables, sentences. Control characters are escaped, and sentences
 * break at the terminal's width.
 */
export interface Page {
  title(text: string): void;
  line(text: string): void;
  /** A problem, in red. */
  warning(text: string): void;
  /** Names under each other, values beside them; nothing of those without a value. */
  facts(facts: readonly (readonly [name: string, value: string | null])[]): void;
  table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void;
  bullets(lines: readonly string[]): void;
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
      fitTable(terminal, { head, rows: cells, isHeaded: true, wayOut: "--format json shows all" });
    },
    bullets: (lines) => {
      for (const text of lines) line(sentence(`  - ${text}`));
    },
  };
}
