import { Cron } from "croner";

/** When a timer runs. */
export interface TimerSchedule {
  /** First occurrence strictly after a time, both in milliseconds since 1970. */
  next(after: number): number;
}

/** Reads an NCRONTAB expression: six fields with seconds first, or five without; UTC. @throws Error for anything else. */
export function parseSchedule(text: string): TimerSchedule {
  const cron = parseCron(text);
  const next = (after: number): number => {
    const run = cron.nextRun(new Date(after));
    if (run === null) throw new Error(`Cannot find an occurrence of schedule "${text}": it never comes`);
    return run.getTime();
  };
  return { next };
}

function parseCron(text: string): Cron {
  try {
    // NCRONTAB wants day of month *and* day of week to match, and takes 5/10 for "from 5, every 10".
    return new Cron(text, { timezone: "UTC", mode: "5-or-6-parts", domAndDow: true, sloppyRanges: true });
  } catch (error) {
    const wanted = 'expected six cron fields such as "0 */5 * * * *"';
    throw new Error(`Cannot read schedule "${text}": ${wanted}`, { cause: error });
  }
}
