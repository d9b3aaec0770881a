import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type ActionAnswer, type ClusterStatus, type Route, routes } from "../../../shared/api/index.ts";
import { openApiDocument } from "../../../shared/api/openapi.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";

const cluster = "small-cpu";
let stack: LocalStack;

beforeAll(async () => {
  stack = await startStack({ config: { idle_timeout: 600, boot_timeout: 1_800, demand_ttl: 600 }, seed: 11 });
  await stack.post([
    { name: "1201", constraints: { ncpus: 4 }, iterations: 3 },
    { name: "huge", constraints: { ncpus: 640 } },
  ]);
  const tester = { version: 1, cluster, source: "tester", sequence: 1, sentAt: new Date().toISOString() };
  const arrays = [{ Name: "htc", TargetCount: 1 }];
  await stack.send({ ...tester, kind: "targets", requestSet: "standard", expirationInterval: 600, arrays });
  await stack.send({ ...tester, kind: "unheard of" });
  const isThere = ({ waiting, nodes, targets, rejections }: ClusterStatus) =>
    waiting.length > 0 && (nodes.Ready ?? 0) >= 3 && targets.length > 0 && rejections.length > 0;
  await eventually(stack.readStatus, isThere);
});

afterAll(() => stack?.stop());

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${stack.environment.functionsUrl}/api/${path}`);
  expect(response.headers.get("api-version")).toBe("1");
  return (await response.json()) as T;
}

async function post(path: string, body: unknown): Promise<Response> {
  const url = `${stack.environment.functionsUrl}/api/clusters/${cluster}/${path}`;
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** What this cluster has, by the names of parameters and of queries that have to be given. */
async function readKnown(): Promise<Readonly<Record<string, string | undefined>>> {
  const { plans } = await get<{ plans: { planId: string }[] }>(`clusters/${cluster}/plans?limit=2`);
  const { operations } = await get<{ operations: { actionId: string }[] }>(`clusters/${cluster}/operations`);
  const { nodes } = await get<{ nodes: { name: string }[] }>(`clusters/${cluster}/nodes`);
  const { rejections } = await get<{ rejections: { rejectionId: string }[] }>(`clusters/${cluster}/rejects`);
  return {
    cluster,
    planId: plans[0]?.planId,
    before: plans[1]?.planId,
    actionId: operations[0]?.actionId,
    node: nodes[0]?.name,
    job: "huge",
    target: "htc",
    rejectionId: rejections[0]?.rejectionId,
    part: "service",
  };
}

const parameter = /\{(\w+)\}/g;

/** The path of a route, with its parameters and what its query has to have filled in. */
async function pathOf({ id, path, query }: Route): Promise<string> {
  const asked = Object.entries(query?.shape ?? {}).flatMap(([name, schema]) =>
    z.safeParse(schema, undefined).success ? [] : [name],
  );
  const names = [...Array.from(path.matchAll(parameter), ([, name = ""]) => name), ...asked];
  // The second plan, say, may not be made yet.
  const known = await eventually(readKnown, (each) => names.every((name) => each[name] !== undefined));
  const found = (name: string): string => {
    const value = known[name];
    if (value === undefined) throw new Error(`Cannot ask for "${id}": this cluster has no ${name}`);
    return value;
  };
  const filled = path.replace(parameter, (_, name: string) => encodeURIComponent(found(name)));
  return `${filled}?${new URLSearchParams(asked.map((name): [string, string] => [name, found(name)]))}`;
}

// Autostop has tests of its own, and so has what changes something.
const reads = routes.filter(({ id, method }) => method === "GET" && id !== "autostop");

test.each(reads.map((route): [string, Route] => [route.id, route]))(
  "%s is answered as its schema says",
  async (_, route) => {
    const body = await get(await pathOf(route));
    expect(route.answer.safeParse(body).error).toBeUndefined();
  },
);

test("the document is the one that the schemas make", async () => {
  expect(await get("openapi.json")).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});

test("what a poller has already is not sent again", async () => {
  const url = `${stack.environment.functionsUrl}/api/clusters/${cluster}/buckets`;
  const read = async (): Promise<number> => {
    const etag = (await fetch(url)).headers.get("etag") ?? "";
    return (await fetch(url, { headers: { "if-none-match": etag } })).status;
  };
  // A snapshot may come in between.
  expect(await eventually(read, (status) => status === 304)).toBe(304);
});

test("what-if and validate-constraint answer, and nothing is sent", async () => {
  const whatIf = await post("what-if", { jobs: [{ constraints: { ncpus: 4 }, iterations: 8 }] });
  expect(await whatIf.json()).toMatchObject({ extra: [{ asked: 8 }] });
  const valid = await post("validate-constraint", { constraints: { ncpus: 4 } });
  expect(await valid.json()).toMatchObject({ ok: true });
});

test("nodes that an operator asks for come, are restarted, and go", async () => {
  const who = { by: "alice", reason: "a test" };
  const ask = async (body: Record<string, unknown>): Promise<ActionAnswer> => {
    const response = await post("actions", { ...who, ...body });
    const text = await response.text();
    expect([response.status, text.slice(0, 500)]).toEqual([200, text.slice(0, 500)]);
    return JSON.parse(text) as ActionAnswer;
  };
  const fateOf = (answer: ActionAnswer) =>
    eventually(
      () =>
        get<{ state: string; requestedBy: unknown }>(
          `clusters/${cluster}/operations/${answer.actions[0]?.actionId}`,
        ),
      ({ state }) => !["planned", "sent", "accepted"].includes(state),
    );
  const created = await ask({ kind: "create-nodes", nodeArray: "memory", count: 1, nameFormat: "extra-%d" });
  expect(await fateOf(created)).toMatchObject({
    state: "visible",
    requestedBy: { who: "alice", why: "a test" },
  });
  const ready = () => get<{ total: number }>(`clusters/${cluster}/nodes?name=extra-*&state=Ready`);
  expect(await eventually(ready, ({ total }) => total === 1)).toMatchObject({ total: 1 });
  for (const kind of ["restart", "reimage"]) {
    const done = await ask({ kind, nodes: { names: ["extra-1"] } });
    expect(await fateOf(done)).toMatchObject({ state: "visible" });
    await eventually(ready, ({ total }) => total === 1);
  }
  const removed = await ask({ kind: "remove", nodes: { names: ["extra-*"] } });
  expect(await fateOf(removed)).toMatchObject({ state: "visible" });
});
