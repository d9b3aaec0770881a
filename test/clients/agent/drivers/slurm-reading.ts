import type { Answers, Memory, Reading } from "../../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface SlurmWorld {
  readonly jobs: readonly unknown[];
  readonly nodes?: readonly unknown[];
  readonly partitions?: string;
  readonly licenses?: string;
  readonly reservations?: string;
  readonly limits?: string;
  /** `scontrol show config`, beside what enforces limits. */
  readonly config?: string;
  /** `scontrol show nodes --oneliner`. */
  readonly specs?: string;
  /** What squeue prints of each job that waits: its id, its leaf switches, and from 26.05 on whether it has whole nodes. */
  readonly pending?: string;
  readonly section?: Fields;
  readonly memory?: Memory;
  readonly nowSeconds?: number;
  /** Hosts that are to drain. */
  readonly draining?: readonly string[];
}

/** A node htc-N of 4 cpus that is there, as Slurm 23.02 and later print it. */
export function slurmNode(index: number, fields: Fields = {}): Fields {
  return {
    name: `htc-${index}`,
    hostname: `ip-${index}`,
    state: ["IDLE"],
    cpus: 4,
    alloc_cpus: 0,
    sockets: 1,
    cores: 4,
    threads: 1,
    real_memory: 15_000,
    features: [],
    gres: "",
    partitions: ["htc"],
    slurmd_version: "22.05",
    ...fields,
  };
}

/** Job 7, which waits for one cpu of partition htc. */
export function waitingJob(fields: Fields = {}): Fields {
  return {
    job_id: 7,
    job_state: ["PENDING"],
    state_reason: "Resources",
    partition: "htc",
    cpus: 1,
    tasks: 1,
    node_count: 1,
    memory_per_cpu: 1000,
    tres_req_str: "cpu=1,mem=1000M,node=1",
    priority: 9,
    nodes: "",
    ...fields,
  };
}

/** The partitions that nodes name, and htc. */
export function linesOfPartitions(nodes: readonly unknown[]): string {
  const named = nodes.flatMap(
    (node) => (node as { readonly partitions?: readonly string[] }).partitions ?? [],
  );
  return [...new Set(["htc", ...named])]
    .map((name) => `PartitionName=${name} OverSubscribe=NO MaxNodes=UNLIMITED State=UP\n`)
    .join("");
}

/** What the driver reads of a made-up cluster. */
export function readSlurm({
  section = {},
  memory = {},
  nowSeconds = 1_795_400_000,
  draining = [],
  ...world
}: SlurmWorld): Reading {
  const configured = slurm.configure(section);
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const context = { nowSeconds, draining: new Map(draining.map((host) => [host, nowSeconds])), memory };
  return configured.driver.interpret(answersOfSlurm(world), context);
}

/** What its controller prints. */
export function answersOfSlurm({
  jobs,
  nodes,
  partitions,
  licenses,
  reservations,
  limits,
  config = "",
  specs,
  pending,
}: SlurmWorld): Answers {
  const texts = {
    scontrol: JSON.stringify({ nodes: nodes ?? [slurmNode(1), slurmNode(2)] }),
    partitions: partitions ?? linesOfPartitions(nodes ?? []),
    squeue: JSON.stringify({ jobs }),
    switches: pending ?? "7 0\n8 0\n",
    licenses: licenses ?? "No licenses configured in Slurm.\n",
    reservations: reservations ?? "No reservations in the system\n",
    config: `AccountingStorageEnforce = ${limits === undefined ? "none" : "associations,limits,qos"}\n${config}`,
    limits: limits ?? "Current Association Manager state\n",
    ...(specs === undefined ? {} : { specs }),
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { text, exitCode: 0 }]));
}
