import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { problemSchema, routes } from "../../shared/api/index.ts";
import { parseDemand } from "../../shared/messages/job-demand.ts";
import { handlers } from "../functions/api/handlers.ts";
import { apiOf, type RouteId } from "../functions/api/routes.ts";
import { cluster, jobFor } from "../support/world.ts";
import { type Json, mutated, mutation } from "./mutation.ts";
import { patienceMs, runs } from "./runs.ts";
import { operatorsOf, served } from "./served-world.ts";

// The composition root of the process, for which the world in memory stands in.

const api = apiOf(handlers, cluster);
const rejectionId = "rejected-1";

beforeAll(async () => {
  served.renew();
  await served.world.post([jobFor(3), { name: "huge", constraints: { ncpus: 64 } }]);
  await served.world.round();
  served.world.cycleCloud.settle();
  await served.world.snapshot();
  await served.world.receive("{", rejectionId);
});

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.constantFrom("__proto__", "constructor", "", "..", "%2e%2e/x", "\ud800", "n".repeat(50_000), "htc-1"),
  fc.constantFrom(
    "*",
    "[".repeat(1_000),
    "*a".repeat(1_000),
    "-1",
    "1e309",
    "NaN",
    "0x10",
    "null",
    "{}",
    "[[[[",
  ),
);
/** A host fills every `{name}` of a path. */
const inPaths = [
  ...new Set(routes.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""))),
].filter((name) => name !== "cluster");
const parameters = fc.record({
  ...Object.fromEntries(inPaths.map((name) => [name, hostile])),
  part: fc.oneof(hostile, fc.constantFrom("config", "rejects", "plan-head")),
});
const names = [
  "limit",
  "cursor",
  "name",
  "hostname",
  "nodeArray",
  "constraint",
  "state",
  "source",
  "open",
  "x",
];
const query = fc.dictionary(fc.constantFrom(...names), hostile, { maxKeys: 3 });
const headers = fc.constantFrom(
  ...[
    {},
    { "if-none-match": '*, "a", W/"' },
    { "api-version": "9".repeat(1_000) },
    { "idempotency-key": "k" },
  ],
);

/** Whatever is asked: an answer of the schema, or a problem that says what is wrong, and neither our fault nor endless. */
async function answered(id: RouteId, fields: Parameters<typeof api.call>[1]): Promise<number> {
  const response = await api.call(id, fields);
  const status = response.status ?? 200;
  expect(status).toBeLessThan(500);
  const text = JSON.stringify(response.jsonBody) ?? "";
  if (status >= 400) {
    problemSchema.strict().parse(response.jsonBody);
    expect(text.length).toBeLessThan(60_000);
  }
  return status;
}

const readers = routes.flatMap(({ method, id }) =>
  method === "GET" && id in handlers ? [id as RouteId] : [],
);

test(
  "400 reads with hostile names, queries and headers: each is answered, or refused with a reason",
  async () => {
    const seen = new Set<number>();
    const calls = fc.record({ id: fc.constantFrom(...readers), parameters, query, headers });
    const property = fc.asyncProperty(calls, async (call) => {
      const fields = { params: call.parameters, query: wellFormed(call.query), headers: call.headers };
      seen.add(await answered(call.id, fields));
    });
    await fc.assert(property, runs(400));
    expect([...seen].sort()).toEqual(expect.arrayContaining([200, 400, 404]));
  },
  patienceMs,
);

/** As a URL holds it. */
function wellFormed(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value.toWellFormed()]));
}

const who = { by: "alice", reason: "test", dryRun: true };
const bodies: readonly (readonly [RouteId, Json])[] = [
  ["quote", { jobs: [{ name: "a", constraints: [{ ncpus: 4 }], runtimeSeconds: 60 }], bySeconds: 1 }],
  ["what-if", { jobs: [{ name: "a", constraints: [{ ncpus: 4 }], iterations: 2 }] }],
  ["validate-constraint", { constraints: { or: [{ ncpus: 4 }, { "node.vm_size": "Standard_*" }] } }],
  ["actions", { ...who, kind: "delete", nodes: { names: ["htc-*"], constraints: [{ ncpus: 1 }] } }],
  [
    "actions",
    { ...who, kind: "create-nodes", count: 2, constraints: [{ ncpus: 1 }], nodeAttributes: { a: 1 } },
  ],
  ["actions", { ...who, kind: "ignore", nodes: { nodeArrays: ["htc"] } }],
  ["actions", { ...who, kind: "pause" }],
  [
    "put-config",
    {
      config: { url: "https://c.example", username: "u", idle_timeout: 60, include: ["a.json"] },
      includes: { "a.json": { nodearrays: { htc: { idle_timeout: 3 } } } },
      ...who,
    },
  ],
  [
    "post-demand",
    {
      version: 1,
      kind: "snapshot",
      source: "pbs",
      sequence: 3,
      sentAt: "2026-11-21T10:00:00Z",
      jobs: [{ name: "a", constraints: [{ ncpus: 4 }], iterations: 2 }],
      nodes: [{ hostname: "h", resources: { ncpus: 4 } }],
    },
  ],
  ["replay-reject", { message: '{"version": 1}', dryRun: true }],
];

test(
  "250 mutated bodies: each is answered, or refused with a reason; nothing that was not meant is asked for",
  async () => {
    const seen = new Set<number>();
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
    const before = [...served.world.cycleCloud.calls];
    const config = await operatorsOf(served.world).configFiles.read(cluster);
    const property = fc.asyncProperty(fc.constantFrom(...bodies), mutations, async ([id, start], some) => {
      const body = bodyOf(mutated(start, some));
      seen.add(await answered(id, { params: { rejectionId }, body }));
    });
    await fc.assert(property, runs(250));
    expect([...seen]).toEqual(expect.arrayContaining([200, 400]));
    expect(served.world.cycleCloud.calls).toEqual(before);
    expect(await operatorsOf(served.world).configFiles.read(cluster)).toEqual(config);
    for (const text of operatorsOf(served.world).demandQueue.texts) expect(parseDemand(text).ok).toBe(true);
  },
  patienceMs,
);

function bodyOf(json: Json): string {
  try {
    return JSON.stringify(json) ?? "";
  } catch {
    // Nested so deeply that only its sender could write it.
    return "[".repeat(20_000);
  }
}
