import { describe, expect, test } from "vitest";
import { foreseeConfig } from "../../../shared/operate/foresee-config.ts";
import type { BudgetSettings } from "../../../shared/ports/index.ts";
import { bucketOf, nodeArrayOf } from "../../support/cluster.ts";
import { cluster, configOf, jobFor, type World, worldWith } from "../../support/world.ts";

/** Two dollars an hour for each node. */
const facts = { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } };
const geo: BudgetSettings = {
  name: "geo",
  of: { dimension: "account", name: "geo" },
  period: "month",
  usd: 1,
  hold: true,
};
const configWith = (...budgets: readonly BudgetSettings[]) => configOf({ facts, cycle: { budgets } });

/** A cluster on which account geo has spent two dollars of this month, with a job of it that waits. */
async function spentTwo(budgets: readonly BudgetSettings[]): Promise<World> {
  const world = worldWith({ nodeArrays: [nodeArrayOf({ buckets: [bucketOf()] })] });
  world.ports.configs.put(configWith(...budgets));
  const post = (jobs: readonly Record<string, unknown>[]) => world.post(jobs, { ttlSeconds: 86_400 });
  await post([jobFor(1, { name: "first", account: "geo" })]);
  await world.round();
  world.cycleCloud.settle();
  const [host] = world.cycleCloud.nodes.map(({ hostname }) => hostname);
  const runs = jobFor(1, { name: "first", account: "geo", executingHostnames: [host] });
  await post([runs]);
  await world.snapshot();
  world.advance(3_600);
  await post([runs, jobFor(1, { name: "second", account: "geo" })]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  return world;
}

describe("what a change of budgets would do", () => {
  test("more money frees the jobs that the budget holds", async () => {
    const world = await spentTwo([geo]);
    expect(await foreseeConfig(world.ports, cluster, configWith({ ...geo, usd: 100 }))).toEqual([
      "The next plan would buy or start 1 node more.",
    ]);
  });

  test("less money holds jobs that have a place", async () => {
    const world = await spentTwo([{ ...geo, usd: 100 }]);
    expect(await foreseeConfig(world.ports, cluster, configWith(geo))).toEqual([
      "1 job that has a place would wait: second.",
    ]);
  });

  test("less money holds several jobs, and buys fewer nodes; a cluster that is read-only sends nothing", async () => {
    const world = await spentTwo([{ ...geo, usd: 100 }]);
    const [host] = world.cycleCloud.nodes.map(({ hostname }) => hostname);
    const runs = jobFor(1, { name: "first", account: "geo", executingHostnames: [host] });
    const wait = ["second", "third", "fourth"].map((name) => jobFor(1, { name, account: "geo" }));
    await world.post([runs, ...wait], { ttlSeconds: 86_400 });
    expect(await foreseeConfig(world.ports, cluster, configWith(geo))).toEqual([
      "3 jobs that have a place would wait: second, third, fourth.",
      "The next plan would buy or start 2 nodes fewer.",
    ]);
    const readOnly = configOf({ facts, cycle: { budgets: [{ ...geo, usd: 100 }], readOnly: true } });
    expect(await foreseeConfig(world.ports, cluster, readOnly)).toEqual([
      "Nothing would be sent: the cluster is read-only.",
    ]);
  });

  test("of a new budget, what is spent is known with the next snapshot: no job waits for that", async () => {
    const world = await spentTwo([]);
    expect(await foreseeConfig(world.ports, cluster, configWith({ ...geo, usd: 100 }))).toEqual([
      'What is spent of budget "geo" is known with the next snapshot.',
    ]);
  });
});
