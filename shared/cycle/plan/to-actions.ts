import { chunksOf } from "../../collections/batches.ts";
import type { CreateSet } from "../../engine/index.ts";
import type { ActionCreateSet, ActionNode, ScaleAction } from "../../messages/index.ts";
import type { DrainedPlan, DrainedRetirement } from "./drain.ts";

/**
 * Keeps an action well below what a message (256 KiB), a table row (480 Ki characters, with the nodes that come of it) and a
 * CycleCloud request hold.
 */
const mostNodesPerCreate = 1_000;
const mostBytesPerAction = 100_000;
const mostRecordedCharacters = 200_000;
const mostNodesPerRequest = 200;

export interface ActionOrigin {
  readonly cluster: string;
  readonly planId: string;
  readonly nowSeconds: number;
  readonly expiresAtSeconds: number;
  /** When the plan's snapshot was taken. */
  readonly snapshotTakenAtSeconds?: number;
  /** When the plan was asked for, and the trace that it belongs to. */
  readonly askedAtSeconds?: number;
  readonly traceparent?: string | undefined;
  readonly requestIdOf: (actionId: string) => string;
}

/** What all actions of a plan have in common, and one action that waits for it. */
type Envelope = Omit<ScaleAction, "kind" | "reason">;
type Draft = (envelope: Envelope) => ScaleAction;

/**
 * The actions of a plan, in the order in which they should be sent: jobs wait for new nodes, so creations come first.
 */
export function toActions(plan: DrainedPlan, origin: ActionOrigin): ScaleAction[] {
  const { cluster, planId, expiresAtSeconds } = origin;
  return [...creates(plan, origin), ...starts(plan), ...shutdowns(plan), ...retries(plan)].map(
    (draft, index) => {
      // Padded, so that ids sort in the order in which the actions are meant.
      const actionId = `${planId}-${String(index).padStart(4, "0")}`;
      const requestId = origin.requestIdOf(actionId);
      const { nowSeconds: createdAtSeconds, askedAtSeconds, traceparent } = origin;
      return draft({
        version: 1,
        actionId,
        planId,
        cluster,
        requestId,
        createdAtSeconds,
        expiresAtSeconds,
        ...(askedAtSeconds === undefined ? {} : { askedAtSeconds }),
        ...(traceparent === undefined ? {} : { traceparent }),
      });
    },
  );
}

function creates(plan: DrainedPlan, { snapshotTakenAtSeconds }: ActionOrigin): Draft[] {
  const seen = snapshotTakenAtSeconds === undefined ? {} : { snapshotTakenAtSeconds };
  const sets = plan.create.flatMap(split).map(toActionSet);
  const spare = namesWithoutJobs(plan);
  return grouped(sets, weightOf).map((group) => {
    const names = group.flatMap((set) => set.names);
    const reason = whoNeeds(names, { spare, what: "new node" });
    const forTargets = names.some((name) => spare.has(name)) ? ({ forTargets: true } as const) : {};
    return (envelope) => ({ ...envelope, kind: "create-nodes", reason, ...seen, ...forTargets, sets: group });
  });
}

function starts(plan: DrainedPlan): Draft[] {
  const spare = namesWithoutJobs(plan);
  return requestsOf(plan.start.map(({ nodeId, name }) => ({ nodeId, name }))).map((nodes) => {
    const names = nodes.map(({ name }) => name);
    const reason = whoNeeds(names, { spare, what: "deallocated node" });
    return (envelope) => ({ ...envelope, kind: "start-nodes", reason, nodes });
  });
}

/** Nodes that no job needs are created only for targets. */
function namesWithoutJobs({ targets, nodes }: DrainedPlan): ReadonlySet<string> {
  if (targets.length === 0) return new Set();
  return new Set(nodes.filter(({ jobs }) => jobs.length === 0).map(({ name }) => name));
}

function whoNeeds(
  names: readonly string[],
  { spare, what }: { readonly spare: ReadonlySet<string>; readonly what: string },
): string {
  const forTargets = names.filter((name) => spare.has(name)).length;
  const forJobs = names.length - forTargets;
  if (forTargets === 0) return `jobs need ${nodeCount(forJobs, what)}`;
  return forJobs === 0
    ? `targets need ${nodeCount(forTargets, what)}`
    : `jobs need ${nodeCount(forJobs, what)}, targets ${forTargets}`;
}

function shutdowns(plan: DrainedPlan): Draft[] {
  const alike = Map.groupBy(
    plan.retire,
    (each) => `${each.cause} ${each.verb ?? ""} ${each.givenBack ?? ""}`,
  );
  return [...alike]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, retired]) => requestsOf(retired).map((some) => shutdown(some)));
}

/** One action for nodes that go for one cause in one way. */
function shutdown(retired: readonly DrainedRetirement[]): Draft {
  const { cause, verb, givenBack } = retired[0] as DrainedRetirement;
  const how = verb === undefined ? {} : { verb };
  const reason = givenBack ? whyGivenBack(retired.length) : whyShutDown({ cause, ...how }, retired.length);
  const nodes = retired.map(toActionNode);
  return (envelope) => ({ ...envelope, kind: "shutdown-nodes", cause, reason, ...how, nodes });
}

function whyGivenBack(nodes: number): string {
  return `${nodeCount(nodes, "idle node")} given back before the idle time-out: other clusters wait for the quota that was lent`;
}

function whyShutDown({ cause, verb }: Pick<DrainedRetirement, "cause" | "verb">, nodes: number): string {
  const count = nodeCount(nodes, "node");
  if (cause === "unwanted") return `no job needs ${count} that still ${nodes === 1 ? "boots" : "boot"}`;
  if (cause === "deallocated")
    return `${nodeCount(nodes, "deallocated node")} too old, or more than are kept`;
  return verb === "deallocate"
    ? `${cause} of ${count}: deallocated, to start sooner than a new node boots`
    : `${cause} of ${count}`;
}

/** Last: the server retries every failed node that it has by then, and those to be deleted must be on their way. */
function retries(plan: DrainedPlan): Draft[] {
  return requestsOf(plan.retry.map(({ nodeId, name }) => ({ nodeId, name }))).map((nodes) => {
    const reason = `retry of ${nodeCount(nodes.length, "failed node")}`;
    return (envelope) => ({ ...envelope, kind: "retry-failed", reason, nodes });
  });
}

function nodeCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function toActionNode({ nodeId, name, hostname, drain }: DrainedRetirement): ActionNode {
  const where = hostname === null ? {} : { hostname };
  return { nodeId, name, ...where, ...(drain === undefined ? {} : { drain }) };
}

function toActionSet(set: CreateSet): ActionCreateSet {
  const attributes = set.keepAlive ? { ...set.nodeAttributes, KeepAlive: true } : set.nodeAttributes;
  return {
    nodeArray: set.nodeArray,
    vmSize: set.vmSize,
    placementGroup: set.placementGroup,
    ...(set.dynamicArray === undefined ? {} : { dynamicArray: set.dynamicArray }),
    count: set.count,
    names: [...set.names],
    ...(set.nameFormat === null ? {} : { nameFormat: set.nameFormat, nameOffset: set.nameOffset }),
    ...(Object.keys(attributes).length === 0 ? {} : { nodeAttributes: attributes }),
  };
}

function split(set: CreateSet): CreateSet[] {
  const most = mostNodesOf(set);
  return chunksOf(set.names, most).map((names, index) => ({
    ...set,
    names,
    count: names.length,
    nameOffset: set.nameOffset + index * most,
  }));
}

/** How many nodes of a set one action holds, at least one. What they share counts in full each time, and is small. */
function mostNodesOf(set: CreateSet): number {
  return Math.max(1, Math.floor(set.count / Math.max(1, weightOf(toActionSet(set)))));
}

/**
 * The share of an action's limits that a set uses: in nodes, in bytes that are sent, or in what is recorded of its
 * nodes.
 */
function weightOf(set: ActionCreateSet): number {
  return Math.max(
    set.count / mostNodesPerCreate,
    bytesOf(set) / mostBytesPerAction,
    recordedCharacters(set) / mostRecordedCharacters,
  );
}

/** The nodes as an operation records them: each with its bucket, and an id and a name that CycleCloud gives. */
function recordedCharacters({
  names,
  nodeArray,
  vmSize,
  placementGroup,
  dynamicArray,
}: ActionCreateSet): number {
  const nodeId = "x".repeat(36);
  const bucket = { nodeId, name: "", nodeArray, vmSize, placementGroup, dynamicArray };
  const namesOnly = names.reduce((total, name) => total + JSON.stringify(name).length, 0);
  return names.length * (JSON.stringify(bucket).length + longerName) + namesOnly;
}

/** A name that CycleCloud gives may be longer than the one planned. */
const longerName = 20;

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Nodes to act on, in the order given, as many to a request as it holds. `written`: what the request says of a node. */
export function requestsOf<T>(nodes: readonly T[], written: (node: T) => unknown = (node) => node): T[][] {
  const weight = (node: T) => Math.max(1 / mostNodesPerRequest, bytesOf(written(node)) / mostBytesPerAction);
  return grouped(nodes, weight);
}

/** Neighbours together as long as their weight comes to no more than 1. */
function grouped<T>(values: readonly T[], weightOf: (value: T) => number): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const value of values) {
    const weight = weightOf(value);
    const last = groups.at(-1);
    // Shares of whole nodes need not add up to the last digit.
    if (last === undefined || weight > room + 1e-9) {
      groups.push([value]);
      room = 1 - weight;
    } else {
      last.push(value);
      room -= weight;
    }
  }
  return groups;
}
