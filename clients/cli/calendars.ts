import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type ICAL from "ical.js";
import { messageOf } from "../../shared/errors/errors.ts";
import { isDictionary } from "../../shared/json/json.ts";
import { printable } from "../../shared/text/text.ts";
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
    return { ...schedule, except: await daysIn(text, Date.now() / 1000) };
  } catch (error) {
    throw new CommandFailure(
      `Cannot read the calendar "${printable(calendar)}": ${printable(messageOf(error))}`,
      "Give an iCalendar file (.ics) beside the configuration.",
    );
  }
}

/** The days, from yesterday on, on which a calendar has an event. Throws for a text that is no calendar. */
export async function daysIn(text: string, nowSeconds: number): Promise<readonly string[]> {
  const { default: ical } = await import("ical.js");
  const events = new ical.Component(ical.parse(text))
    .getAllSubcomponents("vevent")
    .filter((event) => event.getFirstPropertyValue("status") !== "CANCELLED");
  const [changed, plain] = [events.filter(isChange), events.filter((event) => !isChange(event))];
  const days = plain.flatMap((event) => {
    const uid = event.getFirstPropertyValue("uid");
    const exceptions = changed.filter((each) => each.getFirstPropertyValue("uid") === uid);
    return daysOf(new ical.Event(event, { exceptions }), nowSeconds);
  });
  return [...new Set(days)].toSorted();
}

/** It is one occurrence of an event that comes again, moved. */
function isChange(event: ICAL.Component): boolean {
  return event.getFirstProperty("recurrence-id") !== null;
}

function daysOf(event: ICAL.Event, nowSeconds: number): readonly string[] {
  const [first, last] = [dayOf(nowSeconds - secondsPerDay), dayOf(nowSeconds + aheadSeconds)];
  const days: string[] = [];
  const occurrences = event.iterator();
  for (let count = 0; count < mostOccurrences; count += 1) {
    const next = occurrences.next();
    if (next === null || next === undefined || next.toString().slice(0, first.length) > last) return days;
    const { startDate, endDate } = event.getOccurrenceDetails(next);
    const day = startDate.clone();
    day.isDate = true;
    // The end of a whole day is the next one; an event of no length is on its day.
    do {
      const text = day.toString();
      if (text >= first && text <= last) days.push(text);
      day.adjust(1, 0, 0, 0);
    } while (day.compare(endDate) < 0 && day.toString() <= last);
  }
  throw new TypeError(`an event that comes more than ${mostOccurrences} times`);
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, "2026-12-25".length);
}
