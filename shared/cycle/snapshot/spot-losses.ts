import { shortHostname } from "../../engine/index.ts";
import type { NodeLoss, Ports, Snapshot } from "../../ports/index.ts";
import { mostOfLastMinutes } from "../operations.ts";

/** Only shutdowns of the last hour are read: older ones have had their effect. */
const longestShutdownSeconds = 3_600;
const mostJobs = 50;

/**
 * Spot nodes that were up in the last snapshot and are going now although nobody here has asked for that: Azure takes them
 * back, with or without an event. Recorded before the snapshot is stored, under the node's id: a run that dies in between
 * is repeated by the next, and counts each node once.
 */
export async function noteSpotLosses(
  ports: Pick<Ports, "log" | "losses" | "operations">,
  {
    before,
    taken,
    jobsBefore,
  }: {
    readonly before: Snapshot | undefined;
    readonly taken: Snapshot;
    readonly jobsBefore: (nodeId: string) => readonly string[] | undefined;
  },
): Promise<void> {
  const gone = goneSpotNodes(before, taken);
  if (gone.length === 0) return;
  const asked = await askedToGo(ports, taken);
  for (const loss of gone) {
    if (loss.nodeId === null || asked.has(loss.nodeId)) continue;
    const jobs = jobsBefore(loss.nodeId)?.slice(0, mostJobs);
    if (!(await ports.losses.add({ ...loss, ...(jobs !== undefined && { jobs }) }))) continue;
    const { cluster, reason, nodeName, nodeArray, vmSize } = loss;
    ports.log.warn("node-lost", { cluster, reason, nodeName, nodeArray, vmSize });
  }
}

function goneSpotNodes(before: Snapshot | undefined, { cluster, takenAtSeconds }: Snapshot): NodeLoss[] {
  const spots = new Set(cluster.nodeArrays.filter(({ spot }) => spot).map(({ name }) => name));
  if (before === undefined) return [];
  const still = new Set(
    cluster.nodes.filter(({ targetState }) => targetState === "Started").map(({ nodeId }) => nodeId),
  );
  return before.cluster.nodes.flatMap((node): NodeLoss[] => {
    const { nodeId, name: nodeName, nodeArray, vmSize, hostname, targetState } = node;
    const isSpot = node.spot || spots.has(nodeArray);
    const wasUp = isSpot && targetState === "Started" && hostname !== null;
    if (!wasUp || still.has(nodeId)) return [];
    return [
      {
        cluster: cluster.name,
        eventId: `spot-gone:${nodeId}`,
        reason: "SpotGone",
        nodeId,
        nodeName,
        nodeArray,
        vmSize,
        hostname: shortHostname(hostname),
        atSeconds: takenAtSeconds,
      },
    ];
  });
}

async function askedToGo(
  { operations }: Pick<Ports, "operations">,
  { cluster, takenAtSeconds }: Snapshot,
): Promise<ReadonlySet<string>> {
  const open = (await operations.open(cluster.name)).map(({ value }) => value);
  const since = takenAtSeconds - longestShutdownSeconds;
  const recent = await operations.recent(cluster.name, mostOfLastMinutes, since);
  return new Set(
    [...open, ...recent].flatMap(({ action }) =>
      "nodes" in action ? action.nodes.map(({ nodeId }) => nodeId) : [],
    ),
  );
}
