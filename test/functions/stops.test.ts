import { HttpRequest, type HttpResponseInit, InvocationContext } from "@azure/functions";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { keyGuard } from "../../functions/support/guard.ts";
import type { NodeLogin } from "../../functions/support/node-login.ts";
import { Pace, Turns } from "../../functions/support/throttle.ts";
import type { Service } from "../../functions/support/wire.ts";
import { leavingAnswer, problemSchema, stopAnswer } from "../../shared/api/index.ts";
import type { Ports } from "../../shared/ports/index.ts";
import { service } from "../fuzz/served-world.ts";
import { nodeOf } from "../support/cluster.ts";
import { interposed } from "../support/crash.ts";
import { handlerOf } from "../support/http-handlers.ts";
import { cluster, jobFor, type World, worldWith } from "../support/world.ts";

const login = { username: "node", passwordSetting: "AUTOSTOP_PASSWORD" };
const { portsFor, run, guard, stops } = service;
afterAll(() => void Object.assign(service, { portsFor, run, guard, stops }));

/** What the functions work on, renewed for every test. */
let world: World;
let ports: Ports;

function serve(nodeLogin: NodeLogin, password: string | null = "secret"): void {
  Object.assign(service, {
    portsFor: () => ports,
    run: (_invocation, _run, work) => work(ports),
    guard: keyGuard({ nodeLogin, platformSignsIn: false }),
    stops: {
      login: nodeLogin,
      passwordOf: (setting) => (setting === login.passwordSetting ? (password ?? undefined) : undefined),
      pace: new Pace({ everySeconds: 10 }),
      turns: new Turns({ mostWaiting: 50 }),
    },
  } satisfies Partial<Service>);
}

const httpAutostop = handlerOf("autostop");
const httpStop = handlerOf("stop");
const httpLeaving = handlerOf("leaving");

beforeEach(async () => {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name, instanceId: `vm-${name}` }));
  world = worldWith({ nodes });
  ports = world.ports;
  serve("function-key");
  world.configure({ autostop: { login }, engine: { idleTimeoutSeconds: { default: 9e6, byNodeArray: {} } } });
  await world.round();
  world.advance(4_000);
  await world.snapshot();
});

const context = () => new InvocationContext({ invocationId: "i-1", logHandler: () => {} });

const json = { "content-type": "application/json" };

function requestOf(method: string, query: Record<string, string>, fields: object = {}): HttpRequest {
  const url = `http://127.0.0.1/api/clusters/${cluster}/autostop`;
  return new HttpRequest({ method, url, query, params: { cluster }, headers: json, ...fields });
}

function autostop(query: Record<string, string>, fields: object = {}) {
  return httpAutostop(requestOf("GET", query, fields), context());
}

function stop(query: Record<string, string>, fields: object = {}) {
  return httpStop(requestOf("POST", query, fields), context());
}

const withLogin = (text: string) => ({
  headers: { authorization: `Basic ${Buffer.from(text).toString("base64")}` },
});

/** Of 60 that ask at once, ten are not heard: they may ask again at once, and those who were heard not yet. */
async function expectBusy(ask: (instance: string) => Promise<HttpResponseInit>): Promise<void> {
  const instances = Array.from({ length: 60 }, (_, index) => `vm-${index}`);
  const statuses = await Promise.all(instances.map(async (name) => (await ask(name)).status));
  const unheard = instances.filter((_, at) => statuses[at] === 503);
  const heard = instances.filter((_, at) => statuses[at] === 404);
  expect([heard.length, unheard.length]).toEqual([50, 10]);
  expect(await ask(unheard[0] ?? "")).toMatchObject({ status: 404 });
  expect(await ask(heard[0] ?? "")).toMatchObject({ status: 429 });
}

describe("GET autostop", () => {
  test("200: the node is going to be deleted; asked again, it is on its way", async () => {
    const granted = await autostop({ instance: "vm-htc-1" });
    expect(granted.status ?? 200).toBe(200);
    expect(stopAnswer.parse(granted.jsonBody)).toMatchObject({ node: "htc-1", outcome: "granted" });
    world.advance(10);
    const again = await autostop({ instance: "vm-htc-1" });
    expect(stopAnswer.parse(again.jsonBody)).toMatchObject({ outcome: "leaving", actionId: null });
  });

  test("409 with the reason when it is needed", async () => {
    await world.post([jobFor(2)]);
    const answer = await autostop({ instance: "vm-htc-1" });
    expect(answer.status).toBe(409);
    expect(problemSchema.parse(answer.jsonBody)).toMatchObject({ detail: "needed" });
    expect(JSON.stringify(answer.jsonBody)).toContain("job-1");
  });

  test("409 with Retry-After when it has not been idle for long enough", async () => {
    world.configure({ autostop: { idleSecondsBeforeJobs: 4_100 } });
    const answer = await autostop({ instance: "vm-htc-1" });
    expect(answer.status).toBe(409);
    expect(answer.headers).toMatchObject({ "retry-after": expect.stringMatching(/^\d+$/) });
  });

  test("404 for an instance that is no node of the cluster, and for a cluster that is not configured", async () => {
    expect(await autostop({ instance: "vm-else" })).toMatchObject({ status: 404 });
    const other = await autostop({ instance: "vm-htc-1" }, { params: { cluster: "other" } });
    expect(other).toMatchObject({ status: 404 });
  });

  test.each([{}, { instance: "" }, { instance: "  " }, { instance: "x".repeat(301) }])(
    "400 without an instance: %j",
    async (query) => {
      const answer = await autostop(query);
      expect(answer).toMatchObject({ status: 400 });
      expect(problemSchema.parse(answer.jsonBody).problems?.[0]).toMatch(/^instance/);
    },
  );

  test("429 when the same node asked a moment ago", async () => {
    await autostop({ instance: "vm-htc-1" });
    const again = await autostop({ instance: "vm-htc-1" });
    expect(again).toMatchObject({ status: 429, headers: { "retry-after": "10" } });
    expect(await autostop({ instance: "vm-htc-2" })).not.toHaveProperty("status", 429);
  });

  test("503 with Retry-After on a snapshot that is too old", async () => {
    world.advance(400);
    const answer = await autostop({ instance: "vm-htc-1" });
    expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "60" } });
    expect(await world.ports.operations.recent(cluster, 9)).toEqual([]);
  });

  test("500 and nothing granted when demand cannot be read for a reason of our own", async () => {
    ports = interposed(world.ports, { port: "demand", method: "list" }, async () => {
      throw new TypeError("AccountKey=abc");
    });
    const answer = await autostop({ instance: "vm-htc-1" });
    expect(answer).toMatchObject({ status: 500 });
    expect(JSON.stringify(answer)).not.toContain("AccountKey");
    expect(await world.ports.operations.recent(cluster, 9)).toEqual([]);
  });

  test("503 when too many ask at once; those who were not heard may ask again at once", async () => {
    await expectBusy((instance) => autostop({ instance }));
  });
});

describe("GET autostop with the login of nodes", () => {
  beforeEach(() => serve("basic"));

  test("200 with name and password", async () => {
    expect((await autostop({ instance: "vm-htc-1" }, withLogin("node:secret"))).status ?? 200).toBe(200);
  });

  test.each([
    ["another password", withLogin("node:other")],
    ["another name", withLogin("root:secret")],
    ["no login", {}],
  ])("401 with %s, and nothing is granted", async (_, fields) => {
    const answer = await autostop({ instance: "vm-htc-1" }, fields);
    expect(answer).toMatchObject({ status: 401, headers: { "www-authenticate": 'Basic realm="autostop"' } });
    expect(await world.ports.operations.recent(cluster, 9)).toEqual([]);
  });

  test("a cluster that is not there, has no login or a broken configuration answers in the same way", async () => {
    const wrong = await autostop({ instance: "vm-htc-1" }, withLogin("node:other"));
    const params = { params: { cluster: "other" }, ...withLogin("node:secret") };
    expect(await autostop({ instance: "vm-htc-1" }, params)).toEqual(wrong);
    world.configure({ autostop: { login: null } });
    expect(await autostop({ instance: "vm-htc-1" }, withLogin("node:secret"))).toEqual(wrong);
    world.ports.configs.delete(cluster);
    world.ports.configs.putBroken(cluster, ["url: missing"]);
    expect(await autostop({ instance: "vm-htc-1" }, withLogin("node:secret"))).toEqual(wrong);
  });

  test("401 for everybody while the password is not set, and the log says so", async () => {
    serve("basic", null);
    expect(await autostop({ instance: "vm-htc-1" }, withLogin("node:"))).toMatchObject({ status: 401 });
    expect(world.log.join("\n")).toContain("AUTOSTOP_PASSWORD");
  });
});

describe("POST stop", () => {
  test("says who asked and why, and asks for no idle time", async () => {
    world.configure({ autostop: { idleSecondsBeforeJobs: 9e6 } });
    const answer = await stop({ instance: "id-htc-1", reason: "it misbehaves", by: "ada" });
    expect(stopAnswer.parse(answer.jsonBody)).toMatchObject({ outcome: "granted" });
    const [operation] = await world.ports.operations.recent(cluster, 1);
    expect(operation?.action.requestedBy).toEqual({ who: "ada", why: "it misbehaves" });
  });

  test("409 when it is needed or keep-alive, 404 and 400 as for autostop", async () => {
    await world.post([jobFor(2)]);
    expect(await stop({ instance: "vm-htc-1" })).toMatchObject({ status: 409 });
    expect(await stop({ instance: "vm-else" })).toMatchObject({ status: 404 });
    expect(await stop({ reason: "x" })).toMatchObject({ status: 400 });
    expect(await stop({ instance: "vm-htc-2", surprise: "x" })).toMatchObject({ status: 400 });
    expect(await stop({ instance: "vm-htc-1" }, { params: { cluster: "other" } })).toMatchObject({
      status: 404,
    });
  });
});

describe("POST leaving", () => {
  function leaving(body: unknown, fields: object = {}) {
    const url = `http://127.0.0.1/api/clusters/${cluster}/leaving`;
    const request = new HttpRequest({
      method: "POST",
      url,
      params: { cluster },
      headers: json,
      body: { string: JSON.stringify(body) },
      ...fields,
    });
    return httpLeaving(request, context());
  }
  const says = { instance: "vm-htc-1", event: "Preempt", notBefore: "Wed, 25 Nov 2026 22:00:30 GMT" };
  const withNodesLogin = (text: string) => ({
    headers: { ...json, authorization: `Basic ${Buffer.from(text).toString("base64")}` },
  });
  const drained = async () => (await world.ports.controls.load(cluster))?.value.drainedNodes ?? [];

  test("503 when too many report at once", async () => {
    await expectBusy((instance) => leaving({ ...says, instance }));
  });

  test("200: it takes no new jobs; said again at once it is 429", async () => {
    const answer = await leaving(says);
    expect(leavingAnswer.parse(answer.jsonBody)).toMatchObject({ node: "htc-1", outcome: "draining" });
    expect(await drained()).toMatchObject([{ name: "htc-1" }]);
    expect(await leaving(says)).toMatchObject({ status: 429, headers: { "retry-after": "10" } });
    expect(await leaving({ ...says, instance: "vm-htc-2" })).not.toHaveProperty("status", 429);
  });

  test.each([
    { ...says, instance: ["vm-htc-1", "vm-htc-2"] },
    { ...says, nodes: { names: ["htc-2"] } },
    { ...says, event: "Freeze" },
    { ...says, event: "delete" },
    { ...says, notBefore: "soon" },
    { event: "Preempt" },
    [says],
  ])("400 for what is more than one machine, or no such event: %j", async (body) => {
    expect(await leaving(body)).toMatchObject({ status: 400 });
    expect(await drained()).toEqual([]);
  });

  test("404 for names, patterns and machines of nobody", async () => {
    for (const instance of ["htc-1", "*", "vm-htc-*"])
      expect(await leaving({ ...says, instance })).toMatchObject({ status: 404 });
    expect(await leaving(says, { params: { cluster: "other" } })).toMatchObject({ status: 404 });
    expect(await drained()).toEqual([]);
  });

  test("with the login of nodes that login is asked for", async () => {
    serve("basic");
    expect(await leaving(says)).toMatchObject({ status: 401 });
    expect(await leaving(says, withNodesLogin("node:other"))).toMatchObject({ status: 401 });
    expect(await drained()).toEqual([]);
    expect((await leaving(says, withNodesLogin("node:secret"))).status ?? 200).toBe(200);
  });
});
