import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

async function bucket(nodearray: string, machineType?: string) {
  const { body } = await rig.get("/clusters/lab/status?nodes=true");
  const array = body.nodearrays.find((each: { name: string }) => each.name === nodearray);
  return array.buckets.find(
    (each: { definition: { machineType: string } }) =>
      (machineType ?? each.definition.machineType) === each.definition.machineType,
  );
}

describe("status", () => {
  test("status: a bucket has every figure of the API, and they agree", async () => {
    await rig.create("htc", 3, { definition: { machineType: "Standard_F8s_v2" }, placementGroupId: "pg_1" });
    const { bucketId, ...figures } = await bucket("htc", "Standard_F8s_v2");
    expect(bucketId).toMatch(/^[0-9a-f-]{36}$/);
    expect(figures).toEqual({
      definition: { machineType: "Standard_F8s_v2" },
      valid: true,
      invalidReason: "",
      maxCount: 7,
      maxCoreCount: 56,
      activeCount: 3,
      activeCoreCount: 24,
      activeNodes: ["htc-1", "htc-2", "htc-3"],
      availableCount: 4,
      availableCoreCount: 32,
      quotaCount: 8,
      quotaCoreCount: 64,
      consumedCoreCount: 24,
      familyQuotaCount: 8,
      familyQuotaCoreCount: 64,
      familyConsumedCoreCount: 24,
      regionalQuotaCount: 25,
      regionalQuotaCoreCount: 200,
      regionalConsumedCoreCount: 24,
      maxPlacementGroupSize: 100,
      maxPlacementGroupCoreSize: 800,
      placementGroups: [{ name: "pg_1", activeCount: 3, activeCoreCount: 24 }],
      lastCapacityFailure: -1,
      spotPlacementScore: "",
      virtualMachine: {
        vcpuCount: 8,
        pcpuCount: 4,
        gpuCount: 0,
        memory: 16,
        infiniband: false,
        vcpuQuotaCount: 8,
      },
    });
  });

  test("status: nodes are listed only when asked for", async () => {
    const plain = (await rig.get("/clusters/lab/status")).body;
    expect(plain).toMatchObject({
      state: "Started",
      targetState: "Started",
      maxCount: 50,
      maxCoreCount: 300,
    });
    expect([plain.nodes, plain.nodearrays[0].buckets[0].activeNodes]).toEqual([undefined, undefined]);
    expect((await rig.get("/clusters/lab/status?nodes=true")).body.nodes).toEqual([]);
  });

  test("status: a constrained size is charged for the cores that it hides", async () => {
    await rig.create("odd", 3);
    expect(await bucket("odd")).toMatchObject({
      activeCoreCount: 6,
      consumedCoreCount: 24,
      quotaCount: 4,
      availableCount: 1,
      availableCoreCount: 2,
      virtualMachine: { vcpuCount: 2, vcpuQuotaCount: 8 },
    });
  });

  test("status: a spot array has no family figures and uses the region's spot quota", async () => {
    await rig.create("spot", 2);
    expect(await bucket("spot")).toMatchObject({
      familyQuotaCount: 0,
      familyQuotaCoreCount: 0,
      familyConsumedCoreCount: 0,
      regionalQuotaCoreCount: 40,
      regionalConsumedCoreCount: 16,
      availableCount: 3,
      spotPlacementScore: "High",
    });
    expect(await bucket("htc")).toMatchObject({ regionalConsumedCoreCount: 0, familyConsumedCoreCount: 0 });
  });

  test("status: an invalid bucket says why and has no room", async () => {
    expect(await bucket("closed")).toMatchObject({
      valid: false,
      invalidReason: "NotActivated",
      availableCount: 0,
    });
  });

  test("status: terminating nodes are out of the counts, yet a create cannot have their place", async () => {
    await rig.create("htc", 12);
    await rig.post("/clusters/lab/nodes/terminate", { names: ["htc-1", "htc-2"] });
    expect((await rig.create("htc", 1)).body.sets[0].added).toBe(1); // They had no VM yet: gone at once.
    rig.clock.advance(100);
    await rig.post("/clusters/lab/nodes/terminate", { names: ["htc-3", "htc-4"] });
    expect(await bucket("htc", "Standard_F4s_v2")).toMatchObject({ activeCount: 9, availableCount: 3 });
    expect((await rig.create("htc", 3)).body.sets).toEqual([
      {
        added: 1,
        message: 'Added 1 of 3 nodes to "htc/Standard_F4s_v2": limited by the node array node count',
      },
    ]);
    rig.clock.advance(40);
    expect((await rig.create("htc", 3)).body.sets[0].added).toBe(2);
  });
});

describe("create", () => {
  test("create: answers in the order of the sets, with the operation in Location", async () => {
    const sets = [
      { nodearray: "tight", count: 5, placementGroupId: "pg_1" },
      { nodearray: "htc", count: 2, nameFormat: "special-%d-x", nameOffset: 7 },
    ];
    const { status, headers, body } = await rig.post("/clusters/lab/nodes/create", { requestId: "r1", sets });
    expect(status).toBe(202);
    expect(headers.get("location")).toBe(`/operations/${body.operationId}`);
    expect(body.sets).toEqual([
      {
        added: 3,
        message: 'Added 3 of 5 nodes to "tight/Standard_D4as_v5": limited by the placement group size',
      },
      { added: 2 },
    ]);
    const listed = (await rig.get("/clusters/lab/nodes?request_id=r1")).body;
    const names = listed.nodes.map((record: { Name: string }) => record.Name);
    expect(names).toEqual(["tight-1", "tight-2", "tight-3", "special-7-x", "special-8-x"]);
    expect(listed.operation).toEqual({ action: "create", startTime: expect.stringMatching(/^\d{4}-.*Z$/) });
  });

  test.each([
    [
      "the family quota",
      "htc",
      8,
      { definition: { machineType: "Standard_F8s_v2" } },
      "node array core count",
      7,
    ],
    ["the spot quota", "spot", 9, {}, "regional spot quota", 5],
    ["the family quota of a constrained size", "odd", 9, {}, "family quota", 4],
    ["the array's nodes", "htc", 13, {}, "node array node count", 12],
    ["the cluster's nodes", "tight", 60, {}, "cluster node count", 50],
  ])("create: is cut down to %s", async (_name, nodearray, count, more, limit, added) => {
    const [set] = (await rig.create(nodearray, count, more)).body.sets;
    expect(set.added).toBe(added);
    expect(set.message).toContain(`limited by the ${limit}`);
  });

  test("create: sets of one request see each other", async () => {
    const sets = [
      { nodearray: "spot", count: 4 },
      { nodearray: "spot", count: 4 },
    ];
    const { body } = await rig.post("/clusters/lab/nodes/create", { sets });
    expect(body.sets.map((set: { added: number }) => set.added)).toEqual([4, 1]);
  });

  test("create: a bucket that is not valid takes nothing", async () => {
    expect((await rig.create("closed", 1)).body.sets[0]).toMatchObject({
      added: 0,
      message: expect.stringContaining("NotActivated"),
    });
  });

  test.each([
    ["an unknown array", { sets: [{ nodearray: "none", count: 1 }] }],
    [
      "an unknown machine type",
      { sets: [{ nodearray: "htc", count: 1, definition: { machineType: "Standard_D4as_v5" } }] },
    ],
    ["no sets", { sets: [] }],
    ["no count", { sets: [{ nodearray: "htc" }] }],
    ["a negative count", { sets: [{ nodearray: "htc", count: -1 }] }],
    ["a name format without a number", { sets: [{ nodearray: "htc", count: 1, nameFormat: "same" }] }],
    ["a placement group with a space", { sets: [{ nodearray: "htc", count: 1, placementGroupId: "a b" }] }],
    [
      "one bad set among good ones",
      {
        sets: [
          { nodearray: "htc", count: 1 },
          { nodearray: "none", count: 1 },
        ],
      },
    ],
  ])("create: %s is a conflict, and nothing is made", async (_name, body) => {
    const answer = await rig.post("/clusters/lab/nodes/create", body);
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({ error: "Conflict", message: expect.any(String) });
    expect(rig.control.ledger("lab").created).toBe(0);
  });

  test("create: a body that is not JSON is a conflict", async () => {
    const answer = await ask(`${rig.url}/clusters/lab/nodes/create`, { method: "POST", body: "{" });
    expect(answer.status).toBe(409);
  });

  test("create: a request id is taken once, and only by a request that was accepted", async () => {
    const request = { requestId: "again", sets: [{ nodearray: "htc", count: 1 }] };
    await rig.post("/clusters/lab/nodes/create", { ...request, sets: [{ nodearray: "none", count: 1 }] });
    const answers = [
      await rig.post("/clusters/lab/nodes/create", request),
      await rig.post("/clusters/lab/nodes/create", request),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 409]);
    expect(answers[1]?.body.message).toContain('"again"');
    const terminate = await rig.post("/clusters/lab/nodes/terminate", {
      requestId: "again",
      names: ["htc-1"],
    });
    expect([terminate.status, rig.control.ledger("lab").created]).toEqual([409, 1]);
  });

  test("create: attributes of the request reach the node, but not its identity", async () => {
    const nodeAttributes = {
      KeepAlive: true,
      Team: "a",
      Name: "fake",
      ShutdownPolicy: "deallocate",
      Configuration: { x: { y: 1 } },
    };
    await rig.create("htc", 1, { nodeAttributes });
    expect(await rig.node("htc-1")).toMatchObject({
      KeepAlive: true,
      Team: "a",
      Name: "htc-1",
      ShutdownPolicy: "Deallocate",
      Configuration: { x: { y: 1 } },
    });
  });
});

describe("node records", () => {
  test("a node boots through its statuses, and its address comes on the way", async () => {
    await rig.create("htc", 1);
    const first = await rig.node("htc-1");
    expect(first).toMatchObject({
      Status: "Acquiring",
      TargetState: "Started",
      Template: "htc",
      MachineType: "Standard_F4s_v2",
    });
    expect([first?.PrivateIp, first?.Hostname]).toEqual([undefined, undefined]);
    rig.clock.advance(51);
    expect(await rig.node("htc-1")).toMatchObject({ Status: "Preparing", PrivateIp: "10.0.0.4" });
    rig.clock.advance(49);
    expect(await rig.node("htc-1")).toMatchObject({
      Status: "Ready",
      State: "Started",
      Hostname: "ip-0A000004",
    });
  });

  test("a name and an address come back, a node id does not", async () => {
    await rig.create("htc", 1);
    rig.clock.advance(200);
    const first = await rig.node("htc-1");
    await rig.post("/clusters/lab/nodes/terminate", { names: ["htc-1"] });
    expect(await rig.node("htc-1")).toMatchObject({ Status: "Terminating", TargetState: "Terminated" });
    rig.clock.advance(40);
    expect(await rig.node("htc-1")).toBeUndefined();
    await rig.create("htc", 1);
    rig.clock.advance(200);
    const second = await rig.node("htc-1");
    expect(second).toMatchObject({ Hostname: first?.Hostname, PrivateIp: first?.PrivateIp });
    expect(second?.NodeId).not.toBe(first?.NodeId);
  });
});

describe("nodes", () => {
  test("nodes: by operation, and 404 for one that is unknown or of another cluster", async () => {
    const { operationId } = (await rig.create("htc", 2)).body;
    expect((await rig.get(`/clusters/lab/nodes?operation=${operationId}`)).body.nodes).toHaveLength(2);
    const unknown = await rig.get("/clusters/lab/nodes?request_id=never");
    expect([unknown.status, unknown.body.message]).toEqual([
      404,
      'No operation found for request id "never"',
    ]);
    expect((await rig.get("/clusters/lab/nodes?operation=x&request_id=y")).status).toBe(400);
  });
});

describe("management", () => {
  beforeEach(async () => {
    await rig.create("htc", 5);
    await rig.create("parked", 1);
    rig.clock.advance(200);
  });

  const statusOf = async (name: string) => (await rig.node(name))?.Status;

  test("management: the selection is the union of names, ids, hostnames, addresses and filter", async () => {
    const ids = [(await rig.node("htc-2"))?.NodeId];
    const request = {
      names: ["htc-1", "nobody"],
      ids,
      hostnames: ["ip-0A000006"],
      ip_addresses: ["10.0.0.7"],
      filter: 'Template === "parked"',
    };
    const { status, headers, body } = await rig.post("/clusters/lab/nodes/terminate", request);
    expect([status, headers.get("location")]).toEqual([202, `/operations/${body.operationId}`]);
    expect(body.nodes.map((node: { name: string }) => node.name)).toEqual([
      "htc-1",
      "htc-2",
      "htc-3",
      "htc-4",
      "parked-1",
    ]);
    expect(body.nodes[1]).toEqual({ id: ids[0], name: "htc-2", status: "OK" });
    expect(await statusOf("htc-5")).toBe("Ready");
  });

  test.each([
    ["deallocate", "htc-1", "Stopping", "Deallocated"],
    ["shutdown", "parked-1", "Stopping", "Deallocated"],
    ["shutdown", "htc-1", "Terminating", undefined],
    ["terminate", "parked-1", "Terminating", undefined],
    ["remove", "htc-1", "Terminating", undefined],
    ["restart", "htc-1", "Restarting", "Ready"],
    ["reimage", "htc-1", "Reimaging", "Ready"],
    ["start", "htc-1", "Ready", "Ready"],
  ])("management: %s of %s leads over %s to %s", async (verb, name, during, after) => {
    const { body } = await rig.post(`/clusters/lab/nodes/${verb}`, { names: [name] });
    expect(body.nodes[0].status).toBe("OK");
    expect(await statusOf(name)).toBe(during);
    rig.clock.advance(40);
    expect(await statusOf(name)).toBe(after);
  });

  test("management: a deallocated node gives its cores back and starts again under its id", async () => {
    const before = await rig.node("parked-1");
    await rig.post("/clusters/lab/nodes/deallocate", { names: ["parked-1"] });
    rig.clock.advance(40);
    expect(await bucket("parked")).toMatchObject({ activeCount: 0, consumedCoreCount: 0 });
    await rig.post("/clusters/lab/nodes/start", { names: ["parked-1"] });
    rig.clock.advance(40);
    expect(await rig.node("parked-1")).toMatchObject({ Status: "Ready", NodeId: before?.NodeId });
  });

  test("management: starting does not look at the array's limit", async () => {
    await rig.post("/clusters/lab/nodes/deallocate", { names: ["parked-1"] });
    rig.clock.advance(40);
    await rig.create("parked", 2);
    await rig.post("/clusters/lab/nodes/start", { names: ["parked-1"] });
    expect(await bucket("parked")).toMatchObject({ maxCount: 2, activeCount: 3, availableCount: 0 });
  });

  test("management: starting without quota is accepted, and the node fails", async () => {
    await rig.post("/clusters/lab/nodes/deallocate", { names: ["parked-1"] });
    rig.clock.advance(40);
    rig.control.quota({ cluster: "lab", cores: 0 });
    expect((await rig.post("/clusters/lab/nodes/start", { names: ["parked-1"] })).body.nodes[0].status).toBe(
      "OK",
    );
    rig.clock.advance(40);
    expect(await rig.node("parked-1")).toMatchObject({
      Status: "Failed",
      StatusMessage: expect.stringContaining("quota"),
    });
  });

  test("management: KeepAlive stops terminate and deallocate, node by node", async () => {
    rig.control.keepAlive({ cluster: "lab", names: ["htc-1"], on: true });
    for (const verb of ["terminate", "deallocate", "shutdown", "remove"]) {
      const { body } = await rig.post(`/clusters/lab/nodes/${verb}`, { names: ["htc-1", "htc-2"] });
      expect(body.nodes[0]).toMatchObject({ status: "Error", error: expect.stringContaining("KeepAlive") });
    }
    expect([await statusOf("htc-1"), await statusOf("htc-2")]).toEqual(["Ready", "Terminating"]);
  });

  test("management: a Fixed node's record stays, and starts again", async () => {
    await rig.create("htc", 1, { nodeAttributes: { Fixed: true } });
    rig.clock.advance(200);
    await rig.post("/clusters/lab/nodes/remove", { names: ["htc-6"] });
    rig.clock.advance(40);
    expect(await rig.node("htc-6")).toMatchObject({ Status: "Terminated", TargetState: "Terminated" });
    await rig.post("/clusters/lab/nodes/start", { names: ["htc-6"] });
    rig.clock.advance(40);
    expect(await statusOf("htc-6")).toBe("Ready");
  });

  test("management: a node that cannot do it says why, and what is as wished is OK", async () => {
    await rig.post("/clusters/lab/nodes/terminate", { names: ["htc-1"] });
    const restart = await rig.post("/clusters/lab/nodes/restart", { names: ["htc-1"] });
    expect(restart.body.nodes[0]).toMatchObject({
      status: "Error",
      error: 'Cannot restart node "htc-1": its status is Terminating',
    });
    expect((await rig.post("/clusters/lab/nodes/terminate", { names: ["htc-1"] })).body.nodes[0].status).toBe(
      "OK",
    );
  });

  test.each([
    ["nothing selected", {}],
    ["a filter that does not parse", { filter: "State ===" }],
    ["names that are no list", { names: "htc-1" }],
  ])("management: %s is a conflict", async (_name, body) => {
    expect((await rig.post("/clusters/lab/nodes/terminate", body)).status).toBe(409);
  });

  test("management: an operation lists the nodes that it touched", async () => {
    await rig.post("/clusters/lab/nodes/deallocate", { names: ["htc-1"], requestId: "park" });
    const { body } = await rig.get("/clusters/lab/nodes?request_id=park");
    expect(body.nodes.map((record: { Name: string }) => record.Name)).toEqual(["htc-1"]);
  });

  test("retry: failed nodes boot again", async () => {
    rig.control.fail({ cluster: "lab", names: ["htc-1"] });
    expect(await statusOf("htc-1")).toBe("Failed");
    expect((await rig.post("/cloud/actions/retry/lab")).status).toBe(200);
    rig.clock.advance(100);
    expect(await statusOf("htc-1")).toBe("Ready");
  });
});

describe("scale", () => {
  test.each([
    ["totalNodeCount=5", 3],
    ["totalCoreCount=21", 4],
    ["totalNodeCount=1", 0],
  ])("scale: %s adds %i to 2 nodes of 4 cores", async (query, added) => {
    await rig.create("htc", 2);
    const { status, body } = await rig.post(`/clusters/lab/scale/htc?${query}`);
    expect([status, body.sets]).toEqual([202, [{ added }]]);
  });

  test("scale: what the first size has no room for goes to the next", async () => {
    rig.control.drought({ cluster: "lab", nodearray: "htc", machineType: "Standard_F4s_v2" });
    expect((await rig.post("/clusters/lab/scale/htc?totalNodeCount=3")).body.sets).toEqual([{ added: 3 }]);
    expect(await bucket("htc", "Standard_F8s_v2")).toMatchObject({ activeCount: 3 });
  });

  test.each(["", "?totalNodeCount=1&totalCoreCount=1", "?totalNodeCount=x"])(
    "scale: %j is a conflict",
    async (query) => {
      expect((await rig.post(`/clusters/lab/scale/htc${query}`)).status).toBe(409);
    },
  );
});

describe("operations", () => {
  test("operations: by id and by request id", async () => {
    const request = { requestId: "r", sets: [{ nodearray: "htc", count: 1 }] };
    const { operationId } = (await rig.post("/clusters/lab/nodes/create", request)).body;
    const expected = { action: "create", startTime: expect.any(String) };
    expect((await rig.get(`/operations/${operationId}`)).body).toEqual(expected);
    expect((await rig.get("/operations/?request_id=r")).body).toEqual([expected]);
    expect((await rig.get("/operations/?request_id=other")).body).toEqual([]);
    expect((await rig.get("/operations/?request_id=")).status).toBe(400);
    expect((await rig.get("/operations/none")).status).toBe(404);
  });
});

describe("usage", () => {
  test("usage: core-hours and cost of what has run, by node array", async () => {
    await rig.create("htc", 2);
    await rig.create("spot", 1);
    rig.clock.advance(1800);
    const { body } = await rig.get(
      "/clusters/lab/usage?timeframe=monthToDate&granularity=total&expand=details",
    );
    const [{ breakdown, total }] = body.usage;
    const [htc, , spot] = breakdown;
    expect(htc).toMatchObject({ category: "nodearray", node: "htc", hours: 4, cost: expect.any(Number) });
    expect(htc.details).toEqual([
      expect.objectContaining({ vm_size: "Standard_F4s_v2", core_count: 4, hours: 4, priority: "Regular" }),
    ]);
    expect(spot).toEqual({ category: "nodearray", node: "spot", hours: 4, details: expect.any(Array) });
    // The price of a spot node is not known, so the total has no cost instead of a wrong one.
    expect(total).toEqual({ category: "cluster", hours: 8 });
  });

  test("usage: hours and days cover a custom frame, and what has not happened counts nothing", async () => {
    await rig.create("htc", 1);
    const now = rig.control.nowSeconds();
    const [from, to] = [now - 1, now + 7200].map((seconds) => new Date(seconds * 1000).toISOString());
    const { body } = await rig.get(
      `/clusters/lab/usage?timeframe=custom&from=${from}&to=${to}&granularity=hourly`,
    );
    expect(body.usage.length).toBeGreaterThanOrEqual(3);
    expect(body.usage.map((each: { total: { hours: number } }) => each.total.hours)).toEqual(
      body.usage.map(() => 0),
    );
    expect(
      (await rig.get("/clusters/lab/usage?timeframe=lastMonth")).body.usage.length,
    ).toBeGreaterThanOrEqual(28);
    expect((await rig.get("/clusters/lab/usage?timeframe=weekToDate")).body.usage.length).toBeLessThanOrEqual(
      7,
    );
  });

  test.each(["timeframe=custom", "timeframe=never", "granularity=weekly"])(
    "usage: %s is not understood",
    async (query) => {
      expect((await rig.get(`/clusters/lab/usage?${query}`)).status).toBe(400);
    },
  );
});

describe("guest health reports", () => {
  test("ghr: 202 once, then 409; the impact can be read; 404 and 400 for what does not exist", async () => {
    await rig.create("htc", 1);
    const path = "/clusters/lab/nodes/htc-1/ghr?category=Resource.Hpc.Reset&description=slow";
    expect([(await rig.post(path)).status, (await rig.post(path)).status]).toEqual([202, 409]);
    const { body } = await rig.get("/clusters/lab/nodes/htc-1/ghr");
    expect(body.properties).toMatchObject({
      impactCategory: "Resource.Hpc.Reset",
      impactDescription: "slow",
    });
    expect((await rig.post("/clusters/lab/nodes/none/ghr")).status).toBe(404);
    await rig.create("htc", 1);
    expect((await rig.post("/clusters/lab/nodes/htc-2/ghr?category=Nonsense")).status).toBe(400);
  });
});

describe("what is not there", () => {
  test.each([
    ["GET", "/clusters/none/status"],
    ["GET", "/clusters/none/nodes"],
    ["GET", "/clusters/none/usage"],
    ["POST", "/clusters/none/scale/htc?totalNodeCount=1"],
    ["POST", "/cloud/actions/retry/none"],
    ["GET", "/clusters/lab/nothing"],
  ])("%s %s is 404 with a JSON body", async (method, path) => {
    const answer = method === "GET" ? await rig.get(path) : await rig.post(path);
    expect([answer.status, answer.body.error]).toEqual([404, "Not Found"]);
  });
});
