import { asksForWholeNodes, minutesOf } from "./common.ts";
import { hasDynamicPartition } from "./dynamic-nodes.ts";
import { countsIn, type Features, hasCounts, holds } from "./features.ts";
import { gresIn, gresNotConsumed } from "./gres.ts";
import { expandHostlist } from "./hostlist.ts";
import { arraysOf, capName, countedOf } from "./shapes.ts";
import {
  cpusPerCore,
  cpusTaken,
  gpusOn,
  leastNodes,
  nodesOn,
  type Size,
  sizeOf,
  tasksOnNode,
} from "./size.ts";
import { type Counting, cpusAllowed, type Partitions, usualCounting } from "./slurm-partitions.ts";
import type { JobRecord, NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";
import { gpuRequestOf, gpusIn, tresAmount } from "./tres.ts";

/** A node array of a partition on whose nodes a job can run. */
export interface Candidate {
  readonly partition: string;
  readonly nodeArray: string;
  /** Its jobs share no node, whatever they ask for. */
  readonly exclusive: boolean;
  /** The resource that bounds what jobs of the partition together take of a node, and how much of it a node has; undefined: nothing does. */
  readonly cap: { readonly name: string; readonly most: number } | undefined;
  /** Nodes of the array in the partition that the job does not exclude; none: Slurm does not report them. */
  readonly nodes: readonly NodeRecord[];
  readonly size: Size;
}

export interface Choice {
  /** All take the same number of nodes. */
  readonly candidates: readonly Candidate[];
  /** Partitions that cannot run the job, whatever its reason to wait says. */
  readonly unusable: readonly string[];
  /** Those that would take another number of nodes. */
  readonly others: readonly Candidate[];
  /** Where no array has as many nodes as the job takes: what it has of each of several. */
  readonly mixed: readonly Candidate[];
}

interface Selection {
  readonly nodeArray: string;
  readonly left: readonly NodeRecord[];
  readonly suiting: number;
  readonly largest: NodeRecord | undefined;
  /** The first of each kind of those that suit. */
  readonly kinds: readonly NodeRecord[];
  /** Whether Slurm reports nodes of it at all. */
  readonly isKnown: boolean;
}

/** Which partitions a job may be planned for. Jobs that ask for the same nodes are answered from memory. */
export class Candidates {
  readonly #settings: SlurmSettings;
  readonly #partitions: Partitions;
  readonly #counting: Counting;
  /** So many nodes more can register themselves. */
  readonly #room: number;
  /** Nodes of each partition by the node array that they may be of. */
  readonly #nodes = new Map<string, Map<string, NodeRecord[]>>();
  readonly #selections = new Map<string, readonly Selection[]>();
  /** Lists of excluded nodes, which may be long, and many jobs have the same: by number they make short keys. */
  readonly #exclusions = new Map<string, number>();

  constructor(
    settings: SlurmSettings,
    partitions: Partitions,
    nodes: readonly NodeRecord[],
    room = Number.POSITIVE_INFINITY,
    counting = usualCounting,
  ) {
    this.#room = room;
    this.#counting = counting;
    this.#settings = settings;
    this.#partitions = partitions;
    for (const node of nodes) {
      for (const name of node.partitions ?? []) {
        const arrays = this.#nodes.get(name) ?? new Map<string, NodeRecord[]>();
        this.#nodes.set(name, arrays);
        for (const nodeArray of arraysOf(node, name, settings)) {
          const known = arrays.get(nodeArray);
          if (known === undefined) arrays.set(nodeArray, [node]);
          else known.push(node);
        }
      }
    }
  }

  /**
   * Of the partitions that a job may start in, and the node arrays of each, those that can hold it. Slurm chooses when it
   * starts; the planner has to choose before, for one number of nodes: the fewest that the first partition takes.
   */
  of(record: JobRecord, names: readonly string[], features: Features): Choice {
    // Newer releases let accounts below those of a list in, too: where no partition takes the job, Slurm knows better.
    const taking = names.filter((name) => this.#partitions.get(name)?.takes(record) !== false);
    const limits = names.map((name) => this.#partitions.get(name)?.mostMemoryPerCpu);
    // With several partitions, what the record says is within the limit of one that Slurm tried.
    const within = (name: string) =>
      names.length > 1 && limits.some((limit) => limit !== undefined)
        ? withCpusForMemory(record, limits[names.indexOf(name)])
        : record;
    const possible = (taking.length === 0 ? names : taking).flatMap((name) =>
      this.#candidates(within(name), name, features, names.length > 1),
    );
    // A QOS may lift limits of partitions: where none allows the job, Slurm's reason tells, but of several it is that of one.
    const allowed = possible.filter((each) => this.allows(record, each));
    const usable = allowed.length > 0 || (names.length > 1 && record.qos === "") ? allowed : possible;
    const nodeCount = usable[0]?.size.nodeCount;
    const candidates = usable.filter(({ size }) => size.nodeCount === nodeCount);
    return {
      candidates,
      mixed: names.length > 1 ? [] : this.#mixed(record, features, candidates),
      unusable: names.filter((name) => usable.every(({ partition }) => partition !== name)),
      others: usable.filter(({ size }) => size.nodeCount !== nodeCount),
    };
  }

  /** Every node array that a partition may have nodes of. */
  nodeArraysOf(partition: string): readonly string[] {
    const { node_array: set } = this.#settings.partitions[partition] ?? {};
    if (set !== undefined) return [set].flat();
    const found = [...(this.#nodes.get(partition)?.keys() ?? [])];
    return found.length === 0 ? [partition] : found;
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

  countingOf(partition: string): Counting {
    const known = this.#partitions.get(partition);
    const own = this.#counting.by === "node" || this.#counting.isForAll ? undefined : known?.counting;
    return { ...this.#counting, ...own, memoryPerCpu: known?.memoryPerCpu ?? this.#counting.memoryPerCpu };
  }

  /** As `Candidate.cap`. */
  capOf(partition: string): string | undefined {
    const { mostCpusPerNode, mostCpusPerSocket } = this.#partitions.get(partition) ?? {};
    return mostCpusPerNode === undefined && mostCpusPerSocket === undefined ? undefined : capName(partition);
  }

  /** Whether its partition lets it on so many nodes for so long. */
  allows(record: JobRecord, { partition, exclusive, nodes, size }: Candidate): boolean {
    const { nodeCount, perNode } = size;
    const minutes = minutesOf({ ...record, time_limit: record.time_minimum || record.time_limit });
    const known = this.#partitions.get(partition);
    // Slurm raises what a job asks for to the least `MinNodes` of its partitions.
    if (leastNodes(record) < (known?.leastNodes ?? 1)) return false;
    // Also where memory is not used up. Of whole nodes it is the memory of all their CPUs.
    const isWhole = exclusive || asksForWholeNodes(record);
    const cpus = (isWhole ? nodes[0]?.usable_cpus : perNode.ncpus) ?? 1;
    const asked = record.memory_per_node || (record.memory_per_cpu ?? 0) * cpus;
    const memoryPerNode = Math.max(perNode.memmb ?? 0, record.memory_per_tres === "" ? asked : 0);
    return known?.allows({ nodeCount, minutes, memoryPerNode }) !== false;
  }

  /** Those of a partition, the one that takes fewest nodes first. */
  #candidates(
    record: JobRecord,
    partition: string,
    features: Features,
    isOneOfSeveral: boolean,
  ): readonly Candidate[] {
    const known = this.#partitions.get(partition);
    if (known?.isUp === false) return [];
    const selections = this.#select(record, partition, features);
    // Slurm's own estimate is of one of them, and it does not tell of which.
    const isChoice = isOneOfSeveral || selections.length > 1;
    const isDynamic = hasDynamicPartition([partition], this.#settings);
    const counting = this.countingOf(partition);
    const all = [...(this.#nodes.get(partition)?.values() ?? [])].reduce(
      (sum, { length }) => sum + length,
      0,
    );
    // `select/linear` gives a job all CPUs of its nodes, but none that asks for more than its partition's nodes may give together.
    const most = (known?.mostCpusPerNode ?? Infinity) * all;
    if (counting.by === "node" && !isDynamic && all > 0 && (record.cpus ?? 1) > most) return [];
    // Slurm takes as many nodes as they name.
    const counted = countsIn(features)?.reduce((sum, { count }) => sum + count, 0) ?? 0;
    return selections
      .flatMap(({ nodeArray, left, suiting, largest, kinds, isKnown }): Candidate[] => {
        if (isKnown && largest === undefined) return [];
        // A job that has whole nodes starts on none with more CPUs than its partition allows.
        const isWhole = counting.by !== "node" && (this.isExclusive(partition) || asksForWholeNodes(record));
        if (isWhole && largest && (cpusAllowed(known, largest) ?? Infinity) < (largest.usable_cpus ?? 0))
          return [];
        const { node, cap, times } = this.#bounded(record, partition, largest);
        const count =
          (isChoice || counted > 0) && node !== undefined
            ? Math.max(known?.leastNodes ?? 0, counted, nodesOn(record, node, counting))
            : undefined;
        if (count === Number.POSITIVE_INFINITY || isShortOfMemory(record, node, counting)) return [];
        const size = sizeOf(record, node, counting, count);
        // Where slurmctld does not know yet how many nodes there may be, it rejects no job as too large for them.
        if ((isChoice || isDynamic || counted > 0) && size.nodeCount > mostAsked(record)) return [];
        if (isChoice && isKnown && kinds.every((each) => isTooMuch(size.perNode, each))) return [];
        const room = isDynamic ? left.length - 1 + this.#room : suiting;
        if ((isOneOfSeveral || isDynamic) && isKnown && size.nodeCount > room) return [];
        const exclusive = this.isExclusive(partition);
        const own = {
          ...size,
          ...(kinds.length > 1 ? { unlike: undefined } : {}),
          ...(counted > 0 || (cap !== undefined && times > 1) ? { perSlot: undefined } : {}),
        };
        return [{ partition, nodeArray, exclusive, cap, nodes: left, size: own }];
      })
      .sort((a, b) => a.size.nodeCount - b.size.nodeCount);
  }

  /** Slurm bounds only jobs that share nodes: of whole ones they get all CPUs. */
  #bounded(record: JobRecord, partition: string, largest: NodeRecord | undefined) {
    // For one job the bound counts the CPUs that it asks for, whatever it takes for them.
    const times = cpusTaken(record, largest, this.countingOf(partition));
    const name = asksForWholeNodes(record) ? undefined : this.capOf(partition);
    if (name === undefined) return { node: largest, cap: undefined, times };
    const most = cpusAllowed(this.#partitions.get(partition), largest ?? { sockets: undefined }) ?? Infinity;
    const usable_cpus = Math.min(most * times, largest?.usable_cpus ?? Infinity);
    return { node: largest && { ...largest, usable_cpus }, cap: { name, most }, times };
  }

  /** Slurm takes nodes of several arrays for one job: here as few of the large ones as do. It fills them in order. */
  #mixed(record: JobRecord, features: Features, candidates: readonly Candidate[]): readonly Candidate[] {
    const [first, ...more] = candidates;
    const isShort = first !== undefined && more.length === 0 && first.nodes.length < first.size.nodeCount;
    if (!isShort || hasDynamicPartition([first.partition], this.#settings)) return [];
    const { partition, exclusive } = first;
    const counting = this.countingOf(partition);
    const [tasks, gpus] = [Math.max(1, record.tasks ?? 1), gpusIn(record.tres_per_job)];
    const arrays = this.#select(record, partition, features).flatMap(
      ({ nodeArray, left, suiting, largest, kinds }) => {
        const { node, cap } = this.#bounded(record, partition, largest);
        if (node === undefined || kinds.length > 1) return [];
        const ofTasks = tasksOnNode(record, node, counting);
        const holds = gpus > 0 ? Math.min(ofTasks, 1) * gpusOn(record, counting, node) : ofTasks;
        return holds > 0 ? [{ nodeArray, nodes: left, suiting, node, cap, holds, ofTasks }] : [];
      },
    );
    const counts = countsOfArrays(arrays, leastNodes(record), gpus || tasks);
    const nodes = counts.reduce((sum, count) => sum + count, 0);
    const ofTasks = arrays.reduce((sum, each, index) => sum + each.ofTasks * (counts[index] ?? 0), 0);
    if (nodes > mostAsked(record) || ofTasks < tasks) return [];
    const ownTasks = inOrder(tasks, counts, (index) => arrays[index]?.ofTasks ?? 0);
    const ownGpus = inOrder(gpus, counts, (index) => arrays[index]?.holds ?? 0);
    return arrays.flatMap(({ nodeArray, nodes: left, node, cap }, index) => {
      const count = counts[index] ?? 0;
      if (count === 0) return [];
      const own = ownTasks[index] ?? count;
      const cpus = Math.ceil((record.cpus ?? 1) / tasks) * own;
      const tres_per_job = gpus > 0 ? `gres:gpu:${ownGpus[index]}` : "";
      const size = sizeOf({ ...record, tasks: own, cpus, tres_per_job }, node, counting, count);
      return [{ partition, nodeArray, exclusive, cap, nodes: left, size }];
    });
  }

  #select(record: JobRecord, partition: string, features: Features): readonly Selection[] {
    const asked = gresRequests(record);
    const { minimum_tmp_disk_per_node: disk = 0, memory_per_node = 0 } = record;
    // Memory that is not used up is not counted, and has to be there all the same.
    const { by, isOfMemory } = this.countingOf(partition);
    const memory = isOfMemory ? 0 : memory_per_node;
    const exclusion = this.#exclusions.get(record.excluded_nodes) ?? this.#exclusions.size;
    this.#exclusions.set(record.excluded_nodes, exclusion);
    const { sockets_per_node, cores_per_socket, threads_per_core, tasks_per_socket } = record;
    const { minimum_cpus_per_node: cpus } = record;
    const cores = [sockets_per_node, cores_per_socket, threads_per_core, tasks_per_socket, cpus];
    const key = [partition, record.features, exclusion, disk, memory, ...cores, ...asked].join("\n");
    const known = this.#selections.get(key);
    if (known !== undefined) return known;
    const excluded = new Set(expandHostlist(record.excluded_nodes) ?? []);
    const gres = [...new Set(asked.flatMap((each) => [...gresIn(each).keys()]))];
    const ofGpus = asked.some((each) => gpusIn(each) > 0);
    const selections = this.nodeArraysOf(partition).map((nodeArray): Selection => {
      const all = this.#nodes.get(partition)?.get(nodeArray) ?? [];
      const left = all.filter(({ name }) => !excluded.has(name));
      const suiting = left.filter(
        (node) =>
          (hasCounts(features) || holds(node, features)) &&
          hasGres(node, gres) &&
          (!ofGpus || gpusIn(gpuRequestOf(node.gres)) > 0) &&
          hasCores(node, record, by) &&
          disk <= (node.temporary_disk ?? disk) &&
          memory <= (node.usable_memory ?? memory),
      );
      const byKind = Map.groupBy(suiting, ({ usable_cpus, usable_memory, gres }) =>
        [usable_cpus, usable_memory, gres].join(" "),
      );
      const kinds = [...byKind.values()].flatMap(([node]) => node ?? []);
      const largest = kinds.reduce<NodeRecord | undefined>(
        (most, node) =>
          most === undefined || (node.usable_cpus ?? 0) > (most.usable_cpus ?? 0) ? node : most,
        undefined,
      );
      return { nodeArray, left, suiting: suiting.length, largest, kinds, isKnown: all.length > 0 };
    });
    this.#selections.set(key, selections);
    return selections;
  }
}

interface ArrayRoom {
  readonly suiting: number;
  /** Tasks, or GPUs of the job, that one of its nodes holds. */
  readonly holds: number;
}

/** How many nodes of each array hold so much together: no more than it takes, as many as can be of the small ones. */
function countsOfArrays(arrays: readonly ArrayRoom[], least: number, amount: number): readonly number[] {
  const bySize = arrays.toSorted((a, b) => a.holds - b.holds);
  const mostIn = (some: readonly ArrayRoom[], nodes: number): number =>
    some.reduceRight(
      ({ left, sum }, { suiting, holds }) => {
        const own = Math.min(suiting, left);
        return { left: left - own, sum: sum + own * holds };
      },
      { left: nodes, sum: 0 },
    ).sum;
  const all = arrays.reduce((sum, { suiting }) => sum + suiting, 0);
  let total = least;
  while (total <= all && mostIn(bySize, total) < amount) total++;
  if (total > all) return [];
  let [nodes, missing] = [total, amount];
  const counts = new Map<ArrayRoom, number>();
  for (const [index, array] of bySize.entries()) {
    let count = Math.min(array.suiting, nodes);
    const larger = bySize.slice(index + 1);
    while (count > 0 && count * array.holds + mostIn(larger, nodes - count) < missing) count--;
    counts.set(array, count);
    nodes -= count;
    missing -= count * array.holds;
  }
  return arrays.map((array) => counts.get(array) ?? 0);
}

/** What each array gets of an amount: nodes are filled in order, but for one of it on each node that follows. */
function inOrder(
  amount: number,
  counts: readonly number[],
  holds: (index: number) => number,
): readonly number[] {
  let [left, nodesLeft] = [amount, counts.reduce((sum, count) => sum + count, 0)];
  return counts.map((count, index) => {
    nodesLeft -= count;
    const own = Math.max(count, Math.min(count * holds(index), left - nodesLeft));
    left -= own;
    return own;
  });
}

/** What Slurm makes of a job in a partition with a limit of memory for each CPU. */
function withCpusForMemory(record: JobRecord, limit = Number.POSITIVE_INFINITY): JobRecord {
  const { memory_per_cpu: perCpu, memory_per_node: perNode, tres_req_str } = record;
  if (perNode) {
    const least = Math.max(record.minimum_cpus_per_node ?? 1, Math.ceil(perNode / limit));
    return { ...record, minimum_cpus_per_node: least };
  }
  const [cpus, memory] = [tresAmount(tres_req_str, "cpu"), tresAmount(tres_req_str, "mem")];
  if (!perCpu || !cpus || !memory) return record;
  const times = Math.max(1, Math.ceil(memory / cpus / limit));
  return { ...record, cpus: cpus * times, memory_per_cpu: Math.ceil(memory / cpus / times) };
}

/** Whether it asks for more of something than the node ever has. */
function isTooMuch(perNode: Size["perNode"], { usable_cpus, usable_memory, gres }: NodeRecord): boolean {
  const has = countedOf({ cpus: usable_cpus, memoryMb: usable_memory, gres });
  return Object.entries(perNode).some(([name, amount]) => amount > (has[name] ?? amount));
}

/** With `select/linear` a job has all CPUs of its nodes, and memory for each of them. */
function isShortOfMemory(
  { memory_per_cpu = 0 }: JobRecord,
  node: NodeRecord | undefined,
  { by, isOfMemory }: Counting,
): boolean {
  const { usable_cpus: cpus = 0, usable_memory: memory = Number.POSITIVE_INFINITY } = node ?? {};
  return by === "node" && isOfMemory && memory_per_cpu * cpus > memory;
}

/** `-N 1`, `-N 2-4`; any number if it does not say. */
function mostAsked({ max_nodes: most }: JobRecord): number {
  return most === undefined || most === 0 ? Number.POSITIVE_INFINITY : most;
}

/** Also of those that it does not use up, whose amounts are not counted. */
function hasGres({ gres }: NodeRecord, names: readonly string[]): boolean {
  if (names.length === 0) return true;
  const own = gresIn(gres);
  const lasting = gresNotConsumed(gres);
  return names.every((name) => (own.get(name) ?? 0) > 0 || lasting.includes(name));
}

/** `-B`, `--threads-per-core` and their like ask for nodes that are built so; a socket has a CPU for each of its tasks. */
function hasCores(node: NodeRecord, record: JobRecord, by: Counting["by"]): boolean {
  const { sockets_per_node, cores_per_socket, threads_per_core, tasks_per_socket } = record;
  const threads = cpusPerCore(node);
  return [
    [record.minimum_cpus_per_node, node.usable_cpus],
    [sockets_per_node, node.sockets],
    [cores_per_socket, node.cores],
    [threads_per_core, threads],
    [by === "node" ? 0 : tasks_per_socket, (node.cores ?? Number.POSITIVE_INFINITY) * threads],
  ].every(([asked, has]) => (asked ?? 0) <= (has ?? Number.POSITIVE_INFINITY));
}

/** GPUs and all other generic resources. */
export function gresRequests(record: JobRecord): readonly string[] {
  return [record.tres_per_node, record.tres_per_task, record.tres_per_socket, record.tres_per_job];
}
