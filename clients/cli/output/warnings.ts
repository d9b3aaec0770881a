import type { Terminal } from "../terminal.ts";

/** Tells what was odd about the input and did not stop the work; each sentence once. */
export function warn({ stderr }: Terminal, subject: string, warnings: readonly string[]): void {
  for (const warning of new Set(warnings)) stderr.write(`warning: ${subject}: ${warning}\n`);
}
