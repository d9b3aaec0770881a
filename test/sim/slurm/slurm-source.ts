import type { Answer, Command, Read } from "../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../clients/agent/drivers/slurm/slurm.ts";
import { KeptAlive } from "../../../clients/agent/kept-alive.ts";
import { NamedNodeKeeper, type NamedNodesService } from "../../../clients/agent/named-nodes.ts";
import { Outbox } from "../../../clients/agent/outbox.ts";
import { type PassPorts, type PassReport, runPass } from "../../../clients/agent/pass.ts";
import type { AgentState } from "../../../clients/agent/state.ts";
import { namedNodesOf } from "../../../clients/cli/service/named-nodes.ts";
import type { Service } from "../../../clients/cli/service/service.ts";
import type { WorkloadJob } from "../../../infra/local/scheduler/workload.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { jsonOr } from "../../../shared/json/json.ts";
import type { SchedulerEvent } from "../../../shared/messages/scheduler-event.ts";
import type { DemandToSend } from "../../../shared/ports/index.ts";
import type { TrueNode } from "../cloud.ts";
import { EventQueue } from "../event-queue.ts";
import { Fleet, type Run } from "../fleet.ts";
import type { Posted, SourceParts, WatchedSource } from "../source.ts";
import { type Machine, SlurmController, type SlurmJob, type SlurmReservation } from "./controller.ts";
import { isOdd, printed } from "./printed.ts";

export interface SlurmScript {
  /** Partitions by name; the array of a partition has its name. */
  readonly partitions: Readonly<Record<string, { readonly isSaving: boolean; readonly nodes: number }>>;
  /** 2205, or 2505. */
  readonly release: number;
  /** Nodes of power saving that are kept for somebody. Counted from the start. */
  readonly reservation?: Pick<SlurmReservation, "startSeconds" | "endSeconds" | "nodes"> | undefined;
}

export interface SlurmSourceParts extends SourceParts {
  readonly report: (violation: string) => void;
  readonly trace: (line: string) => void;
  readonly service: Service;
  /** No fault so far, and nothing happened but that the agent was killed. */
  readonly isUndisturbed: () => boolean;
}

const tickSeconds = 2;
const lookSeconds = 5;
const intervalSeconds = 15;
const secondLookSeconds = 2;
const sourceName = "slurm";
/** From a machine that is up to a daemon that has started, at most. */
const longestStartSeconds = 25;
/** Time to notice a reservation, to boot, to see that in a snapshot, and to start anew after each of three kills. */
const reservationLeadSeconds = 600;

interface Task {
  readonly job: WorkloadJob;
  readonly index: number;
}

/** slurmctld, and the real agent with its driver beside it, which may be killed between any two of its steps. */
export class SlurmSource implements WatchedSource {
  readonly cluster: string;
  readonly controller: SlurmController;
  /** The host of both. Its clock may be wrong. */
  readonly host: Fleet;
  readonly #parts: SlurmSourceParts;
  readonly #events: EventQueue;
  readonly #later: Task[];
  readonly #startSeconds: number;
  readonly #disk = new Map<string, string>();
  readonly #readyAt = new Map<string, number>();
  /** What Slurm wanted by the newest list of its nodes: an order rests on that of its own pass, and on nothing older. */
  #wanted: ReadonlySet<string> = new Set();
  readonly #total: number;
  #machines: ReadonlyMap<string, Machine> = new Map();
  #ids = 1000;
  #newest = "";

  constructor(
    parts: SlurmSourceParts,
    cluster: string,
    { script, jobs }: { readonly script: SlurmScript; readonly jobs: readonly WorkloadJob[] },
  ) {
    this.#parts = parts;
    this.cluster = cluster;
    this.#events = new EventQueue(parts, ["late", "twice"]);
    this.host = new Fleet(parts.timeline, 1);
    this.#startSeconds = parts.timeline.nowSeconds;
    this.#later = jobs.flatMap((job) =>
      Array.from({ length: job.shape.kind === "slots" ? job.shape.slots : 1 }, (_, index) => ({
        job,
        index,
      })),
    );
    this.#total = this.#later.length;
    const { reservation } = script;
    this.controller = new SlurmController({
      ...script,
      reservations:
        reservation === undefined
          ? []
          : [
              {
                ...reservation,
                name: "class",
                startSeconds: this.#startSeconds + reservation.startSeconds,
                endSeconds: this.#startSeconds + reservation.endSeconds,
              },
            ],
      isUndisturbed: () => parts.isUndisturbed(),
      machineOf: (name) => this.#machines.get(name),
      report: (violation) => parts.report(violation),
    });
    this.#section = {
      ...(reservation === undefined ? {} : { reservation_lead_seconds: reservationLeadSeconds }),
      partitions: Object.fromEntries(
        Object.entries(script.partitions).map(([name, { isSaving }]) => [
          name,
          { mode: isSaving ? "power-saving" : "planner" },
        ]),
      ),
    };
  }

  readonly #section: object;

  readonly canDrain = true;

  get scheduler(): WatchedSource["scheduler"] {
    const { jobs } = this.controller;
    const running = jobs.filter(({ state }) => state === "RUNNING");
    const waiting = jobs.filter(({ state }) => state === "PENDING" || state === "CONFIGURING");
    const hostOf = (name: string) => this.#machines.get(name)?.hostname ?? name;
    const byJob = Map.groupBy(waiting, ({ job }) => job);
    return {
      progress: () => ({
        total: this.#total,
        waiting: waiting.length,
        running: running.length,
        done: jobs.length - waiting.length - running.length,
        later: this.#later.length,
        requeued: 0,
      }),
      runningTasks: running.map(({ job, index, nodes }) => ({
        job,
        index,
        hostnames: nodes.map(({ name }) => hostOf(name)),
      })),
      waitingJobs: [...byJob].map(([job, some]) => ({ job, waiting: some.length })),
      hostStates: [...this.controller.held.keys()].map((name) => ({
        hostname: hostOf(name),
        state: "draining" as const,
        stateReason: "held by a person",
      })),
    };
  }

  get busyHostnames(): ReadonlySet<string> {
    return new Set(this.scheduler.runningTasks.flatMap(({ hostnames }) => hostnames));
  }

  tell(event: SchedulerEvent): void {
    this.#events.put(event);
  }

  live(onTick: () => void): void {
    const { timeline } = this.#parts;
    const tick = () => {
      this.#tick();
      timeline.after(tickSeconds, tick);
    };
    const look = () => {
      onTick();
      timeline.after(lookSeconds, look);
    };
    timeline.after(0, tick);
    timeline.after(1, look);
    this.#startAgent();
  }

  /** The agent dies where it is, and is started again. `losesState`: without its files. */
  killAgent({ losesState = false }: { readonly losesState?: boolean } = {}): void {
    const [machine] = this.host.machines;
    if (losesState) this.#disk.clear();
    if (machine !== undefined) void this.host.kill(machine);
  }

  #tick(): void {
    const { timeline, cloud } = this.#parts;
    const now = timeline.nowSeconds;
    this.#machines = new Map(
      cloud.nodes(this.cluster).flatMap((node) => {
        const machine = this.#machineOf(node, now);
        return machine === undefined ? [] : [[node.name, machine] as const];
      }),
    );
    const due = this.#later.filter(({ job }) => this.#startSeconds + job.submitSeconds <= now);
    for (const task of due) {
      this.#later.splice(this.#later.indexOf(task), 1);
      this.controller.submit(this.#jobOf(task, now));
    }
    this.controller.tick(now);
  }

  #jobOf({ job, index }: Task, now: number): SlurmJob {
    this.#ids += 1;
    const id = this.#ids;
    const [partition = ""] = job.need.nodeArrays;
    return {
      id,
      job,
      index,
      partition,
      nodeCount: job.shape.kind === "nodes" ? job.shape.nodes : 1,
      requeue: id % 4 !== 0,
      state: "PENDING",
      nodes: [],
      beginAtSeconds: now,
      placedAtSeconds: 0,
      endAtSeconds: 0,
      comment: "",
    };
  }

  #machineOf({ nodeId, hostname, status, isWanted, createdAtSeconds }: TrueNode, now: number) {
    if (hostname === undefined || status !== "Ready" || !isWanted) return undefined;
    const readyAt = this.#readyAt.get(nodeId) ?? now;
    this.#readyAt.set(nodeId, readyAt);
    // The same for each run of a seed, whatever else was drawn.
    const startSeconds = Number.parseInt(nodeId.slice(-2), 16) % longestStartSeconds || 0;
    return now - readyAt < startSeconds ? undefined : { nodeId, hostname, bootedAtSeconds: createdAtSeconds };
  }

  #startAgent(): void {
    const { timeline, chance } = this.#parts;
    const run = this.host.start(
      "agent",
      (agent) => this.#agent(agent),
      () => undefined,
    );
    const watch = () => {
      if (run.isDead || run.isOver) timeline.after(chance.between(2, 60), () => this.#startAgent());
      else timeline.after(5, watch);
    };
    watch();
  }

  async #agent(run: Run): Promise<void> {
    const { timeline } = this.#parts;
    const state = jsonOr(this.#disk.get("state") ?? "", undefined) as AgentState | undefined;
    const ports = this.#ports(run);
    let now: AgentState = state ?? { version: 1, decisions: {}, memory: {} };
    for (;;) {
      const startedAt = timeline.nowSeconds;
      const { state: after, report } = await runPass(now, ports);
      now = after;
      this.#check(report);
      const isSoon = report.commands + report.events > 0 || report.named?.isOpen === true;
      const gap = (isSoon ? secondLookSeconds : intervalSeconds) - (timeline.nowSeconds - startedAt);
      await this.host.wait(run, Math.max(1, gap));
    }
  }

  /** What was left out is named. */
  #check({ reading, setAside, problems, named }: PassReport): void {
    if (!reading.known) {
      this.#parts.trace(`   agent reads nothing: ${reading.reason}`);
      return;
    }
    for (const problem of problems) this.#parts.trace(`   agent: ${problem}`);
    if (named !== undefined && named.ordered.length + named.deleted.length + named.givenBack.length > 0)
      this.#parts.trace(`   agent: ${JSON.stringify(named)}`);
    for (const id of this.#oddRead)
      if (!setAside?.some(({ record }) => record === `job ${id}`))
        this.#parts.report(`job ${id} cannot be read, and is not named`);
  }

  /** Jobs of the newest answer that cannot be read. */
  #oddRead: readonly number[] = [];

  #ports(run: Run): PassPorts {
    const configured = slurm.configure(this.#section);
    if (!configured.ok) throw new Error(configured.problems.join("; "));
    const { driver } = configured;
    const folder = this.#folder(run);
    const outbox = new Outbox(
      {
        cluster: this.cluster,
        source: sourceName,
        sender: "controller:1:a",
        ttlSeconds: 300,
        // Only `send` knows it.
        destination: undefined as never,
        send: (message) => this.#send(run, message),
        folder,
      },
      Number(this.#disk.get("sequence") ?? 0),
    );
    const service = this.#watched(run, namedNodesOf(this.#parts.service, "slurm-agent"));
    const portsOf = (file: string) => ({
      service,
      run: (command: Command) => this.#run(run, command),
      load: () => folder.read(file),
      save: (text: string) => folder.write(file, text),
    });
    const keeper = new NamedNodeKeeper(portsOf("named-nodes"));
    const alive = new KeptAlive(portsOf("kept-alive"));
    const nowSeconds = () => this.#parts.timeline.nowSeconds + this.#skewSeconds;
    return {
      driver,
      nowSeconds,
      read: (read) => this.#read(run, read),
      run: (command) => this.#run(run, command),
      takeEvents: () => this.#step(run, "take events", () => this.#events.receive()),
      post: (demand, now) => {
        this.#newest = JSON.stringify(
          demand.jobs.flatMap(({ executingHostnames = [] }) => executingHostnames),
        );
        return outbox.post(demand, now);
      },
      postKept: (now) => outbox.postKept(now),
      startOver: () => outbox.startOver(),
      save: (state) => folder.write("state", JSON.stringify(state)),
      ...(driver.namesNodes === true
        ? {
            keepAlive: (nodes, now) => alive.tend(nodes, now),
            tendNamed: (nodes, now) => keeper.tend(nodes, now),
          }
        : {}),
    };
  }

  get #skewSeconds(): number {
    return this.host.machines[0]?.clockOffsetSeconds ?? 0;
  }

  #folder(run: Run) {
    const write = (name: string, text: string | undefined) =>
      this.#step(run, "agent disk", () => {
        if (text === undefined) this.#disk.delete(name);
        else this.#disk.set(name, text);
      });
    return {
      read: (name: string) => this.#step(run, "agent disk", () => this.#disk.get(name)),
      write,
      remove: (name: string) => write(name, undefined),
      saveSequence: (sequence: number) => write("sequence", String(sequence)),
    };
  }

  /** One step of the agent: it takes a moment, and may be its last. */
  async #step<T>(run: Run, place: string, act: () => T): Promise<T> {
    const fault = this.#parts.faults.at(place, ["crash-before", "crash-after", "slow-answer"]);
    await this.host.wait(run, this.#parts.chance.between(0.002, 0.05));
    if (fault?.kind === "crash-before") return this.host.kill(run.machine);
    const result = act();
    if (fault?.kind === "crash-after") return this.host.kill(run.machine);
    if (fault?.kind === "slow-answer") await this.host.wait(run, fault.seconds);
    return result;
  }

  async #read(run: Run, read: Read): Promise<Answer> {
    if (read.kind !== "command") throw new RangeError(`Cannot read "${read.name}": expected a command`);
    const fault = this.#parts.faults.at("slurm reads", [
      "crash-before",
      "error-before",
      "slow-answer",
      "truncated",
    ]);
    await this.host.wait(run, this.#parts.chance.between(0.01, 0.4));
    if (fault?.kind === "crash-before") return this.host.kill(run.machine);
    if (fault?.kind === "slow-answer") await this.host.wait(run, Math.min(fault.seconds, 20));
    if (fault?.kind === "error-before" || !this.controller.isUp)
      throw new Error(`Cannot run "${read.program}"`);
    const command = [read.program, ...read.args];
    // `env NAME=value program …`.
    const program = command[0] === "env" ? command.slice(2) : command;
    const { timeline } = this.#parts;
    const answer = printed(this.controller, program, {
      nowSeconds: timeline.nowSeconds,
      skewSeconds: this.#skewSeconds,
    });
    const exitCode = answer.exitCode;
    if (exitCode !== 0 && !read.exitCodes?.includes(exitCode))
      throw new Error(`Cannot run "${read.program}"`);
    const { length } = answer.text;
    const text =
      fault?.kind === "truncated"
        ? answer.text.slice(0, Math.floor(length * this.#parts.chance.between(0, 1)))
        : answer.text;
    if (["scontrol", "sinfo"].includes(read.name) && exitCode === 0) {
      this.controller.readAtSeconds = timeline.nowSeconds;
      this.#wanted = new Set(
        [...this.controller.nodes.values()].flatMap(({ name, flags }) =>
          flags.has("POWERING_UP") ? name : [],
        ),
      );
    }
    if (read.name === "squeue") this.#oddRead = this.controller.jobs.filter(isOdd).map(({ id }) => id);
    if (read.sink === undefined) return { text, exitCode };
    read.sink.begin();
    const bytes = Buffer.from(text);
    const half = Math.floor(bytes.length / 2);
    for (const part of [bytes.subarray(0, half), bytes.subarray(half)]) read.sink.take(part);
    return { text: "", exitCode };
  }

  async #run(run: Run, { program, args, exitCodes = [] }: Command): Promise<unknown> {
    const fault = this.#parts.faults.at("slurm commands", [
      "crash-before",
      "crash-after",
      "error-before",
      "error-after",
      "slow-request",
    ]);
    await this.host.wait(run, this.#parts.chance.between(0.01, 0.4));
    if (fault?.kind === "crash-before") return this.host.kill(run.machine);
    if (fault?.kind === "slow-request") await this.host.wait(run, Math.min(fault.seconds, 20));
    if (fault?.kind === "error-before" || !this.controller.isUp) throw new Error(`Cannot run "${program}"`);
    this.#parts.trace(`   agent ${program} ${args.join(" ")}`);
    if (args[0] !== "update") throw new RangeError(`Cannot run ${program} ${args.join(" ")}`);
    const code = this.controller.update(args.slice(1), this.#parts.timeline.nowSeconds);
    if (fault?.kind === "crash-after") return this.host.kill(run.machine);
    const isFailure = code !== 0 && !exitCodes.includes(code);
    if (fault?.kind === "error-after" || isFailure) throw new Error(`Cannot run "${program}": ${code}`);
    return undefined;
  }

  async #send(run: Run, message: DemandToSend) {
    const { put, onPut, onPosted, faults } = this.#parts;
    const fault = faults.at("post demand", ["error-before", "error-after", "crash-before", "crash-after"]);
    await this.host.wait(run, this.#parts.chance.between(0.002, 0.05));
    if (fault?.kind === "crash-before") return this.host.kill(run.machine);
    const failure = () => new UpstreamError("Cannot send to the queue", { retryable: true });
    if (fault?.kind === "error-before") throw failure();
    const { kind, sequence } = message;
    const posted: Posted = { kind, sequence, hostnames: JSON.parse(this.#newest) };
    put(JSON.parse(JSON.stringify(message)), () => onPosted(posted));
    onPut(posted);
    if (fault?.kind === "crash-after") return this.host.kill(run.machine);
    if (fault?.kind === "error-after") throw failure();
    return { outcome: "sent" as const, messages: 1 };
  }

  /** What is asked of the service, beside what Slurm really wants. */
  #watched(run: Run, service: NamedNodesService): NamedNodesService {
    const { report } = this.#parts;
    const nodeOf = (name: string) => this.controller.nodes.get(name);
    const passing =
      <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        await this.#step(run, "service", () => undefined);
        const answer = await call(...args).finally(() => this.host.wait(run, 0));
        await this.#step(run, "service", () => undefined);
        return answer;
      };
    return {
      nodes: passing(service.nodes),
      operation: passing(service.operation),
      keepAlive: passing(service.keepAlive),
      create: passing(async (nodes, key) => {
        const answer = await service.create(nodes, key);
        for (const name of answer.outcome === "requested" ? nodes.names : [])
          if (!this.#wanted.has(name))
            report(`${name} was ordered, and Slurm did not want it when it was read`);
        return answer;
      }),
      remove: passing(async (names) => {
        const busy = names.filter((name) => {
          const node = nodeOf(name);
          return node !== undefined && this.controller.isInUse(node);
        });
        const answer = await service.remove(names);
        for (const name of answer.asked)
          if (busy.includes(name)) report(`${name} is busy, and was asked to go`);
        return answer;
      }),
    };
  }
}
