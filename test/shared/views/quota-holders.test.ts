import { expect, test } from "vitest";
import { sharedQuotas } from "../../../shared/views/quota-holders.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";

const family = { maxCores: 100, usedCores: 90 };
const unlimited = { maxCores: 2 ** 31 - 1, usedCores: 0 };

function seen(cluster: string, names: readonly string[], changes: Partial<typeof family> = {}, at = 100) {
  const base = bucketOf();
  const limits = { ...base.limits, region: unlimited, family: { ...family, ...changes } };
  const nodes = names.map((name) => nodeOf({ name }));
  const gone = nodeOf({ name: "htc-99", status: "Deallocated", targetState: "Deallocated" });
  const world = clusterOf({
    nodeArrays: [nodeArrayOf({ buckets: [{ ...base, limits }] })],
    nodes: [...nodes, gone],
  });
  return { cluster, takenAtSeconds: at, world };
}

test("of a quota that two clusters share it is told who has how much, and what somebody else has", () => {
  const a = seen("a", ["htc-1"]);
  const b = seen("b", ["htc-1", "htc-2", "htc-3"], { usedCores: 92 }, 160);
  expect(sharedQuotas([a, b])).toEqual([
    {
      limit: "family",
      scope: "westeurope/standardFSv2Family",
      maxCores: 100,
      usedCores: 92,
      clusters: [
        { cluster: "b", cores: 12 },
        { cluster: "a", cores: 4 },
      ],
      otherCores: 76,
    },
  ]);
});

test("a quota of one cluster, and quotas of other sizes, which are those of other subscriptions, are not shared", () => {
  expect(sharedQuotas([seen("a", ["htc-1"])])).toEqual([]);
  expect(sharedQuotas([seen("a", ["htc-1"]), seen("b", ["htc-1"], { maxCores: 350 })])).toEqual([]);
});
