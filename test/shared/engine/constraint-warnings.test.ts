import { describe, expect, test } from "vitest";
import { constraintWarnings, parseConstraints } from "../../../shared/engine/index.ts";

const jobKeys = new Set(["colocated", "nodeCount"]);

describe("constraintWarnings", () => {
  test.each<[string, unknown, readonly string[]]>([
    [
      "exclusive",
      { exclusve: true },
      ['exclusve is read as the name of a resource; did you mean "exclusive"?'],
    ],
    [
      "a placement group with underscores",
      [{ ncpus: 1 }, { in_a_placement_group: true }],
      ['[1].in_a_placement_group is read as the name of a resource; did you mean "in-a-placement-group"?'],
    ],
    [
      "below or and not",
      { or: [{ not: { "exclusive-tsk": true } }, { ncpus: 1 }] },
      ['or[0].not.exclusive-tsk is read as the name of a resource; did you mean "exclusive-task"?'],
    ],
    [
      "a key of the job",
      { ncpus: 1, colocated: true },
      ['colocated is read as the name of a resource; "colocated" belongs to the job, beside its constraints'],
    ],
    [
      "a key of a pool",
      { "shared-consumable-constraint": { "resource-name": "lic", requested: 1, "decrement-onc": true } },
      ['shared-consumable-constraint.decrement-onc is not known; did you mean "decrement-once"?'],
    ],
  ])("a misspelt key is reported with what was meant: %s", (_, json, warnings) => {
    expect(parseConstraints(json).ok).toBe(true);
    const found = constraintWarnings(json, jobKeys).map(({ path, message }) => `${path} ${message}`);
    expect(found).toEqual(warnings);
  });

  test("names of resources, properties and every known key pass", () => {
    const json = [
      { ncpus: 1, memgb: 4, slots: 2, slot_type: "hpc", m_mem_free: 1, licenses: 1, excl: true, server: 1 },
      { "node.vm_size": "a", exclusive: true, "exclusive-task": true, "in-a-placement-group": true },
      { and: [{ ncpus: 1 }], or: [{ ncpus: 1 }], xor: [{ ncpus: 1 }], not: { ncpus: 2 }, never: "why" },
      { "capacity-failure-backoff": 60 },
      { "shared-consumable-constraint": { "resource-name": "lic", sources: ["q"], requested: 1, note: "x" } },
    ];
    expect(parseConstraints(json).ok).toBe(true);
    expect(constraintWarnings(json, jobKeys)).toEqual([]);
  });

  test("a list of mistakes has an end", () => {
    const json = Array.from({ length: 1_000 }, () => ({ exclusve: true }));
    expect(constraintWarnings(json)).toHaveLength(20);
  });
});
