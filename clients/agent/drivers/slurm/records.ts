import { z } from "zod";

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

export const jobRecord = z
  .object({
    job_id: z.int().min(1),
    job_state: words,
    state_reason: text,
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
    features: text,
    shared: words,
    exclusive: words,
    required_switches: amount,
    dependency: text,
    eligible_time: amount,
    submit_time: amount,
    priority: amount,
    hold: z.boolean().nullish(),
    nodes: text,
  })
  .readonly();

export const nodeRecord = z
  .object({
    name: z.string().min(1).max(255),
    hostname: text,
    state: words,
    state_flags: words,
    reason: text,
    reason_set_by_user: text,
    reason_changed_at: amount,
    cpus: amount,
    alloc_cpus: amount,
    gres: text,
    partitions: z.array(z.string()).nullish(),
    version: text,
    slurmd_version: text,
  })
  .transform(({ state, state_flags, version, slurmd_version, ...rest }) => ({
    ...rest,
    flags: new Set([...state, ...state_flags]),
    /** Of the daemon on it; empty before it has registered. */
    version: version || slurmd_version,
  }));

export type JobRecord = z.infer<typeof jobRecord>;
export type NodeRecord = z.infer<typeof nodeRecord>;

/** Slurm tells failures inside an answer that is JSON all the same. */
const answerError = z.object({ error: text, description: text }).loose();
const jobsAnswer = z.object({ jobs: z.array(z.unknown()), errors: z.array(answerError).nullish() });
const nodesAnswer = z.object({ nodes: z.array(z.unknown()), errors: z.array(answerError).nullish() });

/** The records of an answer; undefined when it is not what the command prints, or tells of an error. */
export function jobsOf(answer: string): readonly unknown[] | undefined {
  const parsed = jobsAnswer.safeParse(parseJson(answer));
  return parsed.success && !parsed.data.errors?.length ? parsed.data.jobs : undefined;
}

export function nodesOf(answer: string): readonly unknown[] | undefined {
  const parsed = nodesAnswer.safeParse(parseJson(answer));
  return parsed.success && !parsed.data.errors?.length ? parsed.data.nodes : undefined;
}

function parseJson(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}

/** The number behind a name in `cpu=8,mem=15000M,node=2`; undefined when it is not there. */
export function tresAmount(tres: string, name: string): number | undefined {
  const item = tres.split(",").find((each) => each.startsWith(`${name}=`));
  const match = /^(\d+(?:\.\d+)?)([KMGTP]?)$/.exec(item?.slice(name.length + 1) ?? "");
  return match === null ? undefined : Number(match[1]) * (mebibytesPer[match[2] ?? ""] ?? 1);
}

/** Slurm's memory is in mebibytes; plain numbers count things, and stay as they are. */
const mebibytesPer: Readonly<Record<string, number>> = {
  K: 1 / 1024,
  M: 1,
  G: 1024,
  T: 1024 ** 2,
  P: 1024 ** 3,
};

/** GPUs in `gres:gpu:a100:2`, `gres/gpu:2`, `gres/gpu=2` or a list of such; without a number it is one. 0: none. */
export function gpusIn(tres: string): number {
  const counts = tres.split(",").flatMap((item) => {
    const match = /^gres[:/]gpu(?:[:=](.*))?$/.exec(item.trim());
    if (match === null) return [];
    const last = (match[1] ?? "1").split(/[:=]/).at(-1) ?? "1";
    return [/^\d+$/.test(last) ? Number(last) : 1];
  });
  return counts.reduce((sum, each) => sum + each, 0);
}
