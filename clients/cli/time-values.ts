import { InvalidArgumentError } from "commander";
import { z } from "zod";
import { exactDuration, parseDuration } from "../../shared/text/durations.ts";

/** A moment, or how long before or after now. */
export type TimeOption = { readonly lengthSeconds: number } | { readonly atSeconds: number };

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

/** Reads a length of time, or a moment that is over: a date, a date and time, or a time of day; local where it names no zone. */
export function timeOption(text: string): TimeOption {
  return timeOf(text, lastClockSeconds);
}

/** The same of a moment to come: at 09:00, 08:00 is tomorrow's. */
export function endOption(text: string): TimeOption {
  return timeOf(text, nextClockSeconds);
}

function timeOf(text: string, clockSeconds: (hours: number, minutes: number) => number): TimeOption {
  const lengthSeconds = parseDuration(text);
  if (lengthSeconds !== undefined) return { lengthSeconds };
  const atSeconds = momentSeconds(text, "local");
  if (atSeconds !== undefined) return { atSeconds };
  const clock = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (clock !== null) return { atSeconds: clockSeconds(Number(clock[1]), Number(clock[2])) };
  const ofDay = dayAndClock.exec(text)?.groups;
  if (ofDay !== undefined) {
    const at = clockToday(Number(ofDay.hours ?? 0), Number(ofDay.minutes ?? 0));
    at.setDate(at.getDate() + (daysFromToday[ofDay.day ?? ""] ?? 0));
    return { atSeconds: at.getTime() / 1000 };
  }
  throw new InvalidArgumentError(
    `"${text}", expected a length of time such as 30m, 1h30m or 2d, a time of day such as 14:02 or "tomorrow 18:00", or a date such as 2026-11-22T14:00.`,
  );
}

const dayAndClock = /^(?<day>yesterday|today|tomorrow)(?: (?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))?$/;
const daysFromToday: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

const day = z.iso.date();
const clock = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Unix seconds of a date, or of a date and time in ISO 8601; undefined for anything else. Where the text names no zone it is of
 * this one. `Date.parse` alone takes the 31st of November for the 1st of December, and a date for midnight in UTC.
 */
export function momentSeconds(text: string, zone: "local" | "utc"): number | undefined {
  const date = text.slice(0, "2026-11-22".length);
  const between = text.at(date.length) ?? "T";
  const time = clock.exec(text.slice(date.length + 1) || "00:00");
  if (!day.safeParse(date).success || !"T ".includes(between) || time === null) return undefined;
  const [whole, named] = time;
  const suffix = named === undefined && zone === "utc" ? "Z" : "";
  return Date.parse(`${date}T${whole}${suffix}`) / 1000;
}

/** The last time that this machine's clock showed it: at 09:00, 14:02 is yesterday's. */
function lastClockSeconds(hours: number, minutes: number): number {
  const at = clockToday(hours, minutes);
  if (at > new Date()) at.setDate(at.getDate() - 1);
  return at.getTime() / 1000;
}

function nextClockSeconds(hours: number, minutes: number): number {
  const at = clockToday(hours, minutes);
  if (at <= new Date()) at.setDate(at.getDate() + 1);
  return at.getTime() / 1000;
}

function clockToday(hours: number, minutes: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate(), hours, minutes);
}

/** Of a moment to come; a length of time counts from now. In whole seconds. */
export function untilSeconds(time: TimeOption, nowSeconds: number): number {
  return Math.round("atSeconds" in time ? time.atSeconds : nowSeconds + time.lengthSeconds);
}

/** A length of time counts back from now. */
export function toSeconds(time: TimeOption, nowSeconds: number): number {
  return "atSeconds" in time ? time.atSeconds : nowSeconds - time.lengthSeconds;
}
