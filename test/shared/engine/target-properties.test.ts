import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Cluster,
  type CreateSet,
  dynamicArrayOf,
  type Json,
  type Plan,
  type PlanInput,
  type PlannedNode,
  plan,
  type Target,
  type TargetOutcome,
} from "../../../shared/engine/index.ts";
import { cases } from "../../support/cases.ts";
import { afterActions } from "./after-actions.ts";
import { spareInputs, targetInputs } from "./arbitraries.ts";
import { violationsOf } from "./plan-validity.ts";

const runs = cases(100);

describe("plan with targets", () => {
  test("breaks no rule, marks what it makes for a dynamic array, and orders nothing new while its actions are under way", () => {
    fc.assert(
      fc.property(targetInputs, (input) => {
        const first = plan(input);
        expect(violationsOf(input, first)).toEqual([]);
        // So they are known again.
        for (const set of first.create) expect(markOf(set)).toBe(set.dynamicArray ?? null);
        const pending = first.create.map((set) => ({ ...set, actionId: "a" }));
        const started = first.start.flatMap(({ name }) =>
          input.cluster.nodes
            .filter((node) => node.name === name)
            .map((node) => ({ ...node, actionId: "b", names: [name], count: 1 })),
        );
        const second = plan({ ...input, pending: [...pending, ...started] });
        expect({ create: second.create, start: second.start }).toEqual({ create: [], start: [] });
        const archived = JSON.parse(JSON.stringify(input)) as PlanInput;
        expect(JSON.stringify(plan(archived))).toBe(JSON.stringify(first));
      }),
      runs,
    );
  });

  test("puts nothing on nodes that take no jobs, and breaks no rule for that", () => {
    fc.assert(
      fc.property(targetInputs, fc.integer({ min: 1, max: 3 }), (drawn, every) => {
        const closed = drawn.cluster.nodes.filter((_, index) => index % every === 0);
        const input = { ...drawn, closedNodeIds: closed.map(({ nodeId }) => nodeId) };
        const result = plan(input);
        expect(violationsOf(input, result)).toEqual([]);
        const ids = new Set(input.closedNodeIds);
        const planned = result.nodes.filter(({ nodeId }) => nodeId !== null && ids.has(nodeId));
        for (const { jobs, targets = [] } of planned) expect([jobs, targets]).toEqual([[], []]);
        expect(result.start.filter(({ nodeId }) => ids.has(nodeId))).toEqual([]);
      }),
      runs,
    );
  });

  // Other placements choose between whole runs, and a run lasts or not with its targets.
  test("filling in order, places jobs as it would without targets that start from nothing", () => {
    const placement = { default: "order", byNodeArray: {} } as const;
    fc.assert(
      fc.property(targetInputs, (drawn) => {
        const settings = { ...drawn.settings, placement };
        const input = { ...drawn, settings, cluster: { ...drawn.cluster, nodes: [] } };
        const placed = (given: PlanInput) =>
          plan(given).jobs.map(({ name, granted, placements }) => ({ name, granted, placements }));
        expect(placed(input)).toEqual(placed({ ...input, targets: [] }));
      }),
      runs,
    );
  });

  test("orders nothing new once its own actions took effect", () => {
    fc.assert(
      fc.property(targetInputs, (drawn) => {
        const input = { ...drawn, cluster: { ...drawn.cluster, maxCount: 1_000, maxCoreCount: 100_000 } };
        const second = plan(afterActions(input, plan(input)));
        expect({ create: second.create, start: second.start }).toEqual({ create: [], start: [] });
      }),
      runs,
    );
  });
});

describe("plan with spare nodes", () => {
  const isSpare = ({ unit }: TargetOutcome): boolean => unit === "spares" || unit === "slots";

  test("breaks no rule, and gives jobs and other targets what they get without", () => {
    fc.assert(
      fc.property(spareInputs, (input) => {
        const made = plan(input);
        expect(violationsOf(input, made)).toEqual([]);
        const others = plan({
          ...input,
          targets: input.targets?.filter(({ wish }) => wish.kind !== "spares" && wish.kind !== "slots") ?? [],
        });
        const placed = ({ jobs }: Plan) =>
          jobs.map(({ name, granted, placements }) => ({ name, granted, placements }));
        expect(placed(made)).toEqual(placed(others));
        expect(made.targets.filter((target) => !isSpare(target))).toEqual(others.targets);
      }),
      runs,
    );
  });

  test("buys nothing twice where floors, spare nodes and jobs ask at once, beside deallocated nodes", () => {
    const deallocate = { default: { most: 2, maxAgeSeconds: 1e9, diskUsdPerHour: null }, byNodeArray: {} };
    const amounts = fc.record({ office: fc.nat(5), night: fc.nat(5), spare: fc.nat(3) });
    let bought = 0;
    fc.assert(
      fc.property(spareInputs, amounts, ({ jobs, ...drawn }, { office, night, spare }) => {
        const plain = { dynamicArray: null, vmSizes: [], coresPerNode: null, nodeAttributes: {} };
        const targets = drawn.cluster.nodeArrays.flatMap(({ name }): readonly Target[] => [
          { ...plain, nodeArray: name, name, requestSet: "office", wish: { kind: "nodes", count: office } },
          {
            ...plain,
            nodeArray: name,
            name: `${name}:spare`,
            requestSet: "spare",
            wish: { kind: "spares", count: spare, perCent: 0 },
          },
          { ...plain, nodeArray: name, name, requestSet: "night", wish: { kind: "nodes", count: night } },
        ]);
        // The more jobs, the more of these worlds have one that waits.
        const settings = { ...drawn.settings, deallocate };
        const input = { ...drawn, jobs: jobs.slice(0, 2), targets, cluster: roomy(drawn.cluster), settings };
        const made = plan(input);
        if (made.jobs.some(({ granted, asked }) => granted < asked)) return;
        for (const { name: nodeArray } of input.cluster.nodeArrays) {
          const own = made.nodes.filter(
            (node) =>
              node.nodeArray === nodeArray &&
              node.dynamicArray === undefined &&
              (node.status !== "Deallocated" || node.origin === "starting"),
          );
          const used = own.filter(({ jobs: onIt }) => onIt.length > 0).length;
          const isForTargets = ({ origin, jobs: onIt }: PlannedNode) =>
            (origin === "new" || origin === "starting") && onIt.length === 0;
          if (!own.some(isForTargets)) continue;
          bought += 1;
          expect(own.length).toBeLessThanOrEqual(Math.max(office, night, used + spare));
          const ids = new Set(own.map(({ nodeId }) => nodeId));
          expect(made.retire.filter(({ nodeId }) => ids.has(nodeId))).toEqual([]);
        }
      }),
      cases(1_000),
    );
    expect(bought).toBeGreaterThan(30);
  });

  // Jobs may take nodes that were made as spare ones, which then are made again: never more than were asked for.
  test("comes to rest once nodes that came are used, with room and without", () => {
    const mostRounds = 12;
    fc.assert(
      fc.property(spareInputs, fc.boolean(), (drawn, hasRoom) => {
        const room = hasRoom ? { maxCount: 1_000, maxCoreCount: 100_000 } : {};
        let input = { ...drawn, cluster: { ...drawn.cluster, ...room } };
        for (let round = 0; round < mostRounds; round++) {
          const made = plan(input);
          expect(violationsOf(input, made)).toEqual([]);
          if (made.create.length === 0 && made.start.length === 0) return;
          input = afterActions(input, made) as typeof input;
        }
        expect(`buys still after ${mostRounds} plans`).toBe("at rest");
      }),
      runs,
    );
  });
});

/** The same with limits that bind nobody. */
function roomy(cluster: Cluster): Cluster {
  const limits = { availableCount: 50, region: noQuota, family: noQuota };
  const nodeArrays = cluster.nodeArrays.map((array) => ({
    ...array,
    maxCount: 1_000,
    maxCoreCount: 100_000,
    buckets: array.buckets.map((bucket) => ({ ...bucket, limits: { ...bucket.limits, ...limits } })),
  }));
  return { ...cluster, maxCount: 1_000, maxCoreCount: 100_000, nodeArrays };
}

const noQuota = { maxCores: 100_000, usedCores: 0 };

function markOf({ nodeAttributes }: CreateSet): string | null {
  return dynamicArrayOf((nodeAttributes.Configuration ?? {}) as { readonly [key: string]: Json });
}
