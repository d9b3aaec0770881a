import type { DefinitionInput } from "../../../shared/simulated-cyclecloud/index.ts";

export const clusterName = "field";

const scalable = { autoscale: { enabled: true, is_hpc: false } };

/** 2,300 nodes fill it: three arrays are at a limit, and one at two of them. */
export const definition: DefinitionInput = {
  name: clusterName,
  region: "westeurope",
  maxCount: 2_330,
  quotas: {
    westeurope: {
      cores: 90_000,
      spotCores: 9_600,
      families: {
        standardHBv3Family: 36_000,
        standardFSv2Family: 19_200,
        standardEASv5Family: 3_520,
        StandardNCADSA100v4Family: 960,
      },
    },
  },
  times: {
    boot: { minSeconds: 150, medianSeconds: 240, maxSeconds: 600 },
    terminate: { minSeconds: 30, medianSeconds: 60, maxSeconds: 120 },
  },
  nodes: [{ name: "scheduler", machineType: "Standard_D8as_v5" }],
  nodearrays: [
    {
      name: "hpc",
      machineTypes: ["Standard_HB120rs_v3"],
      maxCount: 300,
      maxScalesetSize: 100,
      configuration: { autoscale: { enabled: true, is_hpc: true } },
    },
    {
      name: "htc",
      machineTypes: ["Standard_F16s_v2", "Standard_F32s_v2"],
      maxCount: 1_200,
      maxCoreCount: 19_200,
      configuration: scalable,
    },
    {
      name: "spot",
      machineTypes: ["Standard_D16as_v5", "Standard_D8as_v5"],
      maxCount: 600,
      interruptible: true,
      configuration: scalable,
    },
    {
      name: "gpu",
      machineTypes: ["Standard_NC24ads_A100_v4"],
      maxCount: 40,
      shutdownPolicy: "Deallocate",
      configuration: scalable,
    },
    { name: "mem", machineTypes: ["Standard_E16as_v5"], maxCount: 220, configuration: scalable },
  ],
};

/** Nothing goes by itself while somebody looks. */
export const config = {
  idle_timeout: 3_600,
  boot_timeout: 7_200,
  demand_ttl: 43_200,
  max_snapshot_age: 3_600,
  operation_timeout: 7_200,
  capacity_failure_backoff: 3_600,
  failed_nodes: "keep",
  monthly_budget_usd: 5_000_000,
};

export interface Job {
  readonly name: string;
  readonly constraints: Readonly<Record<string, unknown>>;
  readonly iterations?: number;
  readonly nodeCount?: number;
  readonly colocated?: boolean;
  readonly exclusive?: boolean;
  readonly executingHostnames?: readonly string[];
  readonly submittedAt: string;
  readonly user: string;
  readonly account: string;
  readonly queue: string;
  readonly runtimeSeconds: number;
}

/** Where a job goes, how often, and what each asks for. */
const work = [
  { array: "hpc", first: 10_000, count: 75, ask: { ncpus: 120 }, nodeCount: 4 },
  { array: "htc", first: 20_000, count: 1_200, ask: { ncpus: 16 }, nodeCount: 0 },
  { array: "spot", first: 30_000, count: 400, ask: { ncpus: 16 }, nodeCount: 0 },
  { array: "gpu", first: 40_000, count: 30, ask: { ngpus: 1 }, nodeCount: 0 },
  { array: "mem", first: 50_000, count: 200, ask: { ncpus: 16 }, nodeCount: 0 },
] as const;

const users = 40;

/** Jobs that need 2,130 nodes. */
export function startedJobs(nowMs: number): readonly Job[] {
  return work.flatMap(({ array, first, count, ask, nodeCount }) =>
    Array.from({ length: count }, (_, index) =>
      jobOf({ array, number: first + index, ask, nodeCount }, nowMs),
    ),
  );
}

/** Ten thousand more that find no room: nearly all at the limits of htc, some at two limits of hpc, three with a wish of their own. */
export function waitingJobs(nowMs: number): readonly Job[] {
  const many = Array.from({ length: 9_600 }, (_, index) =>
    jobOf({ array: "htc", number: 60_000 + index, ask: { ncpus: 16 }, nodeCount: 0 }, nowMs),
  );
  const gangs = Array.from({ length: 397 }, (_, index) =>
    jobOf({ array: "hpc", number: 80_000 + index, ask: { ncpus: 120 }, nodeCount: 4 }, nowMs),
  );
  const odd = [
    jobOf({ array: "hpc", number: 90_001, ask: { ncpus: 256 }, nodeCount: 0 }, nowMs),
    jobOf({ array: "hpc", number: 90_002, ask: { ncpus: 120 }, nodeCount: 128 }, nowMs),
    jobOf({ array: "gpuu", number: 90_003, ask: { ngpus: 1 }, nodeCount: 0 }, nowMs),
  ];
  return [...many, ...gangs, ...odd];
}

/** Jobs of `mem` that have room: they lead to nodes. */
export function roomyJobs(first: number, count: number, nowMs: number): readonly Job[] {
  return Array.from({ length: count }, (_, index) =>
    jobOf({ array: "mem", number: first + index, ask: { ncpus: 16 }, nodeCount: 0 }, nowMs),
  );
}

function jobOf(
  {
    array,
    number,
    ask,
    nodeCount,
  }: {
    readonly array: string;
    readonly number: number;
    readonly ask: Readonly<Record<string, number>>;
    readonly nodeCount: number;
  },
  nowMs: number,
): Job {
  const minutesAgo = 5 + (number % 600);
  return {
    name: `${number}`,
    constraints: { ...ask, "node.nodearray": array },
    ...(nodeCount > 0 && { nodeCount, iterations: nodeCount, colocated: true, exclusive: true }),
    submittedAt: new Date(nowMs - minutesAgo * 60_000).toISOString(),
    user: `user${number % users}`,
    account: `group${number % 8}`,
    queue: array,
    runtimeSeconds: 7_200,
  };
}
