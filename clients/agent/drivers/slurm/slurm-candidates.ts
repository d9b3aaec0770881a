import { type Features, hasCounts, holds } from "./features.ts";
import { expandHostlist } from "./hostlist.ts";
import { nodesOn, type Size, sizeOf } from "./size.ts";
import { type JobRecord, type NodeRecord, readLines } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/** A partition on whose nodes a job can run. */
export interface Candidate {
  readonly partition: string;
  readonly nodeArray: string;
  /** Its jobs share no node, whatever they ask for. */
  readonly exclusive: boolean;
  /** Nodes of the partition that the job does not exclude; none: Slurm does not report them. */
  readonly nodes: readonly NodeRecord[];
  readonly size: Size;
}

export interface Choice {
  /** All take the same number of nodes. */
  readonly candidates: readonly Candidate[];
  /** Partitions that cannot run the job, whatever its reason to wait says. */
  readonly unusable: readonly string[];
  /** Partitions that would take another number of nodes. */
  readonly others: readonly string[];
}

interface Selection {
  readonly left: readonly NodeRecord[];
  readonly suiting: number;
  readonly largest: NodeRecord | undefined;
  /** Whether Slurm reports the partition's nodes at all. */
  readonly isKnown: boolean;
}

/** Which partitions a job may be planned for. Jobs that ask for the same nodes are answered from memory. */
export class Candidates {
  readonly #settings: SlurmSettings;
  readonly #partitions: ReadonlyMap<string, Partition>;
  readonly #nodes = new Map<string, NodeRecord[]>();
  readonly #selections = new Map<string, Selection>();

  constructor(
    settings: SlurmSettings,
    partitions: ReadonlyMap<string, Partition>,
    nodes: readonly NodeRecord[],
  ) {
    this.#settings = settings;
    this.#partitions = partitions;
    for (const node of nodes) {
      for (const name of node.partitions ?? []) {
        const known = this.#nodes.get(name);
        if (known === undefined) this.#nodes.set(name, [node]);
        else known.push(node);
      }
    }
  }

  /**
   * Of the partitions that a job may start in, those that can hold it. Slurm chooses when it starts; the planner has to
   * choose before, for one number of nodes: that of the first partition.
   */
  of(record: JobRecord, names: readonly string[], features: Features): Choice {
    const usable = names.flatMap((name) => this.#candidate(record, name, features, names.length > 1) ?? []);
    const nodeCount = usable[0]?.size.nodeCount;
    return {
      candidates: usable.filter(({ size }) => size.nodeCount === nodeCount),
      unusable: names.filter((name) => usable.every(({ partition }) => partition !== name)),
      others: usable.filter(({ size }) => size.nodeCount !== nodeCount).map(({ partition }) => partition),
    };
  }

  nodeArrayOf(partition: string): string {
    return this.#settings.partitions[partition]?.node_array ?? partition;
  }

  qosOf(partition: string): string {
    return this.#partitions.get(partition)?.qos ?? "";
  }

  isExclusive(partition: string): boolean {
    return (
      this.#partitions.get(partition)?.exclusive === true ||
      this.#settings.partitions[partition]?.exclusive === true
    );
  }

  #candidate(
    record: JobRecord,
    partition: string,
    features: Features,
    isOneOfSeveral: boolean,
  ): Candidate | undefined {
    const known = this.#partitions.get(partition);
    if (known?.isUp === false) return undefined;
    const { left, suiting, largest, isKnown } = this.#select(record, partition, features);
    if (isKnown && largest === undefined) return undefined;
    // Slurm's own estimate is of one of the partitions, and it does not tell of which.
    const count = isOneOfSeveral && largest !== undefined ? nodesOn(record, largest) : undefined;
    const size = sizeOf(record, largest, count);
    if (size.nodeCount > (known?.mostNodes ?? size.nodeCount)) return undefined;
    if (isOneOfSeveral && isKnown && size.nodeCount > suiting) return undefined;
    return {
      partition,
      nodeArray: this.nodeArrayOf(partition),
      exclusive: this.isExclusive(partition),
      nodes: left,
      size,
    };
  }

  #select(record: JobRecord, partition: string, features: Features): Selection {
    const key = [partition, record.features, record.excluded_nodes, ...gpuRequests(record)].join("\n");
    const known = this.#selections.get(key);
    if (known !== undefined) return known;
    const all = this.#nodes.get(partition) ?? [];
    const excluded = new Set(expandHostlist(record.excluded_nodes) ?? []);
    const left = all.filter(({ name }) => !excluded.has(name));
    const suiting = hasCounts(features) ? left : left.filter((node) => holds(node, features));
    const largest = suiting.reduce<NodeRecord | undefined>(
      (most, node) => (most === undefined || (node.cpus ?? 0) > (most.cpus ?? 0) ? node : most),
      undefined,
    );
    const selection = { left, suiting: suiting.length, largest, isKnown: all.length > 0 };
    this.#selections.set(key, selection);
    return selection;
  }
}

export function gpuRequests(record: JobRecord): readonly string[] {
  return [record.tres_per_node, record.tres_per_task, record.tres_per_socket, record.tres_per_job];
}

/** What Slurm says of a partition, as far as demand goes. */
interface Partition {
  /** `OverSubscribe=EXCLUSIVE`: its jobs share no node. */
  readonly exclusive: boolean;
  /** Whether it starts jobs at all. */
  readonly isUp: boolean;
  /** Of one job. */
  readonly mostNodes: number;
  /** The QOS whose limits hold for its jobs; empty: none. */
  readonly qos: string;
}

/** `scontrol show partitions --oneliner`; undefined when it is not all there. */
export function readPartitions(text: string): ReadonlyMap<string, Partition> | undefined {
  const lines = readLines(text);
  if (lines === undefined) return undefined;
  return new Map(
    lines.flatMap(({ PartitionName: name, OverSubscribe: shared, State: state, MaxNodes: most, QoS: qos }) =>
      name === undefined
        ? []
        : [
            [
              name,
              {
                exclusive: shared === "EXCLUSIVE",
                isUp: state === undefined || state === "UP",
                mostNodes: /^\d{1,9}$/.test(most ?? "") ? Number(most) : Number.POSITIVE_INFINITY,
                qos: qos === undefined || qos === "N/A" ? "" : qos,
              },
            ] as const,
          ],
    ),
  );
}
