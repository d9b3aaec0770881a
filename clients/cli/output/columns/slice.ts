import type { Slice } from "./column.ts";

/** The members that a slice takes, in its order. Python's rules: what is beyond the ends is not there. */
export function sliced<T>(members: readonly T[], slice: Slice): readonly T[] {
  const count = members.length;
  if (slice.kind === "index") {
    const at = slice.index < 0 ? slice.index + count : slice.index;
    return members.slice(at, at + 1).filter(() => at >= 0);
  }
  const { start, end, step } = slice;
  // Going down, the end just before the first member is one below 0.
  const [lowest, highest] = step > 0 ? [0, count] : [-1, count - 1];
  const within = (bound: number | null, open: number): number => {
    if (bound === null) return open;
    const at = bound < 0 ? bound + count : bound;
    return Math.min(Math.max(at, lowest), highest);
  };
  const from = within(start, step > 0 ? lowest : highest);
  const to = within(end, step > 0 ? highest : lowest);
  if (step === 1) return members.slice(from, to);
  const taken: T[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) taken.push(members[at] as T);
  return taken;
}
