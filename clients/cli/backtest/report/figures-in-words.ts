/** Numbers as the report shows them: in English, and the same on every machine. */

import { duration } from "../../../../shared/text/durations.ts";

const nanoPerUsd = 1e9;
const minute = 60;
const hour = 3_600;
const day = 86_400;
/** A workload whose clock is larger counts from 1970; others count from a start of their own. */
const leastEpochSeconds = 100_000_000;

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const toOne = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const cents = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const few = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** For what is not known. */
export const unknown = "–";

export function usd(value: number | null): string {
  if (value === null) return unknown;
  const text = (Math.abs(value) < 1_000 ? cents : whole).format(Math.abs(value));
  return `${value < 0 ? "−" : ""}$${text}`;
}

export function nanoUsd(value: number | null): string {
  return value === null ? unknown : usd(value / nanoPerUsd);
}

export function count(value: number): string {
  return whole.format(value);
}

/** Three digits: of values that may be small or large. */
export function amount(value: number | null): string {
  return value === null ? unknown : few.format(value);
}

/** Two digits after the point, so that a column of them lines up. */
export function ratio(value: number): string {
  return cents.format(value);
}

/** A difference with its sign, one digit after the point. */
export function difference(value: number): string {
  const text = toOne.format(Math.abs(value));
  return text === toOne.format(0) ? text : `${value < 0 ? "−" : "+"}${text}`;
}

export function hours(value: number): string {
  return (value < 100 ? toOne : whole).format(value);
}

export function share(value: number | null): string {
  return value === null ? unknown : percent.format(value);
}

/** A difference may be below zero. */
export function lengthOfTime(seconds: number | null): string {
  if (seconds === null) return unknown;
  return `${seconds < 0 ? "−" : ""}${duration(Math.abs(seconds))}`;
}

/** How moments of a workload are shown: dates in UTC if it counts from 1970, else time since its first submission. */
export interface Clock {
  /** Label of a time axis. */
  readonly label: string;
  /** Place on a time axis: a number of hours or days, or milliseconds since 1970. */
  readonly place: (seconds: number) => number;
  readonly tick: (place: number) => string;
  readonly moment: (seconds: number) => string;
  readonly isDate: boolean;
}

export function clockOf(given: { readonly startSeconds: number; readonly endSeconds: number }): Clock {
  const { startSeconds, endSeconds } = given;
  const isLong = endSeconds - startSeconds > 4 * day;
  if (startSeconds < leastEpochSeconds) {
    const isShort = endSeconds - startSeconds < 2 * hour;
    const [unit, name] = isLong ? [day, "days"] : isShort ? [minute, "minutes"] : [hour, "hours"];
    return {
      label: `${name} since the first submission`,
      place: (seconds) => (seconds - startSeconds) / unit,
      tick: (place) => few.format(place),
      moment: (seconds) => sinceStart(seconds - startSeconds),
      isDate: false,
    };
  }
  const dateFormat = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" });
  const timeFormat = new Intl.DateTimeFormat("en-GB", {
    timeZone: "UTC",
    hour: "2-digit",
    minute: "2-digit",
  });
  return {
    label: "UTC",
    place: (seconds) => seconds * 1_000,
    tick: (place) =>
      (place / 1_000) % day === 0 || isLong ? dateFormat.format(place) : timeFormat.format(place),
    moment: (seconds) => `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace("T", "\u00a0")}Z`,
    isDate: true,
  };
}

/** `day 3 07:30`: days from 0. */
function sinceStart(seconds: number): string {
  const of = (size: number) => String(Math.floor(size)).padStart(2, "0");
  return `day\u00a0${Math.floor(seconds / day)}\u00a0${of((seconds % day) / hour)}:${of((seconds % hour) / minute)}`;
}
