import { duration } from "../../../shared/text/durations.ts";

const width = 30;
const leastShare = 0.01;

/** A line with a bar, the share that is done, and the time that is left at this pace. */
export function barOf(runs: number, startMs: number): (share: number, nowMs: number) => string {
  return (share, nowMs) => {
    const full = Math.floor(share * width);
    const bar = `${"█".repeat(full)}${"░".repeat(width - full)}`;
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    const left =
      share < leastShare
        ? ""
        : `, ${duration(Math.ceil((((nowMs - startMs) / share) * (1 - share)) / 1_000))} left`;
    return `${bar} ${percent} of ${runs} ${runs === 1 ? "run" : "runs"}${left}`;
  };
}
