import type { ClusterParts } from "../../agent/drivers/driver.ts";
import { CommandFailure } from "../exit-code.ts";
import { keptAliveOf } from "./named-nodes.ts";
import type { Service } from "./service.ts";

const pageSize = 10_000;

/** A snapshot is taken once a minute. */
const mostTries = 3;

/** `Left out resource "x" of node array "y": …`: the array is there, without something that no line needs. */
const harmless = /^Left out resource "(?!slurm_)/;

/** What files of a scheduler are drawn up from, all of one snapshot: buckets, nodes, and what could not be understood. */
export async function readClusterParts(service: Service): Promise<ClusterParts> {
  for (let tries = 0; tries < mostTries; tries++) {
    const parts = await readOnce(service);
    if (parts !== undefined) return parts;
  }
  throw new CommandFailure(
    `Cannot read cluster "${service.cluster}": each of ${mostTries} times another snapshot came in between`,
    "Try again.",
  );
}

/** Undefined: another snapshot came while this one was read. */
async function readOnce(service: Service): Promise<ClusterParts | undefined> {
  const { buckets, snapshotTakenAtSeconds } = await service.ask("buckets");
  const nodes: ClusterParts["nodes"][number][] = [];
  const times = new Set<number | undefined>([snapshotTakenAtSeconds]);
  let cursor: string | null | undefined;
  do {
    const page = await service.ask("nodes", {
      query: { limit: pageSize, cursor: cursor ?? undefined, resources: "-" },
    });
    times.add(page.snapshotTakenAtSeconds);
    for (const { name, nodeArray, vmSize, placementGroup, origin, ...node } of page.nodes)
      if (origin !== "on-premise")
        nodes.push({ name, nodeArray, vmSize, placementGroup, keptAlive: keptAliveOf(node) });
    cursor = page.next;
  } while (cursor !== null);
  const { snapshot } = await service.ask("status");
  times.add(snapshot?.takenAtSeconds);
  const unread = (snapshot?.setAside ?? []).filter((sentence) => !harmless.test(sentence));
  return times.size > 1 ? undefined : { buckets, nodes, unread };
}
