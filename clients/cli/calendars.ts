import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type ICAL from "ical.js";
import { messageOf } from "../../shared/errors/errors.ts";
import { isDictionary } from "../../shared/json/json.ts";
import { printable } from "../../shared/text/text.ts";
import { isDay } from "../../shared/time/recurring.ts";
import { TimeZone } from "../../shared/time/time-zone.ts";
import { CommandFailure } from "./exit-code.ts";

const secondsPerDay = 86_400;
/** An event that comes every year counts for so long. */
const aheadSeconds = 3 * 366 * secondsPerDay;
const mostOccurrences = 10_000;

/**
 * A configuration whose schedules have days in place of the iCalendar files that `except` names: `{"calendar": "holidays.ics"}`, beside
 * the file. The service reads days alone. Throws a CommandFailure that names the calendar.
 */
export async function withCalendars(json: unknown, folder: string): Promise<unknown> {
  if (!isDictionary(json) || !isDictionary(json.schedules)) return json;
  const schedules = await Promise.all(
    Object.entries(json.schedules).map(async ([name, schedule]) => [name, await withDays(schedule, folder)]),
  );
  return { ...json, schedules: Object.fromEntries(schedules) };
}

async function withDays(schedule: unknown, folder: string): Promise<unknown> {
  if (!isDictionary(schedule) || !isDictionary(schedule.except)) return schedule;
  const { calendar } = schedule.except;
  if (typeof calendar !== "string") return schedule;
  try {
    const text = await readFile(resolve(folder, calendar), "utf8");
    const { time_zone: timeZone = "UTC" } = schedule;
    const about = { nowSeconds: Date.now() / 1000, timeZone: String(timeZone) };
    return { ...schedule, except: await daysIn(text, about) };
  } catch (error) {
    throw new CommandFailure(
      `Cannot read the calendar "${printable(calendar)}": ${printable(messageOf(error))}`,
      "Give an iCalendar file (.ics) beside the configuration.",
    );
  }
}

interface About {
  readonly nowSeconds: number;
  /** The schedule's, on whose clock the hours of an event fall on days. */
  readonly timeZone: string;
}

/** The days, from yesterday on, on which a calendar has an event. Throws for a text that is no calendar, and for an unknown time zone. */
export async function daysIn(text: string, about: About): Promise<readonly string[]> {
  const { default: ical } = await import("ical.js");
  // Programs on Windows write a byte order mark; some files hold one calendar behind the other.
  const parsed: unknown[] = text.trim() === "" ? [] : ical.parse(text.replace(/^\uFEFF/, ""));
  const calendars = typeof parsed[0] === "string" ? [parsed] : (parsed as unknown[][]);
  if (calendars.length === 0) throw new TypeError("there is no calendar in it");
  const events = calendars.flatMap((each) => new ical.Component(each).getAllSubcomponents("vevent"));
  for (const event of events) for (const property of event.getAllProperties()) check(ical, event, property);
  if (events.some((event) => event.getFirstProperty("dtstart") === null))
    throw new TypeError("an event without DTSTART");
  const changed = events.filter(isChange);
  const plain = events.filter((event) => !isChange(event) && !isOff(event));
  const days = plain.flatMap((event) => {
    const uid = event.getFirstPropertyValue("uid");
    const exceptions = changed.filter((each) => each.getFirstPropertyValue("uid") === uid);
    return daysOf(new ical.Event(event, { exceptions }), about);
  });
  return [...new Set(days)].toSorted();
}

/**
 * Refuses days that are in no calendar, which ical.js reads as others, and makes the platform's time zone known to it if an event names
 * one that its calendar does not describe.
 */
function check(ical: typeof ICAL, event: ICAL.Component, property: ICAL.Property): void {
  if (property.type === "date" || property.type === "date-time")
    for (const text of property.toJSON().slice(3).map(String))
      if (!isDay(text.slice(0, "2026-12-25".length)) || Number.isNaN(Date.parse(text)))
        throw new TypeError(`an event with "${text}", expected a day such as "2026-12-25", or a moment`);
  const zone = property.getFirstParameter("tzid");
  const isKnown = !zone || ical.TimezoneService.has(zone) || event.getTimeZoneByID(zone) !== null;
  if (!isKnown) ical.TimezoneService.register(platformZone(ical, zone), zone);
}

function platformZone(ical: typeof ICAL, name: string): ICAL.Timezone {
  const zone = zoneNamed(name);
  const known = new ical.Timezone({ tzid: name });
  known.utcOffset = ({ year, month, day, hour, minute, second }) => {
    const local = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
    return local - zone.momentOf(local).seconds;
  };
  return known;
}

function zoneNamed(name: string): TimeZone {
  try {
    return new TimeZone(name);
  } catch {
    throw new TypeError(
      `the time zone "${name}" is not described in it, expected a VTIMEZONE or an IANA name such as "Europe/Berlin"`,
    );
  }
}

function isOff(event: ICAL.Component): boolean {
  return event.getFirstPropertyValue("status") === "CANCELLED";
}

/** It is one occurrence of an event that comes again, moved or called off. */
function isChange(event: ICAL.Component): boolean {
  return event.getFirstProperty("recurrence-id") !== null;
}

function daysOf(event: ICAL.Event, { nowSeconds, timeZone }: About): readonly string[] {
  const first = dayOf({ seconds: nowSeconds - secondsPerDay, timeZone });
  const last = dayOf({ seconds: nowSeconds + aheadSeconds, timeZone });
  const days: string[] = [];
  const occurrences = event.iterator();
  // Where dates are listed, ical.js leaves out the one of the event itself.
  let own =
    event.isRecurring() && event.component.getFirstProperty("rrule") === null ? event.startDate : null;
  for (let count = 0; count < mostOccurrences; count += 1) {
    const next = own ?? occurrences.next();
    own = null;
    if (next === null || next === undefined || next.toString().slice(0, first.length) > last) return days;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    if (isOff(item.component)) continue;
    const begins = dayOf(momentOf(startDate, timeZone));
    // The end of a whole day is the next one; an event of no length is on its day.
    const end = momentOf(endDate, timeZone);
    const ends = dayOf({ ...end, seconds: end.seconds - 1 });
    let day = begins;
    do {
      if (day >= first && day <= last) days.push(day);
      day = dayOf({ seconds: Date.parse(day) / 1000 + secondsPerDay, timeZone: "UTC" });
    } while (day <= ends && day <= last);
  }
  throw new TypeError(`an event that comes more than ${mostOccurrences} times`);
}

interface Moment {
  readonly seconds: number;
  readonly timeZone: string;
}

/** Days, and hours of no time zone, are those of whoever reads them. */
function momentOf(time: ICAL.Time, timeZone: string): Moment {
  if (!time.isDate && time.zone?.tzid !== "floating") return { seconds: time.toUnixTime(), timeZone };
  const { year, month, day, hour, minute, second } = time;
  return { seconds: Date.UTC(year, month - 1, day, hour, minute, second) / 1000, timeZone: "UTC" };
}

/** To make one takes as long as writing a hundred days. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();

function dayOf({ seconds, timeZone }: Moment): string {
  // In Sweden a day is written as 2026-12-25.
  const format = dayFormats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone });
  dayFormats.set(timeZone, format);
  return format.format(seconds * 1000);
}
