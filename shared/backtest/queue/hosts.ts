import type { JobShape, Need } from "./job-shape.ts";

/** What a host has for jobs. */
export type Capacity = Omit<Need, "exclusive">;

/** A node that takes jobs, as a scheduler knows it. */
export interface Host {
  readonly hostname: string;
  readonly nodeArray: string;
  readonly placementGroup: string | null;
  readonly capacity: Capacity;
}

/** What jobs leave of a host. */
export interface Left {
  readonly host: Host;
  ncpus: number;
  memoryGiB: number;
  gpus: number;
  /** Parts of jobs that run there. */
  parts: number;
  /** One of them has the host to itself. */
  isTaken: boolean;
  /** Takes no new jobs; what runs there goes on. */
  isClosed: boolean;
}

/** What a job asks of hosts. */
type Asked = Omit<JobShape, "key">;

/** Where a job runs: how many of its parts on which hosts. */
export interface Allocation {
  readonly shape: Asked;
  readonly parts: readonly { readonly left: Left; readonly count: number }[];
}

export function emptyHost(host: Host): Left {
  return { host, ...host.capacity, parts: 0, isTaken: false, isClosed: false };
}

/** A thousandth of a GiB, or of a processor that is shared, is no reason to refuse. */
const tolerance = 1e-3;

/** How many parts fit on a host now. */
function roomOn(left: Left, { need, nodeArrays, kind }: Asked): number {
  if (left.isTaken || left.isClosed || (need.exclusive !== "none" && left.parts > 0)) return 0;
  if (left.ncpus + tolerance < need.ncpus) return 0;
  if (nodeArrays.length > 0 && !nodeArrays.includes(left.host.nodeArray)) return 0;
  const room = Math.min(
    quotient(left.ncpus, need.ncpus),
    quotient(left.memoryGiB, need.memoryGiB),
    quotient(left.gpus, need.gpus),
  );
  return room > 1 && (kind === "nodes" || need.exclusive === "part") ? 1 : room;
}

function quotient(left: number, need: number): number {
  return need === 0 ? Number.POSITIVE_INFINITY : Math.floor((left + tolerance) / need);
}

/** The first hosts, in their order, that hold all parts of a job; undefined: not now. */
export function findHosts(hosts: Iterable<Left>, shape: Asked): Allocation | undefined {
  if (!shape.colocated) return firstHosts(hosts, shape);
  const groups = Map.groupBy(hosts, ({ host }) => host.placementGroup);
  for (const [group, own] of groups) {
    const allocation = group === null ? undefined : firstHosts(own, shape);
    if (allocation !== undefined) return allocation;
  }
  return undefined;
}

function firstHosts(hosts: Iterable<Left>, shape: Asked): Allocation | undefined {
  const parts: { left: Left; count: number }[] = [];
  let missing = shape.count;
  for (const left of hosts) {
    const count = Math.min(missing, roomOn(left, shape));
    if (count <= 0) continue;
    parts.push({ left, count });
    missing -= count;
    if (missing === 0) return { shape, parts };
  }
  return undefined;
}

export function take({ shape, parts }: Allocation): void {
  for (const { left, count } of parts) change(left, shape.need, count);
}

export function give({ shape, parts }: Allocation): void {
  for (const { left, count } of parts) change(left, shape.need, -count);
}

/** A negative count gives back. */
export function change(left: Left, need: Need, count: number): void {
  left.ncpus -= count * need.ncpus;
  left.memoryGiB -= count * need.memoryGiB;
  left.gpus -= count * need.gpus;
  left.parts += count;
  left.isTaken = need.exclusive !== "none" && count > 0;
  if (left.parts === 0) Object.assign(left, left.host.capacity);
}
