import { piecesFor, textOf } from "./hostile.ts";

/** Each is four times as long as the one before; the last two that count are 64 KiB and 1 MiB. */
const lengths = [1, 4, 16, 64, 256, 1024].map((kibibytes) => kibibytes * 1024);
/** Lengths are compared over two steps: a text 16 times as long may take 16 times as long; squares take 256 times. */
const mostGrowth = 64;
/** Less than this is noise (of the clock, of the collector of garbage), and taken as this. In milliseconds. */
const noise = 2;
/** What looks slow is compared this often: a busy machine is not slow each time, a slow expression is. */
const mostTries = 6;
/** What takes longer than this needs no second look: no machine is so busy that a collector takes it. In milliseconds. */
const certain = 1_000;
/** All texts are tried up to here; only the slowest ones to the end. */
const short = 64 * 1024;
const mostSlow = 2;

/** Why something is too slow for long texts; undefined: it is not. */
export function growthOf(read: (text: string) => unknown, pieces: readonly string[]): string | undefined {
  const times: { readonly piece: string; readonly ms: number }[] = [];
  for (const piece of pieces) {
    const ladder = climb(read, piece, short);
    if (typeof ladder === "string") return ladder;
    times.push({ piece, ms: ladder.at(-1) ?? 0 });
  }
  const slowest = times.sort((a, b) => b.ms - a.ms).slice(0, mostSlow);
  for (const { piece } of slowest) {
    const ladder = climb(read, piece, Number.POSITIVE_INFINITY);
    if (typeof ladder === "string") return ladder;
  }
  return undefined;
}

export function growthOfExpression(source: string, flags: string): string | undefined {
  const expression = new RegExp(source, flags);
  return growthOf((text) => text.replace(expression, ""), piecesFor(source));
}

/** Times by length, or what grew too much: nothing longer is tried then, for it might never end. */
function climb(read: (text: string) => unknown, piece: string, longest: number): readonly number[] | string {
  const times: number[] = [];
  for (const length of lengths) {
    if (length > longest) break;
    const text = textOf(piece, length);
    let before = Math.max(noise, times.at(-2) ?? Number.POSITIVE_INFINITY);
    let ms = cpuMs(read, text);
    // Both lengths anew: the short text may have been lucky, as the long one may have been held up.
    for (let tries = 1; tries < mostTries && ms > mostGrowth * before && ms < certain; tries++) {
      before = Math.max(before, cpuMs(read, textOf(piece, length / 16)));
      ms = Math.min(ms, cpuMs(read, text));
    }
    if (ms > mostGrowth * before)
      return `${JSON.stringify(piece)} repeated: ${length} characters took ${Math.round(ms / before)} times as long as ${length / 16}`;
    times.push(ms);
  }
  return times;
}

/** The processor's time, not the clock's: other programs on the machine do not count. */
function cpuMs(read: (text: string) => unknown, text: string): number {
  const start = process.cpuUsage();
  read(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
