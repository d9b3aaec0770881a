import { scopesIn } from "../limits/raise.ts";
import type { Cluster, ClusterNode } from "../model/bucket.ts";
import { type LimitName, limitNames } from "../model/limits.ts";
import type { BucketName, Reason } from "../model/reasons.ts";
import type { TargetOutcome } from "../model/target.ts";
import type { Allocation } from "./allocation.ts";

type Place = Pick<ClusterNode, "nodeArray" | "vmSize" | "placementGroup">;

/** Whether something waits at a limit under which a node counts, so that it makes room there when it goes. */
export type RoomWanted = (node: Place) => boolean;

/** Asks it of what a plan left waiting. */
export function roomWanted(
  cluster: Cluster,
  allocations: readonly Allocation[],
  targets: readonly TargetOutcome[],
): RoomWanted {
  const scopeOf = scopesIn(cluster);
  // Plans without failed nodes never ask.
  let lacks: ReadonlySet<string> | undefined;
  const isLacking = (bucket: BucketName | Place, limit: LimitName): boolean => {
    lacks ??= lacksOf(scopeOf, allocations, targets);
    return lacks.has(`${limit} ${scopeOf(bucket, limit)}`);
  };
  return (node) => limitNames.some((limit) => isLacking(node, limit));
}

type Refused = Pick<Reason, "code" | "limit" | "bucket">;

/** The limits at which something waits, each with its scope. */
function lacksOf(
  scopeOf: ReturnType<typeof scopesIn>,
  allocations: readonly Allocation[],
  targets: readonly TargetOutcome[],
): ReadonlySet<string> {
  const lacks = new Set<string>();
  const note = ({ code, limit, bucket }: Refused) => {
    if (code !== "NoCapacity" || limit === null || bucket === null) return;
    const scope = scopeOf(bucket, limit);
    if (scope !== null) lacks.add(`${limit} ${scope}`);
  };
  // Many jobs share one list of refusals: it is gone through once.
  const waiting = allocations.filter(({ asked, granted, heldBy }) => granted < asked && heldBy === null);
  for (const refusals of new Set(waiting.map((allocation) => allocation.refusals)))
    for (const { code, limit, bucket } of refusals) note({ code, limit, bucket: bucket?.name ?? null });
  for (const { asked, granted, reasons } of targets) if (granted < asked) reasons.forEach(note);
  return lacks;
}
