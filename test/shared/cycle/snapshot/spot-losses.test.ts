import { describe, expect, test } from "vitest";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, jobFor, worldWith } from "../../../support/world.ts";

describe("a node that CycleCloud calls a spot node, of a cluster without `spot` in its configuration", () => {
  test.each([
    ["of a spot array", { array: true, node: true }, [["SpotGone", ["job-1"]]]],
    ["of a spot array, whose record does not say", { array: true, node: false }, [["SpotGone", ["job-1"]]]],
    ["of an array that was regular since", { array: false, node: true }, [["SpotGone", ["job-1"]]]],
    ["that is regular", { array: false, node: false }, []],
  ])("%s: lost with the job that ran there", async (_, spot, expected) => {
    const nodeArrays = [nodeArrayOf({ spot: spot.array, buckets: [bucketOf()] })];
    const nodes = [nodeOf({ name: "htc-1", spot: spot.node })];
    const world = worldWith({ nodeArrays, nodes });
    await world.post([jobFor(1, { executingHostnames: ["host-htc-1"] })], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.change("htc-1", { targetState: "Terminated", status: "Terminating" });
    world.advance(10);
    await world.round();
    const losses = await world.ports.losses.recent(cluster, 10);
    expect(losses.map(({ reason, jobs }) => [reason, jobs])).toEqual(expected);
  });
});
