import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseConstraints } from "../../../shared/engine/index.ts";

const gib = 1024 ** 3;

describe("parseConstraints", () => {
  test.each([
    ["a number is an amount", { ncpus: 2 }, [{ kind: "minimum-resource", resource: "ncpus", amount: 2 }]],
    [
      "memory:: and size:: are amounts",
      { mem: "memory::4g" },
      [{ kind: "minimum-resource", resource: "mem", amount: { bytes: 4 * gib, magnitude: "g" } }],
    ],
    ["a text is an option", { tag: "r*" }, [{ kind: "resource-options", resource: "tag", options: ["r*"] }]],
    [
      "a list of numbers is options",
      { n: [16, 32] },
      [{ kind: "resource-options", resource: "n", options: [16, 32] }],
    ],
    ["null is an option", { tag: null }, [{ kind: "resource-options", resource: "tag", options: [null] }]],
    [
      "node. names a property",
      { "node.vm_size": ["a", "b"] },
      [{ kind: "property-options", property: "vm_size", options: ["a", "b"] }],
    ],
    [
      "exclusive keeps a node to one iteration",
      { exclusive: true },
      [{ kind: "exclusive", scope: "iteration" }],
    ],
    ["exclusive may be a text", { exclusive: "true" }, [{ kind: "exclusive", scope: "iteration" }]],
    ["exclusive: false asks for nothing", { exclusive: false }, []],
    [
      "exclusive-task keeps a node to one job",
      { "exclusive-task": true },
      [{ kind: "exclusive", scope: "task" }],
    ],
    ["exclusive_task is the same", { exclusive_task: 1 }, [{ kind: "exclusive", scope: "task" }]],
    [
      "in-a-placement-group may be false",
      { "in-a-placement-group": false },
      [{ kind: "in-a-placement-group", wanted: false }],
    ],
    ["never has a message", { never: "why" }, [{ kind: "never", message: "why" }]],
    [
      "back-off has seconds",
      { "capacity-failure-backoff": 60 },
      [{ kind: "capacity-failure-backoff", seconds: 60 }],
    ],
    [
      "several keys of a child mean and",
      { or: [{ a: 1, b: 2 }, { never: "x" }] },
      [
        {
          kind: "or",
          any: [
            {
              kind: "and",
              all: [
                { kind: "minimum-resource", resource: "a", amount: 1 },
                { kind: "minimum-resource", resource: "b", amount: 2 },
              ],
            },
            { kind: "never", message: "x" },
          ],
        },
      ],
    ],
    ["not negates", { not: { never: "x" } }, [{ kind: "not", child: { kind: "never", message: "x" } }]],
    [
      "a list means and",
      [{ a: 1 }, { b: 1 }],
      [
        { kind: "minimum-resource", resource: "a", amount: 1 },
        { kind: "minimum-resource", resource: "b", amount: 1 },
      ],
    ],
  ])("%s", (_, json, expected) => {
    expect(parseConstraints(json)).toEqual({ ok: true, constraints: expected });
  });

  test.each([
    ["a list of pools draws from all of them", ["a", "b"], [10, 20], 2],
    ["one pool needs no list", "a", 10, 1],
  ])("shared consumables: %s", (_, source, value, count) => {
    const json = {
      "resource-name": "lic",
      source,
      "initial-value": value,
      "current-value": value,
      requested: 3,
    };
    const parsed = parseConstraints({ "shared-consumable-constraint": json });
    expect(parsed.ok && parsed.constraints[0]).toMatchObject({
      kind: "shared-consumable",
      draws: { length: count },
    });
  });

  test.each([
    ["a negative amount", { ncpus: -1 }, "ncpus"],
    ["a malformed amount", { mem: "memory::lots" }, "mem"],
    ["an unknown property", { or: [{ "node.vmsize": "x" }] }, "or[0].node.vmsize"],
    ["an empty list of options", { tag: [] }, "tag"],
    ["an empty or", { or: [] }, "or"],
    ["an object for an option", { tag: [{}] }, "tag"],
    ["no object at all", 5, ""],
    ["a flag that is none", { exclusive: "maybe" }, "exclusive"],
    ["a back-off that is no number", { "capacity-failure-backoff": "soon" }, "capacity-failure-backoff"],
    [
      "a pool without a name",
      { "shared-consumable-constraint": { requested: 1 } },
      "shared-consumable-constraint",
    ],
  ])("refuses %s and says where", (_, json, path) => {
    const parsed = parseConstraints(json);
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.path)).toEqual([path]);
  });

  test("proposes the property that was probably meant", () => {
    const parsed = parseConstraints({ "node.vmsize": "x" });
    expect(parsed.ok ? "" : parsed.problems[0]?.message).toMatch(/did you mean "node\.vm_size"/);
  });

  test("refuses deep nesting and enormous lists without following them", () => {
    for (const around of [(inner: unknown) => ({ not: inner }), (inner: unknown) => ({ or: [inner] })]) {
      let deep: unknown = { ncpus: 1 };
      for (let i = 0; i < 10_000; i++) deep = around(deep);
      expect(parseConstraints(deep)).toMatchObject({ ok: false, problems: { length: 1 } });
    }
    const wide = { or: Array.from({ length: 20_000 }, () => ({ ncpus: 1 })) };
    expect(parseConstraints(wide)).toMatchObject({ ok: false, problems: { length: 1 } });
  });

  test("reads or refuses any JSON, and never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const parsed = parseConstraints(json);
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }),
    );
  });
});
