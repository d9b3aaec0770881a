import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

describe("management", () => {
  beforeEach(async () => {
    await rig.create("htc", 5);
    await rig.create("parked", 1);
    rig.clock.advance(200);
  });

  const statusOf = async (name: string) => (await rig.node(name))?.Status;

  test("management: the selection is the union of names, ids, hostnames and addresses", async () => {
    const ids = [(await rig.node("htc-2"))?.NodeId];
    const request = {
      names: ["htc-1", "nobody"],
      ids,
      hostnames: ["ip-0A000006"],
      ip_addresses: ["10.0.0.7"],
    };
    const { status, headers, body } = await rig.post("/clusters/lab/nodes/terminate", request);
    expect([status, headers.get("location")]).toEqual([202, `/operations/${body.operationId}`]);
    expect(body.nodes.map((node: { name: string }) => node.name)).toEqual([
      "htc-1",
      "htc-2",
      "htc-3",
      "htc-4",
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
    expect(await rig.bucket("parked")).toMatchObject({ activeCount: 0, consumedCoreCount: 0 });
    await rig.post("/clusters/lab/nodes/start", { names: ["parked-1"] });
    rig.clock.advance(40);
    expect(await rig.node("parked-1")).toMatchObject({ Status: "Ready", NodeId: before?.NodeId });
  });

  test("management: starting does not look at the array's limit", async () => {
    await rig.post("/clusters/lab/nodes/deallocate", { names: ["parked-1"] });
    rig.clock.advance(40);
    await rig.create("parked", 2);
    await rig.post("/clusters/lab/nodes/start", { names: ["parked-1"] });
    expect(await rig.bucket("parked")).toMatchObject({ maxCount: 2, activeCount: 3, availableCount: 0 });
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
