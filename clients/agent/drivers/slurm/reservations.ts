import { expandHostlist } from "./hostlist.ts";
import { type NodeRecord, readLines } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";
import { tresAmount } from "./tres.ts";

/** Nodes that are kept for somebody, or for nobody, for a time. */
export interface Reservation {
  readonly name: string;
  /** Unix time. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly nodes: readonly string[];
  /** The share of the CPUs of its nodes that it has; absent: whole nodes. The other CPUs take any job. */
  readonly cpuShare?: number;
  /** Nobody works there meanwhile. */
  readonly isMaintenance?: true;
  /** Its jobs may have other nodes, too (`FLEX`), or it has none of its own (`ANY_NODES`). */
  readonly isFlexible?: true;
  /** `ansys:2,matlab:1` of the cluster's licences are for its jobs. */
  readonly licenses?: string;
  /** Set where jobs of one user keep others away. */
  readonly owner?: string;
}

/** `scontrol show reservations --oneliner` with times in seconds since 1970; undefined when it is not all there. */
export function readReservations(
  text: string,
  nodes: ReadonlyMap<string, NodeRecord>,
): readonly Reservation[] | undefined {
  const lines = readLines(text);
  if (lines === undefined) return undefined;
  const read = lines.flatMap((line) => {
    const { ReservationName: name, StartTime: start = "", EndTime: end = "", Nodes: list = "(null)" } = line;
    if (name === undefined) return [];
    const flags = line.Flags?.split(",") ?? [];
    const isFlexible = flags.includes("FLEX") || flags.includes("ANY_NODES");
    const isEmpty = list === "(null)" || list === "";
    if (isEmpty && !isFlexible) return [];
    const names = isEmpty ? [] : expandHostlist(list);
    const isTime = (time: string) => /^\d{1,12}$/.test(time);
    if (names === undefined || !isTime(start) || !isTime(end)) return [undefined];
    const cpus = names.reduce((sum, each) => sum + (nodes.get(each)?.cpus ?? 0), 0);
    const cpuShare = (tresAmount(line.TRES ?? "", "cpu") ?? cpus) / cpus;
    const own = { name, startSeconds: Number(start), endSeconds: Number(end), nodes: names };
    return [
      {
        ...own,
        ...(cpuShare < 1 ? { cpuShare } : {}),
        ...(flags.includes("MAINT") ? { isMaintenance: true as const } : {}),
        ...(isFlexible ? { isFlexible: true as const } : {}),
        ...(line.Licenses === undefined || line.Licenses === "(null)" ? {} : { licenses: line.Licenses }),
      },
    ];
  });
  const known = read.filter((each) => each !== undefined);
  return known.length < read.length ? undefined : known;
}

/** By the name of a node: the reservation for which it is to be there now. Without the setting it is ordered for none. */
export function dueNodes(
  reservations: readonly Reservation[],
  nowSeconds: number,
  { reservation_lead_seconds: leadSeconds }: SlurmSettings,
): ReadonlyMap<string, Reservation> {
  if (leadSeconds === undefined) return new Map();
  const due = reservations.filter(
    ({ startSeconds, endSeconds, isMaintenance }) =>
      isMaintenance !== true && startSeconds - leadSeconds <= nowSeconds && nowSeconds < endSeconds,
  );
  return new Map(due.flatMap((each) => each.nodes.map((name) => [name, each] as const)));
}

/** Nodes that users have for themselves (`--exclusive=user`, `ExclusiveUser=YES`): to others they are reserved, nobody knows how long. */
export function ownedNodes(nodes: readonly NodeRecord[]): readonly Reservation[] {
  const owned = nodes.filter(({ owner }) => owner !== "");
  return [...Map.groupBy(owned, ({ owner }) => owner)].map(([owner, own]) => ({
    name: `user ${owner}`,
    startSeconds: 0,
    endSeconds: Number.POSITIVE_INFINITY,
    nodes: own.map(({ name }) => name),
    owner,
  }));
}

/** Those into which a job would run that starts now. Without a time limit it runs into all that are to come. */
export function inTheWay(
  reservations: readonly Reservation[],
  {
    nowSeconds,
    minutes,
    user,
  }: { readonly nowSeconds: number; readonly minutes: number | undefined; readonly user: string },
): readonly Reservation[] {
  return reservations.filter(
    ({ startSeconds, endSeconds, owner, cpuShare }) =>
      cpuShare === undefined &&
      owner !== user &&
      endSeconds > nowSeconds &&
      (minutes === undefined || startSeconds < nowSeconds + minutes * 60),
  );
}

/** The reservations of a cluster, for many jobs: which nodes of some partitions each has is worked out once. */
export class Reserved {
  readonly #reservations: readonly Reservation[];
  readonly #nodes: ReadonlyMap<string, NodeRecord>;
  readonly #nodesIn = new Map<string, readonly string[]>();
  readonly #lists = new Map<string, string>();

  constructor(reservations: readonly Reservation[], nodes: ReadonlyMap<string, NodeRecord>) {
    this.#reservations = reservations;
    this.#nodes = nodes;
  }

  /** Those with nodes of these partitions into which a job would run that starts now. */
  from(job: Parameters<typeof inTheWay>[1], partitions: readonly string[]): readonly Reservation[] {
    if (this.#reservations.length === 0) return this.#reservations;
    return inTheWay(this.#reservations, job).filter((each) => this.#of(each, partitions).length > 0);
  }

  /** A node without the CPUs that reservations have of it, from when they are made until they are over. */
  withoutCpus(node: NodeRecord, nowSeconds: number): NodeRecord {
    const { name, usable_cpus: cpus } = node;
    const shares = this.#reservations.flatMap(({ cpuShare, endSeconds, nodes }) =>
      cpuShare !== undefined && endSeconds > nowSeconds && nodes.includes(name) ? [cpuShare] : [],
    );
    if (shares.length === 0 || cpus === undefined) return node;
    const reserved = shares.reduce((sum, share) => sum + Math.ceil(share * cpus), 0);
    return { ...node, usable_cpus: Math.max(0, cpus - reserved) };
  }

  /** Those of a job, which may name several: any of them will do. */
  named(names: string): readonly Reservation[] {
    const own = names.split(",");
    return this.#reservations.filter(({ name }) => own.includes(name));
  }

  /** The nodes of these partitions that they have, as a hostlist: one text for all who ask for the same. */
  hostlist(reservations: readonly Reservation[], partitions: readonly string[]): string {
    const key = JSON.stringify([reservations.map(({ name }) => name), partitions]);
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const list = [...new Set(reservations.flatMap((each) => this.#of(each, partitions)))].join(",");
    this.#lists.set(key, list);
    return list;
  }

  #of({ name, nodes }: Reservation, partitions: readonly string[]): readonly string[] {
    const key = JSON.stringify([name, partitions]);
    const known = this.#nodesIn.get(key);
    if (known !== undefined) return known;
    const inPartitions = nodes.filter((each) =>
      partitions.some((partition) => this.#nodes.get(each)?.partitions?.includes(partition)),
    );
    this.#nodesIn.set(key, inPartitions);
    return inPartitions;
  }
}
