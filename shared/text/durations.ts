/**
 * Lengths of time as people read and write them: `45s`, `4m10s`, `2h5m`, `3d4h`. All clients use it, so that a table, a sentence
 * and an option look alike. JSON has seconds with the unit in the name instead.
 */

interface Unit {
  readonly letter: string;
  readonly seconds: number;
}

const units: readonly Unit[] = [
  { letter: "d", seconds: 86_400 },
  { letter: "h", seconds: 3_600 },
  { letter: "m", seconds: 60 },
  { letter: "s", seconds: 1 },
];

/** What people may write as well; nothing is shown in weeks. */
const readable: ReadonlyMap<string, number> = new Map([
  ["w", 604_800],
  ...units.map(({ letter, seconds }) => [letter, seconds] as const),
]);

/** The two largest units at most, rounded down to the smaller: `3d4h` for 3 days, 4 hours and 50 minutes. Below zero is `0s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const largest = units.findIndex((unit) => whole >= unit.seconds);
  return largest < 0 ? "0s" : written(whole, units.slice(largest, largest + 2));
}

/** With all its units, for what somebody set and may want to find again: `1h1m40s`. Parts of a second stay: `0.5s`. */
export function exactDuration(seconds: number): string {
  return seconds <= 0 ? "0s" : written(Number(seconds.toFixed(3)), units);
}

/** Units of which there are none are left out: `4m`, not `4m0s`. */
function written(seconds: number, shown: readonly Unit[]): string {
  let rest = seconds;
  let text = "";
  for (const unit of shown) {
    // Only seconds have parts.
    const count = unit.seconds === 1 ? Number(rest.toFixed(3)) : Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    if (count > 0) text += `${count}${unit.letter}`;
  }
  return text === "" ? "0s" : text;
}

/**
 * Seconds of what somebody wrote: `90s`, `1h30m`, `1.5h`, `2d`, `1w`; a plain number counts as seconds where `isPlain`.
 * Undefined for anything else, and for units twice or out of order.
 */
export function parseDuration(
  text: string,
  { isPlain = false }: { readonly isPlain?: boolean } = {},
): number | undefined {
  const trimmed = text.trim();
  if (isPlain && count(trimmed) !== undefined) return count(trimmed);
  let total = 0;
  let last = Number.POSITIVE_INFINITY;
  let start = 0;
  // One step for each character: a text from outside may be long.
  for (let end = 0; end < trimmed.length; end++) {
    const unit = readable.get(trimmed.charAt(end));
    if (unit === undefined) continue;
    const number = count(trimmed.slice(start, end));
    if (number === undefined || unit >= last) return undefined;
    total += number * unit;
    last = unit;
    start = end + 1;
  }
  return start === 0 || start < trimmed.length ? undefined : total;
}

function count(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}
