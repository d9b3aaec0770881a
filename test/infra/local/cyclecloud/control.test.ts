import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DefinitionInput, startCycleCloud } from "../../../../infra/local/cyclecloud/index.ts";
import { ask, LAB, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

const STATUS = "/clusters/lab/status";
const control = (name: string, body: unknown) =>
  ask(`${rig.url}/_control/${name}`, { method: "POST", body: JSON.stringify(body) }, ":");
const htc = { cluster: "lab", nodearray: "htc" };

describe("login", () => {
  test("login: five wrong passwords lock the account for five minutes", async () => {
    const wrong = () => ask(`${rig.url}${STATUS}`, {}, "operator:guess");
    for (let n = 0; n < 5; n += 1) {
      const answer = await wrong();
      expect([answer.status, answer.body.error]).toEqual([401, "Unauthorized"]);
    }
    expect((await rig.get(STATUS)).status).toBe(401);
    rig.clock.advance(300);
    expect((await rig.get(STATUS)).status).toBe(200);
  });

  test("login: a request without a login is refused and says how to log in", async () => {
    const response = await fetch(`${rig.url}${STATUS}`);
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="CycleCloud"',
    ]);
    await response.body?.cancel();
  });
});

describe("faults", () => {
  const create = { requestId: "once", sets: [{ nodearray: "htc", count: 1 }] };
  const post = () => rig.post("/clusters/lab/nodes/create", create);

  test("fault status: hits the next matching requests, before they act", async () => {
    rig.control.fault({ kind: "status", status: 429, retryAfterSeconds: 7, method: "POST", times: 2 });
    expect((await rig.get(STATUS)).status).toBe(200);
    const answers = [await post(), await post(), await post()];
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 202]);
    expect(answers[0]?.headers.get("retry-after")).toBe("7");
  });

  test("fault status: can lie about a request that took effect", async () => {
    rig.control.fault({ kind: "status", status: 503, path: "/nodes/create", acts: true });
    expect([(await post()).status, (await post()).status]).toEqual([503, 409]);
    expect(rig.control.ledger("lab").created).toBe(1);
  });

  test("fault truncated: half of the JSON arrives", async () => {
    rig.control.fault({ kind: "truncated", path: "/status" });
    await expect(rig.get(STATUS)).rejects.toThrow(SyntaxError);
    expect((await rig.get(STATUS)).status).toBe(200);
  });

  test("fault no-answer: the connection is cut after the request took effect", async () => {
    rig.control.fault({ kind: "no-answer", path: "/nodes/create" });
    await expect(post()).rejects.toThrow("fetch failed");
    expect((await post()).status).toBe(409);
    expect(rig.control.calls.recent().map(({ status, fault }) => [status, fault])).toEqual([
      [null, "no-answer"],
      [409, null],
    ]);
  });

  test("fault no-answer: can hold a client until it gives up", async () => {
    rig.control.fault({ kind: "no-answer", holdMilliseconds: 10_000, acts: false });
    const signal = AbortSignal.timeout(50);
    await expect(fetch(`${rig.url}${STATUS}`, { signal })).rejects.toThrow("timeout");
  });

  test("clearFaults: takes them all back", async () => {
    rig.control.fault({ kind: "status", status: 500, times: 100 });
    rig.control.clearFaults({});
    expect((await rig.get(STATUS)).status).toBe(200);
  });

  test("latency: every answer takes its time", async () => {
    rig.control.latency({ minMilliseconds: 60, maxMilliseconds: 60 });
    const start = performance.now();
    await rig.get(STATUS);
    expect(performance.now() - start).toBeGreaterThan(55);
  });
});

describe("weather", () => {
  const bucket = async () => (await rig.get(STATUS)).body.nodearrays[0].buckets[0];

  test("drought: a create adds nothing, says why, and the bucket remembers when", async () => {
    rig.control.drought(htc);
    const { body } = await rig.create("htc", 3);
    expect(body.sets).toEqual([
      { added: 0, message: 'Added no nodes to "htc/Standard_F4s_v2": no capacity in westeurope' },
    ]);
    rig.clock.advance(90);
    expect((await bucket()).lastCapacityFailure).toBe(90);
    rig.control.drought({ ...htc, mode: "off" });
    expect((await rig.create("htc", 3)).body.sets).toEqual([{ added: 3 }]);
  });

  test("drought fail: nodes are added and fail while they wait for a VM", async () => {
    rig.control.drought({ ...htc, mode: "fail" });
    await rig.create("htc", 1);
    expect((await bucket()).lastCapacityFailure).toBe(-1);
    rig.clock.advance(60);
    expect(await rig.node("htc-1")).toMatchObject({
      Status: "Failed",
      StatusMessage: expect.stringContaining("AllocationFailed"),
    });
    const { lastCapacityFailure, activeCount, consumedCoreCount } = await bucket();
    expect(lastCapacityFailure).toBeGreaterThan(9);
    expect(lastCapacityFailure).toBeLessThan(31);
    expect([activeCount, consumedCoreCount]).toEqual([1, 0]);
  });

  test("stuck: new nodes never boot until it is off", async () => {
    rig.control.stuck({ ...htc, status: "Preparing" });
    await rig.create("htc", 1);
    rig.clock.advance(100_000);
    expect(await rig.node("htc-1")).toMatchObject({ Status: "Preparing" });
    rig.control.stuck({ ...htc, status: "off" });
    await rig.create("htc", 1);
    rig.clock.advance(100);
    expect(await rig.node("htc-2")).toMatchObject({ Status: "Ready" });
  });

  test("quota and limits: change what fits, also below what is used", async () => {
    await rig.create("htc", 4);
    rig.control.quota({ cluster: "lab", families: { standardFSv2Family: 8 } });
    expect(await bucket()).toMatchObject({
      familyQuotaCoreCount: 8,
      familyConsumedCoreCount: 16,
      availableCount: 0,
    });
    rig.control.quota({ cluster: "lab", families: { standardFSv2Family: 100 } });
    rig.control.limits({ ...htc, maxCount: 5 });
    expect(await bucket()).toMatchObject({ maxCount: 5, availableCount: 1 });
    rig.control.limits({ cluster: "lab", maxCount: 3 });
    expect(await bucket()).toMatchObject({ maxCount: 3, availableCount: 0 });
  });
});

describe("accidents", () => {
  beforeEach(async () => {
    await rig.create("htc", 2);
    rig.clock.advance(200);
  });
  const one = { cluster: "lab", names: ["htc-1"] };

  test("evict: the node terminates by itself, KeepAlive or not", async () => {
    rig.control.keepAlive({ ...one, on: true });
    rig.control.evict(one);
    expect(await rig.node("htc-1")).toMatchObject({ Status: "Terminating" });
    rig.clock.advance(30);
    expect(await rig.node("htc-1")).toBeUndefined();
  });

  test("kill: the record is gone at once", async () => {
    rig.control.kill(one);
    expect([await rig.node("htc-1"), rig.control.ledger("lab").terminated]).toEqual([undefined, 1]);
  });

  test("hideTargetState: leaves it out of the record", async () => {
    rig.control.hideTargetState({ ...one, on: true });
    expect(await rig.node("htc-1")).not.toHaveProperty("TargetState");
    expect(await rig.node("htc-2")).toHaveProperty("TargetState");
  });

  test("fail: keeps the VM and says why", async () => {
    rig.control.fail({ ...one, message: "disk full" });
    expect(await rig.node("htc-1")).toMatchObject({
      Status: "Failed",
      TargetState: "Started",
      StatusMessage: "disk full",
    });
  });

  test("accidents: an unknown node is refused", () => {
    expect(() => rig.control.kill({ ...one, names: ["htc-1", "none"] })).toThrow('"none"');
    expect(rig.control.ledger("lab").terminated).toBe(0);
  });
});

describe("ledger", () => {
  test("ledger: tells the story of every node in simulated seconds", async () => {
    const start = rig.control.nowSeconds();
    await rig.post("/clusters/lab/nodes/create", { requestId: "r1", sets: [{ nodearray: "htc", count: 1 }] });
    rig.clock.advance(500);
    await rig.post("/clusters/lab/nodes/terminate", { names: ["htc-1"] });
    rig.clock.advance(1000);
    expect(rig.control.ledger("lab")).toEqual({
      cluster: "lab",
      created: 1,
      terminated: 1,
      nodeSeconds: 540,
      coreSeconds: 2160,
      nodes: [
        {
          nodeId: expect.any(String),
          name: "htc-1",
          nodearray: "htc",
          machineType: "Standard_F4s_v2",
          requestId: "r1",
          createdAt: start,
          readyAt: start + 100,
          terminatingAt: start + 500,
          terminatedAt: start + 540,
          nodeSeconds: 540,
        },
      ],
    });
  });

  test("calls: are listed with their time and status", async () => {
    await rig.get(`${STATUS}?nodes=true`);
    await rig.get("/clusters/none/status");
    expect(rig.control.calls.recent()).toEqual([
      { at: rig.control.nowSeconds(), method: "GET", path: `${STATUS}?nodes=true`, status: 200, fault: null },
      {
        at: rig.control.nowSeconds(),
        method: "GET",
        path: "/clusters/none/status",
        status: 404,
        fault: null,
      },
    ]);
  });
});

describe("control over HTTP", () => {
  test("control: needs no login, takes the same commands and shows the same ledger", async () => {
    expect((await control("drought", htc)).status).toBe(200);
    expect((await rig.create("htc", 1)).body.sets[0].added).toBe(0);
    expect((await control("advance", { seconds: 5 })).status).toBe(200);
    const read = (path: string) => ask(`${rig.url}/_control/${path}`, {}, ":");
    expect((await read("ledger/lab")).body).toEqual(rig.control.ledger("lab"));
    expect((await read("calls")).body.total).toBe(1);
    expect((await read("time")).body.nowSeconds).toBe(rig.control.nowSeconds());
    expect((await read("clusters")).body).toEqual(["lab"]);
  });

  test.each([
    ["drought", { cluster: "none", nodearray: "htc" }, 404],
    ["drought", { cluster: "lab", nodearray: "none" }, 404],
    ["drought", { cluster: "lab" }, 400],
    ["fault", { kind: "strange" }, 400],
    ["speed", { speed: 2 }, 409],
    ["unknown", {}, 404],
  ])("control: %s %j is refused with %i", async (name, body, status) => {
    const answer = await control(name, body);
    expect([answer.status, typeof answer.body.message]).toEqual([status, "string"]);
  });
});

describe("startCycleCloud", () => {
  const account = { username: "operator", password: "secret" };

  test("startCycleCloud: the same seed and calls give the same nodes", async () => {
    const times = { boot: { minSeconds: 10, medianSeconds: 20, maxSeconds: 90 } };
    const chancy: DefinitionInput = { ...LAB, name: "lab", times };
    const rigs = await Promise.all([startRig([chancy]), startRig([chancy])]);
    const seen = await Promise.all(
      rigs.map(async (each) => {
        await each.create("htc", 8);
        each.clock.advance(22);
        return (await each.get("/clusters/lab/nodes")).body;
      }),
    );
    expect(seen[0]).toEqual(seen[1]);
    expect(new Set(seen[0].nodes.map((record: { Status: string }) => record.Status)).size).toBeGreaterThan(1);
    await Promise.all(rigs.map((each) => each.stop()));
  });

  test("startCycleCloud: clusters of one subscription share a region's quota, others do not", async () => {
    const shared = { ...LAB, subscription: "s" };
    const three = await startRig([shared, { ...shared, name: "sibling" }, { ...LAB, name: "stranger" }]);
    await three.create("spot", 5);
    const added = async (cluster: string) => {
      const { body } = await three.post(`/clusters/${cluster}/nodes/create`, {
        sets: [{ nodearray: "spot", count: 1 }],
      });
      return body.sets[0].added;
    };
    expect([await added("sibling"), await added("stranger")]).toEqual([0, 1]);
    await three.stop();
  });

  test("startCycleCloud: a running clock can be sped up", async () => {
    const server = await startCycleCloud({ definitions: [LAB], ...account, speed: 0.001 });
    server.control.speed({ speed: 1e6 });
    const create = { method: "POST", body: JSON.stringify({ sets: [{ nodearray: "htc", count: 1 }] }) };
    await ask(`${server.url}/clusters/lab/nodes/create`, create);
    const before = server.control.nowSeconds();
    await ask(`${server.url}${STATUS}`);
    expect(server.control.nowSeconds() - before).toBeGreaterThan(100);
    expect((await ask(`${server.url}/clusters/lab/nodes`)).body.nodes[0].Status).toBe("Ready");
    expect(() => server.control.advance({ seconds: 1 })).toThrow("runs by itself");
    await server.stop();
  });

  test("startCycleCloud: a spot array loses nodes by itself, an on-demand one does not", async () => {
    const stormy = LAB.nodearrays.map((array) =>
      array.name === "spot" ? { ...array, evictionsPerHour: 60 } : array,
    );
    const server = await startRig([{ ...LAB, nodearrays: stormy }]);
    await server.create("spot", 5);
    await server.create("htc", 5);
    server.clock.advance(3600);
    const { body } = await server.get("/clusters/lab/nodes");
    expect(new Set(body.nodes.map((record: { Template: string }) => record.Template))).toEqual(
      new Set(["htc"]),
    );
    await server.stop();
  });
});
