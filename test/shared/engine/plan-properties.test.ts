import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Plan, type PlanInput, plan } from "../../../shared/engine/index.ts";
import { firstFit } from "../../../shared/engine/place/run.ts";
import { cases } from "../../support/cases.ts";
import { afterActions } from "./after-actions.ts";
import { planInputs } from "./arbitraries.ts";
import { planNaively } from "./naive-planner.ts";
import { violationsOf } from "./plan-validity.ts";

const runs = cases(200);
const filledInOrder = { placement: { default: "order", byNodeArray: {} } } as const;

describe("plan", () => {
  test("breaks no rule, changes no input, has a reason for all that waits, and orders nothing new while its actions are under way", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const before = JSON.stringify(input);
        const first = plan(deepFreeze(input));
        expect(JSON.stringify(input)).toBe(before);
        expect(violationsOf(input, first)).toEqual([]);
        for (const outcome of first.jobs)
          expect(outcome.reasons.length > 0, outcome.name).toBe(outcome.granted < outcome.asked);
        const pending = first.create.map((set) => ({ ...set, actionId: "a" }));
        const started = first.start.map(({ name, nodeArray }) => {
          const asleep = input.cluster.nodes.find((node) => node.name === name);
          const { vmSize = "", placementGroup = null } = asleep ?? {};
          return { actionId: "b", nodeArray, vmSize, placementGroup, names: [name], count: 1 };
        });
        const second = plan({ ...input, pending: [...pending, ...started] });
        expect({ create: second.create, start: second.start }).toEqual({ create: [], start: [] });
      }),
      runs,
    );
  });

  // A getter in its literal would give every plan a hidden class of its own, and keep its ledger in memory.
  test("is plain data, and the same again for an input that was archived as JSON", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const first = plan(input);
        const properties = Object.values(Object.getOwnPropertyDescriptors(first));
        expect(properties.filter(({ get }) => get !== undefined)).toEqual([]);
        const archived = JSON.parse(JSON.stringify(input)) as PlanInput;
        expect(JSON.stringify(plan(archived))).toBe(JSON.stringify(first));
      }),
      cases(100),
    );
  });

  test("breaks no rule in scalelib compatibility either", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const settings = { ...input.settings, compatibility: "scalelib" as const };
        expect(violationsOf({ ...input, settings }, plan({ ...input, settings }))).toEqual([]);
      }),
      runs,
    );
  });

  test("places every slot where a naive planner places it", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const ordered = { ...input, settings: { ...input.settings, ...filledInOrder } };
        const result = plan(ordered);
        const naive = planNaively(ordered);
        expect(
          result.jobs.map(({ name, placements }) => ({ name, nodes: sorted(slotNames(placements)) })),
        ).toEqual(naive.jobs.map(({ name, nodes }) => ({ name, nodes: sorted(nodes) })));
        expect(sorted(result.create.flatMap((set) => set.names))).toEqual(sorted(naive.created));
        expect(sorted(result.start.map(({ name }) => name))).toEqual(sorted(naive.started));
      }),
      runs,
    );
  });

  test("places every slot where a naive planner places it, at first, over nodes of several arrays", () => {
    fc.assert(
      fc.property(planInputs, fc.constantFrom("order", "reuse"), (input, htc) => {
        const placement = { default: "reuse", byNodeArray: { htc } } as const;
        const shared = { ...input, settings: { ...input.settings, placement } };
        const { allocations, opened } = firstFit({ ...shared, overdueNodeIds: new Set() });
        const naive = planNaively(shared);
        expect(
          allocations.map(({ job, placements }) => ({
            name: job.name,
            nodes: sorted(
              placements.flatMap(({ node, slots }) => Array.from({ length: slots }, () => node.name)),
            ),
          })),
        ).toEqual(naive.jobs.map(({ name, nodes }) => ({ name, nodes: sorted(nodes) })));
        const nodes = opened.ledger.buckets.flatMap((bucket) => bucket.nodes);
        expect(sorted(nodes.filter(({ origin }) => origin === "new").map(({ name }) => name))).toEqual(
          sorted(naive.created),
        );
      }),
      runs,
    );
  });

  // CycleCloud counts deallocated nodes to the cluster, and starting one is charged like creating one: when that limit
  // binds, the next pass finds the cores that were charged twice. Erring on this side never exceeds the limit.
  test("orders nothing new once its own actions took effect", () => {
    fc.assert(
      fc.property(planInputs, (drawn) => {
        const input = { ...drawn, cluster: { ...drawn.cluster, maxCount: 1_000, maxCoreCount: 100_000 } };
        const first = plan(input);
        const second = plan(afterActions(input, first));
        expect(second.create).toEqual([]);
        expect(second.start).toEqual([]);
      }),
      runs,
    );
  });
});

function slotNames(placements: Plan["jobs"][number]["placements"]): string[] {
  return placements.flatMap(({ node, slots }) => Array.from({ length: slots }, () => node));
}

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort();
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
