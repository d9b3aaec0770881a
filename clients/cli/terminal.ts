import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";

/** A stream that may be a screen. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Knows what `NO_COLOR`, `FORCE_COLOR` and the terminal's kind mean. */
  readonly getColorDepth?: () => number;
};

/** Where a command reads and writes: the process's own streams, or a test's. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
}

/** How wide a line may be; undefined where nobody looks at it (a pipe, a file). */
export function widthOf(output: Output): number | undefined {
  return output.isTTY === true ? (output.columns ?? 80) : undefined;
}

type Style = Parameters<typeof styleText>[0];

/** Coloured on a screen only, and not where `NO_COLOR` is set. */
export function styled(output: Output, style: Style, text: string): string {
  return styleText(style, text, { stream: output, validateStream: true });
}
