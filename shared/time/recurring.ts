import { Cron } from "croner";

/** A window of time that comes again and again, by the clock on the wall of a place. */
export interface Recurrence {
  /** When it begins: a cron expression of five fields, or one moment such as `2026-12-01T08:00` for a window that comes once. */
  readonly start: string;
  /** When it ends: at the next moment of such an expression, or after so many seconds. */
  readonly end: { readonly at: string } | { readonly afterSeconds: number };
  /** IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Days there, such as `2026-12-25`, on which no window begins. */
  readonly except: readonly string[];
  /** Before it, no window is open. Absent: any may be. */
  readonly pausedUntilSeconds?: number;
}

/** Without a start, windows follow one another from midnight to midnight. */
export const midnight = "0 0 * * *";

export function isAlwaysOpen({ start, end }: Recurrence): boolean {
  return start === midnight && "at" in end && end.at === midnight;
}

/** From `startSeconds` on, until `endSeconds`, which is not part of it. */
export interface Window {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface Windows {
  readonly open: Window | null;
  /** The one that begins next, after the moment that was asked for. */
  readonly next: Window | null;
}

/** The last start may be left out, while the window before it is open still. */
const mostLookedBack = 8;
/** From what was found last, so many windows on are cheaper than to look anew. */
const mostWindowsOn = 4;
/** As many days may be left out in a row before the next window. */
const mostLeftOut = 400;
/** Cron expressions of five fields name no year: what comes after this moment comes again. */
const firstMoment = new Date(0);

/**
 * The window that is open at a moment, and the next one. A start in the hour that a change of the clock leaves out comes with the next hour, one
 * in an hour that comes twice comes once. Of windows that overlap the last one that began is open. Throws an Error for a recurrence
 * that `problemOf` would refuse.
 */
export function windowsAt(recurrence: Recurrence, atSeconds: number): Windows {
  const { pausedUntilSeconds = atSeconds } = recurrence;
  if (atSeconds < pausedUntilSeconds) {
    const { open, next } = windowsAt(recurrence, pausedUntilSeconds);
    return { open: null, next: open === null ? next : { ...open, startSeconds: pausedUntilSeconds } };
  }
  const read = readOf(recurrence);
  const windows = windowsOn(read, atSeconds) ?? {
    open: openAt(read, atSeconds),
    next: nextAfter(read, atSeconds),
  };
  read.last = { windows, atSeconds };
  return windows;
}

/** The first time that a clock there shows a moment such as `2026-12-01T08:00`; undefined for any other text. */
export function momentAt(text: string, timeZone: string): number | undefined {
  const at = isMoment(text) ? cronOf(text, timeZone)?.nextRun(firstMoment) : null;
  return at ? at.getTime() / 1_000 : undefined;
}

/** What is wrong with one, by the key that it is about; undefined: nothing. */
export function problemOf(
  recurrence: Recurrence,
): { readonly key: "start" | "end" | "timeZone"; readonly message: string } | undefined {
  if (!isTimeZone(recurrence.timeZone))
    return { key: "timeZone", message: 'expected an IANA time zone such as "Europe/Berlin"' };
  const { timeZone, start, end } = recurrence;
  const wanted = (text: string) => {
    const cron = cronOf(text, timeZone);
    if (cron === undefined)
      return 'expected a cron expression of five fields such as "0 8 * * mon-fri", or a moment such as "2026-12-01T08:00"';
    return isMoment(text) || cron.nextRun(firstMoment) !== null ? undefined : "expected a moment that comes";
  };
  const ofStart = wanted(start);
  if (ofStart !== undefined) return { key: "start", message: ofStart };
  if (!("at" in end)) return undefined;
  const ofEnd = wanted(end.at);
  if (ofEnd !== undefined) return { key: "end", message: ofEnd };
  const first = cronOf(start, timeZone)?.nextRun(firstMoment);
  const endsAfter = first && cronOf(end.at, timeZone)?.nextRun(first);
  return endsAfter ? undefined : { key: "end", message: "expected a moment after the start" };
}

interface Read {
  readonly start: Cron;
  /** When a window that begins then ends; null: never. */
  readonly endOf: (start: Date) => Date | null;
  readonly isLeftOut: (start: Date) => boolean;
  /** What was found last: the same is asked for again and again, a little later each time. */
  last: { readonly windows: Windows; readonly atSeconds: number } | undefined;
}

/** Configurations are kept from one plan to the next, and so is what was read of them. */
const readBefore = new WeakMap<Recurrence, Read>();

function readOf(recurrence: Recurrence): Read {
  const before = readBefore.get(recurrence);
  if (before !== undefined) return before;
  const { start, end, timeZone, except } = recurrence;
  const startCron = requiredCron(start, timeZone);
  const endCron = "at" in end ? requiredCron(end.at, timeZone) : null;
  const read: Read = {
    start: startCron,
    endOf: (from) =>
      "at" in end
        ? (endCron?.nextRun(from) ?? null)
        : new Date(from.getTime() + Math.round(end.afterSeconds * 1000)),
    isLeftOut: except.length === 0 ? () => false : leavingOut(except, timeZone),
    last: undefined,
  };
  readBefore.set(recurrence, read);
  return read;
}

/** Formats of days take longer to make than all else of a recurrence. */
function leavingOut(except: readonly string[], timeZone: string): (start: Date) => boolean {
  const days = new Set(except);
  const dayOf = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  return (start) => days.has(dayOf.format(start));
}

/** From those that were found last, if that was before and not long ago. A window that began earlier ends earlier. */
function windowsOn({ last, ...read }: Read, atSeconds: number): Windows | undefined {
  if (last === undefined || atSeconds < last.atSeconds) return undefined;
  let { open, next } = last.windows;
  for (let on = 0; next !== null && next.startSeconds <= atSeconds; on += 1) {
    if (on === mostWindowsOn) return undefined;
    open = next;
    next = nextAfter(read, next.startSeconds);
  }
  return { open: open !== null && atSeconds < open.endSeconds ? open : null, next };
}

function openAt(read: Read, atSeconds: number): Window | null {
  // Runs strictly before: one that begins at this very moment counts.
  let before = new Date(Math.floor(atSeconds * 1000) + 1);
  for (let back = 0; back < mostLookedBack; back += 1) {
    const [start] = read.start.previousRuns(1, before);
    if (start === undefined) return null;
    const window = windowFrom(read, start);
    // One that began earlier is over earlier.
    if (window !== null)
      return window.startSeconds <= atSeconds && atSeconds < window.endSeconds ? window : null;
    before = start;
  }
  return null;
}

function nextAfter(read: Omit<Read, "last">, atSeconds: number): Window | null {
  let after = new Date(Math.floor(atSeconds * 1000));
  for (let left = 0; left < mostLeftOut; left += 1) {
    const start = read.start.nextRun(after);
    if (start === null) return null;
    const window = windowFrom(read, start);
    if (window !== null) return window;
    after = start;
  }
  return null;
}

/** Null: none begins then. */
function windowFrom(read: Omit<Read, "last">, start: Date): Window | null {
  const end = read.isLeftOut(start) ? null : read.endOf(start);
  return end === null ? null : { startSeconds: start.getTime() / 1000, endSeconds: end.getTime() / 1000 };
}

function requiredCron(text: string, timeZone: string): Cron {
  const cron = cronOf(text, timeZone);
  if (cron === undefined) throw new Error(`Cannot read "${text}" as a cron expression or a moment`);
  return cron;
}

function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && isWritten(text, `${text}Z`);
}

/** Whether the calendar has such a day, as `2026-12-25`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isWritten(text, text);
}

/** What the calendar lacks is read as another day, such as March for 30 February, or not at all. */
function isWritten(text: string, iso: string): boolean {
  const date = new Date(iso);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Undefined for what cannot be read. */
function cronOf(text: string, timezone: string): Cron | undefined {
  // With a colon it is a moment for Croner, and other forms of one than ours go by other clocks.
  if (text.includes(":") && !isMoment(text)) return undefined;
  try {
    const pattern = text.length === "2026-12-01T08:00".length && isMoment(text) ? `${text}:00` : text;
    return new Cron(pattern, { timezone, mode: "5-part" });
  } catch {
    return undefined;
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
