import { describe, expect, test } from "vitest";
import type { NodeLoss } from "../../../shared/ports/index.ts";
import { spotStatus } from "../../../shared/views/spot-status.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";

const nowSeconds = 1_000_000;
const spotArray = nodeArrayOf({ name: "htc-spot", spot: true, buckets: [bucketOf()] });
const [bucket = bucketOf()] = spotArray.buckets;
const cores = bucket.vm.vcpuCount;

function loss(fields: Partial<NodeLoss>): NodeLoss {
  return {
    cluster: "hpc",
    eventId: "e",
    reason: "SpotGone",
    nodeId: "n",
    nodeName: "htc-spot-1",
    nodeArray: "htc-spot",
    vmSize: bucket.vmSize,
    atSeconds: nowSeconds - 60,
    ...fields,
  };
}

const cluster = clusterOf({
  nodeArrays: [nodeArrayOf({ buckets: [bucketOf()] }), spotArray],
  nodes: [nodeOf({ name: "htc-1" }), nodeOf({ name: "htc-spot-1", nodeArray: "htc-spot", spot: true })],
});
const statusOf = (
  losses: readonly NodeLoss[],
  backedOff: Parameters<typeof spotStatus>[0]["backedOff"] = [],
) => spotStatus({ cluster, losses, backedOff, nowSeconds });

describe("spotStatus", () => {
  test("a cluster without a spot array has none, and one that nobody has seen", () => {
    const known = { losses: [], backedOff: [], nowSeconds };
    expect(spotStatus({ ...known, cluster: clusterOf({ nodeArrays: [nodeArrayOf()] }) })).toBeNull();
    expect(spotStatus({ ...known, cluster: undefined })).toBeNull();
  });

  test("cores are told apart, of nodes that cost money", () => {
    expect(statusOf([])).toMatchObject({ cores: 2 * cores, spotCores: cores, evicted: [] });
  });

  test("evictions of the last hour by size; a node that an event and a snapshot reported counts once", () => {
    const losses = [
      loss({ eventId: "1" }),
      loss({ eventId: "2", reason: "SpotEvicted" }),
      loss({ eventId: "3", nodeId: "m" }),
      loss({ eventId: "4", nodeId: "o", vmSize: "Standard_F8s_v2" }),
      loss({ eventId: "5", nodeId: "p", atSeconds: nowSeconds - 3_601 }),
      loss({ eventId: "6", nodeId: "q", reason: "AllocationFailed" }),
    ];
    expect(statusOf(losses)?.evicted).toEqual([
      { nodeArray: "htc-spot", vmSize: bucket.vmSize, nodes: 2 },
      { nodeArray: "htc-spot", vmSize: "Standard_F8s_v2", nodes: 1 },
    ]);
  });

  test("only sizes of spot arrays are listed as backed off", () => {
    const backedOff = ["htc", "htc-spot"].map((nodeArray) => ({
      nodeArray,
      vmSize: bucket.vmSize,
      untilSeconds: nowSeconds + 60,
      why: "none left",
    }));
    expect(statusOf([], backedOff)?.backedOff.map(({ nodeArray }) => nodeArray)).toEqual(["htc-spot"]);
  });
});
