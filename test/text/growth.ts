import { piecesFor, textOf } from "./hostile.ts";

/** All texts are tried up to the second length; only the slowest ones at the last. */
const lengths = [16 * 1024, 64 * 1024];
const longest = 256 * 1024;
const mostSlow = 2;
/**
 * In milliseconds of the processor. Linear time takes less than a hundredth of it at any of these lengths, squares take seconds: no machine
 * is so busy, and no collector of garbage so slow, that one is taken for the other.
 */
const mostMs = 500;

/** Why something is too slow for long texts; undefined: it is not. */
export function growthOf(read: (text: string) => unknown, pieces: readonly string[]): string | undefined {
  const times: { readonly piece: string; readonly ms: number }[] = [];
  for (const piece of pieces) {
    let ms = 0;
    for (const length of lengths) {
      ms = cpuMs(read, textOf(piece, length));
      // Nothing longer is tried then, for it might never end.
      if (ms > mostMs) return tooSlow(piece, length, ms);
    }
    times.push({ piece, ms });
  }
  for (const { piece } of times.sort((a, b) => b.ms - a.ms).slice(0, mostSlow)) {
    const ms = cpuMs(read, textOf(piece, longest));
    if (ms > mostMs) return tooSlow(piece, longest, ms);
  }
  return undefined;
}

export function growthOfExpression(source: string, flags: string): string | undefined {
  const expression = new RegExp(source, flags);
  return growthOf((text) => text.replace(expression, ""), piecesFor(source));
}

function tooSlow(piece: string, length: number, ms: number): string {
  return `${JSON.stringify(piece)} repeated: ${length} characters took ${Math.round(ms)} ms`;
}

/** The processor's time, not the clock's: other programs on the machine do not count. */
function cpuMs(read: (text: string) => unknown, text: string): number {
  const start = process.cpuUsage();
  read(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
