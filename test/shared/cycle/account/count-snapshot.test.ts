import { describe, expect, test } from "vitest";
import { snapshotCluster } from "../../../../shared/cycle/snapshot/snapshot-cluster.ts";
import type { BudgetSettings } from "../../../../shared/ports/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, jobFor, worldWith } from "../../../support/world.ts";

const budget: BudgetSettings = { name: "all", of: null, period: "month", usd: 100, hold: true };

function world() {
  const nodeArrays = [nodeArrayOf({ buckets: [bucketOf({ pricePerHourUsd: 2 })] })];
  return worldWith({ nodeArrays, nodes: [nodeOf({ name: "htc-1" })] });
}

describe("snapshotCluster, where nobody keeps accounts", () => {
  test("writes neither accounts nor samples, and plans are the same", async () => {
    const [kept, uncounted] = [world(), world()];
    for (const each of [kept, uncounted]) await each.post([jobFor(3)]);
    await kept.snapshot();
    await snapshotCluster({ ...uncounted.ports, accounts: null }, cluster);
    const always = { fromSeconds: 0, untilSeconds: uncounted.now() + 1 };
    expect(await uncounted.ports.accounts.load(cluster)).toBeUndefined();
    expect(await uncounted.ports.samples.list(cluster, always)).toEqual([]);
    const sums = (await uncounted.ports.snapshots.load(cluster))?.value.spending?.total ?? { none: 1 };
    expect(Object.values(sums)).toEqual(Array(7).fill(0));
    expect(await kept.ports.samples.list(cluster, always)).toHaveLength(1);
    const plansOf = async (each: typeof kept) => {
      each.advance(60);
      await each.plan();
      const { planId: _, ...head } = (await each.ports.plans.loadHead(cluster))?.value ?? {};
      return head;
    };
    expect(await plansOf(uncounted)).toEqual(await plansOf(kept));
  });

  test("is refused for a cluster with budgets, which would never be spent", async () => {
    const { ports, configure } = world();
    configure({ cycle: { budgets: [budget] } });
    await expect(snapshotCluster({ ...ports, accounts: null }, cluster)).rejects.toThrow(
      'Cannot take a snapshot of "hpc": it has budgets, and no accounts are kept',
    );
  });
});

test.each([
  ["are counted", "Standard_F4s_v2", 6],
  ["are not known where one has a size that the cluster does not have any more", "Standard_Gone", null],
])("the cores that jobs take %s", async (_, vmSize, cores) => {
  const nodes = [nodeOf({ name: "htc-1", vmSize }), nodeOf({ name: "htc-2" })];
  const { ports, post, snapshot, now } = worldWith({ nodes });
  const jobs = [2, 4].map((ncpus, index) => ({
    ...jobFor(1, { name: `job-${index}`, executingHostnames: [nodes[index]?.hostname] }),
    constraints: { ncpus },
  }));
  await post(jobs);
  await snapshot();
  const [sample] = await ports.samples.list(cluster, { fromSeconds: 0, untilSeconds: now() + 1 });
  expect(sample?.used).toEqual({ htc: { nodes: 2, cores } });
});
