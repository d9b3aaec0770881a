import { changeControl, eventsOf, noteEvents, requestPlan, stillThere } from "../cycle/index.ts";
import type { Ports } from "../ports/index.ts";
import type { ActPorts } from "./act-outcome.ts";
import { notedDecision } from "./ending.ts";

type LeavingPorts = Pick<
  ActPorts,
  "clock" | "configs" | "controls" | "events" | "log" | "planRequests" | "snapshots"
> &
  Pick<Ports, "ids">;

export interface Leaving {
  readonly cluster: string;
  /** The node's own name for itself: CycleCloud's instance id, or its node id. */
  readonly instance: string;
  /** Azure's word: `Preempt`, `Terminate`, … */
  readonly event: string;
  /** When Azure begins, Unix time; undefined: now. */
  readonly notBeforeSeconds: number | undefined;
}

export type LeavingOutcome =
  | { readonly outcome: "draining" | "drained-before"; readonly node: string; readonly untilSeconds?: number }
  /** It is on its way out for another reason. */
  | { readonly outcome: "leaving"; readonly node: string }
  /** No node of the cluster has this id: it is gone, or never existed. */
  | { readonly outcome: "unknown-instance" }
  | { readonly outcome: "unknown-cluster" };

/** A machine that Azure took is gone by then. One that is still there was not taken: it takes jobs again. */
const graceSeconds = 30 * 60;
/** Azure announces no more than that ahead; a time that is further away is wrong. */
const mostAheadSeconds = 24 * 60 * 60;

/**
 * Drains a node that says of itself that Azure is about to take it, and asks for the plan that wakes its scheduler's agent, so that
 * what ran there gets a place elsewhere. A drain that an operator asked for stays as it is. One that the node asked for itself is
 * lengthened by a later event, never shortened. Makes no plan itself: hundreds of spot nodes may report in the same second.
 */
export async function drainLeaving(ports: LeavingPorts, leaving: Leaving): Promise<LeavingOutcome> {
  const { cluster, instance, event, notBeforeSeconds } = leaving;
  if (!(await ports.configs.clusters()).includes(cluster)) return { outcome: "unknown-cluster" };
  const snapshot = (await ports.snapshots.load(cluster))?.value;
  const node = snapshot?.cluster.nodes.find(
    ({ instanceId, nodeId }) => instanceId === instance || nodeId === instance,
  );
  if (snapshot === undefined || node === undefined) return { outcome: "unknown-instance" };
  const { nodeId, name } = node;
  if (node.targetState !== "Started") return { outcome: "leaving", node: name };
  const nowSeconds = ports.clock.nowSeconds();
  const begins = Math.min(
    Math.max(notBeforeSeconds ?? nowSeconds, nowSeconds),
    nowSeconds + mostAheadSeconds,
  );
  const made = {
    by: `node ${name}`,
    reason: `Azure: ${event}`,
    untilSeconds: Math.ceil(begins) + graceSeconds,
  };
  let before: { readonly untilSeconds?: number } | undefined;
  const holds = ({ by, untilSeconds }: { readonly by: string; readonly untilSeconds?: number }) =>
    by !== made.by || untilSeconds === undefined || untilSeconds >= made.untilSeconds;
  await changeControl(ports, cluster, (current) => {
    before = current.drainedNodes.find((drained) => drained.nodeId === nodeId && holds(drained));
    if (before !== undefined) return current;
    const drained = { nodeId, name, ...made, atSeconds: nowSeconds };
    const others = current.drainedNodes.filter((other) => other.nodeId !== nodeId);
    return { ...current, drainedNodes: [...stillThere(others, snapshot), drained] };
  });
  if (before !== undefined) {
    const { untilSeconds } = before;
    return { outcome: "drained-before", node: name, ...(untilSeconds === undefined ? {} : { untilSeconds }) };
  }
  ports.log.info("requested", { cluster, kind: "drain", nodes: 1, by: made.by, reason: made.reason });
  await noteEvents(ports, cluster, eventsOf(notedDecision("drain", made, nowSeconds), [node]));
  await requestPlan(ports, { cluster, reason: `drain by ${made.by}: ${made.reason}` });
  return { outcome: "draining", node: name, untilSeconds: made.untilSeconds };
}
