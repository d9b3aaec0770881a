import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

const statusPath = "/clusters/lab/status";
const control = (name: string, body: unknown) =>
  ask(`${rig.url}/_control/${name}`, { method: "POST", body: JSON.stringify(body) }, ":");
const htc = { cluster: "lab", nodearray: "htc" };

describe("weather", () => {
  const bucket = async () => (await rig.get(statusPath)).body.nodearrays[0].buckets[0];

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
    await rig.get(`${statusPath}?nodes=true`);
    await rig.get("/clusters/none/status");
    expect(rig.control.calls.recent()).toEqual([
      {
        at: rig.control.nowSeconds(),
        method: "GET",
        path: `${statusPath}?nodes=true`,
        status: 200,
        fault: null,
      },
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

  test.each(["text/plain", "application/x-www-form-urlencoded", "text/plain; application/json"])(
    "control: what any web page can send as %s is not done",
    async (type) => {
      const headers = { "Content-Type": type };
      const init = { method: "POST", headers, body: JSON.stringify(htc) };
      const { status, body } = await ask(`${rig.url}/_control/drought`, init, ":");
      expect([status, body.message]).toEqual([415, expect.stringContaining("application/json")]);
      expect((await rig.create("htc", 1)).body.sets[0].added).toBe(1);
    },
  );

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
