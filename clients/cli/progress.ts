import type { Terminal } from "./terminal.ts";

/** Tells how far long work is: one line on stderr that is replaced and goes away; nothing where nobody looks. */
export interface Progress {
  report(line: string): void;
  end(): void;
}

export async function progressOn({ stderr }: Terminal): Promise<Progress> {
  if (stderr.isTTY !== true) return { report: () => {}, end: () => {} };
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(stderr as unknown as NodeJS.WriteStream, { showCursor: true });
  return { report: (line) => update(line), end: () => update.clear() };
}
