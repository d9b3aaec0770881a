import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CycleCloudOptions, createCycleCloud } from "../../../shared/cyclecloud/cyclecloud-client.ts";
import { LoginGate } from "../../../shared/cyclecloud/login-gate.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import type { NodesRequest } from "../../../shared/ports/cyclecloud.ts";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from "../../support/scripted-server.ts";
import { catalogue, fixture } from "./reading.ts";

const password = "p4ss-w0rd:with/odd+signs";
let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

function client(options: Partial<CycleCloudOptions> = {}) {
  return createCycleCloud({
    connection: { url: server.url, username: "user", passwordSetting: "PW", verifyCertificates: true },
    cluster: "my cluster",
    password,
    catalogue,
    retryOptions: { maxRetries: 2, retryDelayInMs: 1, maxRetryDelayInMs: 50 },
    ...options,
  });
}

/** The error of a call, after making sure that it does not tell the password, however it is shown. */
async function failure(call: Promise<unknown>): Promise<UpstreamError> {
  const error: unknown = await call.then(
    () => expect.fail("the call succeeded"),
    (reason: unknown) => reason,
  );
  const everything = inspect(error, { showHidden: true, depth: 20 }) + JSON.stringify(error);
  for (const secret of [password, Buffer.from(`user:${password}`).toString("base64")])
    expect(everything).not.toContain(secret);
  if (!(error instanceof UpstreamError)) expect.fail(`no UpstreamError: ${inspect(error)}`);
  return error;
}

const status = () => ({ status: 200, body: fixture("one-array-two-sizes") });
const set = { nodeArray: "hpc", vmSize: "Standard_F4", placementGroup: null, count: 3, names: ["hpc-1"] };
const creation = { requestId: "r-1", sets: [set] };

describe("client: fingerprint of the credentials", () => {
  const connection = { url: "https://a", username: "user", passwordSetting: "PW", verifyCertificates: true };
  const fingerprint = (fields: Partial<CycleCloudOptions> = {}) =>
    client({ connection, ...fields }).credentialsFingerprint();

  test("is the same for the same address, user and password, whatever else differs", () => {
    const elsewhere = { ...connection, verifyCertificates: false, passwordSetting: "OTHER" };
    expect(fingerprint({ connection: elsewhere, cluster: "other" })).toBe(fingerprint());
  });

  test.each<readonly [string, Partial<CycleCloudOptions>]>([
    ["address", { connection: { ...connection, url: "https://b" } }],
    ["user", { connection: { ...connection, username: "other" } }],
    ["password", { password: "other" }],
  ])("is another one for another %s", (_case, fields) => {
    expect(fingerprint(fields)).not.toBe(fingerprint());
  });

  test("is computed once for all clusters of a server: it holds up everything else", () => {
    const processorMs = (work: () => void) => {
      const before = process.cpuUsage();
      work();
      return process.cpuUsage(before).user / 1000;
    };
    const once = processorMs(() => fingerprint({ password: "a server's" }));
    const clusters = Array.from({ length: 20 }, (_, index) =>
      client({ connection, password: "a server's", cluster: `c${index}` }),
    );
    expect(processorMs(() => clusters.map((each) => each.credentialsFingerprint()))).toBeLessThan(once);
  });

  test("holds no password", () => {
    expect(fingerprint()).toMatch(/^[\w-]{22}$/);
  });
});

describe("client: calls as documented", () => {
  test("reads a cluster with basic authentication and its own name", async () => {
    server.answer(status());
    const { cluster, setAside } = await client().readCluster();
    expect(cluster.nodes).toHaveLength(3);
    expect(setAside).toEqual([]);
    const [call] = server.calls;
    expect(call?.path).toBe("/clusters/my%20cluster/status?nodes=true");
    expect(call?.headers.authorization).toBe(`Basic ${Buffer.from(`user:${password}`).toString("base64")}`);
    expect(call?.headers["x-cycle-client-version"]).toMatch(/^cyclecloud-autoscale:\d/);
    expect(call?.headers["user-agent"]).toMatch(/^cyclecloud-autoscale\/\d/);
  });

  test("keeps the path of a server that does not live at the root", async () => {
    server.answer(status());
    const connection = {
      url: `${server.url}/cycle/`,
      username: "user",
      passwordSetting: "PW",
      verifyCertificates: true,
    };
    await client({ connection }).readCluster();
    expect(server.calls[0]?.path).toBe("/cycle/clusters/my%20cluster/status?nodes=true");
  });

  test("creates nodes, each set with the server's reason for fewer", async () => {
    server.answer({
      status: 202,
      body: { operationId: "op-1", sets: [{ added: 3 }, { added: 0, message: "no quota" }] },
      headers: { Location: "/operations/op-1" },
    });
    const second = {
      ...set,
      placementGroup: "pg0",
      nameFormat: "x-%d",
      nameOffset: 7,
      nodeAttributes: { KeepAlive: true },
    };
    expect(await client().createNodes({ requestId: "r-1", sets: [set, second] })).toEqual({
      outcome: "accepted",
      operationId: "op-1",
      sets: [{ added: 3 }, { added: 0, message: "no quota" }],
    });
    expect(server.calls[0]).toMatchObject({ method: "POST", path: "/clusters/my%20cluster/nodes/create" });
    expect(server.calls[0]?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(server.calls[0]?.body ?? "")).toEqual({
      requestId: "r-1",
      sets: [
        { nodearray: "hpc", count: 3, definition: { machineType: "Standard_F4" } },
        {
          nodearray: "hpc",
          count: 3,
          definition: { machineType: "Standard_F4" },
          placementGroupId: "pg0",
          nameFormat: "x-%d",
          nameOffset: 7,
          nodeAttributes: { KeepAlive: true },
        },
      ],
    });
  });

  test.each([
    { verb: "start", act: (c: ReturnType<typeof client>) => c.startNodes },
    { verb: "shutdown", act: (c: ReturnType<typeof client>) => c.shutdownNodes },
    ...(["remove", "terminate", "deallocate", "restart", "reimage"] as const).map((verb) => ({
      verb,
      act: (c: ReturnType<typeof client>) => (request: NodesRequest) => c.manageNodes(verb, request),
    })),
  ])("$verb names nodes by id, and tells each node's fate", async ({ verb, act }) => {
    server.answer({
      status: 202,
      body: {
        operationId: "op-2",
        nodes: [
          { id: "n-1", name: "hpc-1", status: "OK" },
          { id: "n-2", name: "hpc-2", status: "Error", error: "keep-alive" },
          { id: "n-3", name: "hpc-3", status: "Error" },
        ],
      },
    });
    expect(await act(client())({ requestId: "r-2", nodeIds: ["n-1", "n-2", "n-3"] })).toEqual({
      outcome: "accepted",
      operationId: "op-2",
      nodes: [
        { nodeId: "n-1", name: "hpc-1" },
        { nodeId: "n-2", name: "hpc-2", error: "keep-alive" },
        { nodeId: "n-3", name: "hpc-3", error: 'status "Error" without a reason' },
      ],
    });
    expect(server.calls[0]?.path).toBe(`/clusters/my%20cluster/nodes/${verb}`);
    expect(JSON.parse(server.calls[0]?.body ?? "")).toEqual({ requestId: "r-2", ids: ["n-1", "n-2", "n-3"] });
  });

  test("acting on no nodes at all is a bug, and nothing is sent", async () => {
    server.answer({ status: 202 });
    await expect(client().shutdownNodes({ requestId: "r", nodeIds: [] })).rejects.toThrow(/0 node ids/);
    expect(server.calls).toEqual([]);
  });

  test("reads what a cluster has used, as CycleCloud counts it; a cost that it does not know is unknown, not zero", async () => {
    const breakdown = [
      { category: "nodearray", node: "htc", hours: 30, cost: 1.5 },
      { category: "node", node: "scheduler", hours: 10 },
    ];
    const times = { start: "2026-11-01T00:00:00Z", end: "2026-11-02T00:00:00.000Z" };
    const total = { category: "cluster", hours: 40, cost: null };
    server.answer({ status: 200, body: { usage: [{ ...times, breakdown, total }] } });
    const from = "2026-11-01T00:00:00+00:00";
    expect(
      await client().readUsage({ timeframe: "custom", granularity: "total", from, to: times.end }),
    ).toEqual([
      {
        startSeconds: Date.parse(times.start) / 1000,
        endSeconds: Date.parse(times.end) / 1000,
        total: { coreHours: 40, cost: null },
        parts: [
          { category: "nodearray", name: "htc", coreHours: 30, cost: 1.5 },
          { category: "node", name: "scheduler", coreHours: 10, cost: null },
        ],
      },
    ]);
    expect(server.calls[0]?.path).toBe(
      "/clusters/my%20cluster/usage?timeframe=custom&granularity=total&from=2026-11-01T00%3A00%3A00%2B00%3A00&to=2026-11-02T00%3A00%3A00.000Z",
    );
  });

  test("lists the nodes of a request with their bucket", async () => {
    const { nodes } = fixture("one-array-two-sizes");
    server.answer({ status: 200, body: { nodes: nodes.slice(1) } });
    expect(await client().nodesOfRequest("r/1")).toEqual([
      {
        nodeId: "n-1",
        name: "hpc-1",
        nodeArray: "hpc",
        vmSize: "Standard_HB120rs_v3",
        placementGroup: "pg0",
      },
      { nodeId: "n-2", name: "hpc-2", nodeArray: "hpc", vmSize: "Standard_HB120rs_v3", placementGroup: null },
    ]);
    expect(server.calls[0]?.path).toBe("/clusters/my%20cluster/nodes?request_id=r%2F1");
  });

  test("a request that the server does not know has no nodes to tell", async () => {
    server.answer({ status: 404, body: "No operation found for request id r-9" });
    expect(await client().nodesOfRequest("r-9")).toBeUndefined();
  });
});

describe("client: refusals", () => {
  test.each([
    {
      name: "invalid input",
      body: "No bucket found for Standard_X",
      message: "No bucket found for Standard_X",
    },
    {
      name: "request id seen before",
      body: { message: "Request r-1 was used" },
      message: "Request r-1 was used",
    },
    { name: "no words", body: "", message: "refused without a reason" },
  ])("409 ($name) is an answer in the server's words, asked once", async ({ body, message }) => {
    server.answer({ status: 409, body });
    expect(await client().createNodes(creation)).toEqual({ outcome: "refused", message });
    expect(await client().startNodes({ requestId: "r", nodeIds: ["n"] })).toEqual({
      outcome: "refused",
      message,
    });
    expect(server.calls).toHaveLength(2);
  });
});

describe("client: failures", () => {
  test.each<{ name: string; answer: ScriptedAnswer; retryable: boolean; calls: number; says: RegExp }>([
    {
      name: "401 is tried once: five failures lock the account",
      answer: { status: 401, body: "no" },
      retryable: false,
      calls: 1,
      says: /HTTP 401 "no".*lock the account/,
    },
    {
      name: "403 is tried once",
      answer: { status: 403 },
      retryable: false,
      calls: 1,
      says: /HTTP 403, expected success/,
    },
    {
      name: "404 of a cluster is tried once",
      answer: { status: 404, body: "no such cluster" },
      retryable: false,
      calls: 1,
      says: /read the status of cluster "my cluster": HTTP 404/,
    },
    { name: "400 is tried once", answer: { status: 400 }, retryable: false, calls: 1, says: /HTTP 400/ },
    {
      name: "a redirect is not followed",
      answer: { status: 302, headers: { Location: "/login" } },
      retryable: false,
      calls: 1,
      says: /HTTP 302/,
    },
    {
      name: "500 is tried again, and again",
      answer: { status: 500 },
      retryable: true,
      calls: 3,
      says: /HTTP 500/,
    },
    {
      name: "503 that never ends",
      answer: { status: 503, headers: { "Retry-After": "0" } },
      retryable: true,
      calls: 3,
      says: /HTTP 503/,
    },
    {
      name: "truncated JSON",
      answer: { status: 200, body: '{"nodearrays": [' },
      retryable: true,
      calls: 1,
      says: /16 characters that are no JSON/,
    },
    {
      name: "a login page",
      answer: { status: 200, body: "<html>" },
      retryable: true,
      calls: 1,
      says: /no JSON/,
    },
    {
      name: "an empty answer",
      answer: { status: 200 },
      retryable: true,
      calls: 1,
      says: /0 characters that are no JSON/,
    },
    {
      name: "JSON of something else",
      answer: { status: 200, body: { nodes: [] } },
      retryable: true,
      calls: 1,
      says: /nodearrays: .*expected array/,
    },
    {
      name: "no list of nodes is not an empty one",
      answer: { status: 200, body: { nodearrays: [], nodes: null } },
      retryable: true,
      calls: 1,
      says: /no list of nodes/,
    },
    {
      name: "a body that breaks off",
      answer: (r) => {
        r.writeHead(200, { "Content-Length": "100" });
        r.write("{");
        setImmediate(() => r.destroy());
      },
      retryable: true,
      calls: 1,
      says: /read the status of cluster "my cluster":/,
    },
    {
      name: "a connection that breaks off",
      answer: (r) => r.destroy(),
      retryable: true,
      calls: 3,
      says: /ECONNRESET/,
    },
    {
      name: "an answer that tells the credentials back",
      answer: { status: 400, body: `you said ${password}` },
      retryable: false,
      calls: 1,
      says: /you said \*\*\*/,
    },
  ])("$name", async ({ answer, retryable, calls, says }) => {
    server.answer(answer);
    const error = await failure(client().readCluster());
    expect(error.message).toMatch(says);
    expect(error.retryable).toBe(retryable);
    expect(server.calls).toHaveLength(calls);
  });

  test("of calls with one login that begin together one is refused with a 401, and speaks for all", async () => {
    server.answer({ status: 401, body: "no" });
    const logins = new LoginGate({ nowSeconds: () => Date.now() / 1000 });
    const clients = ["one", "two", "three", "four", "five"].map((cluster) => client({ cluster, logins }));
    const errors = await Promise.all(clients.map((each) => failure(each.readCluster())));
    expect(errors.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(server.calls).toHaveLength(1);
    server.answer(status());
    expect((await client({ password: "other", logins }).readCluster()).cluster.nodes).toBeDefined();
  });

  test.each<{ name: string; first: ScriptedAnswer }>([
    { name: "429 with Retry-After", first: { status: 429, headers: { "Retry-After": "0" } } },
    {
      name: "503 with Retry-After as a date",
      first: { status: 503, headers: { "Retry-After": new Date(0).toUTCString() } },
    },
    { name: "503 without one", first: { status: 503 } },
    { name: "502", first: { status: 502 } },
    { name: "a reset connection", first: (r) => r.destroy() },
  ])("$name is tried again until it works", async ({ first }) => {
    server.answer(first, status());
    expect((await client().readCluster()).cluster.nodes).toHaveLength(3);
    expect(server.calls).toHaveLength(2);
  });

  test("a create that is tried again carries the same request id, and its 409 is told", async () => {
    server.answer((r) => r.destroy(), { status: 409, body: "seen before" });
    expect(await client().createNodes(creation)).toEqual({ outcome: "refused", message: "seen before" });
    expect(server.calls.map(({ body }) => JSON.parse(body).requestId)).toEqual(["r-1", "r-1"]);
  });

  test("a longer pause than a call can wait is left to whoever handles the message", async () => {
    server.answer({ status: 429, headers: { "Retry-After": "3600" } }, status());
    const error = await failure(client().readCluster());
    expect(error).toMatchObject({ status: 429, retryable: true, retryAfterSeconds: 3600 });
    expect(server.calls).toHaveLength(1);
  });

  test.each<{ name: string; answer: ScriptedAnswer }>([
    { name: "no answer at all", answer: () => {} },
    { name: "a body that stalls", answer: (r) => void r.writeHead(200).write("{") },
  ])("$name ends with the time-out", async ({ answer }) => {
    // Its own server: a call that was given up may reach it later, in the middle of another test.
    const silent = await startScriptedServer();
    silent.answer(answer);
    const connection = { url: silent.url, username: "user", passwordSetting: "PW", verifyCertificates: true };
    const error = await failure(client({ connection, requestTimeoutMs: 60 }).readCluster());
    await silent.close();
    expect(error).toMatchObject({ retryable: true, status: undefined });
    expect(error.message).toMatch(/no whole answer in time/);
  });

  test.each([200, 400])(
    "an answer of HTTP %i without end is given up and not asked for again",
    async (status) => {
      let isClosed = false;
      server.answer((response) => {
        response.writeHead(status);
        response.on("close", () => {
          isClosed = true;
        });
        const write = () => response.write("x".repeat(100_000), () => !isClosed && setImmediate(write));
        write();
      });
      const error = await failure(client({ mostAnswerBytes: 1_000_000 }).readCluster());
      expect(error).toMatchObject({ retryable: false, status });
      expect(error.message).toMatch(/an answer of more than 1000000 bytes/);
      await expect.poll(() => isClosed).toBe(true);
      expect(server.calls).toHaveLength(1);
    },
  );

  test("a server that is not there", async () => {
    const connection = {
      url: "http://127.0.0.1:1",
      username: "user",
      passwordSetting: "PW",
      verifyCertificates: true,
    };
    const error = await failure(client({ connection }).readCluster());
    expect(error).toMatchObject({ retryable: true, status: undefined });
    expect(error.message).toMatch(/ECONNREFUSED/);
  });

  test("an answer with another number of sets than asked is no answer", async () => {
    server.answer({ status: 202, body: { operationId: "op", sets: [] } });
    expect((await failure(client().createNodes(creation))).message).toMatch(
      /request r-1.*0 sets, expected 1/,
    );
  });
});

describe("client: what it refuses to start with", () => {
  test.each([
    {
      name: "no password",
      options: { password: "" },
      says: /no password for user "user", expected it in the setting that password_setting names \(a Key Vault reference that could not be read counts as none\)/,
    },
    {
      name: "plain http to another machine",
      options: {
        connection: {
          url: "http://cycle.example",
          username: "user",
          passwordSetting: "PW",
          verifyCertificates: true,
        },
      },
      says: /"http:\/\/cycle.example", expected https/,
    },
    {
      name: "a name that only starts like loopback",
      options: {
        connection: {
          url: "http://127.0.0.1.example",
          username: "user",
          passwordSetting: "PW",
          verifyCertificates: true,
        },
      },
      says: /expected https/,
    },
  ])("$name", ({ options, says }) => {
    expect(() => client(options)).toThrow(says);
  });
});
