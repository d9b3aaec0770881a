import { describe, expect, it } from "vitest";
import { plan } from "../../shared/engine/index.ts";
import { violationsOf } from "../shared/engine/plan-validity.ts";
import { inputOf } from "./scenario.ts";
import { TINY_VECTORS } from "./tiny-scenarios.ts";

describe("tiny vectors", () => {
  it.each(TINY_VECTORS)("$name", (vector) => {
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
