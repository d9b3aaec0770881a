import type { Book } from "./book.ts";
import { daySeconds, hourSeconds, monthStart, startOf } from "./calendar.ts";
import type { Spent } from "./stand.ts";

const daysOfWeek = 7;

/**
 * The expected cost of the whole month, in nano-US-dollars: the cost so far, and for each day to come the last cost of the
 * same day of the week. A day of the week without a cost counts as the mean of the others; without any whole day the
 * present rate continues. Today counts with the part that is left.
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
