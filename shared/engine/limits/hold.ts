import type { HoldName } from "../model/limits.ts";
import { type Counters, keyOf } from "./counters.ts";
import type { Home, LimitCharge } from "./limit.ts";

/** The planner asks a size for nothing for now. */
export function holdCharges(
  hold: HoldName,
  { array, vmSize }: Home,
  counters: Counters,
): readonly LimitCharge[] {
  if (counters.holds.get(keyOf(array.name, vmSize)) !== hold) return [];
  const quota = counters.quota(["hold", array.name, vmSize], 0, 0);
  return [{ scope: `${array.name}/${vmSize}`, unit: "nodes", quota, perNode: 1 }];
}
