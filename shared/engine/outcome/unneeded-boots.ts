import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import { kindName } from "../model/bucket.ts";
import type { NodeHistory } from "../model/history.ts";
import { shortHostname } from "../model/names.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { type EngineSettings, forNodeArray } from "../model/settings.ts";
import type { TargetOutcome } from "../model/target.ts";
import type { Allocation } from "../place/allocation.ts";
import { couldHold } from "../place/candidates.ts";

/** Purchases of this time say how often nodes of a kind are bought. */
const lookedBackSeconds = 3_600;

const leastHoldSeconds = 60;

/** What a pass came to, as far as booting nodes are judged by it. */
interface Pass {
  readonly nodes: readonly LedgerNode[];
  readonly allocations: readonly Allocation[];
  readonly targets: readonly TargetOutcome[];
  /** As observed in this pass. */
  readonly history: ReadonlyMap<string, NodeHistory>;
}

/**
 * Ids of nodes that boot, were bought for jobs, and are needed no more: nothing is planned on them, and no job that waits could
 * use them. Their idle clock runs. Nodes that a reservation pays cost the same when they go.
 */
export function unneededBoots(input: PlanInput, pass: Pass): ReadonlySet<string> {
  if (input.boughtNodeIds === undefined) return new Set();
  const isOurs = ownershipOf(input);
  const boots = pass.nodes.flatMap((node) => {
    const row = isSpareBoot(node) ? pass.history.get(node.reported?.nodeId ?? "") : undefined;
    return row === undefined || row.readySeconds !== null || !isOurs(row.nodeId) ? [] : [{ node, row }];
  });
  if (boots.length === 0 || pass.targets.some(({ asked, granted }) => granted < asked)) return new Set();
  const couldTake = usersOf(pass.allocations);
  const isAnyHost = runsOnUnknownHost(input);
  const unneeded = boots.filter(
    ({ node }) => !couldTake(node.bucket) && !(isAnyHost && node.hostname === null),
  );
  return new Set(unneeded.map(({ row }) => row.nodeId));
}

/** A node on its way up that nothing is planned on, and that costs less when it goes. */
function isSpareBoot({ reported, matched, takesNoJobs, bucket }: LedgerNode): boolean {
  if (reported === null || matched || takesNoJobs || bucket.size?.reservation !== undefined) return false;
  const { status, targetState } = reported;
  return targetState === "Started" && status !== "Ready" && status !== "Failed";
}

/** What an earlier pass found to be needed no more was bought for jobs, even where its purchase is too old to be read. */
function ownershipOf({ boughtNodeIds, history }: PlanInput): (nodeId: string) => boolean {
  const bought = new Set(boughtNodeIds);
  for (const { nodeId, readySeconds, lastMatchSeconds, deletedSeconds } of history)
    if (readySeconds === null && lastMatchSeconds !== null && deletedSeconds === null) bought.add(nodeId);
  return (nodeId) => bought.has(nodeId);
}

/**
 * Whether a job that waits could use an empty node of a bucket: one that lacks nodes, or is planned on a node that is up and has
 * not started there, where its scheduler may not see the room that the plan sees. One that was held back before it was planned
 * could use any; one of too low a priority can use none.
 */
function usersOf(allocations: readonly Allocation[]): (bucket: LedgerBucket) => boolean {
  const waiting = allocations.filter(
    (each) => !isOfLowPriority(each) && (each.granted < each.asked || isAboutToStart(each)),
  );
  const isUnknown = waiting.some(({ heldBy, shape }) => heldBy !== null || shape.profile.candidates === null);
  if (isUnknown) return () => true;
  const shapes = new Set(waiting.map(({ shape }) => shape));
  const asked = new Map<LedgerBucket, boolean>();
  return (bucket) => {
    const answer = asked.get(bucket) ?? [...shapes].some((shape) => couldHold(shape, bucket));
    asked.set(bucket, answer);
    return answer;
  };
}

function isOfLowPriority({ heldBy }: Allocation): boolean {
  return heldBy !== null && "cap" in heldBy && heldBy.cap === "min-priority";
}

function isAboutToStart({ placements, runsOn }: Allocation): boolean {
  return placements.some(({ node }) => {
    const isUp = node.origin === "on-premise" || node.reported?.status === "Ready";
    return isUp && runsOn?.has(node) !== true;
  });
}

/** Whether jobs run on a host that CycleCloud does not list: any node that it lists without a host name may be that host. */
function runsOnUnknownHost({ jobs, cluster }: PlanInput): boolean {
  const known = new Set(cluster.nodes.map(({ hostname }) => shortHostname(hostname ?? "")));
  return jobs.some(({ executingHostnames }) =>
    executingHostnames.some((hostname) => !known.has(shortHostname(hostname))),
  );
}

/**
 * When a node goes that boots and is needed no more, from its row; null: not before it is up. It is held for a fifth of the idle
 * time-out, at least a minute, and never for longer than that time-out: a job that is cancelled and submitted again finds it. It
 * stays where nodes of its kind were usually bought within a boot when it was needed last. All of that is settled at
 * that moment, so it is the same in every later pass, and the clock of plans can be set by it.
 */
export function bootEnds(
  rows: Iterable<NodeHistory>,
  {
    idleTimeoutSeconds,
    bootTimeoutSeconds,
  }: Pick<EngineSettings, "idleTimeoutSeconds" | "bootTimeoutSeconds">,
): (row: NodeHistory) => number | null {
  let byKind: Map<string, NodeHistory[]> | undefined;
  return (row) => {
    const { nodeArray, readySeconds, lastMatchSeconds } = row;
    if (readySeconds !== null || lastMatchSeconds === null) return null;
    byKind ??= Map.groupBy(rows, kindName);
    const past = purchasesBefore(lastMatchSeconds, byKind.get(kindName(row)) ?? []);
    const others = new Set(past.map(({ createdSeconds }) => createdSeconds));
    others.delete(row.createdSeconds);
    const bootSeconds = medianBoot(past, lastMatchSeconds) ?? forNodeArray(bootTimeoutSeconds, nodeArray);
    // Purchases that come independently of each other: that one comes within a boot is more likely than not.
    if ((others.size * bootSeconds) / lookedBackSeconds > Math.LN2) return null;
    const idleTimeout = forNodeArray(idleTimeoutSeconds, nodeArray);
    return lastMatchSeconds + Math.min(idleTimeout, Math.max(leastHoldSeconds, idleTimeout / 5));
  };
}

function purchasesBefore(atSeconds: number, rows: readonly NodeHistory[]): readonly NodeHistory[] {
  return rows.filter(
    ({ createdSeconds }) => createdSeconds > atSeconds - lookedBackSeconds && createdSeconds <= atSeconds,
  );
}

function medianBoot(rows: readonly NodeHistory[], atSeconds: number): number | null {
  const boots = rows.flatMap(({ createdSeconds, readySeconds }) =>
    readySeconds === null || readySeconds <= createdSeconds || readySeconds > atSeconds
      ? []
      : [readySeconds - createdSeconds],
  );
  return boots.toSorted((a, b) => a - b)[Math.floor(boots.length / 2)] ?? null;
}
