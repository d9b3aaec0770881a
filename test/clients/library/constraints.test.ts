import { describe, expect, test } from "vitest";
import {
  amount,
  and,
  type ConstraintJson,
  capacityFailureBackoff,
  exclusive,
  inAPlacementGroup,
  memory,
  ncpus,
  never,
  ngpus,
  not,
  or,
  pcpus,
  property,
  resource,
  SharedConsumableResource,
  SharedNonConsumableResource,
  sharedConsumable,
  xor,
} from "../../../clients/library/engine/index.ts";
import { type Constraint, parseConstraints } from "../../../shared/engine/index.ts";

const licences = new SharedConsumableResource({
  name: "licences",
  source: "server",
  initial: 10,
  current: 4,
});
const slots = new SharedConsumableResource({ name: "slots", initial: 50 });
const version = new SharedNonConsumableResource({ name: "version", source: "queue", current: "4.1" });

/** For each kind of constraint, what builds it and the documented JSON. A new kind has to be added here to compile. */
const built: Readonly<
  Record<Exclude<Constraint["kind"], "array-choice">, readonly (readonly [ConstraintJson, ConstraintJson])[]>
> = {
  "minimum-resource": [
    [ncpus(1), { ncpus: 1 }],
    [pcpus(2), { pcpus: 2 }],
    [ngpus(1), { ngpus: 1 }],
    [memory("4g"), { memgb: "memory::4g" }],
    [memory(4), { memgb: 4 }],
    [resource("scratch", amount("500g")), { scratch: "size::500g" }],
  ],
  "resource-options": [
    [resource("openmpi", "4.*"), { openmpi: "4.*" }],
    [resource("slice", "1g"), { slice: "1g" }],
    [resource("ncpus", [16, 120]), { ncpus: [16, 120] }],
  ],
  "property-options": [
    [
      property("node.vm_size", ["Standard_F4s_v2", "Standard_F16s_v2"]),
      { "node.vm_size": ["Standard_F4s_v2", "Standard_F16s_v2"] },
    ],
    [property("node.spot", false), { "node.spot": false }],
  ],
  exclusive: [
    [exclusive(), { exclusive: true }],
    [exclusive("task"), { "exclusive-task": true }],
  ],
  "in-a-placement-group": [
    [inAPlacementGroup(), { "in-a-placement-group": true }],
    [inAPlacementGroup(false), { "in-a-placement-group": false }],
  ],
  and: [[and(ncpus(1), memory("4g")), { and: [{ ncpus: 1 }, { memgb: "memory::4g" }] }]],
  or: [[or(ngpus(1), ncpus(64)), { or: [{ ngpus: 1 }, { ncpus: 64 }] }]],
  xor: [[xor(ngpus(1), ncpus(64)), { xor: [{ ngpus: 1 }, { ncpus: 64 }] }]],
  not: [[not(property("node.spot", true)), { not: { "node.spot": true } }]],
  never: [[never("no such queue"), { never: "no such queue" }]],
  "shared-consumable": [
    [
      licences.take(2),
      {
        "shared-consumable-constraint": [
          {
            "resource-name": "licences",
            source: "server",
            "initial-value": 10,
            "current-value": 4,
            requested: 2,
          },
        ],
      },
    ],
    [
      sharedConsumable([licences, slots], 1, { once: true }),
      {
        "shared-consumable-constraint": [
          {
            "resource-name": "licences",
            source: "server",
            "initial-value": 10,
            "current-value": 4,
            requested: 1,
            "decrement-once": true,
          },
          {
            "resource-name": "slots",
            "initial-value": 50,
            "current-value": 50,
            requested: 1,
            "decrement-once": true,
          },
        ],
      },
    ],
  ],
  "shared-value": [
    [
      version.is("5.0"),
      {
        "shared-non-consumable-constraint": {
          "resource-name": "version",
          source: "queue",
          "current-value": "4.1",
          requested: "5.0",
        },
      },
    ],
  ],
  "capacity-failure-backoff": [[capacityFailureBackoff(300), { "capacity-failure-backoff": 300 }]],
};

describe.each(Object.entries(built))("a constraint of kind %s", (kind, cases) => {
  test.each(cases)("%j is the documented JSON, and is read as that kind", (constraint, json) => {
    expect(JSON.parse(JSON.stringify(constraint))).toEqual(json);
    const parsed = parseConstraints(constraint);
    expect(parsed.ok && parsed.constraints.map((each) => each.kind)).toEqual([kind]);
  });
});

test("a shared resource without a number is refused with its name and field", () => {
  expect(() => new SharedConsumableResource({ name: "licences", initial: Number.NaN })).toThrow(
    'Cannot make resource "licences": initial is NaN, expected a number',
  );
});
