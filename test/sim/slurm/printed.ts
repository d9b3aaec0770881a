import { jobMinutes, type SlurmController, type SlurmJob, type SlurmNode } from "./controller.ts";

const coresPerNode = 4;
const memoryMb = 8000;

export interface Printed {
  readonly text: string;
  readonly exitCode: number;
}

/** What the programs of Slurm print. `skewSeconds`: how far the clock of their host is off. */
export function printed(
  slurm: SlurmController,
  [program, ...args]: readonly string[],
  { nowSeconds, skewSeconds }: { readonly nowSeconds: number; readonly skewSeconds: number },
): Printed {
  const isNew = slurm.release >= 2302;
  const time = (seconds: number) => (seconds <= 0 ? 0 : Math.floor(seconds + skewSeconds));
  switch ([program, ...args].join(" ")) {
    case "scontrol show nodes --json":
      if (!isNew) return { text: "", exitCode: 1 };
      return json(
        "nodes",
        [...slurm.nodes.values()].map((node) => nodeRecord(slurm, node, { time, nowSeconds })),
      );
    case "sinfo --json":
      return json(
        "nodes",
        [...slurm.nodes.values()].map((node) => nodeRecord(slurm, node, { time, nowSeconds })),
      );
    case "scontrol show nodes --oneliner":
      return lines(
        [...slurm.nodes.values()].map(({ name }) => `NodeName=${name} CoreSpecCount=0 MemSpecLimit=0 `),
      );
    case "scontrol show partitions --all --oneliner":
      return lines(
        [...new Set([...slurm.nodes.values()].map(({ partition }) => partition))].map(
          (name) => `PartitionName=${name} OverSubscribe=EXCLUSIVE MaxNodes=UNLIMITED State=UP QoS=N/A`,
        ),
      );
    case "squeue --json":
      return json(
        "jobs",
        slurm.jobs
          .filter(({ state }) => state !== "COMPLETED")
          .map((job) => jobRecord(job, { isNew, time, nowSeconds })),
      );
    case "scontrol show licenses --oneliner":
      return lines(["No licenses configured in Slurm."]);
    case "scontrol show reservations --oneliner":
      return lines(reservationLines(slurm, { time, nowSeconds }));
    case "scontrol show config":
      return lines([
        "AccountingStorageEnforce = associations,limits,qos",
        "SelectType              = select/cons_tres",
        "SelectTypeParameters    = CR_CORE_MEMORY",
        `SuspendExcNodes         = ${[...slurm.exempt].join(",") || "(null)"}`,
        `SLURM_VERSION           = ${isNew ? "25.05.3" : "22.05.8"}`,
      ]);
    // The controller answers from what it has of slurmdbd, also while that is away, and after a restart from its saved lists.
    case "scontrol show assoc_mgr flags=assoc,qos --oneliner":
      return lines([
        "Current Association Manager state",
        "Association Records",
        "ClusterName=test Account=root UserName= Partition= Priority=0 ID=1 ParentAccount= GrpJobs=N(0) MaxJobs=",
        "QOS Records",
        "QOS=normal(1) GrpJobs=N(0) Account Limits= {No Accounts} User Limits= {No Users}",
      ]);
    default:
      if (program === "squeue" && args.includes("--states=PENDING"))
        return lines(
          slurm.jobs
            .filter(({ state }) => state === "PENDING")
            .map(({ id }) => `${id}                   0  `),
        );
      throw new RangeError(`Cannot run ${[program, ...args].join(" ")}`);
  }
}

function reservationLines(
  { reservations }: SlurmController,
  { time, nowSeconds }: { readonly time: (seconds: number) => number; readonly nowSeconds: number },
): readonly string[] {
  const now = reservations.filter(({ endSeconds }) => endSeconds > nowSeconds);
  if (now.length === 0) return ["No reservations in the system"];
  return now.map(({ name, startSeconds, endSeconds, nodes }) => {
    const times = `StartTime=${time(startSeconds)} EndTime=${time(endSeconds)}`;
    const what = `Nodes=${nodes.join(",")} NodeCnt=${nodes.length} Flags=SPEC_NODES TRES=cpu=${coresPerNode * nodes.length}`;
    return `ReservationName=${name} ${times} ${what} State=${startSeconds <= nowSeconds ? "ACTIVE" : "INACTIVE"}`;
  });
}

function lines(all: readonly string[]): Printed {
  return { text: all.map((line) => `${line}\n`).join(""), exitCode: 0 };
}

function json(name: string, records: readonly object[]): Printed {
  return { text: `${JSON.stringify({ [name]: records, errors: [] }, undefined, 1)}\n`, exitCode: 0 };
}

function nodeRecord(
  slurm: SlurmController,
  node: SlurmNode,
  { time, nowSeconds }: { readonly time: (seconds: number) => number; readonly nowSeconds: number },
) {
  const { name, partition, flags, address, hostname, reason, by, reasonAtSeconds, version } = node;
  const isBusy = slurm.jobsOn(node).length > 0;
  const base = flags.has("DOWN") ? "DOWN" : isBusy ? "ALLOCATED" : "IDLE";
  const isReserved = slurm.reservations.some(
    ({ startSeconds, endSeconds, nodes }) =>
      nodes.includes(name) && startSeconds <= nowSeconds && nowSeconds < endSeconds,
  );
  const more = [
    "CLOUD",
    ...(isReserved ? ["RESERVED"] : []),
    ...[...flags].filter((flag) => flag !== "DOWN"),
  ];
  return {
    name,
    hostname,
    address,
    ...(slurm.release >= 2302
      ? { state: [base, ...more] }
      : { state: base.toLowerCase(), state_flags: more }),
    reason,
    reason_set_by_user: by,
    reason_changed_at: time(reasonAtSeconds),
    slurmd_start_time: time(node.startedAtSeconds),
    cpus: coresPerNode,
    alloc_cpus: isBusy ? coresPerNode : 0,
    sockets: 1,
    cores: coresPerNode,
    threads: 1,
    real_memory: memoryMb,
    features: [],
    gres: "",
    partitions: [partition],
    version,
  };
}

function jobRecord(
  job: SlurmJob,
  {
    isNew,
    time,
    nowSeconds,
  }: { readonly isNew: boolean; readonly time: (seconds: number) => number; readonly nowSeconds: number },
) {
  const amount = (number: number) => (isNew ? { set: true, infinite: false, number } : number);
  const { id, partition, nodeCount, state, nodes, requeue, comment } = job;
  const words = state === "CONFIGURING" ? ["RUNNING", "CONFIGURING"] : [state];
  const isHeldBack = state === "PENDING" && job.beginAtSeconds > nowSeconds;
  return {
    job_id: id,
    // What cannot be read: its nodes stay, and it is named.
    ...(isOdd(job) ? { cpus: "many" } : { cpus: amount(coresPerNode * nodeCount) }),
    job_state: isNew ? words : words.at(-1),
    state_reason: state === "PENDING" ? (isHeldBack ? "BeginTime" : "Resources") : "None",
    partition,
    name: nameOf(job),
    tasks: amount(nodeCount),
    node_count: amount(nodeCount),
    cpus_per_task: amount(coresPerNode),
    tres_req_str: `cpu=${coresPerNode * nodeCount},node=${nodeCount}`,
    ...(isNew ? { shared: ["none"], required_switches: 0 } : { shared: "none" }),
    priority: amount(1000),
    eligible_time: amount(time(job.beginAtSeconds)),
    submit_time: amount(time(job.job.submitSeconds)),
    nodes: nodes.map(({ name }) => name).join(","),
    requeue,
    admin_comment: comment,
    user_name: "ann",
    time_limit: amount(jobMinutes),
  };
}

/** Some users name their jobs like this. */
const names = [
  (name: string) => name,
  (name: string) => `${name} "quoted' \\ $(reboot) \`x\``,
  (name: string) => `${name}\nsecond line\r\n},\n {`,
  (name: string) => `${name} 🧪🚀 \u0000\u202e`,
  (name: string) => name.padEnd(4096, "x"),
] as const;

function nameOf({ id, job }: SlurmJob): string {
  return (names[id % names.length] ?? names[0])(job.name);
}

/** A record that the driver cannot use, as soon as the job runs: a number that is none. */
export function isOdd({ job, state }: SlurmJob): boolean {
  return job.name.startsWith("odd") && state === "RUNNING";
}
