import { describe, expect, test } from "vitest";
import { constraintKinds } from "../../../shared/engine/constraints/constraint-kinds.ts";
import { constraintExamples, constraintWarnings, parseConstraints } from "../../../shared/engine/index.ts";

describe("the example of each kind of constraint", () => {
  test.each(constraintExamples)("$kind: is read as one, without a warning", ({ kind, json }) => {
    expect(parseConstraints(json)).toMatchObject({ ok: true, constraints: [{ kind }] });
    expect(constraintWarnings(json)).toEqual([]);
  });

  test("only what the cycle adds by itself has none", () => {
    const shown = new Set(constraintExamples.map(({ kind }) => kind));
    const missing = Object.entries(constraintKinds).filter(([kind]) => !shown.has(kind as never));
    expect(missing.flatMap(([, { keys }]) => keys)).toEqual([]);
  });
});
