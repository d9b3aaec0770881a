import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

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

  test("a host is called like its node where the Slurm project is told so", async () => {
    const nodeAttributes = { Configuration: { slurm: { use_nodename_as_hostname: true } } };
    await rig.create("htc", 1, { nodeAttributes });
    rig.clock.advance(200);
    expect(await rig.node("htc-1")).toMatchObject({ Hostname: "htc-1", PrivateIp: "10.0.0.4" });
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
