import { z } from "zod";
import { checkTargetItems, requestSetSchema } from "../messages/index.ts";
import type { Schedule } from "../ports/index.ts";
import { isDay, midnight, momentAt, problemOf } from "../time/recurring.ts";
import { flag, positiveSeconds, seconds, strict, text } from "./setting-value.ts";

const mostSchedules = 200;
const aName = "expected a name of 1 to 64 letters, digits, spaces and . _ : @ + -";
const aPause = 'expected true, false, or until when, such as "2026-12-01T08:00"';
const aDay = 'expected a day such as "2026-12-25"';

const shape = {
  start: text.optional(),
  end: text.optional(),
  duration: positiveSeconds
    .refine((length) => length <= 3_660 * 86_400, 'expected at most "3660d"')
    .optional(),
  time_zone: text.default("UTC"),
  except: z
    .array(
      z.string(aDay).refine(isDay, aDay),
      'expected a list of days, or in a file for "ccscale config push" {"calendar": "holidays.ics"}',
    )
    .max(1_000, "expected at most 1000 days")
    .default([]),
  lead: z
    .union([z.literal("auto"), seconds], 'expected a number of seconds, 0 or more, or "auto"')
    .default("auto"),
  paused: z.union([flag, text], aPause).default(false),
  targets: z.array(z.unknown(), "expected a list of targets").default([]),
  settings: z.record(z.string(), z.unknown(), "expected an object of settings").default({}),
};

/** As it is in the file: whether its settings are valid is known once they are merged with the others. */
type Written = Omit<Schedule, "name" | "settings"> & {
  readonly paused: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
};

const scheduleSchema = strict(shape, "expected an object of one schedule").transform(
  (keys, context): Written => {
    const { duration, time_zone: timeZone, except, lead, paused, settings } = keys;
    const { start = midnight, end = keys.start === undefined ? midnight : undefined } = keys;
    if (keys.targets.length === 0 && Object.keys(settings).length === 0)
      context.addIssue({ code: "custom", message: "expected targets or settings" });
    if (keys.start === undefined && (keys.end ?? duration) !== undefined)
      context.addIssue({ code: "custom", message: "expected a start with end or duration" });
    else if ((end === undefined) === (duration === undefined))
      context.addIssue({ code: "custom", message: "expected exactly one of end and duration" });
    const ends = end === undefined ? { afterSeconds: duration ?? 1 } : { at: end };
    const recurrence = { start, end: ends, timeZone, except };
    const problem = problemOf(recurrence);
    if (problem !== undefined) {
      const key = problem.key === "timeZone" ? "time_zone" : problem.key;
      context.addIssue({ code: "custom", message: problem.message, input: keys[key], path: [key] });
    }
    const until =
      typeof paused === "string" && problem === undefined ? momentAt(paused, timeZone) : undefined;
    if (typeof paused === "string" && problem === undefined && until === undefined)
      context.addIssue({ code: "custom", message: aPause, input: paused, path: ["paused"] });
    const { good, setAside } = checkTargetItems(keys.targets);
    for (const { index, problems } of setAside)
      context.addIssue({ code: "custom", message: problems.join("; "), path: ["targets", index] });
    return {
      ...recurrence,
      ...(until !== undefined && { pausedUntilSeconds: until }),
      leadSeconds: lead === "auto" ? null : lead,
      targets: good,
      paused: paused === true,
      settings,
    };
  },
);

/** `schedules`: targets that hold at certain times, by the name of each. */
export const scheduleShape = {
  schedules: z
    .record(z.string(), z.unknown(), "expected an object of schedules")
    .default({})
    .superRefine((byName, context) => {
      const count = Object.keys(byName).length;
      if (count > mostSchedules)
        context.addIssue({
          code: "custom",
          message: `expected at most ${mostSchedules} schedules`,
          input: count,
        });
    })
    // Only so many are read.
    .pipe(
      z.record(requestSetSchema, scheduleSchema, {
        error: ({ code }) => (code === "invalid_key" ? aName : undefined),
      }),
    )
    .transform((byName): readonly (Written & { readonly name: string })[] =>
      Object.entries(byName).flatMap(([name, schedule]) => (schedule.paused ? [] : [{ name, ...schedule }])),
    ),
};
