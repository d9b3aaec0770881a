import { expect, test } from "vitest";
import { listLimits, lookAhead } from "../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld } from "../../support/world.ts";

const base = bucketOf({ availableCount: 2 });
const tenNodes = { ...base.limits, maxCount: 10, activeCount: 0 };

test.each([
  ["all that is left is told as it is", { limits: { ...tenNodes, maxCount: 2 } }, null],
  ["what CycleCloud offers less of is its own word", { limits: tenNodes }, "CycleCloud"],
  [
    "a placement group of it takes none of what CycleCloud offers",
    {
      limits: { ...tenNodes, maxPlacementGroupSize: 2 },
      placementGroups: [{ name: "pg0", activeCount: 1 }],
    },
    "CycleCloud",
  ],
  [
    "what another limit leaves less of names that limit",
    { limits: { ...tenNodes, family: { maxCores: 8, usedCores: 0 } } },
    "family westeurope/standardFSv2Family",
  ],
])("limits: of a bucket, %s", async (_, over, boundBy) => {
  const array = nodeArrayOf({ allowsColocation: true, buckets: [{ ...base, ...over }] });
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays: [array] })));
  // CycleCloud knows nothing of an operator's caps.
  world.configure({ cycle: { caps: { maxNodesPerPlan: 1, maxCores: null, monthlyBudgetUsd: null } } });
  await world.snapshot();
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  const listed = listLimits(outlook, {});
  const bucket = listed.ok ? listed.answer.limits.find(({ limit }) => limit === "bucket") : undefined;
  expect(bucket).toMatchObject({ left: 2, boundBy });
});
