import { type Gres, gresIn, gresNotConsumed, resourceName } from "./gres.ts";
import type { Counting } from "./slurm-partitions.ts";
import type { JobRecord, NodeRecord } from "./slurm-records.ts";
import { gpuRequestOf, gpusIn, tresAmount } from "./tres.ts";

/** What a job takes of nodes. */
export interface Size {
  /** The fewest nodes that it starts on. */
  readonly nodeCount: number;
  readonly perNode: Readonly<Record<string, number>>;
  /** Set when its tasks may sit anywhere, several on a node: what one of them takes, or those that share a core. */
  readonly perSlot: Readonly<Record<string, number>> | undefined;
  readonly slots: number;
  /** It waits, and gets all memory of its nodes, however much each has: no other job fits there. */
  readonly hasAllMemory: boolean;
  /** Set where its nodes have unlike parts of it, on nodes like the one that was asked about: together they are `nodeCount`. */
  readonly unlike: readonly { readonly count: number; readonly perNode: Size["perNode"] }[] | undefined;
}

/**
 * The size of a job on nodes like `node`, the largest of a partition; undefined: nothing is known of them. Slurm's own
 * estimate of the number of nodes counts, but where a job takes a range (`-N 2-4`) it is of the most: then the fewest
 * are worked out here. `onNodes`: the number of nodes is known.
 */
export function sizeOf(
  record: JobRecord,
  node: NodeRecord | undefined,
  counting: Counting,
  onNodes?: number,
): Size {
  const tasks = Math.max(1, record.tasks ?? 1);
  const unit = isRunning(record) ? 1 : unitOf(node, counting);
  const task = taskOf(record, tasks, node, counting);
  const least = leastNodes(record);
  const nodeCount = onNodes ?? nodesNeeded(record, { tasks, least, task, node, counting });
  const waits = !isRunning(record);
  const lasting = gresNotConsumed(node?.gres ?? "");
  // Where its nodes have enough CPUs together, Slurm starts it, also when no number of whole tasks fits there.
  const most = node?.usable_cpus ?? Number.POSITIVE_INFINITY;
  const room = !task.isShared && task.cpus * tasks <= nodeCount * most ? most : Number.POSITIVE_INFINITY;
  const onNode = (tasksOfNode: number, gpus = gpusPerNode(record, { nodeCount, tasksOfNode, node })) => {
    // Slurm lays tasks of one CPU in turn on the sockets of a node, and fills one after the other with larger ones.
    const ofSockets =
      waits && counting.by === "socket" && !task.isShared && task.cpus === 1
        ? Math.min(Math.min(tasksOfNode, node?.sockets ?? 1) * unit, node?.usable_cpus ?? Infinity)
        : 1;
    const asked = Math.max(
      ofSockets,
      Math.ceil(task.cpus * (task.isShared ? 1 / nodeCount : tasksOfNode)),
      waits ? (record.minimum_cpus_per_node ?? 1) : 1,
      waits ? perGpu(record.cpus_per_tres) * gpus : 0,
    );
    const ncpus = inUnits(Math.min(asked, room), unit, node);
    const memory = counting.isOfMemory ? memoryPerNode(record, { ncpus, gpus, least, node }, counting) : 0;
    // It starts only where each of its tasks would find a CPU and its memory, and takes them for one.
    const free = waits && task.isShared ? (record.tasks_per_node ?? 0) : 0;
    // Slurm wants CPUs for `--ntasks-per-core` tasks, and one on each of `--sockets-per-node`, however few it then takes.
    const { tasks_per_core: ofCore = 0, sockets_per_node: sockets = 0 } = record;
    const freeCpus = waits && counting.by === "core" ? Math.max(free, ofCore * task.cpus, sockets) : free;
    return amounts({
      ncpus: shareOf(node?.usable_cpus, ncpus, freeCpus),
      memmb: shareOf(node?.usable_memory, memory, free * (record.memory_per_cpu ?? 0)),
      ngpus: gpus,
      ...named(gresPerNode(record, { nodeCount, tasksOfNode, node }), lasting),
    });
  };
  const perNode = onNode(Math.ceil(tasks / nodeCount));
  // Tasks that share a socket lie on as many as a node has free.
  const isOfParts = counting.by === "socket" && task.cpus % unit > 0;
  const together = isOfParts ? undefined : tasksOfSlot(record, task, unit);
  // Slurm counts the CPUs of its nodes together, and not whole tasks on each of them.
  const isSplit = node !== undefined && tasks > nodeCount * tasksOn(record, tasks, task, counting, node);
  // Slurm knows of more that it takes nodes for than the record says: of --ntasks-per-gpu it has nothing.
  const isMore =
    node !== undefined &&
    onNodes === undefined &&
    !record.flags.includes("SPREAD_JOB") &&
    nodeCount > nodesOn(record, node, counting);
  return {
    nodeCount,
    perNode,
    perSlot:
      together !== undefined && !isSplit && !isMore && maySpread(record, task, perNode.ngpus ?? 0, counting)
        ? amounts({
            ncpus: task.cpus * together,
            memmb: counting.isOfMemory ? memoryOfTask(record, task, counting) * together : 0,
            ngpus: gpusIn(record.tres_per_task),
            ...named(gresIn(record.tres_per_task), lasting),
          })
        : undefined,
    slots: Math.ceil(tasks / (together ?? 1)),
    hasAllMemory:
      waits &&
      counting.isOfMemory &&
      record.memory_per_cpu === undefined &&
      !(record.memory_per_node || memoryPerGpu(record, counting)),
    unlike:
      waits && node !== undefined && counting.by !== "node"
        ? unlikeParts(record, nodeCount, {
            tasks: Math.max(tasks, nodeCount),
            task,
            least,
            node,
            counting,
          })?.map(({ count, tasksOfNode, gpus }) => ({ count, perNode: onNode(tasksOfNode, gpus) }))
        : undefined,
  };
}

/**
 * Slurm fills one node after the other, with whole cores, and leaves one of them (and one GPU) for each node that follows: the first ones
 * are full, one has the rest, and the others have one each.
 */
function unlikeParts(record: JobRecord, nodeCount: number, { tasks, task, node, counting }: Asked) {
  const isBounded =
    record.tasks_per_node || record.tasks_per_socket || (record.minimum_cpus_per_node ?? 1) > task.cpus;
  if (nodeCount === 1 || task.isShared || isBounded || node === undefined) return undefined;
  const ofOthers = [record.tres_per_node, record.tres_per_task, record.tres_per_socket];
  const jobGpus = ofOthers.some((tres) => gpusIn(tres) > 0) ? 0 : gpusIn(record.tres_per_job);
  const together = counting.by === "core" ? (tasksOfSlot(record, task, unitOf(node, counting)) ?? 1) : 1;
  const mostTasks = tasksOn(record, tasks, task, counting, node);
  const byTasks = layout(Math.ceil(tasks / together), Math.floor(mostTasks / together), nodeCount);
  const byGpus = jobGpus === 0 ? undefined : layout(jobGpus, gpusOn(record, counting, node), nodeCount);
  const of = (at: number) => ({ tasksOfNode: byTasks(at) * together, gpus: byGpus?.(at) });
  const starts = Array.from({ length: nodeCount }, (_, at) => at).filter(
    (at) => at === 0 || byTasks(at) !== byTasks(at - 1) || byGpus?.(at) !== byGpus?.(at - 1),
  );
  return starts.length === 1
    ? undefined
    : starts.map((at, index) => ({ count: (starts[index + 1] ?? nodeCount) - at, ...of(at) }));
}

/** What each of a number of nodes has when so much is laid out on them, and none holds more than `most`. */
function layout(total: number, most: number, nodeCount: number): (at: number) => number {
  const beyondOne = Math.max(0, total - nodeCount);
  const above = Math.max(1, Math.min(most, total) - 1);
  return (at) => 1 + Math.min(above, Math.max(0, beyondOne - at * above));
}

/** CPUs that only one job can have. */
function unitOf(node: NodeRecord | undefined, { by }: Counting): number {
  if (by === "node") return 1;
  return by === "core"
    ? cpusPerCore(node)
    : Math.max(1, Math.floor((node?.cpus ?? 1) / (node?.sockets ?? 1)));
}

/** What a job takes of a node that is to have so much `free` for it: all that the node has, by the number of such jobs on it. */
function shareOf(has: number | undefined, taken: number, free: number): number {
  return has === undefined || free <= taken || free > has
    ? taken
    : has / (Math.floor((has - free) / taken) + 1);
}

function inUnits(cpus: number, unit: number, node: NodeRecord | undefined): number {
  const whole = Math.ceil(cpus / unit) * unit;
  // A part of the last core or socket may be kept for the system.
  return Math.max(cpus, Math.min(whole, node?.usable_cpus ?? whole));
}

/** Tasks that fill whole cores together; undefined: they end in the middle of one. */
function tasksOfSlot(record: JobRecord, { cpus }: Task, unit: number): number | undefined {
  if (cpus % unit === 0) return 1;
  return unit % cpus === 0 && record.tres_per_task === "" ? unit / cpus : undefined;
}

interface Task {
  readonly cpus: number;
  /** `--overcommit`: fewer cpus than tasks; then `cpus` is of the whole job. */
  readonly isShared: boolean;
}

function taskOf(record: JobRecord, tasks: number, node: NodeRecord | undefined, counting: Counting): Task {
  const cpus = Math.max(1, record.cpus ?? 1);
  const times = cpusTaken(record, node, counting);
  if (cpus < tasks) return { cpus: Math.round(cpus * times), isShared: true };
  const forGpus = isRunning(record) ? 0 : perGpu(record.cpus_per_tres) * gpusIn(record.tres_per_task);
  return { cpus: Math.max(Math.round(Math.ceil(cpus / tasks) * times), forGpus), isShared: false };
}

/** How many CPUs it takes for each that it asks for: a task that wants cores for itself takes all their threads. */
export function cpusTaken(record: JobRecord, node: NodeRecord | undefined, { by }: Counting): number {
  const threads = by === "node" || isRunning(record) ? 1 : cpusPerCore(node);
  if (record.threads_per_core === 1) return threads;
  const ofTask = Math.max(1, Math.ceil((record.cpus ?? 1) / Math.max(1, record.tasks ?? 1)));
  return record.tasks_per_core === 1 ? (Math.ceil(ofTask / threads) * threads) / ofTask : 1;
}

function memoryOfTask(record: JobRecord, { cpus }: Task, counting: Counting): number {
  return memoryPerGpu(record, counting) * gpusIn(record.tres_per_task) || (record.memory_per_cpu ?? 0) * cpus;
}

/**
 * The default of a partition (`DefMemPerGPU`, a number without "gres") does not count for a job that says itself how much memory it wants;
 * that of a CPU beside it is a default, too, unless it is another number than the default.
 */
function memoryPerGpu(record: JobRecord, { memoryPerCpu }: Counting): number {
  const { memory_per_tres: tres, memory_per_cpu: perCpu, memory_per_node: perNode } = record;
  const isAsked = perNode || (perCpu && perCpu !== memoryPerCpu);
  return isAsked && !tres.startsWith("gres") ? 0 : perGpu(tres);
}

/** CPUs or memory for each GPU: `gres:gpu:4`, or `gpu:4` where it is the default of a partition (`DefCpuPerGPU`). */
function perGpu(tres: string): number {
  return gpusIn(gpuRequestOf(tres));
}

/** Then its cpus are what it got. */
function isRunning({ nodes }: JobRecord): boolean {
  return nodes !== "";
}

/** 2 where Slurm counts hyperthreads as cpus; 1 where it counts cores. */
export function cpusPerCore(node: NodeRecord | undefined): number {
  const cores = (node?.sockets ?? 0) * (node?.cores ?? 0);
  const most = node?.threads ?? Number.POSITIVE_INFINITY;
  return cores > 0 ? Math.max(1, Math.min(most, Math.floor((node?.cpus ?? 0) / cores))) : 1;
}

/** As many as it asks for (`-N`). */
export function leastNodes({ tres_req_str }: JobRecord): number {
  return Math.max(1, tresAmount(tres_req_str, "node") ?? 1);
}

interface Asked {
  readonly tasks: number;
  readonly task: Task;
  readonly least: number;
  readonly node: NodeRecord | undefined;
  readonly counting: Counting;
}

/**
 * A part of a heterogeneous job takes as many nodes of its range as it gets, before the next part: with fewer than that for all parts
 * together the job never starts.
 */
function nodesOfPart(
  { het_job_id, max_nodes, flags }: JobRecord,
  { least, tasks }: Pick<Asked, "least" | "tasks">,
) {
  const isRange = het_job_id && !flags.includes("USE_MIN_NODES");
  return isRange ? Math.max(least, Math.min(max_nodes ?? least, tasks)) : least;
}

function nodesNeeded(record: JobRecord, asked: Asked): number {
  const estimate = Math.max(asked.least, record.node_count ?? 1);
  const isRange = (record.max_nodes ?? 0) > asked.least && !record.flags.includes("USE_MIN_NODES");
  const capacity = asked.node === undefined ? undefined : estimateOn(record, asked, asked.node);
  if (capacity === undefined || capacity === Number.POSITIVE_INFINITY)
    return isRange ? nodesOfPart(record, asked) : estimate;
  const isTooFew = Math.max(1, record.cpus ?? 1) > estimate * Math.max(1, asked.node?.usable_cpus ?? 1);
  return isRange || isTooFew ? Math.max(nodesOfPart(record, asked), capacity) : estimate;
}

/** How many nodes of a kind hold the job; infinity: none do. Also for a partition that Slurm's own estimate is not of. */
export function nodesOn(record: JobRecord, node: NodeRecord, counting: Counting): number {
  const tasks = Math.max(1, record.tasks ?? 1);
  const least = leastNodes(record);
  const task = taskOf(record, tasks, node, counting);
  const asked = { tasks, task, least, node, counting };
  return Math.max(nodesOfPart(record, asked), estimateOn(record, asked, node));
}

function estimateOn(record: JobRecord, { tasks, task, counting }: Asked, node: NodeRecord): number {
  const gpus = gpusOn(record, counting, node);
  const has = gresIn(node.gres);
  const perGres = [...gresIn(record.tres_per_job)].map(([name, count]) => count / (has.get(name) ?? count));
  const forJob = gpusIn(record.tres_per_job);
  if (forJob > 0 && gpus === 0 && gpusIn(gpuRequestOf(node.gres)) > 0) return Number.POSITIVE_INFINITY;
  const forGpus = Math.ceil(Math.max(1, gpus > 0 ? forJob / gpus : 1, ...perGres));
  if (task.isShared)
    return Math.max(
      forGpus,
      Math.ceil(task.cpus / usableOf(node, counting).cpus),
      Math.ceil(tasks / (record.tasks_per_node || tasks)),
    );
  const onOne = tasksOn(record, tasks, task, counting, node);
  // Infinity: a node does not hold one.
  const forTasks =
    isCountedByTask(record, counting) || onOne === 0
      ? tasks / onOne
      : (tasks * task.cpus) / usableOf(node, counting).cpus;
  return Math.max(forGpus, Math.ceil(forTasks));
}

/** Only where something is counted by task, as generic resources are, Slurm leaves CPUs of a node unused that are too few for one. */
function isCountedByTask(record: JobRecord, { isOfMemory }: Counting): boolean {
  const { tres_per_node, tres_per_task, tres_per_socket, tres_per_job } = record;
  const gres = [tres_per_node, tres_per_task, tres_per_socket, tres_per_job];
  const perTask = [record.tasks_per_node, record.tasks_per_socket];
  const hasMemoryPerCpu = isOfMemory && record.memory_per_cpu !== undefined && !record.memory_per_node;
  return hasMemoryPerCpu || perTask.some((count) => count) || gres.some((tres) => tres !== "");
}

function usableOf({ usable_cpus: cpus, usable_memory: memory }: NodeRecord, { isOfMemory }: Counting) {
  const all = Number.POSITIVE_INFINITY;
  return { cpus: cpus ?? all, memory: isOfMemory ? (memory ?? all) : all };
}

/** As many as a node holds; 0 where they share CPUs. */
export function tasksOnNode(record: JobRecord, node: NodeRecord, counting: Counting): number {
  const tasks = Math.max(1, record.tasks ?? 1);
  const task = taskOf(record, tasks, node, counting);
  return task.isShared ? 0 : tasksOn(record, tasks, task, counting, node);
}

/** So many of them a node holds. */
function tasksOn(record: JobRecord, tasks: number, task: Task, counting: Counting, node: NodeRecord): number {
  const { cpus, memory } = usableOf(node, counting);
  const memoryPerTask = memoryOfTask(record, task, counting);
  const gpusPerTask = gpusIn(record.tres_per_task);
  const gpus = gpusOn(record, counting, node);
  const has = gresIn(node.gres);
  return Math.min(
    Math.floor(cpus / task.cpus),
    record.tasks_per_node || Number.POSITIVE_INFINITY,
    (record.tasks_per_socket || Number.POSITIVE_INFINITY) * (node.sockets ?? 1),
    memoryPerTask > 0 ? Math.floor(memory / memoryPerTask) : tasks,
    gpusPerTask > 0 && gpus > 0 ? Math.floor(gpus / gpusPerTask) : tasks,
    ...[...gresIn(record.tres_per_task)].map(([name, count]) => Math.floor((has.get(name) ?? count) / count)),
  );
}

/** Those that the CPUs and the memory of a node are enough for. */
export function gpusOn(record: JobRecord, counting: Counting, node: NodeRecord): number {
  const { cpus, memory } = usableOf(node, counting);
  return Math.min(
    gpusIn(gpuRequestOf(node.gres)),
    Math.floor(cpus / perGpu(record.cpus_per_tres)),
    // Slurm's default of memory for a GPU counts here, whatever the job uses in its place.
    Math.floor(memory / perGpu(record.memory_per_tres)),
  );
}

/** What a part of a job is on. */
interface OnNode {
  readonly nodeCount: number;
  readonly tasksOfNode: number;
  readonly node: NodeRecord | undefined;
}

function gpusPerNode(record: JobRecord, own: OnNode): number {
  const { nodeCount, tasksOfNode } = own;
  return (
    gpusIn(record.tres_per_node) ||
    gpusIn(record.tres_per_task) * tasksOfNode ||
    perSockets(record, own, gpusIn(record.tres_per_socket), gpusIn(gpuRequestOf(own.node?.gres ?? ""))) ||
    Math.ceil(gpusIn(record.tres_per_job) / nodeCount)
  );
}

/**
 * Slurm lays tasks in turn on the sockets of a node, on as many as it `has` what each is to have; `--sockets-per-node` are the fewest.
 */
function perSockets(record: JobRecord, { tasksOfNode, node }: OnNode, each: number, has: number): number {
  const least = record.sockets_per_node || 1;
  const used = Math.max(least, Math.min(tasksOfNode, node?.sockets ?? least));
  return each === 0 ? 0 : each * Math.min(used, Math.max(1, Math.floor(has / each)));
}

/** All but GPUs; of one node. */
function gresPerNode(record: JobRecord, own: OnNode): Gres {
  const { nodeCount, tasksOfNode } = own;
  const [ofNode, ofTask, ofSocket, ofJob] = [
    gresIn(record.tres_per_node),
    gresIn(record.tres_per_task),
    gresIn(record.tres_per_socket),
    gresIn(record.tres_per_job),
  ];
  const has = gresIn(own.node?.gres ?? "");
  const names = new Set([...ofNode.keys(), ...ofTask.keys(), ...ofSocket.keys(), ...ofJob.keys()]);
  return new Map(
    [...names].map((name) => [
      name,
      ofNode.get(name) ||
        (ofTask.get(name) ?? 0) * tasksOfNode ||
        perSockets(record, own, ofSocket.get(name) ?? 0, has.get(name) ?? 0) ||
        Math.ceil((ofJob.get(name) ?? 0) / nodeCount),
    ]),
  );
}

/** As resources, without those that no job uses up. */
function named(gres: Gres, lasting: readonly string[]): Readonly<Record<string, number>> {
  const used = [...gres].filter(([name]) => !lasting.includes(name.split(":")[0] ?? ""));
  return Object.fromEntries(used.map(([name, count]) => [resourceName(name), count]));
}

/**
 * A job that asks for no memory where there is no default gets all of a node's: `tres_req_str` says how much that is, also where the
 * default is none for each CPU (`DefMemPerCPU=0`) and it uses up nothing.
 */
function memoryPerNode(
  record: JobRecord,
  {
    ncpus,
    gpus,
    least,
    node,
  }: Pick<Asked, "least" | "node"> & { readonly ncpus: number; readonly gpus: number },
  counting: Counting,
): number {
  return (
    record.memory_per_node ||
    // Beside it stands what a job without GPUs would get by default.
    memoryPerGpu(record, counting) * gpus ||
    (record.memory_per_cpu === undefined
      ? Math.min(
          (tresAmount(record.tres_req_str, "mem") ?? 0) / least,
          // That may be of the nodes of another partition.
          node?.usable_memory ?? Number.POSITIVE_INFINITY,
        )
      : record.memory_per_cpu * ncpus)
  );
}

/** Nobody fixed how many tasks a node takes, or how many nodes there are, and everything is counted by task. */
function maySpread(record: JobRecord, task: Task, gpusOfNode: number, counting: Counting): boolean {
  const isPerNode = (record.tasks_per_node ?? 0) > 0 || (record.tasks_per_socket ?? 0) > 0;
  const isWide = (record.minimum_cpus_per_node ?? 1) > task.cpus;
  const isFixed = leastNodes(record) > 1 || (record.max_nodes ?? 0) > 0 || record.required_nodes !== "";
  const gpusByTask = gpusOfNode === 0 || gpusIn(record.tres_per_task) > 0;
  const gresByTask = [record.tres_per_node, record.tres_per_socket, record.tres_per_job].every(
    (asked) => gresIn(asked).size === 0,
  );
  return (
    (record.tasks ?? 1) > 1 &&
    !task.isShared &&
    !isPerNode &&
    !isWide &&
    !isFixed &&
    !record.contiguous &&
    (!counting.isOfMemory || record.memory_per_cpu === 0 || memoryOfTask(record, task, counting) > 0) &&
    gpusByTask &&
    gresByTask &&
    memoryPerGpu(record, counting) === perGpu(record.memory_per_tres)
  );
}

function amounts(values: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value > 0));
}
