import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { constraintExamples } from "../../../shared/engine/index.ts";
import { parseMessage, wholly } from "../../../shared/messages/job-demand.ts";
import { messageSchemas } from "../../../shared/messages/json-schema.ts";

const folder = join(import.meta.dirname, "../../../shared/messages");
const schemas = messageSchemas();
const ajv = new Ajv2020({ strict: true, strictTypes: false });
formats.default(ajv);
const validateDemand = ajv.compile(schemas["job-demand.schema.json"] ?? {});

/** At least one of each kind that is taken, and where JSON can say it one that is not. */
const constraintCases: readonly [string, unknown, boolean][] = [
  ...constraintExamples.map(({ kind, json }): [string, unknown, boolean] => [`one of ${kind}`, json, true]),
  ["an amount", { ncpus: 2, memgb: "memory::4g" }, true],
  ["a negative amount", { ncpus: -2 }, false],
  ["options of a resource", [{ custom: ["a", null, 3] }, { other: false }], true],
  ["no option", { custom: [] }, false],
  ["a resource that is an object", { custom: { a: 1 } }, false],
  ["a node property", { "node.vm_size": ["Standard_F*"] }, true],
  ["an unknown node property", { "node.vm_sise": "Standard_F2" }, false],
  ["a whole node", { exclusive: true, "exclusive-task": "false", exclusive_task: 0 }, true],
  ["a flag that is a list", { exclusive: [] }, false],
  ["a placement group", { "in-a-placement-group": false }, true],
  [
    "alternatives",
    { or: [{ ncpus: 1 }, [{ and: { a: 1 } }, { not: [{ b: 2 }] }]], xor: [{ never: "no" }] },
    true,
  ],
  ["no alternative", { or: [] }, false],
  ["a mistake inside an alternative", { xor: [{ not: { ncpus: -1 } }] }, false],
  [
    "a pool",
    { "shared-consumable-constraint": { "resource-name": "l", requested: 1, sources: ["a"] } },
    true,
  ],
  ["a pool without an amount", { "shared-consumable-constraint": { "resource-name": "l" } }, false],
  [
    "a shared value",
    { "shared-non-consumable-constraint": { "resource-name": "v", "current-value": 1, requested: 1 } },
    true,
  ],
  ["a shared value without a name", { "shared-non-consumable-constraint": { requested: 1 } }, false],
  ["a back-off", { "capacity-failure-backoff": 300 }, true],
  ["a negative back-off", { "capacity-failure-backoff": -1 }, false],
];

describe("published schemas", () => {
  test.each(Object.entries(schemas))("%s is what the code says", async (file, schema) => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(join(folder, file));
  });

  const envelope = {
    version: 1,
    cluster: "hpc",
    source: "pbs",
    sequence: 1,
    sentAt: "2026-11-21T10:00:00Z",
  };
  test.each<[string, object, boolean]>([
    ["an empty snapshot", { ...envelope, kind: "snapshot" }, true],
    ["a delta that removes", { ...envelope, kind: "delta", remove: ["1"] }, true],
    [
      "node arrays",
      { ...envelope, kind: "targets", arrays: [{ Name: "execute", TargetCoreCount: 128 }] },
      true,
    ],
    ["a drained node", { ...envelope, kind: "snapshot", nodes: [{ hostname: "a", state: "drained" }] }, true],
    ["an unknown kind", { ...envelope, kind: "wish" }, false],
    ["no source", { ...envelope, source: undefined, kind: "snapshot" }, false],
    ["a negative count", { ...envelope, kind: "snapshot", jobs: [{ name: "a", iterations: -1 }] }, false],
    ["a job without a name", { ...envelope, kind: "snapshot", jobs: [{}] }, false],
    ["a slash in a job's name", { ...envelope, kind: "snapshot", jobs: [{ name: "a/b" }] }, true],
    [
      "a resource that is a list",
      { ...envelope, kind: "snapshot", nodes: [{ hostname: "a", resources: { x: [] } }] },
      false,
    ],
    ...constraintCases.map(([words, constraints, isGood]): [string, object, boolean] => [
      words,
      { ...envelope, kind: "snapshot", jobs: [{ name: "a", constraints }] },
      isGood,
    ]),
  ])("%s: the schema and the parser agree", (_, message, isGood) => {
    const json: unknown = JSON.parse(JSON.stringify(message));
    expect([validateDemand(json), wholly(parseMessage(json)).ok]).toEqual([isGood, isGood]);
  });
});

/** Values that some kinds of constraint take and others do not. */
const oddValues = [
  null,
  true,
  "true",
  "2",
  0,
  2,
  -1,
  1.5,
  1e300,
  [],
  [1],
  [{}],
  {},
  { a: 1 },
  { ncpus: 1 },
  [{ ncpus: -1 }],
];
const oddConstraints = constraintExamples.flatMap(({ json }) =>
  Object.keys(json).flatMap((key) => oddValues.map((value) => ({ [key]: value }))),
);

test.each(oddConstraints)("%j: the schema and the parser agree", (constraints) => {
  const envelope = { version: 1, cluster: "hpc", source: "pbs", sequence: 1, sentAt: "2026-11-21T10:00:00Z" };
  const message = { ...envelope, kind: "snapshot", jobs: [{ name: "a", constraints }] };
  expect(validateDemand(message)).toBe(wholly(parseMessage(message)).ok);
});

describe("examples", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/post-demand.md"), "utf8");
  const message = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "none";
  test("the message at the top is taken", () => {
    const json: unknown = JSON.parse(message);
    expect(validateDemand(json)).toBe(true);
    expect(wholly(parseMessage(json)).ok).toBe(true);
  });
  test("one way to send it in each language", () => {
    const blocks = [...page.matchAll(/```(bash|python|csharp)\n([\s\S]*?)```/g)];
    expect(blocks.map(([, language, code]) => [language, code?.includes("demand.json")])).toEqual([
      ["bash", true],
      ["python", true],
      ["csharp", true],
    ]);
  });
});
