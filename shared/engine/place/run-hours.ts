import type { Job } from "../model/job.ts";
import type { LooseSlots } from "./loose-slots.ts";

/**
 * For how long a node is paid for that holds so many slots, at its index: as long as the longest of so many of these slots is
 * expected to run. Which of them share a node is up to the scheduler, so any may. Slots of which nobody knows how long they run are as
 * the others. Undefined: nothing is known of any.
 */
export function runHoursOf(
  loose: readonly Pick<LooseSlots, "allocation" | "slots">[],
): readonly number[] | undefined {
  const known = new Map<number, number>();
  for (const { allocation, slots } of loose) {
    const { runtimeSeconds } = allocation.job;
    if (runtimeSeconds !== null) known.set(runtimeSeconds, (known.get(runtimeSeconds) ?? 0) + slots);
  }
  if (known.size === 0) return undefined;
  const sorted = [...known].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, slots]) => sum + slots, 0);
  return Array.from(
    { length: mostSlots + 1 },
    (_, slots) => overheadHours + longestOf(sorted, total, slots) / 3600,
  );
}

/** For how long a job that cannot be split keeps its nodes, beside what is known of all; an hour where nothing is. */
export function hoursOf(
  { runtimeSeconds }: Pick<Job, "runtimeSeconds">,
  known: readonly number[] | undefined,
): number {
  if (known === undefined) return 1;
  return runtimeSeconds === null ? (known[1] ?? 1) : overheadHours + runtimeSeconds / 3600;
}

/** A node boots for some minutes, and idles for some before it is deleted. */
const overheadHours = 0.15;

/** More slots on a node are expected to end hardly later. */
const mostSlots = 128;

/** The mean of the longest of so many, each drawn from all. */
function longestOf(
  sorted: readonly (readonly [seconds: number, slots: number])[],
  total: number,
  slots: number,
): number {
  let upTo = 0;
  let before = 0;
  let mean = 0;
  for (const [seconds, count] of sorted) {
    upTo += count;
    const share = (upTo / total) ** slots;
    mean += seconds * (share - before);
    before = share;
  }
  return mean;
}
