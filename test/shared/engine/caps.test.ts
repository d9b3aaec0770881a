import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Caps, type PlanInput, plan, type Target } from "../../../shared/engine/index.ts";
import { jobSentences } from "../../../shared/views/index.ts";
import { cases } from "../../support/cases.ts";
import { planInputs, targetInputs } from "./arbitraries.ts";
import { planNaively } from "./naive-planner.ts";
import { violationsOf } from "./plan-validity.ts";
import {
  array,
  bucket,
  cluster,
  createdNames,
  deallocated,
  input,
  job,
  node,
  nodesOf,
  onOrder,
} from "./tiny.ts";

const none: Caps = { maxNodesPerPlan: null, maxCores: null, budget: null };

/** Nodes of four cores at a dollar an hour, in an array with room for ten more. */
const dollarNodes = bucket({ fields: { pricePerHourUsd: 1 } });
const priced = cluster({ nodeArrays: [array({ buckets: [dollarNodes] })] });
const wholeNodes = (count: number) => job("job", { ncpus: 4 }, { iterations: count });

describe("caps", () => {
  const cases: readonly {
    readonly name: string;
    readonly caps: Partial<Caps>;
    readonly fields?: Partial<PlanInput>;
    readonly creates: number;
    readonly by: Readonly<Record<string, unknown>> | null;
  }[] = [
    { name: "none: everything is bought", caps: {}, creates: 6, by: null },
    {
      name: "nodes of a plan: the rest waits for the next one",
      caps: { maxNodesPerPlan: 2 },
      creates: 2,
      by: { cap: "max-nodes-per-plan", max: 2, used: 0, jobs: 1, targets: 0 },
    },
    {
      name: "a cap that leaves enough clips nothing",
      caps: { maxNodesPerPlan: 6, maxCores: 24 },
      creates: 6,
      by: null,
    },
    {
      name: "nodes on order are no nodes of this plan",
      caps: { maxNodesPerPlan: 2 },
      fields: {
        pending: [onOrder(3)],
      },
      creates: 2,
      by: { cap: "max-nodes-per-plan", max: 2, used: 0, jobs: 1, targets: 0 },
    },
    {
      name: "cores: nodes that are there count, also those that are going",
      caps: { maxCores: 16 },
      fields: {
        cluster: {
          ...priced,
          nodes: [
            node("htc-1", { status: "Terminating", targetState: "Terminated" }),
            node("htc-2", { ...deallocated }),
            node("scheduler", { nodeArray: "", vmSize: "Standard_F64" }),
          ],
        },
      },
      creates: 3,
      by: { cap: "max-cores", max: 16, used: 4, jobs: 1, targets: 0 },
    },
    {
      name: "cores: nodes on order count",
      caps: { maxCores: 16 },
      fields: {
        pending: [onOrder(3)],
      },
      creates: 1,
      by: { cap: "max-cores", max: 16, used: 12, jobs: 1, targets: 0 },
    },
    {
      name: "cores: a node of a size in no bucket counts as the largest of its array",
      caps: { maxCores: 16 },
      fields: { cluster: { ...priced, nodes: [node("htc-1", { vmSize: "Standard_Old" })] } },
      creates: 3,
      by: { cap: "max-cores", max: 16, used: 4, jobs: 1, targets: 0 },
    },
    {
      name: "budget: what is left has to pay for an hour of all",
      caps: { budget: { maxUsd: 100, spentUsd: 96 } },
      fields: {
        cluster: { ...priced, nodes: [node("htc-1", { status: "Terminating", targetState: "Terminated" })] },
      },
      creates: 3,
      by: { cap: "monthly-budget", max: 100, used: 97, jobs: 1, targets: 0 },
    },
    {
      name: "budget: one that is overspent buys nothing",
      caps: { budget: { maxUsd: 100, spentUsd: 120 } },
      creates: 0,
      by: { cap: "monthly-budget", max: 100, used: 120, jobs: 1, targets: 0 },
    },
    {
      name: "budget: a size without a known price is not bought, however much is left",
      caps: { budget: { maxUsd: 1_000_000, spentUsd: 0 } },
      fields: { cluster: cluster() },
      creates: 0,
      by: { cap: "unknown-price", max: 0, used: 0, jobs: 1, targets: 0 },
    },
  ];

  test.each(cases)("$name", ({ caps, fields, creates, by }) => {
    const pendingSlots = fields?.pending?.reduce((total, { count }) => total + count, 0) ?? 0;
    const result = plan(
      input({ cluster: priced, jobs: [wholeNodes(6 + pendingSlots)], ...fields, caps: { ...none, ...caps } }),
    );
    // A deallocated node is started before a new one is made.
    expect(createdNames(result).length + result.start.length).toBe(creates);
    expect(result.clipped ?? null).toEqual(by && { asked: 6, granted: creates, by: [by] });
  });

  test("a job that wants all of its nodes or none gets none, and says which cap it was", () => {
    const gang = job("gang", { ncpus: 4 }, { nodeCount: 4, packingStrategy: "scatter" });
    const result = plan(
      input({ cluster: priced, jobs: [gang, wholeNodes(1)], caps: { ...none, maxNodesPerPlan: 3 } }),
    );
    expect(nodesOf(result, "gang")).toEqual([]);
    expect(createdNames(result)).toHaveLength(1);
    expect(result.clipped).toMatchObject({ asked: 5, granted: 1 });
    expect(result.jobs[0]?.reasons).toMatchObject([
      { code: "NoCapacity", limit: "max-nodes-per-plan", asked: 4 },
    ]);
  });

  test("a target is held back too, and what it is told names the cap", () => {
    const target: Target = {
      name: "htc",
      nodeArray: "htc",
      dynamicArray: null,
      wish: { kind: "nodes", count: 5 },
      vmSizes: [],
      coresPerNode: null,
      nodeAttributes: {},
      requestSet: "r",
    };
    const result = plan(input({ cluster: priced, targets: [target], caps: { ...none, maxCores: 8 } }));
    expect(createdNames(result)).toHaveLength(2);
    expect(result.targets[0]?.reasons).toMatchObject([{ code: "NoCapacity", limit: "max-cores" }]);
    const by = [{ cap: "max-cores", max: 8, used: 0, jobs: 0, targets: 1 }];
    expect(result.clipped).toEqual({ asked: 5, granted: 2, by });
  });

  test("nodes are deleted whatever the caps say", () => {
    const { cluster: withNode, history } = {
      cluster: { ...priced, nodes: [node("htc-1")] },
      history: [
        {
          nodeId: "id-htc-1",
          name: "htc-1",
          hostname: null,
          instanceId: null,
          nodeArray: "htc",
          vmSize: "Standard_F4s_v2",
          createdSeconds: 0,
          readySeconds: 1,
          lastMatchSeconds: 2,
          deletedSeconds: null,
        },
      ],
    };
    const caps = { maxNodesPerPlan: 0, maxCores: 0, budget: { maxUsd: 1, spentUsd: 2 } };
    expect(plan(input({ cluster: withNode, history, caps })).retire).toHaveLength(1);
  });

  test.each([
    [{ maxNodesPerPlan: 0 }, /the cap max_nodes_per_plan leaves 0 new nodes.*one of the next plans/],
    [{ maxCores: 3 }, /the cap max_cores leaves 0 new nodes.*the limit is raised/],
    [{ budget: { maxUsd: 5, spentUsd: 5 } }, /monthly_budget_usd has left.*leaves 0 new nodes.*new month/],
  ])("%j is told in a sentence", (caps, sentence) => {
    const result = plan(input({ cluster: priced, jobs: [wholeNodes(1)], caps: { ...none, ...caps } }));
    expect(result.jobs.flatMap(jobSentences).join(" ")).toMatch(sentence);
  });

  test("an unknown price is told in a sentence", () => {
    const caps = { ...none, budget: { maxUsd: 5, spentUsd: 0 } };
    expect(
      plan(input({ jobs: [wholeNodes(1)], caps }))
        .jobs.flatMap(jobSentences)
        .join(" "),
    ).toMatch(/its price, which is not known.*vm_sizes gives the price/);
  });
});

/** Random inputs under random caps; some sizes have no price. */
const capped = (inputs: fc.Arbitrary<PlanInput>): fc.Arbitrary<PlanInput> =>
  fc
    .tuple(
      inputs,
      // A cap that is added has to be drawn here to compile, and the naive planner has to count it.
      fc.record<Required<Caps>>({
        maxNodesPerPlan: fc.option(fc.nat(8)),
        maxCores: fc.option(fc.nat(100)),
        budget: fc.option(
          fc.record({
            maxUsd: fc.integer({ min: 1, max: 20 }),
            spentUsd: fc.double({ min: 0, max: 20, noNaN: true }),
          }),
        ),
      }),
      fc.array(fc.option(fc.constantFrom(0.1, 0.333_333, 1.7, 3)), { minLength: 6, maxLength: 6 }),
    )
    .map(([drawn, caps, prices]) => {
      let next = 0;
      const nodeArrays = drawn.cluster.nodeArrays.map((each) => ({
        ...each,
        buckets: each.buckets.map((size) => ({
          ...size,
          pricePerHourUsd: prices[next++ % prices.length] ?? null,
        })),
      }));
      return { ...drawn, cluster: { ...drawn.cluster, nodeArrays }, caps };
    });

const cappedInputs = capped(planInputs);

describe("plan under caps", () => {
  test("never exceeds one, whatever the cluster, the demand and the targets", () => {
    fc.assert(
      fc.property(fc.oneof(cappedInputs, capped(targetInputs)), (drawn) => {
        const first = plan(drawn);
        expect(violationsOf(drawn, first)).toEqual([]);
        const ordered = { ...drawn, pending: first.create.map((set) => ({ ...set, actionId: "a" })) };
        expect(violationsOf(ordered, plan(ordered))).toEqual([]);
      }),
      cases(200),
    );
  });

  test("places every slot where a naive planner under the same caps places it", () => {
    fc.assert(
      fc.property(cappedInputs, (free) => {
        const placement = { default: "order", byNodeArray: {} } as const;
        const drawn = { ...free, settings: { ...free.settings, placement } };
        const result = plan(drawn);
        const naive = planNaively(drawn);
        expect([...createdNames(result)].sort()).toEqual([...naive.created].sort());
        expect(result.jobs.map(({ name, granted }) => [name, granted])).toEqual(
          naive.jobs.map(({ name, nodes }) => [name, nodes.length]),
        );
      }),
      cases(200),
    );
  });

  test("retires what it retires without caps", () => {
    fc.assert(
      fc.property(cappedInputs, ({ caps, ...uncapped }) => {
        const retired = plan({ ...uncapped, jobs: [] }).retire;
        expect(plan({ ...uncapped, jobs: [], caps: caps as Caps }).retire).toEqual(retired);
      }),
      cases(100),
    );
  });

  test("says of every clipped plan which jobs were held back", () => {
    fc.assert(
      fc.property(cappedInputs, (drawn) => {
        const { clipped, jobs } = plan(drawn);
        const held = jobs.filter(({ granted, asked }) => granted < asked);
        if (clipped === undefined) return;
        expect(clipped.by.length).toBeGreaterThan(0);
        for (const { cap, jobs: count } of clipped.by) {
          const naming = held.filter(({ reasons }) => reasons.some(({ limit }) => limit === cap));
          expect(naming).toHaveLength(count);
        }
      }),
      cases(200),
    );
  });
});
