import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Caps,
  type PlanInput,
  paidNodes,
  plan,
  runningIn,
  type Target,
} from "../../../shared/engine/index.ts";
import { cases } from "../../support/cases.ts";
import { planInputs, targetInputs } from "./arbitraries.ts";
import { array, bucket, cluster, createdNames, input, job, node, onOrder } from "./tiny.ts";

const paid = { name: "three years", nodes: 3 };
const budget = (maxUsd: number): Caps => ({
  maxNodesPerPlan: null,
  maxCores: null,
  budget: { maxUsd, spentUsd: 0 },
});
const wholeNodes = (count: number) => job("job", { ncpus: 4 }, { iterations: count });

function worldOf(pricePerHourUsd: number | null, existing = 0) {
  const size = bucket({ fields: { pricePerHourUsd, reservation: paid }, limits: { activeCount: existing } });
  const nodes = Array.from({ length: existing }, (_, index) => node(`htc-${index + 1}`));
  return { ...cluster({ nodeArrays: [array({ buckets: [size] })] }), nodes };
}

describe("reserved nodes under a budget", () => {
  test.each([
    {
      name: "a spent budget still buys what is paid already",
      price: 1,
      existing: 0,
      maxUsd: 0.5,
      creates: 3,
    },
    { name: "the others cost their price", price: 1, existing: 0, maxUsd: 2.5, creates: 5 },
    {
      name: "a size without a known price is bought within the reservation",
      price: null,
      existing: 0,
      maxUsd: 9,
      creates: 3,
    },
    { name: "nodes that run use the reservation up", price: 1, existing: 2, maxUsd: 1, creates: 2 },
    { name: "a size that costs nothing draws on no money", price: 0, existing: 0, maxUsd: 0.5, creates: 8 },
  ])("$name", ({ price, existing, maxUsd, creates }) => {
    const world = worldOf(price, existing);
    const result = plan(input({ cluster: world, jobs: [wholeNodes(8 + existing)], caps: budget(maxUsd) }));
    expect(createdNames(result)).toHaveLength(creates);
  });

  test("what runs within a reservation is counted apart", () => {
    const running = runningIn(worldOf(2, 5));
    expect(running).toMatchObject({ usdPerHour: 4, unpricedNodes: 0 });
    expect([...running.reservedNodes]).toEqual([["three years", 3]]);
    expect(runningIn(worldOf(null, 5))).toMatchObject({ usdPerHour: 0, unpricedNodes: 2 });
  });

  test("of several sizes the dearest nodes are paid first", () => {
    const cheap = bucket({ fields: { pricePerHourUsd: 1, reservation: paid } });
    const dear = bucket({ vcpus: 8, fields: { pricePerHourUsd: 5, reservation: paid } });
    const both = cluster({ nodeArrays: [array({ buckets: [cheap, dear] })] });
    const pending = [cheap, dear].map(({ vmSize }) => onOrder(2, { actionId: vmSize, vmSize }));
    expect(runningIn(both, pending).usdPerHour).toBe(1);
    const nodes = [
      node("htc-2", { vmSize: cheap.vmSize }),
      ...["3", "1", "4"].map((id) => node(`htc-${id}`, { vmSize: dear.vmSize })),
    ];
    const all = paidNodes({ ...both, nodes: [...nodes, node("of-no-size", { vmSize: "other" })] });
    expect(all.map(({ node: { name }, usdPerHour, isReserved }) => [name, usdPerHour, isReserved])).toEqual([
      ["htc-2", 1, false],
      ["htc-3", 0, true],
      ["htc-1", 0, true],
      ["htc-4", 0, true],
      ["of-no-size", null, false],
    ]);
  });

  test("no plan spends more than the budget, however many reservations its sizes share", () => {
    const prices = fc.array(fc.option(fc.constantFrom(0.1, 0.333_333, 1.7, 3)), {
      minLength: 6,
      maxLength: 6,
    });
    const reserved = fc.array(fc.option(fc.constantFrom(0, 1), { nil: undefined }), {
      minLength: 6,
      maxLength: 6,
    });
    const drawn = fc.tuple(
      fc.oneof(planInputs, targetInputs),
      prices,
      reserved,
      fc.tuple(fc.nat(4), fc.nat(4)),
      fc.double({ min: 0.1, max: 20, noNaN: true }),
    );
    fc.assert(
      fc.property(drawn, ([base, usd, which, nodes, maxUsd]) => {
        const world = withPrices(base, { usd, which, nodes });
        const result = plan({ ...world, caps: budget(maxUsd) });
        const before = runningIn(world.cluster, world.pending);
        const created = result.create.map((set) => ({ ...set, actionId: "a" }));
        const after = runningIn(world.cluster, [...(world.pending ?? []), ...created]);
        expect(after.unpricedNodes).toBeLessThanOrEqual(before.unpricedNodes);
        expect(after.usdPerHour).toBeLessThanOrEqual(Math.max(before.usdPerHour, maxUsd) + 1e-9);
      }),
      cases(300),
    );
  });
});

function withPrices(
  base: PlanInput & { readonly targets?: readonly Target[] },
  drawn: {
    readonly usd: readonly (number | null)[];
    readonly which: readonly (number | undefined)[];
    readonly nodes: readonly [number, number];
  },
): PlanInput {
  let next = 0;
  const nodeArrays = base.cluster.nodeArrays.map((each) => ({
    ...each,
    buckets: each.buckets.map((size) => {
      const place = next++ % drawn.usd.length;
      const pool = drawn.which[place];
      return {
        ...size,
        pricePerHourUsd: drawn.usd[place] ?? null,
        ...(pool !== undefined && { reservation: { name: `pool-${pool}`, nodes: drawn.nodes[pool] ?? 0 } }),
      };
    }),
  }));
  return { ...base, cluster: { ...base.cluster, nodeArrays } };
}
