import { type Cluster, kindName } from "../../engine/index.ts";
import type { TraceJob, TraceJobs } from "../trace-job.ts";
import type { BoundItem, BoundSize } from "./lp-text.ts";

const secondsPerHour = 3_600;
const bytesPerGiB = 1024 ** 3;

/** A size of node as bounds see it: what it has (processors, memory, GPUs), and what it costs. */
export interface PricedSize {
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly spot: boolean;
  readonly capacity: readonly [ncpus: number, memoryGiB: number, gpus: number];
  readonly usdPerHour: number;
  /** Its first nodes cost nothing more; those of one reservation share them. */
  readonly reservation: { readonly name: string; readonly nodes: number } | null;
}

export type PricedSizes =
  | { readonly ok: true; readonly sizes: readonly PricedSize[] }
  | { readonly ok: false; readonly why: string };

/** The sizes of a cluster that nodes may be made of. A node never has more than this: jobs may be left less. */
export function pricedSizes({ nodeArrays }: Pick<Cluster, "nodeArrays">): PricedSizes {
  const buckets = nodeArrays
    .filter(({ enabled }) => enabled)
    .flatMap((array) => array.buckets.filter(({ valid }) => valid).map((bucket) => ({ array, bucket })));
  if (buckets.length === 0) return { ok: false, why: "the cluster has no node array with a size." };
  const sizes = buckets.flatMap(({ array, bucket }): readonly PricedSize[] => {
    const { vm, vmSize, pricePerHourUsd, reservation } = bucket;
    if (pricePerHourUsd === undefined || pricePerHourUsd === null) return [];
    const memoryGiB = vm.memoryBytes / bytesPerGiB;
    return [
      {
        nodeArray: array.name,
        vmSize,
        spot: array.spot,
        usdPerHour: pricePerHourUsd,
        capacity: [Math.max(vm.vcpuCount, vm.pcpuCount), memoryGiB, vm.gpuCount],
        reservation: reservation ?? null,
      },
    ];
  });
  if (sizes.length === buckets.length) return { ok: true, sizes };
  const named = new Set(sizes.map(kindName));
  const unknown = buckets
    .map(({ array, bucket }) => `${array.name}/${bucket.vmSize}`)
    .find((name) => !named.has(name));
  return { ok: false, why: `the price of "${unknown}" is not known.` };
}

/** What a job takes of each of its nodes, or slots, and how many there are. */
export interface JobParts {
  readonly parts: number;
  readonly demand: readonly [ncpus: number, memoryGiB: number, gpus: number];
  /** Each has a node to itself. */
  readonly exclusive: boolean;
  /** No other job is on its nodes. */
  readonly wholeNodes: boolean;
  /** Each on another node. */
  readonly apart: boolean;
}

/** A job that names no nodes is that many processors, wherever they are. */
export function partsOf({
  processors,
  nodes,
  memoryGiB = 0,
  gpus = 0,
  exclusive = false,
  wholeNodes = false,
}: TraceJob): JobParts {
  const parts = nodes ?? processors;
  return {
    parts,
    demand: [Math.ceil(processors / parts), memoryGiB / parts, Math.ceil(gpus / parts)],
    // The only part on each of its nodes: a job on nodes by number, or one that runs on one node as a whole.
    exclusive: exclusive || (wholeNodes && nodes !== undefined),
    wholeNodes: exclusive || wholeNodes,
    apart: parts > 1 && nodes !== undefined,
  };
}

/** With more kinds of work, memory is rounded down until there are fewer: the result is still a bound, slightly lower. */
const mostItems = 400;

/** The work of all jobs in hours of their parts, those that are alike together. */
export function workOf(jobs: TraceJobs): readonly BoundItem[] {
  for (let step = 1; ; step *= 2) {
    const items = itemsOf(jobs, (memoryGiB) => roundedDown(memoryGiB, step));
    if (items.length <= mostItems || step > 64) return items;
  }
}

function itemsOf(jobs: TraceJobs, rounded: (memoryGiB: number) => number): readonly BoundItem[] {
  const items = new Map<
    string,
    { count: number; readonly demand: readonly number[]; readonly alone?: number }
  >();
  for (const job of jobs) {
    const { parts, demand, exclusive, wholeNodes } = partsOf(job);
    const [ncpus, memoryGiB, gpus] = demand;
    const wanted = [ncpus, rounded(memoryGiB), gpus];
    const alone = exclusive ? 1 : wholeNodes ? parts : undefined;
    const key = `${wanted.join(" ")} ${alone}`;
    const item = items.get(key) ?? { count: 0, demand: wanted, ...(alone === undefined ? {} : { alone }) };
    item.count += (parts * job.runSeconds) / secondsPerHour;
    items.set(key, item);
  }
  return [...items.values()];
}

/** To a power of 1 % and more, never up. Step 1 rounds nothing. */
function roundedDown(value: number, step: number): number {
  if (step === 1 || value === 0) return value;
  const base = 1 + step / 100;
  const power = Math.floor(Math.log(value) / Math.log(base));
  return Math.min(value, base ** power);
}

/** The sizes with what a reservation pays, as far as it reaches in a run of so many hours. Sizes that others beat are left out. */
export function boundSizes(sizes: readonly PricedSize[], hours: number): readonly BoundSize[] {
  const plain = sizes.map(({ capacity, usdPerHour: price }) => ({ capacity, price }));
  const reserved = sizes.flatMap(({ capacity, reservation }) =>
    reservation === null ? [] : [{ capacity, price: 0, most: reservation.nodes * hours }],
  );
  const best = plain.filter(
    (size, index) =>
      !plain.some(
        (other, at) => at !== index && isAtLeast(other, size) && (at < index || !isAtLeast(size, other)),
      ),
  );
  return [...best, ...reserved];
}

/** Has as much of everything for no more. */
function isAtLeast(a: BoundSize, b: BoundSize): boolean {
  return a.price <= b.price && a.capacity.every((amount, k) => amount >= (b.capacity[k] ?? 0));
}
