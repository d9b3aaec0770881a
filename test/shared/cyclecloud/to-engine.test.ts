import { describe, expect, test } from "vitest";
import { parseAmount } from "../../../shared/engine/index.ts";
import { createVmCatalogue } from "../../../shared/facts/vm-sizes.ts";
import { read } from "./reading.ts";

const firstArray = (...args: Parameters<typeof read>) => read(...args).cluster.nodeArrays[0];
const firstBucket = (...args: Parameters<typeof read>) => firstArray(...args)?.buckets[0];
const node = (...args: Parameters<typeof read>) => read(...args).cluster.nodes[1];

describe("to engine: a whole answer", () => {
  test("every documented field of an array arrives", () => {
    expect(firstArray()).toMatchObject({
      name: "hpc",
      location: "westus2",
      spot: false,
      enabled: true,
      allowsColocation: true,
      priority: 10,
      placementGroup: "own-group",
      maxCount: 50,
      maxCoreCount: 6000,
      resources: { slots: 8, disk: parseAmount("size::2t"), tag: "blue" },
    });
    expect(firstArray()?.softwareConfiguration).toHaveProperty(
      "cyclecloud.hosts.standalone_dns.enabled",
      false,
    );
  });

  test("every documented field of a bucket arrives, memory in bytes, family from the catalogue", () => {
    expect(firstBucket()).toEqual({
      bucketId: "bucket-hb",
      vmSize: "Standard_HB120rs_v3",
      vm: {
        vcpuCount: 120,
        vcpuQuotaCount: 120,
        pcpuCount: 120,
        gpuCount: 0,
        coresPerSocket: 1,
        memoryBytes: 448 * 1024 ** 3,
        family: "standardHBv3Family",
        infiniband: true,
      },
      valid: true,
      invalidReason: null,
      limits: {
        maxCount: 50,
        activeCount: 2,
        availableCount: 10,
        region: { maxCores: 10_000, usedCores: 480 },
        family: { maxCores: 1440, usedCores: 240 },
        maxPlacementGroupSize: 40,
      },
      placementGroups: [{ name: "pg0", activeCount: 2 }],
      secondsSinceCapacityFailure: 180.5,
      spotPlacementScore: null,
    });
  });

  test("every documented field of a node arrives, its hostname without domain", () => {
    expect(node()).toEqual({
      nodeId: "n-1",
      name: "hpc-1",
      nodeArray: "hpc",
      vmSize: "Standard_HB120rs_v3",
      placementGroup: "pg0",
      hostname: "ip-0A000005",
      fqdn: "ip-0A000005.hpc.example",
      privateIp: "10.0.0.5",
      instanceId: "i-1",
      status: "Ready",
      targetState: "Started",
      location: "westus2",
      spot: false,
      keepAlive: false,
      resources: { slots: 4 },
      softwareConfiguration: { autoscale: { resources: { slots: 4 } } },
    });
  });

  test("nothing of a sound answer is set aside, and a head node keeps its place in the list", () => {
    const { cluster, setAside } = read();
    expect(setAside).toEqual([]);
    expect(cluster.nodes.map(({ name }) => name)).toEqual(["scheduler", "hpc-1", "hpc-2"]);
    expect(cluster).toMatchObject({ name: "c", maxCount: 100, maxCoreCount: 1500 });
  });

  test("an invalid bucket keeps CycleCloud's reason, and older family figures are read", () => {
    expect(firstArray()?.buckets[1]).toMatchObject({
      valid: false,
      invalidReason: "DisabledMachineType",
      secondsSinceCapacityFailure: null,
      limits: {
        family: { maxCores: 100, usedCores: 12 },
        region: { maxCores: Number.MAX_SAFE_INTEGER, usedCores: 0 },
      },
    });
  });
});

describe("to engine: a node", () => {
  test("without TargetState is left alone: its target state is null", () => {
    expect(read().cluster.nodes[2]).toMatchObject({ name: "hpc-2", targetState: null, hostname: null });
  });

  test.each([
    ["Failed", "Software Installation\n  failed: exit 1", "Software Installation failed: exit 1"],
    ["Failed", "password=hunter2hunter2 refused", "password=*** refused"],
    ["Failed", "x".repeat(600), `${"x".repeat(500)}… (600 characters)`],
    ["Failed", { text: "no text" }, undefined],
    ["Failed", null, undefined],
    // What changes with every look is of no use to anybody later.
    ["Preparing", "Staging resources", undefined],
  ])(
    "that is %s and says %j: the message is kept of failed ones, one line, cut, without secrets",
    (status, message, expected) => {
      const found = node(({ node }) => Object.assign(node, { Status: status, StatusMessage: message }));
      expect(found?.statusMessage).toBe(expected);
    },
  );

  test("without region or spot flag takes those of its array", () => {
    const { cluster } = read(({ array }) => {
      array.nodearray.Interruptible = true;
    });
    expect(cluster.nodes[2]).toMatchObject({ location: "westus2", spot: true });
  });

  test("whose hostname is an address keeps it whole", () => {
    expect(node(({ node }) => (node.Hostname = "10.0.0.5"))).toMatchObject({
      hostname: "10.0.0.5",
      fqdn: null,
    });
  });

  test.each<{ name: string; changes: Record<string, unknown>; expected: Record<string, unknown> }>([
    {
      name: "null attributes are unknown ones",
      changes: {
        Hostname: null,
        PrivateIp: null,
        InstanceId: null,
        PlacementGroupId: null,
        Interruptible: null,
        KeepAlive: null,
        Configuration: null,
      },
      expected: {
        hostname: null,
        privateIp: null,
        instanceId: null,
        placementGroup: null,
        spot: false,
        keepAlive: false,
        softwareConfiguration: {},
      },
    },
    {
      name: "an empty placement group is none",
      changes: { PlacementGroupId: "" },
      expected: { placementGroup: null },
    },
    {
      name: "a missing status is neither ready nor failed",
      changes: { Status: null },
      expected: { status: "Unknown" },
    },
    {
      name: "keep-alive as text still protects",
      changes: { KeepAlive: "true" },
      expected: { keepAlive: true },
    },
  ])("$name", ({ changes, expected }) => {
    expect(node(({ node }) => Object.assign(node, changes))).toMatchObject(expected);
  });
});

describe("to engine: VM facts", () => {
  test.each<{
    name: string;
    vmSize: string;
    vm: Record<string, unknown> | null;
    expected: Record<string, unknown>;
  }>([
    {
      name: "CycleCloud's figures come before the catalogue's",
      vmSize: "Standard_F4",
      vm: { vcpuCount: 5, pcpuCount: 3, memory: 9, infiniband: true, gpuCount: 1, vcpuQuotaCount: 6 },
      expected: {
        vcpuCount: 5,
        pcpuCount: 3,
        memoryBytes: 9 * 1024 ** 3,
        infiniband: true,
        gpuCount: 1,
        vcpuQuotaCount: 6,
      },
    },
    {
      name: "the catalogue fills a machine that CycleCloud does not describe",
      vmSize: "Standard_HB120rs_v3",
      vm: null,
      expected: { vcpuCount: 120, pcpuCount: 120, infiniband: true, memoryBytes: 456 * 1024 ** 3 },
    },
    {
      name: "0 GPUs lose against a catalogue that knows more",
      vmSize: "Standard_ND96isr_H100_v5",
      vm: { vcpuCount: 96, gpuCount: 0, memory: 1900 },
      expected: { gpuCount: 8 },
    },
    {
      name: "fewer GPUs than the catalogue knows lose too",
      vmSize: "Standard_ND96isr_H100_v5",
      vm: { vcpuCount: 96, gpuCount: 4, memory: 1900 },
      expected: { gpuCount: 8 },
    },
    {
      name: "more GPUs than the catalogue knows are CycleCloud's to say",
      vmSize: "Standard_F4",
      vm: { vcpuCount: 4, gpuCount: 2, memory: 8 },
      expected: { gpuCount: 2 },
    },
    {
      name: "a constrained size is charged in full",
      vmSize: "Standard_E8-2s_v3",
      vm: { vcpuCount: 2, memory: 64 },
      expected: { vcpuCount: 2, vcpuQuotaCount: 8 },
    },
    {
      name: "an unknown size is a family of its own",
      vmSize: "Standard_New1",
      vm: { vcpuCount: 8, memory: 16 },
      expected: { family: "Standard_New1", pcpuCount: 8, vcpuQuotaCount: 8, gpuCount: 0, infiniband: false },
    },
    {
      name: "0 GPUs of a size that nobody else knows are not known",
      vmSize: "Standard_New1",
      vm: { vcpuCount: 8, gpuCount: 0, memory: 16 },
      expected: { gpuCount: 0, gpuCountIsUnknown: true },
    },
    {
      name: "the spelling of the size does not matter to the catalogue",
      vmSize: "standard_f4",
      vm: null,
      expected: { family: "standardFFamily", vcpuCount: 4 },
    },
  ])("$name", ({ vmSize, vm, expected }) => {
    const bucket = firstBucket(({ bucket }) =>
      Object.assign(bucket, { definition: { machineType: vmSize }, virtualMachine: vm }),
    );
    expect(bucket?.vm).toMatchObject(expected);
  });

  test("memory is the bucket's own; the array's only where the bucket says none", () => {
    const reported = firstBucket(({ array }) => (array.nodearray.Memory = 400));
    expect(reported?.vm.memoryBytes).toBe(448 * 1024 ** 3);
    const silent = firstBucket(({ array, bucket }) => {
      array.nodearray.Memory = 400;
      bucket.virtualMachine.memory = 0;
    });
    expect(silent?.vm.memoryBytes).toBe(400 * 1024 ** 3);
  });

  test("what the configuration says of a size comes before CycleCloud's figures, in any letter case", () => {
    const facts = { vcpus: 128, vcpusAvailable: 60, vcpusPerCore: 2, memoryGiB: 400, gpus: 0, rdma: false };
    const own = createVmCatalogue({ overrides: { standard_hb120RS_v3: facts } });
    const bucket = firstBucket(({ bucket }) => (bucket.virtualMachine.gpuCount = 3), own);
    expect(bucket?.vm).toMatchObject({
      vcpuCount: 60,
      vcpuQuotaCount: 128,
      pcpuCount: 30,
      gpuCount: 0,
      memoryBytes: 400 * 1024 ** 3,
      infiniband: false,
    });
  });

  test("a configuration that gives one fact leaves the others to CycleCloud", () => {
    const own = createVmCatalogue({ overrides: { Standard_HB120rs_v3: { gpus: 1 } } });
    expect(firstBucket(undefined, own)?.vm).toEqual({ ...firstBucket()?.vm, gpuCount: 1 });
  });
});

describe("to engine: switches of a node array", () => {
  test.each([
    { name: "disabled", section: { enabled: false }, expected: { enabled: false, allowsColocation: true } },
    { name: "disabled as text", section: { enabled: "False" }, expected: { enabled: false } },
    {
      name: "no colocation",
      section: { is_hpc: false },
      expected: { enabled: true, allowsColocation: false },
    },
    {
      name: "null switches keep their default",
      section: { enabled: null, is_hpc: null },
      expected: { enabled: true, allowsColocation: true },
    },
    {
      name: "no section at all",
      section: undefined,
      expected: { enabled: true, allowsColocation: true, resources: {} },
    },
  ])("$name", ({ section, expected }) => {
    expect(firstArray(({ array }) => (array.nodearray.Configuration = { autoscale: section }))).toMatchObject(
      expected,
    );
  });

  test("a limit that CycleCloud does not state is not zero", () => {
    const { cluster } = read(({ status, array }) => {
      Object.assign(status, { maxCount: null, maxCoreCount: undefined });
      array.maxCount = null;
    });
    expect(cluster).toMatchObject({
      maxCount: Number.MAX_SAFE_INTEGER,
      maxCoreCount: Number.MAX_SAFE_INTEGER,
    });
    expect(cluster.nodeArrays[0]?.maxCount).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("a placement group without a stated size takes the array's scale set size, else CycleCloud's default", () => {
    const size = (azure: unknown) =>
      firstBucket(({ array, bucket }) => {
        array.nodearray.Azure = azure;
        bucket.maxPlacementGroupSize = null;
      })?.limits.maxPlacementGroupSize;
    expect([size({ MaxScalesetSize: 20 }), size({}), size(null)]).toEqual([20, 100, 100]);
  });
});

describe("to engine: a record that cannot be understood is set aside and the rest goes on", () => {
  test.each<{
    name: string;
    change: Parameters<typeof read>[0];
    left: [arrays: number, buckets: number, nodes: number];
    says: RegExp;
  }>([
    {
      name: "a node without NodeId",
      change: ({ node }) => delete node.NodeId,
      left: [1, 2, 2],
      says: /Left out node "hpc-1": NodeId: .*expected string/,
    },
    {
      name: "a node without Name",
      change: ({ node }) => delete node.Name,
      left: [1, 2, 2],
      says: /Left out node 2: Name:/,
    },
    {
      name: "a node without Template",
      change: ({ node }) => (node.Template = null),
      left: [1, 2, 2],
      says: /node "hpc-1": Template:/,
    },
    {
      name: "a node without MachineType",
      change: ({ node }) => delete node.MachineType,
      left: [1, 2, 2],
      says: /node "hpc-1": MachineType:/,
    },
    {
      name: "a node whose KeepAlive makes no sense",
      change: ({ node }) => (node.KeepAlive = { until: 5 }),
      left: [1, 2, 2],
      says: /node "hpc-1": KeepAlive:/,
    },
    {
      name: "a node that is null",
      change: ({ status }) => ((status.nodes as unknown[])[1] = null),
      left: [1, 2, 2],
      says: /Left out node 2:/,
    },
    {
      name: "a second node with the same id",
      change: ({ node }) => (node.NodeId = "n-head"),
      left: [1, 2, 2],
      says: /node "hpc-1": a second node with id "n-head"/,
    },
    {
      name: "a bucket without a definition",
      change: ({ bucket }) => delete bucket.definition,
      left: [1, 1, 3],
      says: /bucket "bucket-hb" of node array "hpc": definition/,
    },
    {
      name: "a bucket with a null count",
      change: ({ bucket }) => (bucket.availableCount = null),
      left: [1, 1, 3],
      says: /bucket "bucket-hb" of node array "hpc": availableCount/,
    },
    {
      name: "a bucket of a size that nobody knows",
      change: ({ bucket }) =>
        Object.assign(bucket, { definition: { machineType: "Standard_X" }, virtualMachine: null }),
      left: [1, 1, 3],
      says: /cores or memory of "Standard_X" not known/,
    },
    {
      name: "a second bucket of the same size",
      change: ({ array, bucket }) => array.buckets.push({ ...bucket, bucketId: "twin" }),
      left: [1, 2, 3],
      says: /bucket "twin" of node array "hpc": a second bucket/,
    },
    {
      name: "a node array without a record",
      change: ({ array }) => Object.assign(array, { nodearray: null }),
      left: [0, 0, 3],
      says: /node array "hpc": nodearray/,
    },
    {
      name: "a second node array of the same name",
      change: ({ status, array }) => status.nodearrays.push(array),
      left: [1, 2, 3],
      says: /node array "hpc": a second one of that name/,
    },
    {
      name: "a resource that is a list",
      change: ({ array }) => (array.nodearray.Configuration = { autoscale: { resources: { a: 1, b: [1] } } }),
      left: [1, 2, 3],
      says: /resource "b" of node array "hpc": a list or an object/,
    },
  ])("$name", ({ change, left, says }) => {
    const { cluster, setAside } = read(change);
    const buckets = cluster.nodeArrays.flatMap((array) => array.buckets);
    expect([cluster.nodeArrays.length, buckets.length, cluster.nodes.length]).toEqual(left);
    expect(setAside).toEqual([expect.stringMatching(says)]);
  });
});
