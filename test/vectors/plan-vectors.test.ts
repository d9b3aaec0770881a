import { describe, expect, test } from "vitest";
import { plan } from "../../shared/engine/index.ts";
import { violationsOf } from "../shared/engine/plan-validity.ts";
import { type ExpectedPlan, firstDifference } from "./agreement.ts";
import { brokenVectors, knownDifferences } from "./differences.ts";
import { inputOf, readVectors, type Scenario } from "./scenario.ts";

type PlanVector = Scenario & { readonly expected: ExpectedPlan };

const vectors = readVectors<PlanVector>("plan.jsonl.gz");
const limits = readVectors<Scenario>("plan-limits.jsonl.gz");
const broken = new Set(brokenVectors.flatMap(({ names }) => names));
const different = new Set([...knownDifferences.flatMap(({ names }) => names), ...broken]);

/** As recorded: bucket by bucket. */
function inOrder(vector: Scenario) {
  const input = inputOf(vector);
  const placement = { default: "order", byNodeArray: {} } as const;
  return { ...input, settings: { ...input.settings, placement } };
}

function inCompatibility(vector: Scenario) {
  const input = inputOf(vector);
  return { ...input, settings: { ...input.settings, compatibility: "scalelib" as const } };
}

describe("plan vectors", () => {
  test("are 300, and 59 without an expected outcome", () => {
    expect([vectors.length, limits.length]).toEqual([300, 59]);
  });

  test.each(vectors.filter(({ name }) => !broken.has(name)))("$name: same plan in scalelib compatibility", (vector) => {
    expect(firstDifference(plan(inCompatibility(vector)), vector.expected)).toBeNull();
  });

  test.each(vectors.filter(({ name }) => !different.has(name)))("$name: same plan in order", (vector) => {
    expect(firstDifference(plan(inOrder(vector)), vector.expected)).toBeNull();
  });

  // A listed vector that agrees again means that a difference was lost, or that the list is stale.
  test.each([
    ...knownDifferences.flatMap(({ names, reason }) => names.map((name) => ({ name, reason, modeOf: inOrder }))),
    ...brokenVectors.flatMap(({ names, reason }) => names.map((name) => ({ name, reason, modeOf: inCompatibility }))),
  ])("$name differs: $reason", ({ name, modeOf }) => {
    const vector = vectors.find((candidate) => candidate.name === name);
    if (vector === undefined) throw new Error(`No vector "${name}"`);
    expect(firstDifference(plan(modeOf(vector)), vector.expected)).not.toBeNull();
  });

  test.each([...vectors, ...limits])("$name: the plan is valid", (vector) => {
    const input = inputOf(vector);
    expect(violationsOf(input, plan(input))).toEqual([]);
  });

  test.each(limits)("$name: the plan is valid in scalelib compatibility too", (vector) => {
    const input = inCompatibility(vector);
    expect(violationsOf(input, plan(input))).toEqual([]);
  });
});
