import { describe, expect, it } from "vitest";
import { plan } from "../../shared/engine/index.ts";
import { violationsOf } from "../shared/engine/plan-validity.ts";
import { type ExpectedPlan, firstDifference } from "./agreement.ts";
import { BROKEN_VECTORS, DIFFERENCES } from "./differences.ts";
import { inputOf, readVectors, type Scenario } from "./scenario.ts";

type PlanVector = Scenario & { readonly expected: ExpectedPlan };

const vectors = readVectors<PlanVector>("plan.jsonl.gz");
const limits = readVectors<Scenario>("plan-limits.jsonl.gz");
const broken = new Set(BROKEN_VECTORS.flatMap(({ names }) => names));
const different = new Set([...DIFFERENCES.flatMap(({ names }) => names), ...broken]);

function inCompatibility(vector: Scenario) {
  const input = inputOf(vector);
  return { ...input, settings: { ...input.settings, compatibility: "scalelib" as const } };
}

describe("plan vectors", () => {
  it("are 300, and 59 without an expected outcome", () => {
    expect([vectors.length, limits.length]).toEqual([300, 59]);
  });

  it.each(vectors.filter(({ name }) => !broken.has(name)))("$name: same plan in scalelib compatibility", (vector) => {
    expect(firstDifference(plan(inCompatibility(vector)), vector.expected)).toBeNull();
  });

  it.each(vectors.filter(({ name }) => !different.has(name)))("$name: same plan by default", (vector) => {
    expect(firstDifference(plan(inputOf(vector)), vector.expected)).toBeNull();
  });

  // A listed vector that agrees again means that a difference was lost, or that the list is stale.
  it.each([...DIFFERENCES, ...BROKEN_VECTORS].flatMap((difference) => difference.names.map((name) => ({ ...difference, name }))))(
    "$name differs: $reason",
    ({ name }) => {
      const vector = vectors.find((candidate) => candidate.name === name);
      if (vector === undefined) throw new Error(`No vector "${name}"`);
      expect(firstDifference(plan(inputOf(vector)), vector.expected)).not.toBeNull();
    },
  );

  it.each([...vectors, ...limits])("$name: the plan is valid", (vector) => {
    const input = inputOf(vector);
    expect(violationsOf(input, plan(input))).toEqual([]);
  });

  it.each(limits)("$name: the plan is valid in scalelib compatibility too", (vector) => {
    const input = inCompatibility(vector);
    expect(violationsOf(input, plan(input))).toEqual([]);
  });
});
