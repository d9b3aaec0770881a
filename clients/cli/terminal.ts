import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";

export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Knows what `NO_COLOR`, `FORCE_COLOR` and the terminal's kind mean. */
  readonly getColorDepth?: () => number;
};

type Input = Readable & {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  /** Keys come one by one, Ctrl-C too, and are not shown. */
  readonly setRawMode?: (isRaw: boolean) => unknown;
};

/** Where a command reads and writes: the process's own streams, or a test's. */
export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** How wide a line may be; undefined if it is not a screen (a pipe, a file). */
export function widthOf(output: Output): number | undefined {
  return output.isTTY === true ? (output.columns ?? 80) : undefined;
}

type Style = Parameters<typeof styleText>[0];

/** Coloured on a screen only, and not where `NO_COLOR` is set. */
export function styled(output: Output, style: Style, text: string): string {
  return styleText(style, text, { stream: output, validateStream: true });
}

/** Asks on stderr, so that the output of a command stays its own. Anything but "y" or "yes", the end of input too, means no. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: terminal.stdin, output: terminal.stderr });
  try {
    const closed = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
    const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
    // Only Enter on a keyboard ends the line on a screen.
    if (answer === undefined || terminal.stdin.isTTY !== true) terminal.stderr.write("\n");
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  } finally {
    lines.close();
  }
}

/** Progress of long work: one line on stderr that is replaced and then removed; nothing if stderr is not a screen. */
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
