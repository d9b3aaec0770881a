import { styled, type Terminal } from "../terminal.ts";
import { fitTable } from "./fit-table.ts";
import { printable } from "./printable.ts";

/** A page for people: titles, facts, tables, sentences. Everything that it is given is made safe for a terminal. */
export interface Page {
  title(text: string): void;
  line(text: string): void;
  /** What is wrong, marked. */
  warning(text: string): void;
  /** Names under each other, values beside them; nothing of those without a value. */
  facts(facts: readonly (readonly [name: string, value: string | null])[]): void;
  table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void;
  bullets(lines: readonly string[]): void;
}

export function pageOn(terminal: Terminal): Page {
  const { stdout } = terminal;
  const line = (text: string) => stdout.write(`${text}\n`);
  return {
    title: (text) => line(`\n${styled(stdout, "bold", printable(text))}`),
    line: (text) => line(printable(text)),
    warning: (text) => line(styled(stdout, "red", printable(text))),
    facts: (facts) => {
      const told = facts.filter(([, value]) => value !== null);
      const width = Math.max(0, ...told.map(([name]) => name.length));
      for (const [name, value] of told) line(`${name.padEnd(width)}  ${printable(value ?? "")}`);
    },
    table: (head, rows) => {
      const cells = rows.map((row) => row.map((cell) => printable(String(cell))));
      fitTable(terminal, { head, rows: cells, isHeaded: true });
    },
    bullets: (lines) => {
      for (const text of lines) line(`  - ${printable(text)}`);
    },
  };
}
