import { InvalidArgumentError } from "commander";

/** A moment, or how long before or after now. */
export type TimeOption = { readonly lengthSeconds: number } | { readonly atSeconds: number };

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `90s`, `30m`, `1h`, `2d`, `1w`; undefined for what is none. */
function lengthOf(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text.trim()) ?? [];
  const seconds = unitSeconds[unit];
  return count === undefined || seconds === undefined ? undefined : Number(count) * seconds;
}

/** Reads a length of time. */
export function lengthOption(text: string): number {
  const seconds = lengthOf(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new InvalidArgumentError(`"${text}", expected a length of time such as 30m, 12h or 2d.`);
}

/** Reads a length of time, or a moment: a date, or a date and time in ISO 8601, local where it names no zone. */
export function timeOption(text: string): TimeOption {
  const lengthSeconds = lengthOf(text);
  if (lengthSeconds !== undefined) return { lengthSeconds };
  // A date alone would be midnight in UTC.
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00`) : Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && Number.isFinite(atMs)) return { atSeconds: atMs / 1000 };
  throw new InvalidArgumentError(
    `"${text}", expected a length of time such as 30m or 2d, or a date such as 2026-11-22T14:00.`,
  );
}

/** A length of time counts back from now. */
export function toSeconds(time: TimeOption, nowSeconds: number): number {
  return "atSeconds" in time ? time.atSeconds : nowSeconds - time.lengthSeconds;
}
