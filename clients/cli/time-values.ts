import { InvalidArgumentError } from "commander";
import { exactDuration, parseDuration } from "../../shared/durations.ts";

/** A moment, or how long before or after now. */
export type TimeOption = { readonly lengthSeconds: number } | { readonly atSeconds: number };

/** Reads a length of time. */
export function lengthOption(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new InvalidArgumentError(`"${text}", expected a length of time such as 30m, 1h30m or 2d.`);
}

/** Reads a length of time of at least so many seconds; a plain number counts as seconds. */
export function secondsOption(least: number): (text: string) => number {
  return (text) => {
    const seconds = parseDuration(text, { isPlain: true });
    if (seconds !== undefined && seconds >= least) return seconds;
    throw new InvalidArgumentError(
      `"${text}", expected a length of time such as 90s or 1h30m, ${exactDuration(least)} or more.`,
    );
  };
}

/** The same, in whole seconds: for what goes into messages and configurations that have no parts of a second. */
export function wholeSecondsOption(least: number): (text: string) => number {
  const read = secondsOption(least);
  return (text) => {
    const seconds = read(text);
    if (Number.isInteger(seconds)) return seconds;
    throw new InvalidArgumentError(`"${text}", expected whole seconds.`);
  };
}

/** Reads a length of time, or a moment: a date, or a date and time in ISO 8601, local where it names no zone. */
export function timeOption(text: string): TimeOption {
  const lengthSeconds = parseDuration(text);
  if (lengthSeconds !== undefined) return { lengthSeconds };
  // A date alone would be midnight in UTC.
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00`) : Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && Number.isFinite(atMs)) return { atSeconds: atMs / 1000 };
  const clock = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (clock !== null) return { atSeconds: clockSeconds(Number(clock[1]), Number(clock[2])) };
  throw new InvalidArgumentError(
    `"${text}", expected a length of time such as 30m, 1h30m or 2d, a time of day such as 14:02, or a date such as 2026-11-22T14:00.`,
  );
}

/** The last time that this machine's clock showed it: at 09:00, 14:02 is yesterday's. */
function clockSeconds(hours: number, minutes: number): number {
  const now = new Date();
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate(), hours, minutes);
  if (at > now) at.setDate(at.getDate() - 1);
  return at.getTime() / 1000;
}

/** A length of time counts back from now. */
export function toSeconds(time: TimeOption, nowSeconds: number): number {
  return "atSeconds" in time ? time.atSeconds : nowSeconds - time.lengthSeconds;
}
