import type { Book } from "./book.ts";
import { daySeconds, hourSeconds, monthStart, startOf } from "./calendar.ts";
import type { Spent } from "./stand.ts";

const daysOfWeek = 7;

/**
 * What the month will have cost when it ends, in thousand-millionths of a US dollar: what it cost so far, and each day to come what
 * the same day of the week cost last. A day of the week that was not seen yet counts as the mean of those that were; if no
 * whole day was seen, what runs now runs on. Of today, the part that is left counts.
 *
 * Linear in what days cost: the forecasts of node arrays add up to that of the cluster.
 */
export function monthForecast(
  { asOfSeconds, lastDays }: Pick<Book, "asOfSeconds" | "lastDays">,
  { month, hourly }: Pick<Spent, "month" | "hourly">,
  costOf: (day: Book["lastDays"][number]) => number,
): number {
  const endSeconds = monthStart(asOfSeconds, 1);
  const costByWeekday = new Map(lastDays.map((day) => [dayOfWeek(day.fromSeconds), costOf(day)]));
  if (costByWeekday.size === 0)
    return Math.round(month.nanoUsd + (hourly.nanoUsd * (endSeconds - asOfSeconds)) / hourSeconds);
  const mean = [...costByWeekday.values()].reduce((sum, cost) => sum + cost, 0) / costByWeekday.size;
  let nanoUsd = month.nanoUsd;
  for (let day = startOf(asOfSeconds, daySeconds); day < endSeconds; day += daySeconds) {
    const left = Math.min(1, (day + daySeconds - asOfSeconds) / daySeconds);
    nanoUsd += left * (costByWeekday.get(dayOfWeek(day)) ?? mean);
  }
  return Math.round(nanoUsd);
}

function dayOfWeek(atSeconds: number): number {
  return Math.floor(atSeconds / daySeconds) % daysOfWeek;
}
