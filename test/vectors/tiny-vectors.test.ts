import { describe, expect, test } from "vitest";
import { plan } from "../../shared/engine/index.ts";
import { violationsOf } from "../shared/engine/plan-validity.ts";
import { inputOf } from "./scenario.ts";
import { tinyVectors } from "./tiny-scenarios.ts";

describe("tiny vectors", () => {
  test.each(tinyVectors)("$name", (vector) => {
    const input = inputOf(vector);
    const result = plan(input);
    const placed = result.jobs.map(({ name, placements }) => [
      name,
      placements.flatMap(({ node, slots }) => Array.from({ length: slots }, () => node)),
    ]);
    expect(Object.fromEntries(placed)).toEqual(vector.expected);
    expect(violationsOf(input, result)).toEqual([]);
  });
});
