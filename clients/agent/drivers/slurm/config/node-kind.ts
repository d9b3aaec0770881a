import { isSize } from "../../../../../shared/engine/index.ts";
import type { ClusterParts } from "../../driver.ts";
import { countedOf } from "../shapes.ts";
import { readLines } from "../slurm-records.ts";
import { isDynamicArray, type SlurmSettings } from "../slurm-settings.ts";
import { unfitFor } from "./plain-word.ts";

export type Bucket = ClusterParts["buckets"][number];
export type ExistingNode = ClusterParts["nodes"][number];

/** The nodes of one array as slurm.conf has them. */
export interface NodeKind {
  readonly nodeArray: string;
  /** More than one: the figures are the least of each. */
  readonly vmSizes: readonly string[];
  /** Of the names `<array>-1` and so on. */
  readonly count: number;
  /** Names of nodes that are there and are called otherwise. */
  readonly otherNames: readonly string[];
  readonly cpus: number;
  readonly sockets: number;
  readonly coresPerSocket: number;
  readonly threadsPerCore: number;
  readonly memoryMb: number;
  readonly gpus: number;
  readonly features: readonly string[];
  /** Of the cheapest size; null: no price is known. */
  readonly usdPerHour: number | null;
}

/** The first line of every file: a file without it belongs to somebody else. */
export const heading = "# Written by ccscale slurm config. What you change here is replaced.";

const megabyte = 1024 ** 2;
/** As Slurm's nodes report less than their VM has, and a node that reports less than its line is refused. */
const usualDampeningPercent = 5;
const leastDampeningMb = 1024;
const leastMemoryMb = 1024;

/** Limits that an operator sets. Quotas change by themselves; a name more than they allow does no harm. */
const lasting = ["bucket", "node-array", "max-cores"];

/**
 * Nodes that are to come are of sizes that are enabled and valid. Nodes that are there count with their sizes, whatever
 * became of these. Undefined: there are none of either kind.
 */
export function nodeKindOf(
  nodeArray: string,
  { buckets, nodes }: Pick<ClusterParts, "buckets" | "nodes">,
  settings: SlurmSettings,
): NodeKind | { readonly refused: string } | undefined {
  const ownBuckets = buckets.filter((bucket) => bucket.nodeArray === nodeArray);
  const ownNodes = nodes.filter((node) => node.nodeArray === nodeArray);
  const toCome = ownBuckets.filter(({ enabled, valid }) => enabled && valid);
  const vmSizes = [...new Set([...toCome, ...ownNodes].map(({ vmSize }) => vmSize))];
  const firsts = vmSizes.flatMap((vmSize) => ownBuckets.find((bucket) => bucket.vmSize === vmSize) ?? []);
  const [first] = firsts;
  if (firsts.length < vmSizes.length)
    return { refused: `node array ${nodeArray} has ${unknownSize(ownNodes, firsts)}` };
  if (first === undefined) return undefined;
  const { location, spot } = first;
  const own = settings.config?.arrays[nodeArray];
  const unfit = unfitFor([
    ...(location === "" ? [] : [[`location of node array ${nodeArray}`, location] as const]),
    ...vmSizes.map((vmSize) => [`VM size of node array ${nodeArray}`, vmSize] as const),
    ...ownNodes.map(({ name }) => [`name of a node of array ${nodeArray}`, name] as const),
  ]);
  if (unfit !== undefined) return { refused: unfit };
  const figures = firsts.map((bucket) => figuresOf(bucket, settings));
  const least = (of: (each: (typeof figures)[number]) => number) => Math.min(...figures.map(of));
  const threadsPerCore = least((each) => each.threadsPerCore);
  const cores = least((each) => each.cores);
  const wanted = own?.sockets ?? 1;
  const sockets = cores % wanted === 0 ? wanted : 1;
  const prices = (toCome.length === 0 ? firsts : toCome).flatMap(({ usdPerHour }) => usdPerHour ?? []);
  const indices = ownNodes.flatMap(({ name }) => indexIn(nodeArray, name) ?? []);
  const otherNames = ownNodes
    .map(({ name }) => name)
    .filter((name) => indexIn(nodeArray, name) === undefined);
  const allowed = toCome.length === 0 ? 0 : (own?.max_nodes ?? mostNodes(toCome));
  const count = Math.max(allowed, ...indices);
  if (count + otherNames.length === 0) return undefined;
  return {
    nodeArray,
    vmSizes,
    // A node that is there keeps its line, whatever the limits became.
    count,
    otherNames: otherNames.toSorted(),
    cpus: (own?.cpus ?? settings.config?.cpus) === "cores" ? cores : cores * threadsPerCore,
    sockets,
    coresPerSocket: cores / sockets,
    threadsPerCore,
    memoryMb: least((each) => each.memoryMb),
    gpus: least((each) => each.gpus),
    features: [
      "cloud",
      ...(firsts.length === 1 ? [first.vmSize] : []),
      nodeArray,
      spot ? "spot" : "regular",
      location,
      ...(own?.features ?? []),
    ].filter((feature, index, all) => feature !== "" && all.indexOf(feature) === index),
    usdPerHour: prices.length === 0 ? null : Math.min(...prices),
  };
}

/** Nodes of an array that the cluster does not have any more, as their line says: a job may be on them. */
export function kindOfLine(nodeArray: string, nodes: readonly ExistingNode[], line: string): NodeKind {
  const [settings = {}] = readLines(`${line}\n`) ?? [];
  const numberOf = (key: string) => Number(settings[key] ?? 0);
  return {
    nodeArray,
    vmSizes: [...new Set(nodes.map(({ vmSize }) => vmSize))],
    count: 0,
    otherNames: nodes.map(({ name }) => name).toSorted(),
    cpus: numberOf("CPUs"),
    sockets: numberOf("Sockets"),
    coresPerSocket: numberOf("CoresPerSocket"),
    threadsPerCore: numberOf("ThreadsPerCore"),
    memoryMb: numberOf("RealMemory"),
    gpus: Number(settings.Gres?.replace("gpu:", "") ?? 0),
    features: settings.Feature?.split(",") ?? [],
    usdPerHour: null,
  };
}

/** Which node the least figures of its array cannot be known for. */
function unknownSize(nodes: readonly ExistingNode[], known: readonly Bucket[]): string {
  const node = nodes.find(({ vmSize }) => known.every((bucket) => bucket.vmSize !== vmSize));
  return `node ${JSON.stringify(node?.name)} of VM size ${JSON.stringify(node?.vmSize)}, of which cores and memory are not known: its line cannot be written while the node is there`;
}

/** Undefined: the name is not `<array>-<number>`. */
function indexIn(nodeArray: string, name: string): number | undefined {
  const digits = name.startsWith(`${nodeArray}-`) ? name.slice(nodeArray.length + 1) : "";
  return /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : undefined;
}

/** What Slurm will count of such a node: what the driver reports of it, made from the same figures. */
export function resourcesOf({ cpus, memoryMb, gpus }: NodeKind): Readonly<Record<string, number>> {
  return countedOf({ cpus, memoryMb, gres: gresOf(gpus) });
}

/** Slurm's names of an array's nodes, as a hostlist. */
export function namesOf(
  { nodeArray, count, otherNames }: Pick<NodeKind, "nodeArray" | "count" | "otherNames">,
  { node_prefix }: SlurmSettings,
): string {
  const numbered = count === 0 ? [] : [`${nodeArray}-${count === 1 ? "1" : `[1-${count}]`}`];
  return [...numbered, ...otherNames].map((name) => `${node_prefix}${name}`).join(",");
}

/** Those that have a line. Of nodes that register themselves none has: the line is that of a number that CycleCloud never gives. */
export function namesInLineOf(kind: NodeKind, settings: SlurmSettings): string {
  return isDynamicArray(kind.nodeArray, settings)
    ? `${settings.node_prefix}${kind.nodeArray}-0`
    : namesOf(kind, settings);
}

export function gresOf(gpus: number): string {
  return gpus === 0 ? "" : `gpu:${gpus}`;
}

function figuresOf(bucket: Bucket, settings: SlurmSettings) {
  const { vcpuCount, pcpuCount, gpuCount } = bucket.vm;
  const threads = pcpuCount > 0 && vcpuCount % pcpuCount === 0 ? vcpuCount / pcpuCount : 1;
  const { slurm_gpus: gpus } = bucket.resources;
  return {
    cores: vcpuCount / threads,
    threadsPerCore: threads,
    memoryMb: memoryOf(bucket, settings),
    gpus: typeof gpus === "number" && Number.isInteger(gpus) && gpus >= 0 ? gpus : gpuCount,
  };
}

/** The percentage of the settings wins over a default resource `slurm_memory`, and that over the usual deduction. */
function memoryOf({ nodeArray, vm, resources }: Bucket, { config }: SlurmSettings): number {
  const percent = config?.arrays[nodeArray]?.memory_dampening_percent ?? config?.memory_dampening_percent;
  const mb = vm.memoryBytes / megabyte;
  const set = percent === undefined ? memoryResource(resources.slurm_memory) : undefined;
  const dampened =
    percent === undefined
      ? mb - Math.max(leastDampeningMb, (mb * usualDampeningPercent) / 100)
      : (mb * (100 - percent)) / 100;
  return Math.max(leastMemoryMb, Math.floor(set ?? dampened));
}

/** In MB; a number without a unit is MB, as Slurm reads it. */
function memoryResource(value: unknown): number | undefined {
  if (typeof value === "number") return value > 0 ? value : undefined;
  const isScalar = typeof value === "object" && value !== null && "bytes" in value;
  return isScalar && isSize(value as never) ? Number(value.bytes) / megabyte : undefined;
}

/** Of all sizes together, within the limit of their array. */
function mostNodes(buckets: readonly Bucket[]): number {
  const sizes = [...Map.groupBy(buckets, ({ vmSize }) => vmSize).values()];
  const allowing = ({ limits }: Bucket, names: readonly string[]) =>
    Math.min(
      ...limits.flatMap(({ limit, max, perNode }) =>
        names.includes(limit) && max !== null && perNode > 0 ? [Math.floor(max / perNode)] : [],
      ),
    );
  const sum = sizes
    .map((size) => Math.max(...size.map((bucket) => allowing(bucket, lasting))))
    .reduce((all, each) => all + each, 0);
  const together = Math.max(...buckets.map((bucket) => allowing(bucket, ["node-array", "max-cores"])));
  const most = Math.min(sum, together);
  return Number.isFinite(most) ? most : 0;
}
