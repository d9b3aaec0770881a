import type { Answers } from "../driver.ts";
import { readRecord } from "../records.ts";
import { minutesIn } from "./amounts.ts";
import { nodesOn } from "./size.ts";
import { readCounting, usualCounting } from "./slurm-partitions.ts";
import { jobRecord, type NodeRecord, readLines } from "./slurm-records.ts";

/** What `sbatch` was asked for, by the names of its long options. Counts are numbers, memory is in mebibytes. */
export interface SbatchOptions {
  readonly partition?: string;
  readonly nodes?: { readonly least: number; readonly most: number };
  readonly ntasks?: number;
  readonly cpusPerTask?: number;
  readonly ntasksPerNode?: number;
  readonly ntasksPerSocket?: number;
  readonly ntasksPerCore?: number;
  readonly ntasksPerGpu?: number;
  readonly mincpus?: number;
  readonly mem?: number;
  readonly memPerCpu?: number;
  readonly memPerGpu?: number;
  readonly tmp?: number;
  readonly timeMinutes?: number;
  readonly gres?: string;
  readonly gpus?: string;
  readonly gpusPerNode?: string;
  readonly gpusPerTask?: string;
  readonly gpusPerSocket?: string;
  readonly cpusPerGpu?: number;
  readonly socketsPerNode?: number;
  readonly threadsPerCore?: number;
  readonly exclusive?: string;
  readonly oversubscribe?: boolean;
  readonly overcommit?: boolean;
  readonly useMinNodes?: boolean;
  readonly contiguous?: boolean;
  readonly requeue?: boolean;
  readonly array?: string;
  readonly constraint?: string;
  readonly nodelist?: string;
  readonly exclude?: string;
  readonly licenses?: string;
  readonly switches?: number;
  readonly account?: string;
  readonly qos?: string;
  readonly jobName?: string;
}

/** What the controller fills in where `sbatch` says nothing, and whose job it is. */
export interface Submission {
  readonly answers: Answers;
  readonly nodes: readonly NodeRecord[];
  readonly user: string;
  readonly nowSeconds: number;
}

/**
 * The record that `squeue --json` would have of a job that was just submitted, as the controller makes it of the options of
 * sbatch and the defaults of the cluster. Undefined: no partition was named, and there is no default one.
 */
export function submittedRecord(
  options: SbatchOptions,
  submission: Submission,
): Readonly<Record<string, unknown>> | undefined {
  const lines = readLines(submission.answers.partitions?.text ?? "") ?? [];
  const partition = options.partition ?? lines.find((line) => line.Default === "YES")?.PartitionName;
  if (partition === undefined) return undefined;
  const names = partition.split(",");
  const ofPartition = lines.find(({ PartitionName }) => PartitionName === names[0]) ?? {};
  const config = submission.answers.config?.text ?? "";
  const nodes = submission.nodes.filter((node) => node.partitions?.some((name) => names.includes(name)));
  const largest = nodes.toSorted((a, b) => (b.usable_cpus ?? 0) - (a.usable_cpus ?? 0))[0];
  const counts = countsOf(options);
  const { tasks, cpus, most } = counts;
  const leastOfEach = lines
    .filter(({ PartitionName = "" }) => names.includes(PartitionName))
    .map(({ MinNodes }) => Number(MinNodes) || 1);
  const least = Math.max(counts.least, leastOfEach.length === 0 ? 1 : Math.min(...leastOfEach));
  const record = {
    job_id: 1,
    job_state: "PENDING",
    state_reason: "Resources",
    partition,
    ...counts.fields,
    ...memoryOf(options, { cpus, least, ofPartition, config, largest }),
    ...gresOf(options),
    tasks,
    cpus,
    node_count: most ?? least,
    ...(most === undefined ? {} : { max_nodes: most }),
    minimum_tmp_disk_per_node: options.tmp ?? 0,
    array_task_string: options.array ?? "",
    array_max_tasks: Number(options.array?.split("%")[1] ?? 0),
    features: options.constraint ?? "",
    required_nodes: options.nodelist ?? "",
    excluded_nodes: options.exclude ?? "",
    licenses: options.licenses ?? "",
    required_switches: options.switches ?? 0,
    contiguous: options.contiguous ?? false,
    shared: sharedOf(options, config),
    flags: options.useMinNodes === true ? ["USE_MIN_NODES"] : [],
    requeue: options.requeue ?? true,
    time_limit:
      options.timeMinutes ?? minutesIn(ofPartition.DefaultTime) ?? minutesIn(ofPartition.MaxTime) ?? 0,
    priority: 1,
    submit_time: Math.floor(submission.nowSeconds),
    user_name: submission.user,
    account: options.account ?? "",
    qos: options.qos ?? "",
    name: options.jobName ?? "",
  };
  // Of a range Slurm's own estimate is of the most, unless it is told to take the fewest.
  const isGiven = options.nodes !== undefined && options.useMinNodes !== true;
  if (isGiven || largest === undefined) return record;
  const read = readRecord(jobRecord, record);
  return read.ok
    ? { ...record, node_count: nodesOn(read.record, largest, readCounting(config) ?? usualCounting) }
    : record;
}

function countsOf(options: SbatchOptions) {
  const { nodes, ntasksPerNode, cpusPerTask = 1, ntasksPerGpu, gpus } = options;
  const least = nodes?.least ?? 1;
  const byGpu = ntasksPerGpu === undefined ? undefined : ntasksPerGpu * Math.max(1, gpuCount(gpus));
  const counted = options.overcommit === true ? 1 : (ntasksPerNode ?? 1);
  const tasks = options.ntasks ?? byGpu ?? (ntasksPerNode ?? 1) * least;
  return {
    tasks,
    least,
    most: nodes?.most,
    cpus: options.overcommit === true ? least : tasks * cpusPerTask,
    fields: {
      minimum_cpus_per_node: Math.max(options.mincpus ?? 1, cpusPerTask * counted),
      tasks_per_node: ntasksPerNode ?? 0,
      tasks_per_socket: options.ntasksPerSocket ?? 0,
      tasks_per_core: options.ntasksPerCore ?? 0,
      threads_per_core: options.threadsPerCore ?? 0,
      sockets_per_node: options.socketsPerNode ?? 0,
    },
  };
}

interface Asked {
  readonly cpus: number;
  readonly least: number;
  readonly ofPartition: Readonly<Record<string, string>>;
  readonly config: string;
  readonly largest: NodeRecord | undefined;
}

/** Without an option and a default a job gets all memory of its nodes, as with `--mem=0`; a default of none for each CPU is no memory. */
function memoryOf(options: SbatchOptions, { cpus, least, ofPartition, config, largest }: Asked) {
  const { mem, memPerCpu, memPerGpu, gpus } = options;
  const own = mem ?? memPerCpu ?? memPerGpu;
  const defaultOf = (name: string) =>
    own === undefined ? (megabytesIn(ofPartition[name]) ?? megabytesIn(configured(config, name))) : undefined;
  const perNode = mem ?? defaultOf("DefMemPerNode");
  const perCpu = memPerCpu ?? (perNode === undefined ? defaultOf("DefMemPerCPU") : undefined);
  const whole = (largest?.real_memory ?? 0) * least;
  const all =
    perNode !== undefined && perNode > 0
      ? perNode * least
      : perCpu !== undefined && perCpu > 0
        ? perCpu * cpus
        : memPerGpu !== undefined
          ? memPerGpu * gpuCount(gpus)
          : whole;
  return {
    memory_per_node: perNode ?? 0,
    ...(perCpu === undefined || memPerCpu === 0 ? {} : { memory_per_cpu: perCpu }),
    memory_per_tres: memPerGpu === undefined ? "" : `gres:gpu:${memPerGpu}`,
    tres_req_str: `cpu=${cpus},mem=${all}M,node=${least}`,
  };
}

function gresOf(options: SbatchOptions) {
  const gpus = (asked: string | undefined) => (asked === undefined ? "" : `gres:gpu:${asked}`);
  const ofNode = (options.gres ?? "")
    .split(",")
    .filter((each) => each !== "" && each !== "none")
    .map((each) => (each.startsWith("gres:") ? each : `gres:${each}`));
  return {
    tres_per_node: [...ofNode, gpus(options.gpusPerNode)].filter((each) => each !== "").join(","),
    tres_per_task: gpus(options.gpusPerTask),
    tres_per_socket: gpus(options.gpusPerSocket),
    tres_per_job: gpus(options.gpus ?? gpusOfTasks(options)?.toString()),
    cpus_per_tres: gpus(options.cpusPerGpu?.toString()),
  };
}

/** `--ntasks-per-gpu` without a number of GPUs. */
function gpusOfTasks({ ntasks, ntasksPerGpu }: SbatchOptions): number | undefined {
  return ntasks === undefined || ntasksPerGpu === undefined ? undefined : Math.ceil(ntasks / ntasksPerGpu);
}

function gpuCount(asked = "0"): number {
  return Number(asked.split(":").at(-1)) || 1;
}

function sharedOf({ exclusive, oversubscribe }: SbatchOptions, config: string): string {
  if (exclusive !== undefined && exclusive !== "node") return exclusive;
  const isLinear = configured(config, "SelectType") === "select/linear";
  return exclusive === "node" || isLinear ? "none" : oversubscribe === true ? "shared" : "";
}

/** A line of `scontrol show config`. */
function configured(config: string, name: string): string | undefined {
  const line = config
    .split("\n")
    .find((each) => each.startsWith(name) && !/\w/.test(each[name.length] ?? ""));
  return line?.slice(line.indexOf("=") + 1).trim();
}

function megabytesIn(text: string | undefined): number | undefined {
  return /^\d{1,12}$/.test(text ?? "") ? Number(text) : undefined;
}
