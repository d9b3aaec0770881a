import { expandHostlist } from "../../../clients/agent/drivers/slurm/hostlist.ts";
import type { WorkloadJob } from "../../../infra/local/scheduler/workload.ts";

/** A machine whose slurmd has started under the name of a node. */
export interface Machine {
  readonly nodeId: string;
  readonly hostname: string;
  readonly bootedAtSeconds: number;
}

export interface SlurmNode {
  readonly name: string;
  readonly partition: string;
  /** Beside the base state: `DOWN` is one here, too. */
  readonly flags: Set<string>;
  address: string;
  hostname: string;
  reason: string;
  /** Who gave the reason; empty: nobody. */
  by: string;
  reasonAtSeconds: number;
  /** The version of its daemon; empty before one has registered. */
  version: string;
  startedAtSeconds: number;
  /** The machine whose daemon registered last. */
  machine: string | undefined;
  respondedAtSeconds: number;
  powerAtSeconds: number;
  /** Undefined: it is not powered down for being idle. */
  busyAtSeconds: number | undefined;
}

export interface SlurmJob {
  readonly id: number;
  readonly job: WorkloadJob;
  readonly index: number;
  readonly partition: string;
  readonly nodeCount: number;
  requeue: boolean;
  state: "PENDING" | "CONFIGURING" | "RUNNING" | "COMPLETED";
  nodes: readonly SlurmNode[];
  beginAtSeconds: number;
  /** When Slurm chose its nodes. */
  placedAtSeconds: number;
  endAtSeconds: number;
  comment: string;
}

/** Nodes that are kept for somebody. Unix time. */
export interface SlurmReservation {
  readonly name: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly nodes: readonly string[];
}

/** Slurm counts with the limit of a job, and not with how long it runs. */
export const jobMinutes = 60;

export interface SlurmParts {
  /** Partitions by name; each has nodes of the array of its name. */
  readonly partitions: Readonly<Record<string, { readonly isSaving: boolean; readonly nodes: number }>>;
  /** 2302 for 23.02. */
  readonly release: number;
  readonly reservations: readonly SlurmReservation[];
  /** Nothing went wrong so far: a reservation has its nodes when it begins. */
  readonly isUndisturbed: () => boolean;
  readonly machineOf: (name: string) => Machine | undefined;
  /** Something happened that must not. */
  readonly report: (violation: string) => void;
}

/** As `cyclecloud.conf` has it. */
const resumeTimeoutSeconds = 1800;
/** Shorter, so that much happens. */
const suspendSeconds = 120;
const suspendTimeoutSeconds = 60;
const slurmdTimeoutSeconds = 90;
/** So long Slurm does not start a job again that it put back. */
const requeueSeconds = 120;

const ours = "cyclecloud";
const notResponding = "Not responding";

/**
 * slurmctld with power saving, as the source of 22.05.8 has it (`node_mgr.c`, `power_save.c`): every job has its nodes for
 * itself. What is not modelled: rates of power saving, health checks, preemption, fair share.
 */
export class SlurmController {
  readonly nodes = new Map<string, SlurmNode>();
  readonly jobs: SlurmJob[] = [];
  /** `SuspendExcNodes`: lost by a restart. */
  readonly exempt = new Set<string>();
  /** Nodes that a person took out of service, and the word that must stay. */
  readonly held = new Map<string, "DOWN" | "DRAIN">();
  /** When the agent last began to read: of what came later it may not know. */
  readAtSeconds = 0;
  /** Limits come from there; `sacctmgr` and `sacct` ask nobody else. */
  isDatabaseUp = true;
  /** Lists of the database in StateSaveLocation: without them slurmctld ends at its start while that is away. */
  hasSavedLists = true;
  readonly #begun = new Set<SlurmReservation>();
  #isToStart = false;
  readonly #parts: SlurmParts;
  #isUp = true;
  #startedAtSeconds = 0;

  constructor(parts: SlurmParts) {
    this.#parts = parts;
    for (const [partition, { nodes }] of Object.entries(parts.partitions))
      for (let index = 1; index <= nodes; index++) {
        const name = `${partition}-${index}`;
        this.nodes.set(name, {
          name,
          partition,
          flags: new Set(["POWERED_DOWN"]),
          address: name,
          hostname: name,
          reason: "",
          by: "",
          reasonAtSeconds: 0,
          version: "",
          startedAtSeconds: 0,
          machine: undefined,
          respondedAtSeconds: 0,
          powerAtSeconds: 0,
          busyAtSeconds: undefined,
        });
      }
  }

  get release(): number {
    return this.#parts.release;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  isSaving({ partition }: Pick<SlurmNode, "partition">): boolean {
    return this.#parts.partitions[partition]?.isSaving === true;
  }

  stop(): void {
    this.#isUp = false;
  }

  /**
   * Its state was saved. Daemons register anew when they are asked, which needs their addresses. "slurmdbd and/or database must
   * be up at slurmctld start time" (controller.c) is its end, and it is started again.
   */
  start(nowSeconds: number): void {
    this.#isToStart = !this.isDatabaseUp && !this.hasSavedLists;
    if (this.#isToStart) return;
    this.#isUp = true;
    this.#startedAtSeconds = nowSeconds;
    this.exempt.clear();
  }

  submit(job: SlurmJob): void {
    this.jobs.push(job);
  }

  /** Jobs that have the node, started or not. */
  jobsOn(node: SlurmNode): readonly SlurmJob[] {
    return this.jobs.filter(({ state, nodes }) => state !== "COMPLETED" && nodes.includes(node));
  }

  isRunningOn(node: SlurmNode): boolean {
    return this.jobsOn(node).some(({ state }) => state === "RUNNING");
  }

  /** A job runs there, on a machine that is there. */
  isInUse(node: SlurmNode): boolean {
    return this.isRunningOn(node) && this.#parts.machineOf(node.name)?.nodeId === node.machine;
  }

  get reservations(): readonly SlurmReservation[] {
    return this.#parts.reservations;
  }

  tick(nowSeconds: number): void {
    if (this.#isToStart) this.start(nowSeconds);
    if (!this.#isUp) return;
    for (const reservation of this.reservations) this.#begin(reservation, nowSeconds);
    for (const node of this.nodes.values()) {
      this.#listen(node, nowSeconds);
      this.#savePower(node, nowSeconds);
    }
    for (const job of this.jobs) this.#goOn(job, nowSeconds);
    for (const job of this.jobs)
      if (job.state === "PENDING" && job.beginAtSeconds <= nowSeconds) this.#place(job, nowSeconds);
  }

  #begin(reservation: SlurmReservation, nowSeconds: number): void {
    const { name, startSeconds, nodes } = reservation;
    if (startSeconds > nowSeconds || this.#begun.has(reservation)) return;
    this.#begun.add(reservation);
    const late = nodes.filter((each) => !this.#isReady(this.#node(each)));
    if (this.release >= 2302 && this.#parts.isUndisturbed() && late.length > 0)
      this.#parts.report(`reservation ${name} begins without ${late.join(", ")}`);
  }

  /** A person drains a node, or takes it down. */
  hold(name: string, how: "DOWN" | "DRAIN", reason: string, nowSeconds: number): void {
    const node = this.#node(name);
    if (how === "DOWN") this.#kill(node, nowSeconds, { byUs: false });
    node.flags.add(how);
    this.#explain(node, reason, "ann", nowSeconds);
    this.held.set(name, how);
  }

  letGo(name: string, nowSeconds: number): void {
    if (!this.held.delete(name)) return;
    this.#resume(this.#node(name), nowSeconds);
  }

  /** `scontrol update`, as its arguments come. Returns the exit code. */
  update(args: readonly string[], nowSeconds: number): number {
    const fields = new Map(
      args.map((arg) => {
        const at = arg.search(/[+-]?=/);
        const to = arg.indexOf("=") + 1;
        return [arg.slice(0, at), { value: arg.slice(to), sign: arg.slice(at, to - 1) }] as const;
      }),
    );
    const textOf = (name: string) => fields.get(name)?.value;
    const [nodes, jobId, spared] = ["NodeName", "JobId", "SuspendExcNodes"].map(textOf);
    if (spared !== undefined) return this.#spare(spared, fields.get("SuspendExcNodes")?.sign ?? "");
    if (jobId !== undefined) return this.#updateJob(Number(jobId), textOf, nowSeconds);
    const names = expandHostlist(nodes ?? "") ?? [];
    const [addresses, hostnames] = ["NodeAddr", "NodeHostname"].map((name) =>
      expandHostlist(textOf(name) ?? ""),
    );
    if (names.length === 0) throw new RangeError(`Cannot read scontrol update ${args.join(" ")}`);
    const codes = names.map((name, index) => {
      const node = this.#node(name);
      if (addresses?.[index] !== undefined) node.address = addresses[index];
      if (hostnames?.[index] !== undefined) node.hostname = hostnames[index];
      return this.#set(node, textOf("State"), textOf("Reason"), nowSeconds);
    });
    return Math.max(...codes);
  }

  #node(name: string): SlurmNode {
    const node = this.nodes.get(name);
    if (node === undefined) throw new RangeError(`Cannot find node ${name}`);
    return node;
  }

  #set(node: SlurmNode, state: string | undefined, reason: string | undefined, nowSeconds: number): number {
    const { flags } = node;
    const { reason: before, reasonAtSeconds: heldAtSeconds } = node;
    // Of what a person did since the reading that the command rests on, nobody could know.
    const isKnown = heldAtSeconds < this.readAtSeconds;
    if (["DOWN", "POWER_DOWN_FORCE"].includes(state ?? "") && this.isInUse(node))
      this.#parts.report(`${node.name} is busy, and was set ${state}`);
    if (reason !== undefined) this.#explain(node, reason, "slurm", nowSeconds);
    let code = 0;
    switch (state) {
      case undefined:
        break;
      case "DOWN":
        flags.add("DOWN");
        this.#kill(node, nowSeconds, { byUs: true });
        break;
      case "DRAIN":
        flags.add("DRAIN");
        if (flags.has("POWERED_DOWN") || flags.has("POWERING_UP"))
          this.#kill(node, nowSeconds, { byUs: true });
        break;
      case "UNDRAIN":
        code = flags.delete("DRAIN") ? 0 : 1;
        // Such a drain ends with its machine.
        if (flags.has("POWERING_DOWN")) this.held.delete(node.name);
        break;
      case "RESUME":
        code = this.#resume(node, nowSeconds);
        break;
      case "POWER_UP":
        if (flags.has("POWERED_DOWN")) this.#powerUp(node, nowSeconds);
        break;
      case "POWER_DOWN_FORCE":
        if (flags.has("POWERING_DOWN")) break;
        this.#kill(node, nowSeconds, { byUs: true });
        flags.delete("POWERING_UP");
        flags.delete("POWERED_DOWN");
        flags.add("POWER_DOWN");
        break;
      default:
        throw new RangeError(`Cannot set State=${state}`);
    }
    const held = this.held.get(node.name);
    const isLost = held !== undefined && (!flags.has(held) || !node.reason.includes(before.slice(0, 200)));
    if (
      isLost &&
      isKnown &&
      this.#parts.machineOf(node.name) !== undefined &&
      before !== "" &&
      !before.startsWith(ours)
    )
      this.#parts.report(`${node.name} was ${held} by a person, and is so no more: ${state} ${reason}`);
    return code;
  }

  #explain(node: SlurmNode, reason: string, by: string, nowSeconds: number): void {
    node.reason = reason;
    node.by = by;
    node.reasonAtSeconds = nowSeconds;
  }

  #resume(node: SlurmNode, nowSeconds: number): number {
    const { flags } = node;
    if (!["DOWN", "DRAIN", "POWERING_DOWN"].some((flag) => flags.has(flag))) return 1;
    const isOut = [flags.delete("DRAIN"), flags.delete("DOWN")].includes(true);
    if (flags.delete("POWERING_DOWN")) flags.add("POWERED_DOWN");
    // `_require_node_reg`: its daemon has `SlurmdTimeout` from now on to answer, and it takes no job before.
    if (isOut) {
      flags.add("NOT_RESPONDING");
      node.respondedAtSeconds = nowSeconds;
    }
    node.busyAtSeconds = flags.has("POWERED_DOWN") ? undefined : nowSeconds;
    this.#explain(node, "", "", 0);
    return 0;
  }

  #updateJob(id: number, textOf: (name: string) => string | undefined, nowSeconds: number): number {
    const job = this.jobs.find((each) => each.id === id);
    if (job === undefined || job.state === "COMPLETED") return 1;
    const requeue = textOf("Requeue");
    if (requeue !== undefined) job.requeue = requeue === "1";
    if (textOf("StartTime") === "now" && job.state === "PENDING") job.beginAtSeconds = nowSeconds;
    job.comment = textOf("AdminComment") ?? job.comment;
    return 0;
  }

  #spare(list: string, sign: string): number {
    if (this.release < 2302) return 1;
    const names = expandHostlist(list) ?? [];
    if (sign === "") this.exempt.clear();
    for (const name of names)
      if (sign === "-") this.exempt.delete(name);
      else this.exempt.add(name);
    return 0;
  }

  /** Its jobs go back to the queue. */
  #kill(node: SlurmNode, nowSeconds: number, { byUs }: { readonly byUs: boolean }): void {
    for (const job of this.jobsOn(node)) {
      const isKnown = job.placedAtSeconds < this.readAtSeconds;
      if (byUs && isKnown && !job.requeue && job.state === "CONFIGURING" && node.flags.has("POWERING_UP"))
        this.#parts.report(`job ${job.id} must not be requeued, and lost ${node.name} by our doing`);
      job.state = "PENDING";
      job.beginAtSeconds = nowSeconds + requeueSeconds;
      for (const each of job.nodes)
        each.busyAtSeconds = each.flags.has("POWERED_DOWN") ? undefined : nowSeconds;
      job.nodes = [];
    }
  }

  /** Daemons register until they are heard, and answer at the address that is known. */
  #listen(node: SlurmNode, nowSeconds: number): void {
    const machine = this.#parts.machineOf(node.name);
    const { flags } = node;
    if (machine !== undefined && machine.nodeId !== node.machine) this.#register(node, machine, nowSeconds);
    const answers = machine !== undefined && machine.hostname === node.address;
    if (answers && machine.nodeId === node.machine) {
      node.respondedAtSeconds = nowSeconds;
      flags.delete("NOT_RESPONDING");
      if (flags.has("DOWN") && node.reason === notResponding) this.#returnToService(node, nowSeconds);
    }
    if (
      node.version === "" ||
      ["POWERED_DOWN", "POWERING_UP", "POWERING_DOWN"].some((each) => flags.has(each))
    )
      return;
    const silentSeconds = nowSeconds - Math.max(node.respondedAtSeconds, this.#startedAtSeconds);
    if (silentSeconds > slurmdTimeoutSeconds / 3) flags.add("NOT_RESPONDING");
    if (silentSeconds <= slurmdTimeoutSeconds || flags.has("DOWN")) return;
    flags.add("DOWN");
    if (node.reason === "") this.#explain(node, notResponding, "slurm", nowSeconds);
    this.#kill(node, nowSeconds, { byUs: false });
  }

  /** `ReturnToService=1`. */
  #returnToService(node: SlurmNode, nowSeconds: number): void {
    node.flags.delete("DOWN");
    node.busyAtSeconds = nowSeconds;
    this.#explain(node, "", "", 0);
  }

  #register(node: SlurmNode, machine: Machine, nowSeconds: number): void {
    const { flags } = node;
    // Slurm waits for a machine that has booted since.
    if (flags.has("POWERING_UP") && machine.bootedAtSeconds < node.powerAtSeconds) return;
    const isExpected = flags.has("POWERING_UP");
    const wasOff = flags.has("POWERED_DOWN");
    if (wasOff || isExpected) node.busyAtSeconds = nowSeconds;
    for (const flag of ["POWERING_UP", "POWERED_DOWN", "POWERING_DOWN", "NOT_RESPONDING"]) flags.delete(flag);
    const isRebooted =
      node.machine !== undefined &&
      !isExpected &&
      !wasOff &&
      machine.bootedAtSeconds > node.respondedAtSeconds;
    node.machine = machine.nodeId;
    node.version = "22.05.8";
    node.startedAtSeconds = nowSeconds;
    node.respondedAtSeconds = nowSeconds;
    if (isRebooted) {
      flags.add("DOWN");
      if (["", notResponding].includes(node.reason))
        this.#explain(node, "Node unexpectedly rebooted", "slurm", nowSeconds);
      this.#kill(node, nowSeconds, { byUs: false });
    } else if (flags.has("DOWN") && node.reason === notResponding) this.#returnToService(node, nowSeconds);
    else if (flags.has("DOWN") && wasOff) this.#explain(node, "", "", 0);
  }

  #savePower(node: SlurmNode, nowSeconds: number): void {
    const { flags } = node;
    const isIdle = this.jobsOn(node).length === 0;
    const isLong =
      this.isSaving(node) &&
      node.busyAtSeconds !== undefined &&
      nowSeconds - node.busyAtSeconds > suspendSeconds &&
      !this.exempt.has(node.name);
    const isStill = ["POWERED_DOWN", "POWERING_UP", "POWERING_DOWN"].some((flag) => flags.has(flag));
    if (isIdle && !isStill && (flags.has("POWER_DOWN") || isLong)) {
      flags.delete("POWER_DOWN");
      flags.delete("NOT_RESPONDING");
      flags.add("POWERING_DOWN");
      node.powerAtSeconds = nowSeconds;
    }
    if (flags.has("POWERING_DOWN") && nowSeconds - node.powerAtSeconds > suspendTimeoutSeconds) {
      flags.delete("POWERING_DOWN");
      flags.add("POWERED_DOWN");
      node.busyAtSeconds = undefined;
      // `set_node_comm_name` of power_save.c; in 22.05 with cloud_reg_addrs, which cyclecloud.conf sets.
      node.address = node.name;
      node.hostname = node.name;
    }
    if (flags.has("POWERING_UP") && nowSeconds - node.powerAtSeconds > resumeTimeoutSeconds) {
      if (this.isSaving(node)) this.#parts.report(`${node.name} was waited for until ResumeTimeout`);
      flags.delete("POWERING_UP");
      flags.delete("NOT_RESPONDING");
      flags.add("POWERED_DOWN").add("DOWN");
      this.#explain(node, "ResumeTimeout reached", "slurm", nowSeconds);
      this.#kill(node, nowSeconds, { byUs: false });
      node.busyAtSeconds = undefined;
    }
  }

  #goOn(job: SlurmJob, nowSeconds: number): void {
    const isReady = (node: SlurmNode) => this.#isReady(node);
    if (job.state === "CONFIGURING" && job.nodes.every(isReady)) {
      job.state = "RUNNING";
      job.endAtSeconds = nowSeconds + job.job.runSeconds;
    }
    if (job.state !== "RUNNING" || job.endAtSeconds > nowSeconds || !job.nodes.every(isReady)) return;
    job.state = "COMPLETED";
    for (const node of job.nodes) node.busyAtSeconds = nowSeconds;
    job.nodes = [];
  }

  #isReady({ name, flags, address }: SlurmNode): boolean {
    const isOff = ["POWERED_DOWN", "POWERING_UP", "NOT_RESPONDING"].some((flag) => flags.has(flag));
    return !isOff && this.#parts.machineOf(name)?.hostname === address;
  }

  #powerUp(node: SlurmNode, nowSeconds: number): void {
    node.flags.delete("POWERED_DOWN");
    node.flags.add("POWERING_UP").add("NOT_RESPONDING");
    node.powerAtSeconds = nowSeconds;
  }

  /** A job that might still run when a reservation begins gets none of its nodes. */
  #isReserved({ name }: SlurmNode, nowSeconds: number): boolean {
    return this.reservations.some(
      ({ startSeconds, endSeconds, nodes }) =>
        nodes.includes(name) && startSeconds < nowSeconds + jobMinutes * 60 && nowSeconds < endSeconds,
    );
  }

  /** Nodes that are up come first. */
  #place(job: SlurmJob, nowSeconds: number): void {
    const free = [...this.nodes.values()].filter(
      (node) =>
        node.partition === job.partition &&
        isAvailable(node) &&
        !this.#isReserved(node, nowSeconds) &&
        this.jobsOn(node).length === 0,
    );
    const isOff = ({ flags }: SlurmNode) => flags.has("POWERED_DOWN");
    const chosen = [...free.filter((node) => !isOff(node)), ...free.filter(isOff)].slice(0, job.nodeCount);
    if (chosen.length < job.nodeCount) return;
    for (const node of chosen.filter(isOff)) this.#powerUp(node, nowSeconds);
    job.placedAtSeconds = nowSeconds;
    job.nodes = chosen;
    job.state = "CONFIGURING";
  }
}

function isAvailable({ flags }: SlurmNode): boolean {
  const out = ["DOWN", "DRAIN", "POWERING_DOWN", "POWER_DOWN"];
  const isBooting = flags.has("POWERED_DOWN") || flags.has("POWERING_UP");
  return !out.some((flag) => flags.has(flag)) && (isBooting || !flags.has("NOT_RESPONDING"));
}
