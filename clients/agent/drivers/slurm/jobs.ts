import type { Job } from "../driver.ts";
import { countTasks, expandHostlist } from "./hostlist.ts";
import { gpusIn, type JobRecord, type NodeRecord, tresAmount } from "./records.ts";
import type { SlurmSettings } from "./settings.ts";

/** What a job record is read with. */
export interface JobContext {
  readonly settings: SlurmSettings;
  readonly nowSeconds: number;
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  /** Of older versions, whose job records do not have it: leaf switches asked for, by job id. */
  readonly switches: ReadonlyMap<number, number>;
  /** Tasks of each array that run now, by the array's id. */
  readonly running: ReadonlyMap<number, number>;
}

/** More multi-node tasks of one array than this are not told at once: each is a job of its own. */
const mostGangs = 100;

/** Nothing that more nodes would help with: limits of accounts, mistakes, people and the future. */
const nodesDoNotHelp =
  /^(JobHeld|BeginTime|Dependency|Assoc|QOS|Invalid|BadConstraints|Licenses|Partition|Reservation|MaxMem|AccountNotAllowed|Job(Launch|Array)|FailedLaunch|Cleaning)/i;

/** The demand in a job record: none for what is over, waits for something else, or is not ours; else one job or more. */
export function toJobs(
  record: JobRecord,
  context: JobContext,
): readonly Job[] | { readonly unreadable: string } {
  const { settings } = context;
  const partitions = record.partition.split(",").filter((name) => !settings.ignore_partitions.includes(name));
  if (partitions.length === 0) return [];
  if (record.job_state.includes("PENDING")) {
    return isWaitingForNodes(record, context) ? waiting(record, partitions, context) : [];
  }
  if (!record.job_state.some((state) => hasNodes.has(state))) return [];
  const hosts = expandHostlist(record.nodes);
  if (hosts === undefined) return { unreadable: `nodes "${record.nodes}", expected a list of nodes` };
  return [running(record, { partitions, hosts }, context)];
}

/** The end of the year 9999: what is later is no time. */
const latestSeconds = 253_402_300_799;

/** "Completing" still has its nodes; so has a job that is stopped. */
export const hasNodes = new Set([
  "RUNNING",
  "CONFIGURING",
  "COMPLETING",
  "SUSPENDED",
  "STOPPED",
  "RESIZING",
  "SIGNALING",
  "STAGE_OUT",
]);

/**
 * `state_reason` alone does not tell: a job that depends on another one shows "ReqNodeNotAvail" as soon as the
 * scheduler has looked at it (22.05). Only tasks of an array that reached its own limit count as waiting in spite of theirs.
 */
function isWaitingForNodes(record: JobRecord, { nowSeconds }: JobContext): boolean {
  if (record.hold === true || (record.priority ?? 0) === 0) return false;
  if (record.dependency.includes("unfulfilled") || record.dependency.includes("failed")) return false;
  if ((record.eligible_time ?? 0) > nowSeconds) return false;
  return !nodesDoNotHelp.test(record.state_reason) || record.state_reason === "JobArrayTaskLimit";
}

function waiting(
  record: JobRecord,
  partitions: readonly string[],
  context: JobContext,
): readonly Job[] | { readonly unreadable: string } {
  const tasks = pendingTasks(record, context);
  if (tasks === undefined)
    return { unreadable: `array_task_string "${record.array_task_string}", expected a list of task ids` };
  if (tasks === 0) return [];
  const { perNode, perSlot, nodeCount, slots } = sizeOf(record);
  const common = commonOf(record, partitions, context);
  const name = record.array_task_string === "" ? nameOf(record) : `${record.array_job_id ?? record.job_id}_*`;
  if (perSlot !== undefined) {
    return [
      { ...common, name, constraints: { ...common.constraints, ...perSlot }, iterations: slots * tasks },
    ];
  }
  const job = { ...common, constraints: { ...common.constraints, ...perNode } };
  if (nodeCount === 1) return [{ ...job, name, iterations: tasks }];
  const colocated = isColocated(record, partitions, context);
  return Array.from({ length: Math.min(tasks, mostGangs) }, (_, index) => ({
    ...job,
    name: tasks === 1 ? name : `${name}#${index}`,
    nodeCount,
    colocated,
  }));
}

/** A job on hosts, and one that Slurm put on nodes which are not there yet: that one waits. */
function running(
  record: JobRecord,
  on: { readonly partitions: readonly string[]; readonly hosts: readonly string[] },
  context: JobContext,
): Job {
  const common = commonOf(record, on.partitions, context);
  const count = Math.max(1, on.hosts.length);
  const constraints = { ...common.constraints, ...sizeOf(record, count).perNode };
  const isThere = (host: string) => {
    const flags = context.nodes.get(host)?.flags;
    return flags !== undefined && !flags.has("POWERED_DOWN") && !flags.has("POWERING_UP");
  };
  const hosts = on.hosts.filter(isThere).map((host) => context.nodes.get(host)?.hostname || host);
  return {
    ...common,
    name: nameOf(record),
    constraints,
    ...(count === 1 ? {} : { nodeCount: count, colocated: isColocated(record, on.partitions, context) }),
    ...(hosts.length === 0 ? {} : { executingHostnames: hosts }),
  };
}

function commonOf(record: JobRecord, partitions: readonly string[], { settings }: JobContext) {
  const arrays = partitions.map((name) => settings.partitions[name]?.node_array ?? name);
  const exclusive =
    ["NONE", "EXCLUSIVE", "TRUE"].some(
      (word) => record.shared.includes(word) || record.exclusive.includes(word),
    ) || partitions.every((name) => settings.partitions[name]?.exclusive === true);
  const submitted = record.submit_time ?? 0;
  return {
    constraints: {
      "node.nodearray": arrays.length === 1 ? arrays[0] : arrays,
      ...featureConstraints(record.features, settings),
    },
    exclusive,
    priority: record.priority ?? 0,
    ...(submitted > 0 && submitted <= latestSeconds
      ? { submittedAt: new Date(submitted * 1000).toISOString() }
      : {}),
  };
}

interface Size {
  readonly perNode: Readonly<Record<string, number>>;
  /** Set when tasks may sit anywhere, several on a node. */
  readonly perSlot: Readonly<Record<string, number>> | undefined;
  readonly nodeCount: number;
  readonly slots: number;
}

/**
 * What a job takes of each node. Tasks may spread over nodes as they fit when nobody fixed the nodes and memory is per
 * cpu; else Slurm's own estimate of the number of nodes counts. A job that asks for no memory where there is no default
 * gets all of a node's: `tres_req_str` says how much that is.
 */
function sizeOf(record: JobRecord, onNodes?: number): Size {
  const cpus = Math.max(1, record.cpus ?? 1);
  const tasks = Math.max(1, record.tasks ?? 1);
  const least = tresAmount(record.tres_req_str, "node") ?? 1;
  const nodeCount = onNodes ?? Math.max(1, least > 1 ? least : (record.node_count ?? 1));
  const ncpus = Math.ceil(cpus / nodeCount);
  const perCpu = record.memory_per_cpu ?? 0;
  const wholeNode = (tresAmount(record.tres_req_str, "mem") ?? 0) / Math.max(1, least);
  const memory = record.memory_per_node || perCpu * ncpus || wholeNode;
  const gpus =
    gpusIn(record.tres_per_node) ||
    gpusIn(record.tres_per_task) * Math.ceil(tasks / nodeCount) ||
    Math.ceil(gpusIn(record.tres_per_job) / nodeCount);
  const maySpread = least === 1 && (record.max_nodes ?? 0) === 0 && tasks > 1 && perCpu > 0;
  const cpusPerTask = Math.ceil(cpus / tasks);
  const perTask = gpusIn(record.tres_per_task);
  const isPlain = gpus === 0 || perTask > 0;
  return {
    perNode: amounts({ ncpus, memmb: memory, ngpus: gpus }),
    perSlot:
      maySpread && isPlain
        ? amounts({ ncpus: cpusPerTask, memmb: perCpu * cpusPerTask, ngpus: perTask })
        : undefined,
    nodeCount,
    slots: tasks,
  };
}

function amounts(values: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value > 0));
}

/** Of an array: tasks that wait and that its own limit (`%N`) allows beside those that run. */
function pendingTasks(record: JobRecord, { running }: JobContext): number | undefined {
  if (record.array_task_string === "") return 1;
  const count = countTasks(record.array_task_string);
  const most = record.array_max_tasks ?? 0;
  if (count === undefined || most === 0) return count;
  return Math.max(0, Math.min(count, most - (running.get(record.array_job_id ?? 0) ?? 0)));
}

function nameOf({ job_id, array_job_id, array_task_id }: JobRecord): string {
  return array_job_id && array_task_id !== undefined ? `${array_job_id}_${array_task_id}` : String(job_id);
}

function isColocated(
  record: JobRecord,
  partitions: readonly string[],
  { settings, switches }: JobContext,
): boolean {
  const asked = record.required_switches ?? switches.get(record.job_id) ?? 0;
  return asked === 1 || partitions.every((name) => settings.partitions[name]?.colocated === true);
}

/** `a&b` means both, `a|b` either. What a feature means is configured; a VM size means itself; others are Slurm's own affair. */
function featureConstraints(features: string, settings: SlurmSettings): Readonly<Record<string, unknown>> {
  const plain = features.replace(/[()[\]]|\*\d+/g, "");
  const sizes = plain
    .split(/[&|,]/)
    .filter((each) => /^Standard_\w+$/.test(each) && !(each in settings.features));
  const known = plain.includes("|")
    ? []
    : plain.split(/[&,]/).flatMap((each) => settings.features[each] ?? []);
  return {
    ...(sizes.length === 0 ? {} : { "node.vm_size": sizes.length === 1 ? sizes[0] : sizes }),
    ...Object.assign({}, ...known),
  };
}
