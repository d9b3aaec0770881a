import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, labDefinition, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

const htc = { cluster: "lab", nodearray: "htc" };
const post = (name: string, body: unknown) =>
  ask(`${rig.url}/_control/${name}`, { method: "POST", body: JSON.stringify(body) }, ":");
const state = async () => (await ask(`${rig.url}/_control/state`, {}, ":")).body;
const lab = async () => (await state()).clusters[0];
const statuses = async () =>
  (await rig.get("/clusters/lab/nodes")).body.nodes.map((node: { Status: string }) => node.Status);

describe("failBoots", () => {
  test("the next so many fail with the message, and then they boot again", async () => {
    const f4 = { ...htc, machineType: "Standard_F4s_v2" };
    rig.control.failBoots({ ...f4, next: 2, message: "mount of nfs-1 timed out" });
    await rig.create("htc", 3);
    rig.clock.advance(100);
    expect(await statuses()).toEqual(["Failed", "Failed", "Ready"]);
    expect(await rig.node("htc-1")).toMatchObject({ StatusMessage: "mount of nfs-1 timed out" });
    expect((await lab()).weather).toEqual([]);
  });

  test("a retry counts as a boot; each size counts for itself", async () => {
    rig.control.failBoots({ ...htc, machineType: "Standard_F4s_v2", next: 2 });
    await rig.create("htc", 1);
    rig.clock.advance(100);
    expect((await lab()).weather).toMatchObject([
      { machineType: "Standard_F4s_v2", failingBoots: { next: 1 } },
    ]);
    await rig.post("/cloud/actions/retry/lab");
    rig.clock.advance(100);
    expect(await statuses()).toEqual(["Failed"]);
    await rig.post("/cloud/actions/retry/lab");
    rig.clock.advance(100);
    expect(await statuses()).toEqual(["Ready"]);
  });

  test("a share: all of them at 1, some at 0.5, none when it is off", async () => {
    rig.control.failBoots({ ...htc, share: 1 });
    await rig.create("htc", 3);
    rig.clock.advance(100);
    expect(new Set(await statuses())).toEqual(new Set(["Failed"]));
    await rig.post("/clusters/lab/nodes/terminate", { names: ["htc-1", "htc-2", "htc-3"] });
    rig.clock.advance(100);
    rig.control.failBoots({ ...htc, share: 0.5 });
    await rig.create("htc", 12);
    rig.clock.advance(100);
    const failed = (await statuses()).filter((status: string) => status === "Failed").length;
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(12);
    rig.control.failBoots(htc);
    expect((await lab()).weather).toEqual([]);
  });

  test("the same seed gives the others the same fate", async () => {
    const other = await startRig();
    rig.control.failBoots({ ...htc, next: 1 });
    await rig.create("htc", 1);
    await other.create("htc", 1);
    await rig.create("spot", 4);
    await other.create("spot", 4);
    for (const each of [rig, other]) each.clock.advance(100);
    const names = ["spot-1", "spot-2", "spot-3", "spot-4"];
    for (const name of names) {
      const [here, there] = [await rig.node(name), await other.node(name)];
      expect(here?.NodeId).toBe(there?.NodeId);
      expect(here?.Status).toBe("Ready");
    }
    await other.stop();
  });
});

test("bootTimes: boots take so many times as long, and as drawn with 1", async () => {
  rig.control.bootTimes({ ...htc, factor: 5 });
  await rig.create("htc", 1);
  rig.clock.advance(499);
  expect(await statuses()).toEqual(["Preparing"]);
  rig.clock.advance(1);
  expect(await statuses()).toEqual(["Ready"]);
  rig.control.bootTimes({ ...htc, factor: 1 });
  expect((await lab()).weather).toEqual([]);
});

describe("evictions", () => {
  test("of spot nodes that boot from then on, and as the definition says when it is off", async () => {
    await rig.create("spot", 1);
    rig.control.evictions({ cluster: "lab", nodearray: "spot", perHour: 3600 });
    await rig.create("spot", 1);
    rig.clock.advance(3_600);
    expect(await rig.node("spot-1")).toMatchObject({ Status: "Ready" });
    expect(await rig.node("spot-2")).toBeUndefined();
    expect((await lab()).evictions).toEqual([{ nodeArray: "spot", was: 0, is: 3600 }]);
    rig.control.evictions({ cluster: "lab", nodearray: "spot", perHour: "off" });
    expect((await lab()).evictions).toEqual([]);
  });

  test("an array of regular nodes is refused", () => {
    expect(() => rig.control.evictions({ ...htc, perHour: 1 })).toThrow("no spot array");
  });
});

describe("sizes", () => {
  const machineTypes = ["Standard_F4s_v2", "Standard_F8s_v2", "Standard_D4as_v5"];

  test("an added size takes nodes, with the limits of the array and its family's quota", async () => {
    rig.control.sizes({ ...htc, machineTypes });
    const { body } = await rig.create("htc", 1, { definition: { machineType: "Standard_D4as_v5" } });
    expect(body.sets).toEqual([{ added: 1 }]);
    expect(await rig.bucket("htc", "Standard_D4as_v5")).toMatchObject({ activeCount: 1, maxCount: 12 });
    expect((await lab()).sizes).toEqual([{ nodeArray: "htc", added: ["Standard_D4as_v5"], removed: [] }]);
  });

  test("a size that nodes have, and one that nobody knows, are refused", async () => {
    await rig.create("htc", 1);
    expect(() => rig.control.sizes({ ...htc, machineTypes: ["Standard_F8s_v2"] })).toThrow("htc-1");
    expect(() =>
      rig.control.sizes({ ...htc, machineTypes: ["Standard_F4s_v2", "Standard_Nowhere"] }),
    ).toThrow("not in the catalogue");
    expect((await lab()).sizes).toEqual([]);
  });
});

test("an array that is taken out of the template leaves its nodes", async () => {
  await rig.create("htc", 1);
  rig.control.removeArray(htc);
  const { body } = await rig.get("/clusters/lab/status?nodes=true");
  expect(body.nodearrays.map(({ name }: { readonly name: string }) => name)).not.toContain("htc");
  expect(body.nodes.map(({ Name }: { readonly Name: string }) => Name)).toContain("htc-1");
});

describe("outage", () => {
  test("every call is refused, until it is over", async () => {
    rig.control.outage({ seconds: 600 });
    expect((await rig.get("/clusters/lab/status")).status).toBe(503);
    expect(await state()).toMatchObject({ outage: { kind: "unavailable" } });
    rig.control.outage({ seconds: 0.05 });
    await expect.poll(async () => (await rig.get("/clusters/lab/status")).status).toBe(200);
    expect(await state()).toMatchObject({ outage: null });
  });

  test("login: the right password is refused; the account is not locked by it", async () => {
    rig.control.outage({ kind: "login", seconds: 600 });
    for (let tries = 0; tries < 6; tries++) expect((await rig.get("/clusters/lab/status")).status).toBe(401);
    rig.control.outage({ seconds: 0 });
    expect((await rig.get("/clusters/lab/status")).status).toBe(200);
  });

  test("slow: the answer comes late, and is right", async () => {
    rig.control.outage({ kind: "slow", seconds: 600, delaySeconds: 0.05 });
    const before = performance.now();
    expect((await rig.get("/clusters/lab/status")).status).toBe(200);
    expect(performance.now() - before).toBeGreaterThan(45);
  });

  test("the control panel answers through it, and calls are listed with it", async () => {
    rig.control.outage({ seconds: 600 });
    await rig.get("/clusters/lab/status");
    expect(rig.control.calls.recent()).toMatchObject([{ status: 503, fault: "outage-unavailable" }]);
  });
});

describe("state and reset", () => {
  test("at the start nothing differs; a caller knows that it is a simulator", async () => {
    expect(await state()).toMatchObject({
      simulator: "cyclecloud-autoscale",
      speed: null,
      outage: null,
      faults: 0,
      clusters: [{ name: "lab", weather: [], limits: [], quotas: [], sizes: [], evictions: [] }],
    });
  });

  test("everything that was changed is named, with what it was, and a reset puts it back", async () => {
    const before = await state();
    rig.control.drought({ ...htc, machineType: "Standard_F8s_v2" });
    rig.control.stuck({ ...htc, status: "Acquiring" });
    rig.control.limits({ ...htc, maxCount: 3 });
    rig.control.limits({ cluster: "lab", maxCoreCount: 10 });
    rig.control.quota({ cluster: "lab", spotCores: 8, families: { standardFSv2Family: 4 } });
    rig.control.evictions({ cluster: "lab", nodearray: "spot", perHour: 9 });
    rig.control.fault({ kind: "truncated", times: 3 });
    rig.control.latency({ minMilliseconds: 0, maxMilliseconds: 5 });
    rig.control.outage({ seconds: 600 });
    const changed = await state();
    expect(changed).toMatchObject({ faults: 3, latencyMilliseconds: 5, outage: { kind: "unavailable" } });
    expect(changed.clusters[0]).toMatchObject({
      weather: [
        { nodeArray: "htc", machineType: "Standard_F4s_v2", stuck: "Acquiring" },
        { nodeArray: "htc", machineType: "Standard_F8s_v2", drought: "refuse", stuck: "Acquiring" },
      ],
      limits: [
        { nodeArray: null, limit: "maxCoreCount", was: 300, is: 10 },
        { nodeArray: "htc", limit: "maxCount", was: 12, is: 3 },
      ],
      quotas: [
        { region: "westeurope", quota: "spotCores", was: 40, is: 8 },
        { region: "westeurope", quota: "standardFSv2Family", was: 64, is: 4 },
      ],
      evictions: [{ nodeArray: "spot", was: 0, is: 9 }],
    });
    expect((await post("reset", {})).status).toBe(200);
    expect(await state()).toEqual(before);
    expect((await rig.create("htc", 1)).body.sets).toEqual([{ added: 1 }]);
  });

  test("a reset of one cluster leaves the others as they are", async () => {
    const two = await startRig([labDefinition, { ...labDefinition, name: "second" }]);
    for (const cluster of ["lab", "second"]) {
      two.control.limits({ cluster, maxCount: 3 });
      two.control.quota({ cluster, cores: 1 });
    }
    two.control.reset({ cluster: "lab" });
    const { body } = await ask(`${two.url}/_control/state`, {}, ":");
    const counts = body.clusters.map(({ limits, quotas }: { limits: []; quotas: [] }) => [
      limits.length,
      quotas.length,
    ]);
    expect(counts).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(() => two.control.reset({ cluster: "none" })).toThrow('"none"');
    await two.stop();
  });

  test("a reset keeps an added size while nodes have it", async () => {
    rig.control.sizes({ ...htc, machineTypes: ["Standard_F4s_v2", "Standard_D4as_v5"] });
    await rig.create("htc", 1, { definition: { machineType: "Standard_D4as_v5" } });
    rig.control.reset({});
    expect((await lab()).sizes).toEqual([{ nodeArray: "htc", added: ["Standard_D4as_v5"], removed: [] }]);
    await rig.post("/clusters/lab/nodes/terminate", { names: ["htc-1"] });
    rig.clock.advance(100);
    rig.control.reset({});
    expect((await lab()).sizes).toEqual([]);
  });

  test.each([
    ["failBoots", { ...htc, next: 1, share: 1 }, 400],
    ["failBoots", { ...htc, share: 2 }, 400],
    ["bootTimes", { ...htc, factor: 0 }, 400],
    ["outage", { kind: "strange", seconds: 1 }, 400],
    ["sizes", { ...htc, machineTypes: [] }, 400],
    ["sizes", { cluster: "lab", nodearray: "none", machineTypes: ["Standard_F4s_v2"] }, 404],
    ["removeArray", { cluster: "lab", nodearray: "none" }, 404],
    ["evictions", { cluster: "lab", nodearray: "none", perHour: 1 }, 404],
    ["silence", { cluster: "none", on: true }, 404],
    ["submit", { cluster: "lab", jobs: [{}] }, 400],
    ["scheduler/none", { source: "s", takenOrder: 0, progress: {}, jobs: [] }, 400],
  ])("%s %j is refused with %i", async (name, body, status) => {
    const answer = await post(name, body);
    expect([answer.status, typeof answer.body.message]).toEqual([status, "string"]);
  });
});
