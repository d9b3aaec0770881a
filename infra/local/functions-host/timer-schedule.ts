import { Cron } from "croner";
import { parseTimeSpan } from "./host-json.ts";

/** When a timer runs. */
export interface TimerSchedule {
  /** First occurrence strictly after a time, both in milliseconds since 1970. */
  next(after: number): number;
  readonly adjustForDst: boolean;
  /** Whether two occurrences are ever less than a minute apart (looking at the next ten). */
  isShorterThanMinute(from: number): boolean;
}

/**
 * Reads a timer's schedule: an NCRONTAB expression (six fields with seconds first, or five without; UTC) or a
 * TimeSpan, the pause between runs. @throws Error for anything else.
 */
export function parseSchedule(text: string): TimerSchedule {
  const interval = parseTimeSpan(text);
  if (interval !== undefined && interval > 0) {
    return {
      next: (after) => after + interval,
      adjustForDst: false,
      isShorterThanMinute: () => interval < 60_000,
    };
  }
  const cron = parseCron(text);
  const next = (after: number): number => {
    const run = cron.nextRun(new Date(after));
    if (run === null) throw new Error(`Cannot find an occurrence of schedule "${text}": it never comes`);
    return run.getTime();
  };
  const isShorterThanMinute = (from: number): boolean => {
    const times = cron.nextRuns(10, new Date(from)).map(Number);
    return times.some((time, index) => index > 0 && time - (times[index - 1] ?? 0) < 60_000);
  };
  return { next, adjustForDst: true, isShorterThanMinute };
}

function parseCron(text: string): Cron {
  try {
    // NCRONTAB wants day of month *and* day of week to match, and takes 5/10 for "from 5, every 10".
    return new Cron(text, { timezone: "UTC", mode: "5-or-6-parts", domAndDow: true, sloppyRanges: true });
  } catch (error) {
    const wanted = 'expected six cron fields such as "0 */5 * * * *" or a time span such as "00:05:00"';
    throw new Error(`Cannot read schedule "${text}": ${wanted}`, { cause: error });
  }
}
