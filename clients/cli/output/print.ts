import { printable } from "../../../shared/text/text.ts";
import type { Terminal } from "../terminal.ts";

/** JSON for people: indented, and nothing in it that could move the cursor (such characters only occur in texts). */
export function prettyJson(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split("\n");
  return `${lines.map(printable).join("\n")}\n`;
}

/** JSON on one line. */
export function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`;
}

/** Prints problems of the input that do not stop the work to stderr, each sentence once. */
export function warn({ stderr }: Terminal, subject: string, warnings: readonly string[]): void {
  for (const warning of new Set(warnings)) stderr.write(`warning: ${subject}: ${warning}\n`);
}

/** What went wrong, and below it each of its parts on a line of its own, at most so many. */
export function listed(title: string, parts: readonly string[], most = parts.length): string {
  const lines = parts.slice(0, most).map((part) => `  - ${printable(part)}`);
  return [title, ...lines, ...(parts.length > most ? [`  and ${parts.length - most} more`] : [])].join("\n");
}
