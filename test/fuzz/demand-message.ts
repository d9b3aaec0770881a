import fc from "fast-check";
import { cluster } from "../support/world.ts";
import { type Json, type Mutation, mutatedWithin, mutation } from "./mutation.ts";

const name = fc.stringMatching(/^[a-z0-9]{1,8}(\[\])?$/);
const amount = fc.constantFrom(1, 2, 4, 0.5, "memory::4g");
const constraint: fc.Arbitrary<object> = fc.oneof(
  fc.record({ ncpus: amount }),
  fc.record({ "node.nodearray": fc.constantFrom("htc", "hpc", ["htc", "hpc"]) }),
  fc.record({ exclusive: fc.oneof(fc.boolean(), fc.constantFrom("true", 1)) }),
  fc.record({ "in-a-placement-group": fc.boolean() }),
  fc.record({ "shared-consumable-constraint": fc.record({ "resource-name": name, requested: fc.nat() }) }),
  fc.record({ or: fc.array(fc.record({ ncpus: amount }), { minLength: 1, maxLength: 3 }) }),
  fc.record({ not: fc.record({ "node.vm_size": fc.constant("Standard_F2s_v2") }) }),
);

const job = fc.record(
  {
    name,
    constraints: fc.oneof(constraint, fc.array(constraint, { maxLength: 3 })),
    iterations: fc.constantFrom(0, 1, 7, 10_000_000),
    nodeCount: fc.constantFrom(0, 1, 3, 100_000),
    colocated: fc.boolean(),
    exclusive: fc.boolean(),
    packingStrategy: fc.constantFrom("pack", "scatter"),
    executingHostnames: fc.array(name, { maxLength: 3 }),
    priority: fc.integer({ min: -5, max: 5 }),
    submittedAt: fc.constant("2026-11-21T09:00:00Z"),
  },
  { requiredKeys: ["name"] },
);

const node = fc.record(
  {
    hostname: name,
    resources: fc.dictionary(name, fc.oneof(fc.integer(), fc.boolean(), name), { maxKeys: 3 }),
    metadata: fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
    state: fc.constantFrom("up", "draining", "drained"),
    eventAtSeconds: fc.constantFrom(0, 1_764_000_000.5, -1),
  },
  { requiredKeys: ["hostname"] },
);

const definition = fc.record(
  {
    Name: fc.constantFrom("htc", "special", "nowhere"),
    TargetCount: fc.constantFrom(0, 1, 7, 100_000),
    TargetCoreCount: fc.constantFrom(0, 128, 10_000_000),
    MachineType: fc.constantFrom("Standard_F4s_v2", ["Standard_X", "Standard_F4s_v2"]),
    CoreCount: fc.constantFrom(1, 4),
    SpareCount: fc.constantFrom(0, 1, 100_000),
    SpareSlots: fc.constantFrom(1, 1_000_000),
    SlotResources: fc.constantFrom({ ncpus: 1 }, { memgb: 2, ncpus: 0.5 }),
    SpareCostPerHour: fc.constantFrom(0, 3),
    Configuration: fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
    ImageId: name,
  },
  { requiredKeys: ["Name"] },
);
const dynamic = definition.map((made) => ({ ...made, Name: "special", Extends: "htc", Dynamic: true }));
const group = fc.record({
  Name: fc.constantFrom("htc", "nowhere"),
  TargetGroupCount: fc.constantFrom(0, 1, 3, 1_000),
  GroupCoreCount: fc.constantFrom(1, 8, 10_000_000),
});

const targets = fc.record(
  {
    version: fc.constant(1),
    kind: fc.constant("targets"),
    cluster: fc.constant(cluster),
    source: fc.stringMatching(/^[a-z]{6}$/),
    sequence: fc.nat({ max: 1_000_000 }),
    sentAt: fc.constant("2026-11-21T10:00:00Z"),
    requestSet: fc.stringMatching(/^[a-z]{6}$/),
    expirationInterval: fc.constantFrom(1, 300, 86_400),
    arrays: fc.array(fc.oneof(definition, dynamic, group), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ["version", "kind", "cluster", "source", "sequence", "sentAt", "arrays"] },
);

const message = fc.record(
  {
    version: fc.constant(1),
    kind: fc.constantFrom("snapshot", "snapshot", "delta"),
    cluster: fc.constant(cluster),
    // Mostly new ones: a message that is older than the last of its source is ignored before much is done with it.
    source: fc.oneof(fc.constantFrom("pbs", "slurm"), fc.stringMatching(/^[a-z]{6}$/)),
    sequence: fc.nat({ max: 1_000_000 }),
    sentAt: fc.constant("2026-11-21T10:00:00Z"),
    ttlSeconds: fc.constantFrom(1, 300, 86_400),
    capabilities: fc.array(fc.constantFrom("drain", "teleport"), { maxLength: 3 }),
    part: fc.constantFrom({ index: 0, count: 1 }, { index: 0, count: 2 }, { index: 1, count: 2 }),
    jobs: fc.array(job, { maxLength: 4 }),
    nodes: fc.array(node, { maxLength: 3 }),
    remove: fc.array(name, { maxLength: 2 }),
    blob: fc.constantFrom("upload.json", "bad.json", "missing.json"),
  },
  { requiredKeys: ["version", "kind", "cluster", "source", "sequence", "sentAt", "jobs"] },
);

/** A valid message, what is done to it, and how it travels: as its text, or as the host reads that. */
export interface Recipe {
  readonly message: Readonly<Record<string, unknown>>;
  readonly mutations: readonly Mutation[];
  /** Where: in all of it, or only deep inside, where an outer check does not already refuse it. */
  readonly within: readonly string[];
  readonly travels: "as-text" | "as-json";
  /** What is done to the text itself; nothing when it travels as JSON. */
  readonly damage: { readonly kind: "none" | "cut" | "insert" | "repeat"; readonly at: number };
}

export const recipe: fc.Arbitrary<Recipe> = fc.record({
  // A claim takes the place of jobs and nodes, so it is rare.
  message: fc.oneof(
    { weight: 9, arbitrary: message.map(({ blob: _, ...rest }) => rest) },
    { weight: 1, arbitrary: message },
    { weight: 3, arbitrary: targets },
  ),
  mutations: fc.array(mutation, { maxLength: 3, size: "max" }),
  within: fc.constantFrom(
    [],
    ["jobs", "0"],
    ["jobs", "0", "constraints"],
    ["jobs", "0", "constraints"],
    ["nodes", "0"],
    ["arrays", "0"],
  ),
  travels: fc.constantFrom("as-text", "as-json"),
  damage: fc.record({
    kind: fc.oneof(
      { weight: 12, arbitrary: fc.constant("none" as const) },
      { weight: 1, arbitrary: fc.constantFrom("cut" as const, "insert" as const, "repeat" as const) },
    ),
    at: fc.nat({ max: 2_000 }),
  }),
});

/** The body as the host would hand it over. What JSON.stringify cannot climb travels as JSON. */
export function bodyOf({ message: start, mutations, within, travels, damage }: Recipe): unknown {
  const json = mutatedWithin(start as Json, within, mutations);
  if (travels === "as-json" && damage.kind === "none") return json;
  const text = textOf(json);
  return text === undefined ? json : damaged(text, damage);
}

function textOf(json: Json): string | undefined {
  try {
    return JSON.stringify(json);
  } catch {
    return undefined;
  }
}

function damaged(text: string, { kind, at }: Recipe["damage"]): string {
  const place = at % (text.length + 1);
  switch (kind) {
    case "none":
      return text;
    case "cut":
      return text.slice(0, place);
    case "insert":
      return `${text.slice(0, place)}\ufeff\u0000}${text.slice(place)}`;
    case "repeat":
      return `${text.slice(0, place)}${text}${text.slice(place)}`;
  }
}
