import { compareNodeNames, type NodeHistory } from "../../engine/index.ts";
import type { NodeLoss } from "../../ports/index.ts";
import { counted } from "../../text/text.ts";
import { type FoundEvent, type NamedNode, nobody } from "./of-records.ts";

/** Between CycleCloud's event about a lost node and the snapshot that no longer has it. */
export const apartSeconds = 120;

/** CycleCloud's event and a snapshot may both notice that a spot node went: the event says why, so it alone is shown. */
export function eachOnce(losses: readonly NodeLoss[]): readonly NodeLoss[] {
  const told = new Set(losses.flatMap(({ reason, nodeId }) => (reason === "SpotGone" ? [] : [nodeId])));
  return losses.filter(({ reason, nodeId }) => reason !== "SpotGone" || nodeId === null || !told.has(nodeId));
}

/**
 * Nodes that were lost alike within one second are one event at its beginning. That second may begin or end outside the period, so
 * `losses` reach beyond it, and whoever lists events drops those outside.
 */
export function ofLosses(losses: readonly NodeLoss[]): readonly FoundEvent[] {
  const alike = Map.groupBy(eachOnce(losses), ({ eventId, reason, nodeName, nodeArray, vmSize, atSeconds }) =>
    JSON.stringify([
      ...[Math.floor(atSeconds), reason, nodeArray, vmSize],
      // Nobody knows which node it was, or how many.
      nodeName === null ? eventId : null,
    ]),
  );
  const jobsOf = new Map(losses.flatMap(({ nodeId, jobs }) => (jobs === undefined ? [] : [[nodeId, jobs]])));
  return [...alike.values()].flatMap((some) => eventOf(some, jobsOf));
}

function eventOf(
  losses: readonly NodeLoss[],
  jobsOf: ReadonlyMap<string | null, readonly string[]>,
): readonly FoundEvent[] {
  const inOrder = losses.toSorted((a, b) => compareNodeNames(a.nodeName ?? "", b.nodeName ?? ""));
  const [first] = inOrder;
  if (first === undefined) return [];
  const jobs = losses.flatMap(({ nodeId }) => (nodeId === null ? [] : (jobsOf.get(nodeId) ?? [])));
  const { eventId, reason, nodeName, nodeArray, vmSize, atSeconds, message } = first;
  const who = losses.length > 1 ? counted(losses.length, "nodes") : (nodeName ?? "a node");
  const said = losses.length > 1 || message === undefined ? "" : `: ${message}`;
  const text = `${who} of ${nodeArray} (${vmSize}) ${losses.length > 1 ? "were" : "was"} lost: ${reason}${said}`;
  return [
    {
      ...nobody,
      id: `lost:${eventId}`,
      kind: "node-lost",
      atSeconds: losses.length > 1 ? Math.floor(atSeconds) : atSeconds,
      text: text.endsWith(".") ? text : `${text}.`,
      nodes: inOrder.flatMap(namedIn),
      loss: { reason, nodeArray, vmSize, ...(jobs.length > 0 && { jobs: [...new Set(jobs)] }) },
    },
  ];
}

export function namedIn({ nodeName, nodeId, hostname }: NodeLoss): readonly NamedNode[] {
  return nodeName === null ? [] : [{ name: nodeName, nodeId, hostname: hostname ?? null }];
}

/** Whether a node that is gone is among these losses. */
export function lostIn(
  losses: readonly NodeLoss[],
): (row: Pick<NodeHistory, "nodeId" | "name" | "deletedSeconds">) => boolean {
  const byNode = Map.groupBy(losses, ({ nodeId, nodeName }) => nodeId ?? nodeName);
  return ({ nodeId, name, deletedSeconds }) =>
    deletedSeconds !== null &&
    [...(byNode.get(nodeId) ?? []), ...(byNode.get(name) ?? [])].some(
      ({ atSeconds }) => Math.abs(atSeconds - deletedSeconds) <= apartSeconds,
    );
}
