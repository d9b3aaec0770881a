import type { WeekAnswer } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { moment } from "./moments.ts";
import type { Page } from "./report.ts";

type Hours = WeekAnswer["nodeArrays"][number]["hours"];

/** Node arrays over the last seven days: a line a day, then what schedules kept, then boots by size. Days are UTC. */
export function printWeek(page: Page, { nodeArrays, openedAtSeconds, fromSeconds }: WeekAnswer): void {
  if (nodeArrays.length === 0) page.line("No such node array.");
  else if (openedAtSeconds !== null && openedAtSeconds > fromSeconds)
    page.line(`Counted since ${moment(openedAtSeconds)}.`);
  for (const { name, hours, kept, paused, sizes } of nodeArrays) {
    page.title(name);
    if (hours.length === 0) page.line("Nothing was counted yet.");
    else page.table(["DAY", "NODES WITH JOBS, 00 TO 23", "NODES", "BUSY", "IDLE USD"], dayRows(hours));
    if (kept.length > 0)
      page.table(
        ["SCHEDULE", "KEEPS", "FROM", "UNTIL", "BUSY"],
        kept.map(({ schedule, keeps, fromSeconds: from, untilSeconds, busyNodes }) => [
          schedule,
          keeps,
          moment(from),
          moment(untilSeconds),
          busyNodes ?? "-",
        ]),
      );
    for (const { schedule, keeps, untilSeconds } of paused)
      page.line(`Schedule ${schedule} (${keeps}) is paused until ${moment(untilSeconds)}.`);
    if (sizes.length > 0)
      page.table(
        ["VM SIZE", "BOOTS", "HALF WITHIN", "95% WITHIN", "FAILURES", "EVICTIONS"],
        sizes.map(({ vmSize, boots, p50Seconds, p95Seconds, failures, evictions }) => [
          vmSize,
          boots,
          p50Seconds === null ? "-" : duration(p50Seconds),
          p95Seconds === null ? "-" : duration(p95Seconds),
          failures,
          evictions,
        ]),
      );
  }
}

const blocks = "▁▂▃▄▅▆▇█";

/** A block for each hour, as high as its nodes with jobs beside the most of the week; `.`: none, blank: not known. */
function dayRows(hours: Hours): readonly (readonly (string | number)[])[] {
  const most = Math.max(...hours.map(({ busyNodes }) => busyNodes));
  const block = (busy: number | undefined) =>
    busy === undefined ? " " : busy === 0 ? "." : blocks[Math.ceil((busy / most) * blocks.length) - 1];
  const dayOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10);
  return [...Map.groupBy(hours, ({ fromSeconds }) => dayOf(fromSeconds))].map(([day, some]) => {
    const byHour = new Map(some.map((each) => [(each.fromSeconds / 3_600) % 24, each.busyNodes]));
    const sum = (read: (hour: Hours[number]) => number) =>
      some.reduce((total, each) => total + read(each), 0);
    return [
      day,
      Array.from({ length: 24 }, (_, index) => block(byHour.get(index))).join(""),
      (sum(({ nodes }) => nodes) / some.length).toFixed(1),
      (sum(({ busyNodes }) => busyNodes) / some.length).toFixed(1),
      sum(({ idleUsd }) => idleUsd).toFixed(2),
    ];
  });
}
