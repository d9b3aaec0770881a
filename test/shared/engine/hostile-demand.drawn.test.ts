import { describe, expect, test } from "vitest";
import { defaultDemandCaps, type PlanInput, plan } from "../../../shared/engine/index.ts";
import { WantedResources } from "../../../shared/engine/ledger/columns.ts";
import { openLedger } from "../../../shared/engine/ledger/open-ledger.ts";
import { Pools } from "../../../shared/engine/ledger/pools.ts";
import { allocate } from "../../../shared/engine/place/allocate.ts";
import { openJobs } from "../../../shared/engine/place/open-jobs.ts";
import { Shapes } from "../../../shared/engine/place/shape.ts";
import type { WholePlan } from "../../../shared/ports/index.ts";
import { packPlan } from "../../../shared/ports/packed-plan.ts";
import { demandKinds, planInputOf } from "../../bench/hostile/demand-kinds.ts";

/** Bytes of demand: what grows faster than it shows at this size already; `npm run bench -- hostile` takes 10 MB. */
const small = 25_000;

/** What the first stages of a plan come to, in counts. */
function effortOf(input: PlanInput) {
  const opened = openLedger(input, new Pools([]), new Set());
  const wanted = new WantedResources();
  const shapes = new Shapes(wanted, new Pools([]), "iteration", opened.byNode);
  const allocations = openJobs(input, opened.resources, shapes);
  opened.open(wanted);
  const { buckets } = opened.ledger;
  const columns = Math.max(...buckets.map((bucket) => bucket.columns.count));
  const cells = buckets.reduce((sum, { table }) => sum + table.cells, 0);
  for (const allocation of allocations) allocate(opened.ledger, allocation);
  const left = allocations[0]?.share.left ?? 0;
  return { columns, cells, checks: defaultDemandCaps.maxPlanChecks - left };
}

/** Markers, and what the bench's nodes have: cpus, cores, gpus and five units of memory. */
const mostColumns = 2 + 8 + defaultDemandCaps.maxDistinctResources;

describe.each(demandKinds)("hostile demand: $name", (kind) => {
  const input = planInputOf({ ...kind, nodes: 200 }, small);

  const withChecks = (maxPlanChecks: number) => ({
    ...input,
    settings: { ...input.settings, demandCaps: { maxPlanChecks } },
  });

  test("has no more columns than nodes have resources, no cell for what nobody has, and no more checks than the cap", () => {
    const { columns, cells, checks } = effortOf({
      ...input,
      settings: { ...input.settings, demandCaps: {} },
    });
    expect(checks).toBeLessThanOrEqual(defaultDemandCaps.maxPlanChecks);
    const nodes = input.cluster.nodes.length + input.schedulerNodes.length;
    const buckets = input.cluster.nodeArrays.reduce((sum, array) => sum + 2 * array.buckets.length, 0) + 1;
    expect(columns).toBeLessThanOrEqual(mostColumns);
    // A table is twice as large as its rows, which are rounded up to a power of two.
    expect(cells).toBeLessThanOrEqual(columns * 4 * (nodes + 4 * buckets));
  });

  test("says why it waits, where the checks do not suffice", () => {
    const waiting = plan(withChecks(1_000)).jobs.filter(({ asked, granted }) => granted < asked);
    for (const { reasons } of waiting.slice(0, 50)) expect(reasons.length).toBeGreaterThan(0);
  });

  test("is archived in a few times the size of what was posted, and of the nodes", () => {
    const planned = plan(withChecks(100_000));
    const whole = { archive: "whole", input, plan: planned, actions: [] } as unknown as WholePlan;
    const nodes = JSON.stringify([input.cluster, planned.nodes]).length;
    expect(JSON.stringify(packPlan(whole)).length).toBeLessThan(2 * nodes + 20 * small);
  });
});

describe("names of nodes", () => {
  const named = demandKinds.find(({ name }) => name === "an unknown host per job");
  if (named === undefined) throw new Error("No such kind");

  test("are looked up: more nodes take no more checks", () => {
    const checks = (nodes: number) => effortOf(planInputOf({ ...named, nodes }, small)).checks;
    expect(checks(400)).toBe(checks(100));
  });
});
