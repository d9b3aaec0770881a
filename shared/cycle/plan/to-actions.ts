import type { CreateSet } from "../../engine/index.ts";
import type { ActionCreateSet, ActionNode, ScaleAction } from "../../messages/scale-action.ts";
import type { DrainedPlan, DrainedRetirement } from "./drain.ts";

/** Keeps an action well below what a message, a table row and a CycleCloud request hold. */
const mostNodesPerCreate = 1_000;
const mostCharactersPerCreate = 100_000;
const mostNodesPerRequest = 200;

export interface ActionOrigin {
  readonly cluster: string;
  readonly planId: string;
  readonly nowSeconds: number;
  readonly expiresAtSeconds: number;
  /** When the plan was asked for, and the trace that it belongs to. */
  readonly askedAtSeconds?: number;
  readonly traceparent?: string | undefined;
  readonly requestIdOf: (actionId: string) => string;
}

/** What all actions of a plan have in common, and one action that waits for it. */
type Envelope = Omit<ScaleAction, "kind" | "reason">;
type Draft = (envelope: Envelope) => ScaleAction;

/** What a plan asks of CycleCloud, in the order in which it should be asked: jobs wait for new nodes, so they go first. */
export function toActions(plan: DrainedPlan, origin: ActionOrigin): ScaleAction[] {
  const { cluster, planId, expiresAtSeconds } = origin;
  return [...creates(plan), ...starts(plan), ...shutdowns(plan), ...retries(plan)].map((draft, index) => {
    // Padded, so that ids sort in the order in which the actions are meant.
    const actionId = `${planId}-${String(index).padStart(4, "0")}`;
    const requestId = origin.requestIdOf(actionId);
    const { nowSeconds: createdAtSeconds, askedAtSeconds, traceparent } = origin;
    return draft({
      ...{ version: 1, actionId, planId, cluster, requestId, createdAtSeconds, expiresAtSeconds },
      ...(askedAtSeconds === undefined ? {} : { askedAtSeconds }),
      ...(traceparent === undefined ? {} : { traceparent }),
    });
  });
}

function creates(plan: DrainedPlan): Draft[] {
  const sets = plan.create.flatMap((set) => split(set, mostNodesPerCreate)).map(toActionSet);
  const spare = namesWithoutJobs(plan);
  return grouped(sets, weightOf).map((group) => {
    const names = group.flatMap((set) => set.names);
    const reason = whoNeeds(names, { spare, what: "new node" });
    return (envelope) => ({ ...envelope, kind: "create-nodes", reason, sets: group });
  });
}

function starts(plan: DrainedPlan): Draft[] {
  const spare = namesWithoutJobs(plan);
  return chunks(plan.start, mostNodesPerRequest).map((starting) => {
    const names = starting.map(({ name }) => name);
    const reason = whoNeeds(names, { spare, what: "deallocated node" });
    const nodes = starting.map(({ nodeId, name }) => ({ nodeId, name }));
    return (envelope) => ({ ...envelope, kind: "start-nodes", reason, nodes });
  });
}

/** Nodes that no job needs: where they are made all the same, targets do. */
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
  const causes = [...new Set(plan.retire.map((retirement) => retirement.cause))].sort();
  return causes.flatMap((cause) => {
    const retired = plan.retire.filter((retirement) => retirement.cause === cause);
    return chunks(retired, mostNodesPerRequest).map((chunk): Draft => {
      const nodes = chunk.map(toActionNode);
      const reason = `${cause} of ${nodeCount(nodes.length, "node")}`;
      return (envelope) => ({ ...envelope, kind: "shutdown-nodes", cause, reason, nodes });
    });
  });
}

/** Last: the server retries every failed node that it has by then, and those to be deleted must be on their way. */
function retries(plan: DrainedPlan): Draft[] {
  return chunks(plan.retry, mostNodesPerRequest).map((failed) => {
    const nodes = failed.map(({ nodeId, name }) => ({ nodeId, name }));
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

function split(set: CreateSet, most: number): CreateSet[] {
  return chunks(set.names, most).map((names, index) => ({
    ...set,
    names,
    count: names.length,
    nameOffset: set.nameOffset + index * most,
  }));
}

function chunks<T>(values: readonly T[], most: number): T[][] {
  const count = Math.ceil(values.length / most);
  return Array.from({ length: count }, (_, index) => values.slice(index * most, (index + 1) * most));
}

/** What a set takes of an action, as a share of the most: in nodes, or in what is written of them. */
function weightOf(set: ActionCreateSet): number {
  const characters = JSON.stringify(set).length;
  return Math.max(set.count / mostNodesPerCreate, characters / mostCharactersPerCreate);
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
