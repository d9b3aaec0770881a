import { asideOf } from "../../cycle/index.ts";
import { type Cluster, forNodeArray } from "../../engine/index.ts";
import {
  createManualClock,
  createSite,
  type SimulatedNode,
  type Site,
} from "../../simulated-cyclecloud/index.ts";
import type { Host } from "../queue/hosts.ts";
import { QueueModel } from "../queue/queue-model.ts";
import type { Running } from "../queue/reservation.ts";
import { CycleDriver } from "./cycle-driver.ts";
import { cycleCloudPort } from "./cyclecloud-port.ts";
import { DemandSource } from "./demand-source.ts";
import { Fleet } from "./fleet.ts";
import { HostCapacity } from "./host-capacity.ts";
import { Jobs } from "./jobs.ts";
import { Load } from "./load.ts";
import { NeverFits } from "./never-fits.ts";
import { NodePrices } from "./node-prices.ts";
import { NodeSights } from "./node-sights.ts";
import { clockOffset, spanOf, stepFor, stuckSeconds, turn } from "./pace.ts";
import { ClusterReader } from "./read-cluster.ts";
import { inWholeMs, RunRecord } from "./record.ts";
import { type RunInput, usualDelays } from "./run-input.ts";
import { rank, Timeline } from "./timeline.ts";

/** A workload, a model of its scheduler, a model of CycleCloud, and the service between them, on one virtual clock. */
export class BacktestWorld {
  readonly #input: RunInput;
  readonly #timeline = new Timeline();
  readonly #startSeconds: number;
  readonly #jobs: Jobs;
  readonly #model: QueueModel;
  readonly #source: DemandSource;
  readonly #site: Site;
  readonly #fleet: Fleet;
  readonly #cycle: CycleDriver;
  readonly #capacity: HostCapacity;
  readonly #empty: Cluster;
  readonly #prices: NodePrices;
  readonly #never: NeverFits;
  readonly #sights: NodeSights;
  readonly #reader: ClusterReader;
  readonly record: RunRecord;
  readonly #offsetSeconds: number;
  readonly #clock: ReturnType<typeof createManualClock>;
  #now: number;
  #next = 0;
  #isDirty = false;
  readonly #load = new Load();
  #progressSeconds: number;

  constructor(input: RunInput) {
    this.#input = input;
    const { definition, config, workload, seed } = input;
    const [first, last] = spanOf(workload.jobs);
    const cluster = config.cluster;
    this.#jobs = new Jobs(workload.jobs);
    this.#offsetSeconds = clockOffset(workload);
    this.#startSeconds = Math.floor(first + this.#offsetSeconds);
    this.#now = this.#startSeconds;
    this.#progressSeconds = this.#startSeconds;
    this.#clock = createManualClock(this.#startSeconds);
    this.#model = new QueueModel(input.scheduler);
    const isBusy = (hostname: string) => this.#model.jobsOn(hostname).size > 0;
    this.#source = new DemandSource(cluster, isBusy);
    this.#site = createSite({
      definitions: [{ ...definition, seed }],
      seed,
      clock: this.#clock,
      forgetsGone: true,
    });
    this.#reader = new ClusterReader(this.#site, cluster, input.toReading);
    this.#empty = { ...this.#reader.read().cluster, nodes: [] };
    this.#prices = new NodePrices(this.#empty, config);
    this.#capacity = new HostCapacity(this.#empty, config.engine);
    const empty = {
      cluster: this.#empty,
      settings: config.engine,
      nowSeconds: this.#startSeconds,
      inWords: input.inWords,
    };
    this.#never = new NeverFits(this.#jobs, empty);
    this.record = new RunRecord({
      jobs: workload.jobs.length,
      startSeconds: this.#startSeconds,
      stepSeconds: stepFor(last - first),
    });
    this.#fleet = new Fleet({
      site: this.#site,
      cluster,
      timeline: this.#timeline,
      reader: this.#reader,
      capacity: this.#capacity,
      events: {
        up: (host, bootSeconds) => this.#hostUp(host, bootSeconds),
        down: (hostname) => this.#hostDown(hostname),
        bought: (node) => this.#bought(node),
        failed: () => {
          this.record.failed += 1;
        },
        evicted: () => {
          this.record.evicted += 1;
        },
        cutShort: (node, bootLeftSeconds) => this.#cutShort(node, bootLeftSeconds),
        gone: (node) => this.#nodeGone(node),
        changed: (nodeId) => {
          this.#cycle.nodesChanged();
          this.#sights.see(nodeId, this.#now);
          this.#reprice();
        },
        matters: () => this.#cycle.nodesMatter(),
      },
    });
    this.#sights = new NodeSights({
      fleet: this.#fleet,
      model: this.#model,
      jobs: this.#jobs,
      capacity: this.#capacity,
      prices: this.#prices,
      record: this.record,
    });
    this.#cycle = new CycleDriver({
      config,
      inForce: input.inForce,
      timeline: this.#timeline,
      source: this.#source,
      counts: this.record,
      delays: input.delays ?? usualDelays,
      everyBeat: input.everyBeat === true,
      nowSeconds: () => this.#now,
      draw: () => this.#site.random.share(),
      close: (hostname, isOut) => {
        this.#model.close(hostname, isOut);
        this.#isDirty = true;
      },
      planned: (plan) => input.watch?.planned(plan),
      // Where nothing waits, and the same nodes run jobs, a plan finds nothing to do.
      need: () => (this.#model.waiting > 0 ? `${this.#now}` : `turn ${this.#model.turns}`),
      cycleCloud: cycleCloudPort({
        site: this.#site,
        cluster,
        reader: this.#reader,
        onChange: () => {
          this.#cycle.nodesChanged();
          this.#fleet.look();
        },
      }),
    });
  }

  /** When the last node was gone, on the virtual clock. */
  get nowSeconds(): number {
    return this.#now;
  }

  /** From the virtual clock to the workload's own. */
  get offsetSeconds(): number {
    return this.#offsetSeconds;
  }

  async run(): Promise<void> {
    await this.#cycle.start();
    this.#reprice();
    let [turns, last] = [0, this.#jobs.count === 0 ? this.#now : this.#submitSeconds(this.#jobs.count - 1)];
    while (!this.#isOver()) {
      const moment = this.#timeline.peek();
      const submitSeconds = this.#submitSeconds(this.#next);
      const atSeconds = Math.min(moment?.atSeconds ?? Number.POSITIVE_INFINITY, submitSeconds);
      if (atSeconds === Number.POSITIVE_INFINITY) break;
      this.#moveTo(atSeconds);
      this.#live(atSeconds);
      await this.#control(atSeconds);
      turns += 1;
      if (turns % 1_000 === 0) {
        last = Math.max(last, this.#now);
        const start = this.#startSeconds;
        this.#input.onProgress?.((this.#now - start) / Math.max(1, last - start));
        await turn();
        this.#input.signal?.throwIfAborted();
      }
    }
    this.#giveUp();
  }

  #isOver(): boolean {
    if (this.#submitSeconds(this.#next) < Number.POSITIVE_INFINITY || this.#model.running > 0) return false;
    const isStuck = this.#now - this.#progressSeconds > stuckSeconds(this.#input.config);
    // Nodes that nobody ever deletes cost for ever: the run ends with the last thing that happens.
    return isStuck || (this.#model.waiting === 0 && this.#fleet.size === 0);
  }

  /** Ends of jobs, nodes and submissions of this moment, then one pass of the scheduler. */
  #live(atSeconds: number): void {
    for (
      let next = this.#timeline.peek();
      next !== undefined && next.atSeconds <= atSeconds && next.rank !== rank.control;
      next = this.#timeline.peek()
    ) {
      this.#timeline.pop();
      void next.happens();
    }
    while (this.#submitSeconds(this.#next) <= atSeconds) {
      this.#submit(this.#next);
      this.#next += 1;
    }
    if (this.#isDirty) this.#pass();
  }

  async #control(atSeconds: number): Promise<void> {
    for (
      let next = this.#timeline.peek();
      next !== undefined && next.atSeconds <= atSeconds;
      next = this.#timeline.peek()
    ) {
      if (next.rank !== rank.control) {
        this.#live(atSeconds);
        continue;
      }
      this.#timeline.pop();
      await next.happens();
    }
    if (this.#isDirty) this.#pass();
  }

  #moveTo(atSeconds: number): void {
    if (atSeconds <= this.#now) return;
    this.record.pass(this.#load.levels(this.#model.waiting), atSeconds);
    this.#clock.advance(atSeconds - this.#now);
    this.#now = atSeconds;
  }

  #submitSeconds(place: number): number {
    const submitSeconds = this.#jobs.submitSeconds(place);
    return submitSeconds === undefined ? Number.POSITIVE_INFINITY : submitSeconds + this.#offsetSeconds;
  }

  #submit(place: number): void {
    const why = this.#never.why(place);
    if (why !== undefined) {
      this.record.neverRan(this.#jobs.name(place), why);
      this.#jobs.forget(place);
      return;
    }
    this.#progressSeconds = this.#now;
    this.#enqueue(place);
  }

  #enqueue(place: number): void {
    const estimateSeconds = this.#jobs.estimateSeconds(place);
    this.#model.submit(place, { shape: this.#jobs.shape(place), estimateSeconds });
    this.#load.waitingProcessors += this.#jobs.at(place).processors;
    this.#source.change(this.#jobs.waiting(place));
    this.#isDirty = true;
    this.#cycle.demandChanged();
  }

  #pass(): void {
    this.#isDirty = false;
    for (const run of this.#model.pass(this.#now, () => this.#fleet.expected())) this.#started(run);
  }

  #started(run: Running): void {
    const { place, allocation } = run;
    const job = this.#jobs.at(place);
    this.#load.waitingProcessors -= job.processors;
    this.#load.runningProcessors += job.processors;
    this.#progressSeconds = this.#now;
    const { user = null, account = null, queue = null } = job;
    const key = String(place);
    this.record.begin({ key, source: "", name: job.name, user, account, queue });
    const hostnames = allocation.parts.flatMap(({ left, count }) =>
      Array.from({ length: count }, () => left.host.hostname),
    );
    this.#source.change(this.#jobs.running(place, hostnames, this.#now));
    this.#cycle.demandChanged();
    for (const { left } of allocation.parts) this.#hostChanged(left.host.hostname);
    this.#timeline.at(this.#now + job.runSeconds, rank.end, () => this.#ended(run));
  }

  #ended(run: Running): void {
    const { place } = run;
    // It was stopped with its node, and perhaps runs again.
    if (this.#model.runOf(place) !== run) return;
    const { processors, submitSeconds } = this.#jobs.at(place);
    this.#leave(run);
    const times = { submitSeconds: submitSeconds + this.#offsetSeconds, endSeconds: this.#now };
    const { startSeconds } = run;
    this.record.ended({ place, key: String(place), processors, startSeconds, ...times });
    this.#source.remove(this.#jobs.name(place));
    this.#jobs.forget(place);
    this.#cycle.demandChanged();
  }

  /** Its nodes are free. */
  #leave(run: Running): void {
    const { place, allocation } = run;
    this.#model.end(place);
    this.#load.runningProcessors -= this.#jobs.at(place).processors;
    this.#progressSeconds = this.#now;
    for (const { left } of allocation.parts) this.#hostChanged(left.host.hostname);
    this.#isDirty = true;
  }

  #hostUp(host: Host, bootSeconds: number | null): void {
    this.#model.hostUp(host);
    this.#source.joined(host.hostname);
    if (bootSeconds !== null) this.record.booted(bootSeconds);
    this.#progressSeconds = this.#now;
    this.#isDirty = true;
    this.#cycle.nodesChanged();
  }

  /** Jobs that ran there start over. */
  #hostDown(hostname: string): void {
    for (const place of this.#model.jobsOn(hostname)) {
      const run = this.#model.runOf(place);
      if (run === undefined) continue;
      const { processors } = this.#jobs.at(place);
      this.#leave(run);
      const processorMs = (inWholeMs(this.#now) - inWholeMs(run.startSeconds)) * processors;
      this.record.lost({ place, key: String(place), processorMs });
      this.#enqueue(place);
    }
    this.#model.hostGone(hostname);
    this.#source.left(hostname);
    this.#isDirty = true;
  }

  #bought(node: SimulatedNode): void {
    const { nodearray: nodeArray, machineType: vmSize, spot } = node.bucket;
    this.#load.nodeProcessors += this.#capacity.of(nodeArray, vmSize).ncpus;
    this.record.bought({ nodeArray, vmSize, spot }, this.#fleet.size);
  }

  #cutShort({ nodeId, bucket }: SimulatedNode, bootLeftSeconds: number): void {
    const idleSeconds = forNodeArray(this.#input.config.engine.idleTimeoutSeconds, bucket.nodearray);
    this.record.cutShort(inWholeMs(bootLeftSeconds + idleSeconds), this.#prices.of(nodeId, bucket));
  }

  #nodeGone(node: SimulatedNode): void {
    const { nodearray, machineType } = node.bucket;
    this.#load.nodeProcessors -= this.#capacity.of(nodearray, machineType).ncpus;
    this.record.gone(node.nodeId, this.#now);
    this.#input.watch?.gone(node);
    this.#cycle.nodesChanged();
    // Its quota is free: somebody may wait for that.
    if ((this.#cycle.head?.waiting.length ?? 0) > 0) this.#cycle.nodesMatter();
    this.#reprice();
  }

  /** What is paid depends on which nodes there are, where reservations and disks of deallocated nodes are paid. */
  #reprice(): void {
    const { engine } = this.#input.config;
    if (!this.#prices.hasReservations && engine.deallocate === undefined) return;
    const priced = this.#prices.renew(this.#reader.read().cluster);
    this.record.accounts.seeBeside(asideOf(priced, engine), inWholeMs(this.#now));
    if (this.#prices.hasReservations)
      for (const nodeId of this.#fleet.nodeIds()) this.#sights.see(nodeId, this.#now);
  }

  #hostChanged(hostname: string): void {
    const nodeId = this.#fleet.nodeIdOf(hostname);
    if (nodeId !== undefined) this.#sights.see(nodeId, this.#now);
    if (this.#source.used(hostname)) this.#cycle.demandChanged();
  }

  #giveUp(): void {
    const why = this.#never.stillWaiting(this.#cycle.head);
    for (const place of this.#model.waitingPlaces())
      this.record.neverRan(this.#jobs.name(place), why(this.#jobs.name(place)));
  }
}
