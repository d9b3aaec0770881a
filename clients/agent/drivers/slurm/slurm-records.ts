import { z } from "zod";
import { fieldOf, readRecord } from "../records.ts";
import { AlikeRecords } from "./alike-records.ts";
import { RecordList } from "./record-list.ts";
import { tresAmount } from "./tres.ts";

/**
 * What `squeue --json` and `scontrol show nodes --json` (`sinfo --json` of Slurm 22.05) print, as far as demand goes. Slurm
 * changed the shapes: since 23.02 states are lists, and numbers are `{set, infinite, number}`. Both are read into one.
 */

const bigNumber = z.object({ set: z.boolean(), infinite: z.boolean().optional(), number: z.number() });

/** Undefined when it is not set; 0 is Slurm's "not set" in the older shape, where the field has no other way to say so. */
const amount = z
  .union([z.number(), bigNumber])
  .nullish()
  .transform((value) => {
    if (typeof value === "number") return value;
    return value?.set === true && value.infinite !== true ? value.number : undefined;
  });

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

/** Upper-case words: the state and its flags. */
const words = z
  .union([z.string(), z.array(z.string())])
  .nullish()
  .transform((value) => [value ?? []].flat().map((word) => word.toUpperCase()));

/** A number of 16 bits, the largest of which are Slurm's "not set". */
const count = amount.transform((value) => (value === undefined || value >= 0xff_fd ? undefined : value));

/** A hostlist, or its names. */
const hostlist = z
  .union([z.string(), z.array(z.string())])
  .nullish()
  .transform((value) => [value ?? []].flat().join(","));

/** What a job has of one node. */
const nodeShare = z
  .object({
    name: text,
    nodename: text,
    cpus: z.object({ count: z.number() }).optional(),
    /** Before 24.05 the cores alone, of each socket. */
    sockets: z.unknown().optional(),
    memory: z.object({ allocated: z.number() }).optional(),
    memory_allocated: z.number().optional(),
  })
  .transform(({ name, nodename, cpus, sockets, memory, memory_allocated }) => ({
    name: name || nodename,
    cpus: cpus?.count,
    cores: cpus === undefined ? JSON.stringify(sockets)?.match(/"allocated/gi)?.length : undefined,
    memory: memory?.allocated ?? memory_allocated,
  }));

/** Of a job that runs: what it has of each of its nodes. Undefined, or empty: it is not known. */
const shares = z
  .object({
    allocated_nodes: z.array(nodeShare).optional(),
    nodes: z.union([z.string(), z.object({ allocation: z.array(nodeShare).optional() })]).optional(),
  })
  .transform(
    ({ allocated_nodes, nodes }) =>
      allocated_nodes ?? (typeof nodes === "object" ? nodes.allocation : undefined) ?? [],
  )
  .nullish()
  .catch(undefined);

export const jobFields = z.object({
  job_id: z.int().min(1),
  job_state: words,
  state_reason: text,
  state_description: text,
  partition: text,
  array_job_id: amount,
  array_task_id: amount,
  array_max_tasks: amount,
  array_task_string: text,
  cpus: amount,
  tasks: amount,
  node_count: amount,
  max_nodes: amount,
  memory_per_cpu: amount,
  memory_per_node: amount,
  tres_req_str: text,
  tres_per_node: text,
  tres_per_task: text,
  tres_per_job: text,
  tres_per_socket: text,
  cpus_per_tres: text,
  memory_per_tres: text,
  tasks_per_node: count,
  tasks_per_socket: count,
  tasks_per_core: count,
  threads_per_core: count,
  sockets_per_node: count,
  cores_per_socket: count,
  minimum_cpus_per_node: count,
  minimum_tmp_disk_per_node: amount,
  features: text,
  licenses: text,
  required_nodes: hostlist,
  excluded_nodes: hostlist,
  flags: words,
  contiguous: z.boolean().nullish(),
  resv_name: text,
  het_job_id: amount,
  het_job_offset: amount,
  shared: words,
  exclusive: words,
  required_switches: amount,
  dependency: text,
  eligible_time: amount,
  submit_time: amount,
  priority: amount,
  hold: z.boolean().nullish(),
  nodes: text,
  job_resources: shares,
  gres_detail: z.array(z.string()).optional().catch(undefined),
  // What a job is planned without, too: one that cannot be read must not set the job aside.
  time_limit: amount.catch(undefined),
  time_minimum: amount.catch(undefined),
  start_time: amount.catch(undefined),
  end_time: amount.catch(undefined),
  preempt_time: amount.catch(undefined),
  requeue: z.boolean().nullish().catch(undefined),
  user_name: text.catch(""),
  account: text.catch(""),
  user_id: amount.catch(undefined),
  association_id: amount.catch(undefined),
  qos: text.catch(""),
  admin_comment: text.catch(""),
  name: text.catch(""),
});

export const jobRecord = jobFields.readonly();

const nodeFields = z.object({
  name: z.string().min(1).max(255),
  hostname: text,
  address: text,
  state: words,
  state_flags: words,
  reason: text,
  reason_set_by_user: text,
  reason_changed_at: amount,
  slurmd_start_time: amount.catch(undefined),
  cpus: amount,
  alloc_cpus: amount,
  alloc_memory: amount.catch(undefined),
  gres: text,
  partitions: z.array(z.string()).nullish(),
  version: text,
  slurmd_version: text,
  /** Sockets of a node, cores of a socket, threads of a core. */
  sockets: count,
  cores: count,
  threads: count,
  real_memory: amount,
  /** The user whose jobs alone run there (`--exclusive=user`); empty: nobody's. */
  owner: text.catch(""),
  /** For jobs; they use up none of it. */
  temporary_disk: amount,
  /** Without cores that are kept for the system; and before 23.02 only in `tres`. */
  effective_cpus: amount,
  tres: text,
  /** Memory that is kept for the system; before 23.02 only in what scontrol prints for people. */
  specialized_memory: amount,
  /** Undefined: not reported, which is not the same as none. */
  features: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .transform((value) => (value == null ? undefined : [value].flat().join(",").split(","))),
});

export const nodeRecord = nodeFields.transform(
  ({ state, state_flags, version, slurmd_version, effective_cpus, tres, specialized_memory, ...rest }) => ({
    ...rest,
    flags: new Set([...state, ...state_flags]),
    /** Of the daemon on it; empty before it has registered. */
    version: version || slurmd_version,
    /** What jobs can have of it. */
    usable_cpus: effective_cpus || tresAmount(tres, "cpu") || rest.cpus,
    usable_memory: withoutMemory(rest.real_memory, specialized_memory),
  }),
);

function withoutMemory(memory: number | undefined, kept: number | undefined): number | undefined {
  return memory === undefined ? undefined : Math.max(0, memory - (kept ?? 0));
}

/** `scontrol show nodes --oneliner`: the memory that nodes keep for the system, by name. Undefined when it is not all there. */
export function readMemoryKept(text: string): ReadonlyMap<string, number> | undefined {
  if (!text.endsWith("\n")) return undefined;
  return new Map(
    text.split("\n").flatMap((line) => {
      // What people wrote (a reason, a comment) stands behind it.
      const [, name, memory] = /^NodeName=(\S+) .*?\bMemSpecLimit=(\d{1,12}) /.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(memory)] as const];
    }),
  );
}

export function keepingMemory(node: NodeRecord, kept: ReadonlyMap<string, number>): NodeRecord {
  const memory = kept.get(node.name);
  return memory === undefined ? node : { ...node, usable_memory: withoutMemory(node.real_memory, memory) };
}

/** A node's record. `rest`: what is left of one that does not check out; undefined when not even its name does. */
export function readNode(value: unknown) {
  const whole = readRecord(nodeRecord, value);
  return whole.ok ? whole : { ...whole, value, rest: readNodeLeniently(value) };
}

/** The nodes of answer after answer. */
export function nodeList(): RecordList<ReturnType<typeof readNode>> {
  const isText = (value: unknown) => typeof value === "string";
  const alike = new AlikeRecords({
    own: nodeFields.pick({
      name: true,
      hostname: true,
      address: true,
      alloc_cpus: true,
      alloc_memory: true,
      reason_changed_at: true,
      slurmd_start_time: true,
    }).shape,
    stays: {
      hostname: isText,
      address: isText,
      alloc_cpus: Number.isFinite,
      alloc_memory: Number.isFinite,
      reason_changed_at: Number.isFinite,
      slurmd_start_time: Number.isFinite,
    },
    id: "name",
    unread: ["boot_time", "cpu_load", "free_memory", "last_busy", "idle_cpus"],
    common: (rest) => {
      const whole = readRecord(nodeRecord, { ...rest, name: "any" });
      return whole.ok ? whole.record : undefined;
    },
    whole: (record, fields): ReturnType<typeof readNode> => ({ ok: true, record: { ...record, ...fields } }),
  });
  return new RecordList("nodes", readNode, alike);
}

function readNodeLeniently(value: unknown): NodeRecord | undefined {
  const readable = Object.entries(nodeFields.shape).flatMap(([name, field]) => {
    const inner = fieldOf(value, name);
    return readRecord<unknown>(field, inner).ok ? [[name, inner]] : [];
  });
  const rest = readRecord(nodeRecord, Object.fromEntries(readable));
  return rest.ok ? rest.record : undefined;
}

export type JobRecord = z.infer<typeof jobRecord>;
export type NodeRecord = z.infer<typeof nodeRecord>;

/**
 * What `scontrol --oneliner` prints: a record a line, `Key=value` pairs with blanks between them. Undefined when the text
 * was cut short: every line ends, and there always is one. Of a key that comes twice the first counts: the reason, which people
 * write, comes last and may look like another pair.
 */
export function readLines(text: string): readonly Readonly<Record<string, string>>[] | undefined {
  if (!text.endsWith("\n")) return undefined;
  return text
    .split("\n")
    .filter((line) => line.includes("="))
    .map((line) =>
      Object.fromEntries(
        line
          .trim()
          .split(" ")
          .toReversed()
          .map((pair) => {
            const at = pair.indexOf("=");
            return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
          }),
      ),
    );
}
