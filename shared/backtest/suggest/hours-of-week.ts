import type { TimeZone } from "../../time/time-zone.ts";
import type { RunFigures } from "../figures/run-figures.ts";
import type { Workload } from "../trace-job.ts";
import { clockOffset } from "../world/pace.ts";

const secondsPerHour = 3_600;
export const dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const hoursPerDay = 24;
const mostNamed = 3;

/**
 * Waiting time by the local hour of the week of submission, from Sunday 0:00, in seconds. No more of a job counts than `mostSeconds`,
 * if that is given.
 */
export function waitsOfWeek(
  workload: Workload,
  { perJob }: Pick<RunFigures, "perJob">,
  {
    timeZone,
    mostSeconds = Number.POSITIVE_INFINITY,
  }: { readonly timeZone: TimeZone; readonly mostSeconds?: number },
): readonly number[] {
  const byHour = emptyWeek();
  const offset = clockOffset(workload);
  let place = 0;
  for (const { submitSeconds } of workload.jobs) {
    const waited = perJob.waitSeconds[place] ?? Number.NaN;
    place += 1;
    if (Number.isNaN(waited)) continue;
    const hour = hourOfWeek(timeZone.localAt(submitSeconds + offset));
    byHour[hour] = (byHour[hour] ?? 0) + Math.min(waited, mostSeconds);
  }
  return byHour;
}

/** The hours of the week in which a change saves most waiting time, with what it costs more in them, in words. */
export function savedOfWeek(
  workload: Workload,
  {
    before,
    after,
    timeZone,
  }: { readonly before: RunFigures; readonly after: RunFigures; readonly timeZone: TimeZone },
): string {
  const waits = [before, after].map((figures) => waitsOfWeek(workload, figures, { timeZone }));
  const costs = [before, after].map((figures) => costsOfWeek(workload, figures, timeZone));
  const saved = emptyWeek().map((_, hour) => ({
    hour,
    seconds: (waits[0]?.[hour] ?? 0) - (waits[1]?.[hour] ?? 0),
    usd: ((costs[1]?.[hour] ?? 0) - (costs[0]?.[hour] ?? 0)) / 1e9,
  }));
  return saved
    .filter(({ seconds }) => seconds > 0)
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, mostNamed)
    .map(({ hour, seconds, usd }) => {
      const at = `${dayNames[Math.floor(hour / hoursPerDay)]} ${hour % hoursPerDay}:00`;
      return `${at} ${(seconds / secondsPerHour).toFixed(1)} h (${usd < 0 ? "-" : ""}$${Math.abs(usd).toFixed(2)})`;
    })
    .join(", ");
}

/** What each local hour of the week cost, from Sunday 0:00, in thousand-millionths of a US dollar. */
export function costsOfWeek(
  workload: Workload,
  { period, hourNanoUsd }: Pick<RunFigures, "period" | "hourNanoUsd">,
  timeZone: TimeZone,
): readonly number[] {
  const byHour = emptyWeek();
  // The clock of a run shows whole seconds.
  const first = Math.floor(Math.round(period.startSeconds + clockOffset(workload)) / secondsPerHour);
  for (const [index, nanoUsd] of hourNanoUsd.entries()) {
    const hour = hourOfWeek(timeZone.localAt((first + index) * secondsPerHour));
    byHour[hour] = (byHour[hour] ?? 0) + nanoUsd;
  }
  return byHour;
}

function emptyWeek(): number[] {
  return Array.from({ length: 7 * hoursPerDay }, () => 0);
}

/** Of a local time, as the seconds that it would be in UTC. */
function hourOfWeek(local: number): number {
  const at = new Date(local * 1_000);
  return at.getUTCDay() * hoursPerDay + at.getUTCHours();
}
