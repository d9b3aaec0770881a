import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Rig, startRig } from "./rig.ts";

interface Bucket {
  readonly virtualMachine: { readonly memory: number };
}

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

describe("status", () => {
  test("status: a bucket has every figure of the API, and they agree", async () => {
    await rig.create("htc", 3, { definition: { machineType: "Standard_F8s_v2" }, placementGroupId: "pg_1" });
    const { bucketId, ...figures } = await rig.bucket("htc", "Standard_F8s_v2");
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

  test("status: an array of several memories reports none, and each bucket its own", async () => {
    const { nodearrays } = (await rig.get("/clusters/lab/status")).body;
    for (const { nodearray, buckets } of nodearrays) {
      const memories = buckets.map((bucket: Bucket) => bucket.virtualMachine.memory);
      expect(nodearray.Memory).toBe(new Set(memories).size === 1 ? memories[0] : undefined);
    }
    const sizes = nodearrays.map(({ buckets }: { buckets: Bucket[] }) => buckets.length);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
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
    expect(await rig.bucket("odd")).toMatchObject({
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
    expect(await rig.bucket("spot")).toMatchObject({
      familyQuotaCount: 0,
      familyQuotaCoreCount: 0,
      familyConsumedCoreCount: 0,
      regionalQuotaCoreCount: 40,
      regionalConsumedCoreCount: 16,
      availableCount: 3,
      spotPlacementScore: "High",
    });
    expect(await rig.bucket("htc")).toMatchObject({
      regionalConsumedCoreCount: 0,
      familyConsumedCoreCount: 0,
    });
  });

  test("status: an invalid bucket says why and has no room", async () => {
    expect(await rig.bucket("closed")).toMatchObject({
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
    expect(await rig.bucket("htc", "Standard_F4s_v2")).toMatchObject({ activeCount: 9, availableCount: 3 });
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
