import { type Cluster, type HeldSize, kindName, type NodeHistory } from "../../engine/index.ts";
import type { BackedOff, NodeLoss, Operation, Snapshot } from "../../ports/index.ts";
import { isFamilyRefusal, isQuotaShortfall } from "./quota-refusals.ts";

/**
 * Buckets that recently gave less than was asked. They get no more requests for a while, so that plans use other
 * buckets: shortages of creates, what CycleCloud itself remembers, and evictions of spot nodes. A bucket here is a VM
 * size of a node array: when Azure has no more of a size, its placement groups have none either.
 */
export function backedOffBuckets(known: {
  readonly snapshot: Snapshot;
  /** At least those of the last `backoffSeconds`. */
  readonly operations: readonly Operation[];
  /** The same. */
  readonly losses: readonly NodeLoss[];
  readonly backoffSeconds: number;
  readonly nowSeconds: number;
}): readonly BackedOff[] {
  const { snapshot, operations, losses, backoffSeconds, nowSeconds } = known;
  const failures = [
    ...operations.flatMap((operation) => shortfallsOf(operation, snapshot.takenAtSeconds)),
    ...losses.flatMap((loss) => lossesOf(loss, snapshot.cluster)),
    ...snapshot.cluster.nodeArrays.flatMap((array) =>
      array.buckets.flatMap(({ vmSize, secondsSinceCapacityFailure: age }): Failure[] =>
        age === null
          ? []
          : [
              {
                nodeArray: array.name,
                vmSize,
                atSeconds: snapshot.takenAtSeconds - age,
                why: "Azure had no such VM",
              },
            ],
      ),
    ),
  ];
  const buckets = failures.map(({ atSeconds, ...failure }) => ({
    ...failure,
    untilSeconds: atSeconds + backoffSeconds,
  }));
  return longest(buckets.filter(({ untilSeconds }) => untilSeconds > nowSeconds));
}

/**
 * Ids of deallocated nodes that could not be started lately: CycleCloud refused, or they never came up. Jobs and targets get
 * other nodes for as long as a VM size without capacity is backed off.
 */
export function failedStarts(known: {
  readonly cluster: Cluster;
  readonly history: readonly NodeHistory[];
  /** At least those of the last `backoffSeconds`. */
  readonly operations: readonly Operation[];
  readonly backoffSeconds: number;
  readonly nowSeconds: number;
}): readonly string[] {
  const { cluster, history, operations, backoffSeconds, nowSeconds } = known;
  const sinceSeconds = nowSeconds - backoffSeconds;
  const refused = operations.flatMap(({ action, state, nodes, updatedAtSeconds }) => {
    const isOver = state === "failed" || state === "accepted";
    if (action.kind !== "start-nodes" || !isOver || updatedAtSeconds <= sinceSeconds) return [];
    const started = new Set(nodes.map(({ nodeId }) => nodeId));
    return action.nodes.map(({ nodeId }) => nodeId).filter((nodeId) => !started.has(nodeId));
  });
  const fallen = history.flatMap(({ nodeId, madeSeconds, readySeconds, deletedSeconds }) =>
    madeSeconds !== undefined && readySeconds === null && (deletedSeconds ?? nowSeconds) > sinceSeconds
      ? [nodeId]
      : [],
  );
  const failed = new Set([...refused, ...fallen]);
  return cluster.nodes.flatMap(({ nodeId, targetState }) =>
    targetState === "Deallocated" && failed.has(nodeId) ? [nodeId] : [],
  );
}

/** Each bucket once, with the reason that holds longest. */
export function longest(backedOff: readonly BackedOff[]): readonly BackedOff[] {
  const latest = new Map<string, BackedOff>();
  for (const bucket of backedOff) {
    const latestOfBucket = latest.get(kindName(bucket));
    if (latestOfBucket === undefined || latestOfBucket.untilSeconds < bucket.untilSeconds)
      latest.set(kindName(bucket), bucket);
  }
  return [...latest.values()];
}

type Failure = Omit<BackedOff, "untilSeconds"> & { readonly atSeconds: number };

/**
 * A quota's refusal holds for all sizes that draw on it, and is kept with what it left (`quota-refusals.ts`). A limit of a cluster or of a
 * node array is in its figures: a snapshot that is younger shows what it leaves.
 */
function shortfallsOf({ shortfalls = [] }: Operation, snapshotAtSeconds: number): Failure[] {
  const ofCapacity = shortfalls.filter(
    (each) =>
      each.isForeseen !== true &&
      !isQuotaShortfall(each) &&
      !(namesLimit(each.message ?? "") && each.atSeconds < snapshotAtSeconds),
  );
  return ofCapacity.map(({ nodeArray, vmSize, asked, added, message, atSeconds }) => ({
    nodeArray,
    vmSize,
    atSeconds,
    why: `${added} of ${asked} nodes were added${message === null ? "" : `: ${message}`}`,
  }));
}

/** CycleCloud's wording is not documented: what names no limit, or capacity too, is Azure's lack of VMs. */
function namesLimit(message: string): boolean {
  return /\blimit(ed|s)?\b|\bmax(imum)? ?(core)? ?count\b/i.test(message) && !/capacity/i.test(message);
}

/**
 * A node that vanished without a reason does not predict the next. An event is not trusted input: it counts for buckets
 * that the cluster has, and an eviction only where nodes can be evicted.
 */
function lossesOf(loss: NodeLoss, { nodeArrays }: Cluster): Failure[] {
  const { reason, nodeArray, vmSize, atSeconds } = loss;
  if (reason === "VMDisappeared" || reason === "SpotGone" || isFamilyRefusal(loss)) return [];
  const array = nodeArrays.find(({ name }) => name === nodeArray);
  const isBucket = array?.buckets.some((bucket) => bucket.vmSize === vmSize) === true;
  if (!isBucket || (reason === "SpotEvicted" && array?.spot !== true)) return [];
  const why = reason === "SpotEvicted" ? "Azure took a spot node back" : "Azure could not give a node";
  return [{ nodeArray, vmSize, atSeconds, why }];
}

/** In the form of the engine's input. */
export function heldSizesOf(backedOff: readonly BackedOff[]): readonly HeldSize[] {
  return backedOff.map(({ nodeArray, vmSize, budget }) => ({
    nodeArray,
    vmSize,
    hold: budget === undefined ? "back-off" : "budget",
  }));
}
