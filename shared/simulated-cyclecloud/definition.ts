import { z } from "zod";
import { defined } from "../collections/defined.ts";
import { createVmCatalogue, type VmSize } from "../facts/index.ts";
import { availabilitySchema } from "./availability-trace.ts";

/** How long something takes, in simulated seconds. Half of all draws are below the median. */
const durationSchema = z
  .strictObject({ minSeconds: z.number().min(0), medianSeconds: z.number(), maxSeconds: z.number() })
  .refine((d) => d.minSeconds <= d.medianSeconds && d.medianSeconds <= d.maxSeconds, {
    error: "expected minSeconds <= medianSeconds <= maxSeconds",
  });

const timesSchema = z.strictObject({
  boot: durationSchema.default({ minSeconds: 60, medianSeconds: 120, maxSeconds: 300 }),
  start: durationSchema.default({ minSeconds: 30, medianSeconds: 60, maxSeconds: 150 }),
  terminate: durationSchema.default({ minSeconds: 20, medianSeconds: 45, maxSeconds: 120 }),
  deallocate: durationSchema.default({ minSeconds: 20, medianSeconds: 40, maxSeconds: 90 }),
});

const count = z.int().min(0);
const cores = z.int().min(0);

const quotaSchema = z.strictObject({
  cores,
  spotCores: cores.default(0),
  /** Quota of every family that `families` does not name; the region's cores when absent. */
  familyCores: cores.optional(),
  families: z.record(z.string(), cores).default({}),
});

const configurationSchema = z.record(z.string(), z.unknown()).default({});

/** Boots of one size, one by one. */
const recordedBootsSchema = z.strictObject({
  seconds: z.array(z.number().min(0)).min(1).optional(),
  failureRate: z.number().min(0).max(1),
});

const nodeArraySchema = z.strictObject({
  name: z.string().min(1),
  machineTypes: z.array(z.string().min(1)).min(1),
  region: z.string().optional(),
  maxCount: count.default(10_000),
  maxCoreCount: cores.default(1_000_000),
  interruptible: z.boolean().default(false),
  /** Spot only: how often an hour a running node is evicted, on average. */
  evictionsPerHour: z.number().min(0).default(0),
  /** Spot only: how many nodes Azure has, tick by tick; what is over that is taken back. */
  availability: availabilitySchema.optional(),
  priority: z.number().optional(),
  placementGroupId: z.string().optional(),
  maxScalesetSize: z.int().min(1).default(100),
  shutdownPolicy: z.enum(["Terminate", "Deallocate"]).default("Terminate"),
  /** Share of nodes whose software configuration fails, 0 to 1. */
  bootFailureRate: z.number().min(0).max(1).default(0),
  /** By size: what boots took that were recorded, drawn with equal chance, and the share that failed; before `times.boot` and `bootFailureRate`. */
  recordedBoots: z.record(z.string(), recordedBootsSchema).default({}),
  configuration: configurationSchema,
  /** Sizes that take no new nodes, with CycleCloud's reason. */
  invalid: z.record(z.string(), z.enum(["NotActivated", "DisabledMachineType"])).default({}),
  times: timesSchema.partial().default({}),
});

const vmSizeOverrideSchema = z.strictObject({
  family: z.string().optional(),
  vcpus: z.int().min(1).optional(),
  vcpusAvailable: z.int().min(1).optional(),
  vcpusPerCore: z.int().min(1).optional(),
  pcpus: z.int().min(1).optional(),
  memoryGiB: z.number().min(0).optional(),
  gpus: count.optional(),
  rdma: z.boolean().optional(),
});

/** One cluster as its JSON file says it; README.md explains every key. */
const definitionSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1),
  /** Clusters of the same subscription share the quotas of a region. */
  subscription: z.string().optional(),
  /** Of the draws of this cluster; by default the server's, plus the cluster's place among the definitions. */
  seed: z.int().optional(),
  region: z.string().min(1),
  subnetId: z.string().default("simulated/simulated-vnet/compute"),
  maxCount: count.default(10_000),
  maxCoreCount: cores.default(1_000_000),
  quotas: z.record(z.string(), quotaSchema),
  /** How old the consumption is that the status reports: Azure counts a VM at once, CycleCloud asks for it now and then. */
  quotaLagSeconds: z.number().min(0).default(0),
  times: timesSchema.prefault({}),
  nodearrays: z.array(nodeArraySchema).min(1),
  /** Nodes outside every array, such as the scheduler: Fixed, and running from the start. */
  nodes: z.array(z.strictObject({ name: z.string().min(1), machineType: z.string().min(1) })).default([]),
  vmSizes: z.record(z.string(), vmSizeOverrideSchema).default({}),
});

/** What a definition file may hold: defaults left out. */
export type DefinitionInput = z.input<typeof definitionSchema>;
export type Duration = z.output<typeof durationSchema>;
type Times = z.output<typeof timesSchema>;
export type RegionQuota = Readonly<z.output<typeof quotaSchema>>;
export type ShutdownPolicy = "Terminate" | "Deallocate";

/** One VM size of one node array. */
export interface BucketDefinition {
  readonly nodearray: string;
  readonly machineType: string;
  readonly size: VmSize;
  readonly region: string;
  readonly spot: boolean;
  readonly maxPlacementGroupSize: number;
  /** Why it takes no new nodes; undefined when it does. */
  readonly invalidReason: string | undefined;
}

export type NodeArrayDefinition = Readonly<Omit<z.output<typeof nodeArraySchema>, "region" | "times">> & {
  readonly region: string;
  readonly times: Times;
  readonly buckets: readonly BucketDefinition[];
};

export type ClusterDefinition = Readonly<
  Omit<z.output<typeof definitionSchema>, "nodearrays" | "nodes" | "subscription">
> & {
  readonly subscription: string;
  readonly nodearrays: readonly NodeArrayDefinition[];
  readonly nodes: readonly { readonly name: string; readonly bucket: BucketDefinition }[];
};

/** Throws a TypeError that names every problem: shape, unknown VM size, region without a quota, repeated name. */
export function parseDefinition(input: unknown): ClusterDefinition {
  const parsed = definitionSchema.safeParse(input);
  if (!parsed.success)
    throw new TypeError(`Cannot read cluster definition: ${z.prettifyError(parsed.error)}`);
  const { nodearrays, nodes, ...cluster } = parsed.data;
  const sizeOf = sizeFinder(cluster.name, cluster.vmSizes);
  const definition: ClusterDefinition = {
    ...cluster,
    subscription: cluster.subscription ?? cluster.name,
    nodearrays: nodearrays.map((array) => ({
      ...array,
      region: array.region ?? cluster.region,
      times: { ...cluster.times, ...defined(array.times) },
      buckets: bucketsOf({ ...array, region: array.region ?? cluster.region }, sizeOf),
    })),
    nodes: nodes.map(({ name, machineType }) => ({ name, bucket: { ...standalone(name, machineType) } })),
  };
  checkNames(definition);
  checkQuotas(definition);
  return definition;

  function standalone(name: string, machineType: string): BucketDefinition {
    const fixed = { spot: false, maxPlacementGroupSize: 1, invalidReason: undefined };
    return { nodearray: name, machineType, size: sizeOf(machineType), region: cluster.region, ...fixed };
  }
}

/**
 * The definition with other VM sizes of one node array. Throws a TypeError for a size that the catalogue does not have;
 * unknown arrays change nothing.
 */
export function withMachineTypes(
  definition: ClusterDefinition,
  nodearray: string,
  machineTypes: readonly string[],
): ClusterDefinition {
  const sizeOf = sizeFinder(definition.name, definition.vmSizes);
  const nodearrays = definition.nodearrays.map((array) => {
    if (array.name !== nodearray) return array;
    const changed = { ...array, machineTypes: [...machineTypes] };
    return { ...changed, buckets: bucketsOf(changed, sizeOf) };
  });
  return { ...definition, nodearrays };
}

type ArrayInRegion = z.output<typeof nodeArraySchema> & { readonly region: string };

/** One bucket per machine type, in their order. */
function bucketsOf(
  array: Omit<ArrayInRegion, "times">,
  sizeOf: (machineType: string) => VmSize,
): readonly BucketDefinition[] {
  return array.machineTypes.map((machineType) => ({
    nodearray: array.name,
    machineType,
    size: sizeOf(machineType),
    region: array.region,
    spot: array.interruptible,
    maxPlacementGroupSize: array.maxScalesetSize,
    invalidReason: array.invalid[machineType],
  }));
}

function sizeFinder(
  cluster: string,
  vmSizes: Record<string, z.output<typeof vmSizeOverrideSchema>>,
): (machineType: string) => VmSize {
  const catalogue = createVmCatalogue({ overrides: vmSizes });
  return (machineType) => {
    const size = catalogue.find(machineType);
    if (size !== undefined) return size;
    throw new TypeError(
      `Cannot use machine type "${machineType}" in cluster "${cluster}": not in the catalogue, expected it in vmSizes`,
    );
  };
}

function checkNames({ name, nodearrays, nodes }: ClusterDefinition): void {
  const names = [...nodearrays, ...nodes].map((each) => each.name);
  const repeated = names.find((each, index) => names.indexOf(each) !== index);
  if (repeated !== undefined)
    throw new TypeError(`Cannot use name "${repeated}" in cluster "${name}": used twice`);
}

function checkQuotas({ name, quotas, region, nodearrays }: ClusterDefinition): void {
  for (const used of [region, ...nodearrays.map((array) => array.region)]) {
    if (quotas[used] === undefined) {
      const known = Object.keys(quotas).join(", ");
      throw new TypeError(
        `Cannot use region "${used}" in cluster "${name}": quotas of ${known}, expected its own`,
      );
    }
  }
}
