import { describe, expect, test } from "vitest";
import { type RouteId, refusals, routes } from "../../../shared/api/index.ts";
import {
  type AnswersFrom,
  answerCall,
  answers,
  answersFromRecords,
  answersOnStorage,
  type RawCall,
} from "../../../shared/service/index.ts";
import { lookAhead } from "../../../shared/views/index.ts";
import { cluster, createWorld } from "../../support/world.ts";

const { ports } = createWorld();

/** Answers that tell what they were asked, and need nothing. */
const echo = Object.fromEntries(
  routes.map(({ id }) => [id, async (_: unknown, call: unknown) => ({ ok: true, answer: call })]),
) as unknown as AnswersFrom<{ configs: typeof ports.configs }>;

function ask(id: RouteId, call: Partial<Omit<RawCall, "body">> & { readonly body?: unknown } = {}) {
  const { body, params, ...rest } = call;
  return answerCall(echo, id, {
    ports,
    call: {
      name: "GET it",
      params: { cluster, ...params },
      query: {},
      body: () => ({ ok: true, json: body }),
      ...rest,
    },
  });
}

describe("answerCall", () => {
  test("every route has an answer, and files alone answer none that changes anything", () => {
    const ids = routes.map(({ id }) => id).toSorted();
    expect(Object.keys(answers).toSorted()).toEqual(ids);
    const changing = routes.filter(({ id, method }) => method !== "GET" && id in answersFromRecords);
    expect(changing.map(({ id }) => id)).toEqual(["what-if", "quote", "validate-constraint"]);
    const onlyByService = ids.filter((id) => !(id in answersOnStorage));
    expect(onlyByService).toEqual(["autoscale", "autostop", "leaving", "stop", "usage"]);
  });

  test.each(["hcp", "", "__proto__", "x".repeat(10_000)])(
    "cluster %j is not configured: 404",
    async (name) => {
      expect(await ask("nodes", { params: { cluster: name } })).toMatchObject({
        problem: { status: 404, type: "urn:cyclecloud-autoscale:problem:unknown-cluster" },
      });
    },
  );

  test("an unknown cluster is answered with those that there are, to callers who may list them", async () => {
    const params = { cluster: "hcp" };
    const problems = ['cluster: expected one of "hpc"'];
    expect(await ask("nodes", { params })).toMatchObject({ problem: { problems } });
    expect(await ask("actions", { params })).toMatchObject({ problem: { problems } });
    const ofNodes = routes.filter(({ role }) => role === "node");
    expect(ofNodes.length).toBeGreaterThan(0);
    for (const { id } of ofNodes)
      expect(JSON.stringify(await ask(id, { params, query: { node: "n" } }))).not.toContain("hpc");
  });

  test.each([
    [[], "cluster: expected one that is configured, and there is none yet"],
    [["a", "b"], 'cluster: expected one of "a", "b"'],
    [Array.from({ length: 22 }, (_, index) => `c${index}`), '"c19" and 2 more'],
  ])("clusters %j are told in short", (configured, words) => {
    expect(refusals.unknownCluster("x", configured).problems?.[0]).toContain(words);
  });

  test("a query has its defaults, and its numbers", async () => {
    expect(await ask("rejects", { query: { limit: "5" } })).toMatchObject({
      answer: { query: { limit: 5 } },
    });
    expect(await ask("rejects")).toMatchObject({ answer: { cluster, query: { limit: 200 } } });
  });

  test.each([
    ["rejects", { limit: "0" }, "limit: "],
    ["rejects", { limit: "many" }, "limit: "],
    ["rejects", { limits: "5" }, "limits"],
    ["status", { verbose: "true" }, "verbose"],
    ["actions", { dry_run: "true" }, "dry_run"],
  ] as const)("%s: query %j is refused", async (id, query, named) => {
    const refused = await ask(id, { query });
    expect(refused).toMatchObject({ problem: { status: 400, title: "The query is not what GET it takes" } });
    expect(JSON.stringify(refused)).toContain(named);
  });

  test("a body that is not what the route takes is refused with every problem", async () => {
    const refused = await ask("actions", { body: { kind: "drain", by: "" } });
    expect(refused).toMatchObject({ problem: { status: 400 } });
    expect(JSON.stringify(refused)).toContain("by: ");
  });

  test("a body is not read for a route that takes none, nor after a query that is refused", async () => {
    const body = () => {
      throw new Error("read");
    };
    const call = { name: "GET it", params: { cluster }, body };
    expect(await answerCall(echo, "status", { ports, call: { ...call, query: {} } })).toMatchObject({
      ok: true,
    });
    const refused = await answerCall(echo, "actions", { ports, call: { ...call, query: { a: 1 } } });
    expect(refused).toMatchObject({ problem: { status: 400 } });
  });

  test("a body that runs the schema out of stack is refused", async () => {
    const deep = JSON.parse(`${'{"and":['.repeat(20_000)}${"]}".repeat(20_000)}`);
    const refused = await ask("validate-constraint", { body: { constraints: deep } });
    expect(refused.ok || refused.problem.status).not.toBe(500);
  });

  test("what the place cannot do is refused", async () => {
    const { configs } = ports;
    const call = {
      name: "POST it",
      params: { cluster },
      query: {},
      body: () => ({ ok: true, json: {} }) as const,
    };
    expect(await answerCall({}, "stop", { ports: { configs }, call })).toMatchObject({
      problem: { status: 409, title: "Only the service itself can do this" },
    });
  });
});

test("what was answered of an outlook is answered to all who ask the same", async () => {
  const world = createWorld();
  await world.round();
  const outlook = await lookAhead(world.ports, cluster);
  const withLook = { ...world.ports, knownSecrets: [], lookAhead: async () => outlook };
  const call = { name: "GET it", params: { cluster }, body: () => ({ ok: true, json: undefined }) as const };
  const of = async (state: string) => {
    const answered = await answerCall(answersFromRecords, "jobs", {
      ports: withLook,
      call: { ...call, query: { state } },
    });
    return answered.ok ? answered.answer : undefined;
  };
  const first = await of("waiting");
  expect(first?.jobs).toEqual([]);
  expect(await of("waiting")).toBe(first);
  expect(await of("running")).not.toBe(first);
});
