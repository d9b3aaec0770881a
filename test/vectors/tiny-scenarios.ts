import type { Scenario } from "./scenario.ts";

/** Hand-made scenarios in the vectors' own form, through the same readers; each is about one thing, told by its name. */
export interface TinyVector extends Scenario {
  /** Per job its nodes, one entry per slot or node. */
  readonly expected: Readonly<Record<string, readonly string[]>>;
}

interface SizeSpec {
  readonly size?: string;
  readonly cpus?: number;
  readonly memory?: number;
  readonly gpus?: number;
  readonly available?: number;
  readonly groups?: readonly string[];
  readonly groupSize?: number;
  readonly fields?: Readonly<Record<string, unknown>>;
}

function bucket({ size = "Standard_F4", cpus = 4, memory = 8, gpus = 0, available = 10, ...more }: SizeSpec) {
  return {
    bucketId: `id-${size}`,
    definition: { machineType: size },
    valid: true,
    invalidReason: "",
    maxCount: 100,
    activeCount: 0,
    availableCount: available,
    regionalQuotaCoreCount: 10_000,
    regionalConsumedCoreCount: 0,
    familyQuotaCoreCount: 10_000,
    familyConsumedCoreCount: 0,
    maxPlacementGroupSize: more.groupSize ?? 100,
    placementGroups: (more.groups ?? []).map((name) => ({ name, activeCount: 0, activeCoreCount: 0 })),
    lastCapacityFailure: -1,
    virtualMachine: { vcpuCount: cpus, pcpuCount: cpus, gpuCount: gpus, memory, infiniband: false, vcpuQuotaCount: cpus },
    ...more.fields,
  };
}

interface ArraySpec {
  readonly sizes?: readonly SizeSpec[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A cluster status of the arrays given by name; by default one array "htc" of Standard_F4. */
function status(arrays: Readonly<Record<string, ArraySpec>> = { htc: {} }) {
  return {
    state: "Started",
    maxCount: 1000,
    maxCoreCount: 10_000,
    nodearrays: Object.entries(arrays).map(([name, { sizes = [{}], fields = {} }]) => ({
      name,
      maxCount: 1000,
      maxCoreCount: 10_000,
      nodearray: { Name: name, Region: "westus2", SubnetId: "s", Interruptible: false, Configuration: {}, Azure: { MaxScalesetSize: 100 }, ...fields },
      buckets: sizes.map(bucket),
    })),
  };
}

function ready(name: string, fields: Readonly<Record<string, unknown>> = {}) {
  return {
    Name: name,
    Template: name.split("-")[0],
    MachineType: "Standard_F4",
    NodeId: `id-${name}`,
    Status: "Ready",
    TargetState: "Started",
    Region: "westus2",
    Hostname: `ip-${name}`,
    PrivateIp: "10.0.0.4",
    InstanceId: `vm-${name}`,
    Configuration: {},
    ...fields,
  };
}

type Parts = {
  readonly arrays?: Readonly<Record<string, ArraySpec>>;
  readonly nodes?: readonly unknown[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly schedulerNodes?: Scenario["schedulerNodes"];
  readonly jobs: readonly Omit<Scenario["jobs"][number], "name">[];
  /** Nodes of the jobs, in order. */
  readonly expected: readonly (readonly string[])[];
};

function tiny(name: string, parts: Parts): TinyVector {
  return {
    name,
    config: { cluster_name: "tiny", ...parts.config },
    clusterStatus: status(parts.arrays),
    nodeList: { nodes: parts.nodes ?? [] },
    schedulerNodes: parts.schedulerNodes ?? [],
    jobs: parts.jobs.map((job, index) => ({ name: `job-${index}`, ...job })),
    expected: Object.fromEntries(parts.expected.map((nodes, index) => [`job-${index}`, nodes])),
  };
}

const small = { size: "Standard_F2", cpus: 2, memory: 4 };
const large = { size: "Standard_F8", cpus: 8, memory: 16 };

export const tinyVectors: readonly TinyVector[] = [
  tiny("packs-slots-onto-one-node-until-it-is-full", {
    jobs: [{ constraints: { ncpus: 1 }, iterations: 5 }],
    expected: [["htc-1", "htc-1", "htc-1", "htc-1", "htc-2"]],
  }),
  tiny("scatters-over-different-nodes", {
    jobs: [{ constraints: { ncpus: 1 }, nodeCount: 3 }],
    expected: [["htc-1", "htc-2", "htc-3"]],
  }),
  tiny("partial-pack-is-success", {
    arrays: { htc: { sizes: [{ available: 1 }] } },
    jobs: [{ constraints: { ncpus: 4 }, iterations: 3 }],
    expected: [["htc-1"]],
  }),
  tiny("gang-that-does-not-fit-places-nothing-and-the-next-job-gets-the-room", {
    arrays: { htc: { sizes: [{ available: 1 }] } },
    jobs: [{ constraints: { ncpus: 4 }, nodeCount: 2 }, { constraints: { ncpus: 4 } }],
    expected: [[], ["htc-1"]],
  }),
  tiny("scattered-job-takes-all-nodes-from-one-bucket", {
    arrays: { htc: { sizes: [{ ...small, available: 1 }, large] } },
    jobs: [{ constraints: { ncpus: 1 }, nodeCount: 2 }],
    expected: [["htc-1", "htc-2"]],
  }),
  tiny("existing-nodes-of-every-bucket-come-before-new-ones", {
    arrays: { htc: {}, hpc: {} },
    nodes: [ready("hpc-1"), ready("htc-7")],
    jobs: [{ constraints: { ncpus: 4 }, iterations: 3 }],
    expected: [["htc-7", "hpc-1", "htc-1"]],
  }),
  tiny("in-order-the-first-bucket-makes-new-nodes-before-the-existing-ones-of-the-second", {
    config: { placement: "order" },
    arrays: { htc: {}, hpc: {} },
    nodes: [ready("hpc-1"), ready("htc-7")],
    jobs: [{ constraints: { ncpus: 4 }, iterations: 2 }],
    expected: [["htc-7", "htc-1"]],
  }),
  tiny("an-array-that-is-filled-in-order-keeps-its-place", {
    config: { nodearrays: { htc: { placement: "order" } } },
    arrays: { htc: {}, hpc: {}, gpu: {} },
    nodes: [ready("hpc-1"), ready("gpu-1"), ready("htc-7")],
    jobs: [{ constraints: { ncpus: 4 }, iterations: 2 }],
    expected: [["htc-7", "htc-1"]],
  }),
  tiny("first-option-of-a-list-is-preferred-over-the-order-of-buckets", {
    arrays: { htc: { sizes: [small, large] } },
    jobs: [{ constraints: { ncpus: 1, "node.vm_size": ["Standard_F8", "Standard_F2"] }, iterations: 8 }],
    expected: [Array.from({ length: 8 }, () => "htc-1")],
  }),
  tiny("or-prefers-its-first-child", {
    arrays: { htc: { sizes: [small, large] } },
    jobs: [{ constraints: [{ ncpus: 1 }, { or: [{ "node.vm_size": "Standard_F8" }, { "node.vm_size": "Standard_F2" }] }], iterations: 3 }],
    expected: [["htc-1", "htc-1", "htc-1"]],
  }),
  tiny("or-takes-what-its-first-matching-child-asks", {
    arrays: { htc: { sizes: [{ ...large, gpus: 0, available: 1 }] } },
    jobs: [{ constraints: { or: [{ ngpus: 1 }, { ncpus: 4 }] }, iterations: 5 }],
    expected: [["htc-1", "htc-1"]],
  }),
  tiny("xor-refuses-where-both-children-match", {
    arrays: { htc: {}, hpc: {} },
    jobs: [{ constraints: [{ ncpus: 1 }, { xor: [{ "node.nodearray": "htc" }, { "node.vm_size": "Standard_F4" }] }] }],
    expected: [["hpc-1"]],
  }),
  tiny("not-consumes-nothing", {
    arrays: { htc: { sizes: [{ available: 1 }] } },
    jobs: [{ constraints: [{ ncpus: 2 }, { not: { ngpus: 1 } }], iterations: 2 }],
    expected: [["htc-1", "htc-1"]],
  }),
  tiny("exclusive-node-takes-no-second-job", {
    jobs: [{ constraints: { ncpus: 1, exclusive: true } }, { constraints: { ncpus: 1 } }],
    expected: [["htc-1"], ["htc-2"]],
  }),
  tiny("exclusive-task-shares-with-itself-only", {
    jobs: [{ constraints: { ncpus: 1, "exclusive-task": true }, iterations: 3 }, { constraints: { ncpus: 1 } }],
    expected: [["htc-1", "htc-1", "htc-1"], ["htc-2"]],
  }),
  tiny("exclusive-job-passes-over-a-node-in-use", {
    nodes: [ready("htc-1"), ready("htc-2")],
    jobs: [{ constraints: { ncpus: 1 } }, { constraints: { ncpus: 1, exclusive: true } }],
    expected: [["htc-1"], ["htc-2"]],
  }),
  tiny("placement-groups-come-before-no-group-and-fill-up", {
    arrays: { htc: { sizes: [{ groups: ["pg0"], groupSize: 1 }] } },
    jobs: [{ constraints: { ncpus: 4 }, iterations: 2 }],
    expected: [["htc-1", "htc-2"]],
  }),
  tiny("colocated-gang-moves-on-to-the-group-that-holds-it-whole", {
    arrays: { htc: { sizes: [{ groups: ["pg0", "pg1"], groupSize: 2 }] } },
    jobs: [{ constraints: { ncpus: 4, "node.placement_group": "pg0" } }, { constraints: { ncpus: 4 }, nodeCount: 2, colocated: true }],
    expected: [["htc-1"], ["htc-2", "htc-3"]],
  }),
  tiny("capacity-failure-sends-the-job-to-the-next-size", {
    arrays: { htc: { sizes: [{ ...small, fields: { lastCapacityFailure: 10 } }, large] } },
    jobs: [{ constraints: { ncpus: 2, "capacity-failure-backoff": 300 }, iterations: 4 }],
    expected: [["htc-1", "htc-1", "htc-1", "htc-1"]],
  }),
  tiny("memory-runs-out-before-cpus-do", {
    jobs: [{ constraints: { ncpus: 1, memgb: 4 }, iterations: 4 }],
    expected: [["htc-1", "htc-1", "htc-2", "htc-2"]],
  }),
  tiny("licences-of-a-pool-are-shared-by-all-jobs", {
    jobs: [0, 1].map(() => ({
      constraints: [
        { ncpus: 1 },
        { "shared-consumable-constraint": { "resource-name": "lic", source: "server", "initial-value": 3, "current-value": 3, requested: 1 } },
      ],
      iterations: 2,
    })),
    expected: [["htc-1", "htc-1"], ["htc-1"]],
  }),
  tiny("configured-slots-limit-a-node", {
    config: { default_resources: [{ select: {}, name: "slots", value: "node.vcpu_count", divide_floor: 2 }] },
    jobs: [{ constraints: { slots: 1 }, iterations: 3 }],
    expected: [["htc-1", "htc-1", "htc-2"]],
  }),
  tiny("scheduler-says-a-node-is-smaller-than-its-vm-size", {
    nodes: [ready("htc-1")],
    schedulerNodes: [{ hostname: "ip-htc-1", resources: { ncpus: 1 } }],
    jobs: [{ constraints: { ncpus: 1 }, iterations: 2 }],
    expected: [["htc-1", "htc-2"]],
  }),
  // The second job would lie on two nodes of a group that may hold one. The third takes what the first node has left: then
  // the fourth, which asks for the same as the second, finds all of it on the second node.
  tiny("a-group-with-too-many-nodes-has-room-later", {
    arrays: { hpc: { sizes: [{ cpus: 8, memory: 16, size: "Standard_F8", available: 0, groups: ["pg0"], groupSize: 1 }] } },
    nodes: ["hpc-1", "hpc-2"].map((name) => ready(name, { MachineType: "Standard_F8", PlacementGroupId: "pg0" })),
    jobs: [
      { constraints: { ncpus: 1 }, iterations: 6, colocated: true },
      { constraints: { ncpus: 1 }, iterations: 6, colocated: true },
      { constraints: { ncpus: 2 }, nodeCount: 2 },
      { constraints: { ncpus: 1 }, iterations: 6, colocated: true },
    ],
    expected: [Array(6).fill("hpc-1"), [], ["hpc-1", "hpc-2"], Array(6).fill("hpc-2")],
  }),
  tiny("gpu-job-finds-the-gpu-bucket", {
    arrays: { htc: { sizes: [small, { size: "Standard_NC6s_v3", cpus: 6, memory: 112, gpus: 1 }] } },
    jobs: [{ constraints: { ngpus: 1 }, iterations: 2 }],
    expected: [["htc-1", "htc-2"]],
  }),
];
