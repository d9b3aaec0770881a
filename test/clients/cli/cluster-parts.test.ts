import { expect, test } from "vitest";
import { readClusterParts } from "../../../clients/cli/service/cluster-parts.ts";
import type { AnswerOf, Call, RouteId, Service } from "../../../clients/cli/service/service.ts";

/** A service whose snapshots are of these times, one for each answer, and the last from then on. */
function serviceOf(times: readonly number[], setAside: readonly string[] = []): Service {
  let asked = 0;
  const page = (cursor: unknown) => ({
    nodes: [
      {
        name: cursor === undefined ? "htc-1" : "htc-2",
        nodeArray: "htc",
        vmSize: "D4",
        placementGroup: null,
        origin: "existing",
        keepAlive: true,
        kept: cursor === undefined ? [] : [{ reason: "debugging" }],
      },
      { name: "ip-9", nodeArray: "", vmSize: "", placementGroup: null, origin: "on-premise" },
    ],
    next: cursor === undefined ? "more" : null,
  });
  return {
    cluster: "hpc",
    printing: () => undefined,
    ask: async <Id extends RouteId>(id: Id, { query }: Call = {}) => {
      const takenAtSeconds = times[Math.min(asked++, times.length - 1)];
      const answers: Record<string, object> = {
        buckets: { buckets: [], snapshotTakenAtSeconds: takenAtSeconds },
        nodes: { ...page(query?.cursor), snapshotTakenAtSeconds: takenAtSeconds },
        status: { snapshot: { takenAtSeconds, setAside } },
      };
      return answers[id] as AnswerOf<Id>;
    },
  };
}

test("all pages of nodes that the cluster has, without hosts that only a scheduler knows", async () => {
  const { nodes } = await readClusterParts(serviceOf([7]));
  expect(nodes.map(({ name, keptAlive }) => [name, keptAlive])).toEqual([
    ["htc-1", "others"],
    ["htc-2", "others"],
  ]);
});

test("records that could not be understood are told, but for resources that no line needs", async () => {
  const lost = [
    'Left out node array "gpu": location: null',
    'Left out resource "slurm_memory" of node array "htc": a list',
  ];
  const parts = await readClusterParts(
    serviceOf([7], [...lost, 'Left out resource "tags" of node array "htc": a list']),
  );
  expect(parts.unread).toEqual(lost);
});

test("answers of two snapshots are asked for again", async () => {
  expect((await readClusterParts(serviceOf([7, 7, 8]))).nodes).toHaveLength(2);
  const busy = serviceOf(Array.from({ length: 100 }, (_, index) => index));
  await expect(readClusterParts(busy)).rejects.toThrow(
    'Cannot read cluster "hpc": each of 3 times another snapshot',
  );
});
