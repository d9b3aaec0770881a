import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ClusterNode,
  type NodeHistory,
  type Plan,
  type PlanInput,
  placements,
  plan,
} from "../../../shared/engine/index.ts";
import { cases } from "../../support/cases.ts";
import { afterActions } from "./after-actions.ts";
import { planInputs } from "./arbitraries.ts";
import { violationsOf } from "./plan-validity.ts";

const runs = cases(150);

const policy = fc.constantFrom(...placements);
const price = fc.constantFrom(null, 0.1, 0.2, 0.4, 1, 3);
const runtime = fc.constantFrom(null, 60, 3_600, 1_000_000);

/** Worlds with prices and run times, some of which are not known, and a policy for the cluster and perhaps another for one array. */
const worlds: fc.Arbitrary<PlanInput> = fc
  .record({
    input: planInputs,
    all: policy,
    htc: fc.option(policy),
    prices: fc.array(price, { minLength: 6, maxLength: 6 }),
    runtimes: fc.array(runtime, { maxLength: 4 }),
  })
  .map(({ input, all, htc, prices, runtimes }) => {
    let next = 0;
    const nodeArrays = input.cluster.nodeArrays.map((array) => ({
      ...array,
      buckets: array.buckets.map((bucket) => ({
        ...bucket,
        pricePerHourUsd: prices[next++ % prices.length] ?? null,
      })),
    }));
    const placement = { default: all, byNodeArray: htc === null ? {} : { htc } };
    const jobs = input.jobs.map((job, index) => ({
      ...job,
      runtimeSeconds: runtimes[index % runtimes.length] ?? null,
    }));
    return {
      ...input,
      jobs,
      cluster: { ...input.cluster, nodeArrays },
      settings: { ...input.settings, placement },
    };
  });

function inOrder(input: PlanInput): PlanInput {
  return { ...input, settings: { ...input.settings, placement: { default: "order", byNodeArray: {} } } };
}

/** It was bought, and its jobs were cancelled, long ago. */
function cancelledRow(
  { nodeId, name, hostname, instanceId, nodeArray, vmSize }: ClusterNode,
  nowSeconds: number,
): NodeHistory {
  const atSeconds = nowSeconds - 1_000;
  const times = {
    createdSeconds: atSeconds,
    readySeconds: null,
    lastMatchSeconds: atSeconds,
    deletedSeconds: null,
  };
  return { nodeId, name, hostname, instanceId, nodeArray, vmSize, ...times };
}

function newNodesIn({ create, start }: Plan): number {
  return create.reduce((total, { count }) => total + count, start.length);
}

function grantedIn({ jobs }: Plan): readonly number[] {
  return jobs.map(({ granted }) => granted);
}

describe("plan, whatever the placement", () => {
  test("breaks no rule, places every job as far as filling in order does, and is the same for an input that was archived", () => {
    fc.assert(
      fc.property(worlds, (input) => {
        const first = plan(input);
        expect(violationsOf(input, first)).toEqual([]);
        const ordered = grantedIn(plan(inOrder(input)));
        for (const [index, granted] of grantedIn(first).entries())
          expect(granted, `job ${index}`).toBeGreaterThanOrEqual(ordered[index] ?? 0);
        const archived = JSON.parse(JSON.stringify(input)) as PlanInput;
        expect(JSON.stringify(plan(archived))).toBe(JSON.stringify(first));
      }),
      runs,
    );
  });

  test("deletes no booting node without which a job would get less, or more would have to be bought", () => {
    let seen = 0;
    fc.assert(
      fc.property(worlds, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), (input, stays) => {
        const { jobs, nowSeconds, ...grown } = afterActions(input, plan(input));
        const booting = grown.cluster.nodes.filter(({ status }) => status === "Preparing");
        const cancelled = {
          ...grown,
          nowSeconds,
          jobs: jobs.filter((_, index) => stays[index % stays.length]),
          boughtNodeIds: booting.map(({ nodeId }) => nodeId),
          history: booting.map((node) => cancelledRow(node, nowSeconds)),
        };
        const first = plan(cancelled);
        const unwanted = first.retire.filter(({ cause }) => cause === "unwanted");
        seen += unwanted.length;
        const leavingNodeIds = [...input.leavingNodeIds, ...unwanted.map(({ nodeId }) => nodeId)];
        const without = plan({ ...cancelled, leavingNodeIds });
        expect(grantedIn(without)).toEqual(grantedIn(first));
        expect(newNodesIn(without)).toBe(newNodesIn(first));
      }),
      runs,
    );
    expect(seen).toBeGreaterThan(runs.numRuns / 4);
  });

  test("buys nothing and leaves nobody out once its own actions took effect", () => {
    fc.assert(
      fc.property(worlds, (drawn) => {
        const input = { ...drawn, cluster: { ...drawn.cluster, maxCount: 1_000, maxCoreCount: 100_000 } };
        const first = plan(input);
        const second = plan(afterActions(input, first));
        expect({ create: second.create, start: second.start }).toEqual({ create: [], start: [] });
        // With the new nodes there, jobs may be packed so that more of them find room.
        const granted = grantedIn(second);
        for (const [index, before] of grantedIn(first).entries())
          expect(granted[index]).toBeGreaterThanOrEqual(before);
      }),
      runs,
    );
  });
});
