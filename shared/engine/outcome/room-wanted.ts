import { limits } from "../limits/limits.ts";
import { type LimitName, limitNames } from "../model/limits.ts";
import type { Reason } from "../model/reasons.ts";
import type { TargetOutcome } from "../model/target.ts";
import type { Allocation } from "../place/allocation.ts";

/** Limits under which a node that goes makes room for another. */
const sharedLimits: ReadonlySet<LimitName | null> = new Set(
  limitNames.filter((name) => limits[name].scopeOf !== undefined),
);

/** Whether something waits for room that a node of the cluster may hold. */
export function isRoomWanted(allocations: readonly Allocation[], targets: readonly TargetOutcome[]): boolean {
  // Many jobs share one list of refusals: it is gone through once.
  const known = new Map<readonly Pick<Reason, "code" | "limit">[], boolean>();
  const lackRoom = (refusals: readonly Pick<Reason, "code" | "limit">[]): boolean => {
    const lacks = known.get(refusals) ?? refusals.some(isLackOfRoom);
    known.set(refusals, lacks);
    return lacks;
  };
  return (
    allocations.some(
      ({ asked, granted, heldBy, refusals }) => granted < asked && heldBy === null && lackRoom(refusals),
    ) || targets.some(({ asked, granted, reasons }) => granted < asked && reasons.some(isLackOfRoom))
  );
}

function isLackOfRoom({ code, limit }: Pick<Reason, "code" | "limit">): boolean {
  return code === "NoCapacity" && sharedLimits.has(limit);
}
