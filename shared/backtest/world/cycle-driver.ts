import {
  acceptDemand,
  answerPlanRequest,
  executeAction,
  nextDeadlineSeconds,
  nextScheduleSeconds,
  snapshotCluster,
} from "../../cycle/index.ts";
import type { PlanRequest, ScaleAction } from "../../messages/index.ts";
import type { ArchivedPlan, ClusterConfig, CycleCloud, PlanHead } from "../../ports/index.ts";
import { Agent } from "./agent.ts";
import type { DemandSource } from "./demand-source.ts";
import { hasBudgets, looksAtUse, type MemoryWorld, memoryPorts } from "./memory-ports.ts";
import type { Delays, RunInput } from "./run-input.ts";
import { rank, type Timeline } from "./timeline.ts";

interface Parts {
  readonly config: ClusterConfig;
  readonly inForce: RunInput["inForce"];
  readonly timeline: Timeline;
  readonly source: DemandSource;
  readonly delays: Delays;
  readonly everyBeat: boolean;
  readonly cycleCloud: CycleCloud;
  readonly nowSeconds: () => number;
  readonly draw: () => number;
  /** Changes with what plans can depend on: which nodes run jobs, and whether any job waits. */
  readonly need: () => string;
  /** Counts plans and snapshots. */
  readonly counts: { plans: number; snapshots: number };
  /** The scheduler takes a host out, or back. */
  readonly close: (hostname: string, isOut: boolean) => void;
  readonly planned: (plan: ArchivedPlan) => void;
}

/**
 * The service: its use cases, at the moments at which its timers and queues would run them. Beats of the timer at which
 * nothing can have changed are left out: time alone changes a plan only at the deadlines that the plan itself names, or when
 * a back-off ends. A snapshot that is too old for a plan is taken again before it.
 */
export class CycleDriver {
  readonly #parts: Parts;
  readonly #agent: Agent;
  readonly #world: MemoryWorld;
  readonly #lookPorts: Parameters<typeof snapshotCluster>[0];
  readonly #looksAtUse: boolean;
  #sentNeed = "";
  #planAtSeconds = Number.POSITIVE_INFINITY;
  #beatAtSeconds = Number.POSITIVE_INFINITY;
  #isChanged = true;
  #isLooking = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#world = memoryPorts({
      ...parts,
      deliver: {
        requestPlan: ({ request, deliverAtSeconds }) => this.#requestPlan(request, deliverAtSeconds),
        execute: (actions, atSeconds) => this.#execute(actions, atSeconds),
        tell: (event) => this.#agent.tell(event),
        archived: parts.planned,
      },
    });
    const { ports } = this.#world;
    // The figures have their own accounts, exact to the moment: those of the service matter where plans depend on them.
    this.#looksAtUse = looksAtUse(this.#parts.config);
    this.#lookPorts = { ...ports, accounts: this.#hasBudgets || this.#looksAtUse ? ports.accounts : null };
    this.#agent = new Agent({ ...parts, post: () => this.#post() });
  }

  get #hasBudgets(): boolean {
    return hasBudgets(this.#parts.config);
  }

  get head(): PlanHead | undefined {
    return this.#world.head();
  }

  /** Jobs have changed: the scheduler's agent sends the change with its next message. */
  demandChanged(): void {
    this.#agent.changed();
  }

  /** Nodes have changed. Most changes are read when something else happens. */
  nodesChanged(): void {
    this.#isChanged = true;
  }

  /** Nodes have changed in a way that plans depend on: the next beat takes a snapshot. */
  nodesMatter(): void {
    this.#beatBy(this.#parts.nowSeconds());
  }

  /** The first snapshot. */
  async start(): Promise<void> {
    await this.#look();
  }

  /** News that can change no plan waits for other news, or for a plan that is made for another reason. */
  async #post(): Promise<void> {
    if (this.#parts.source.hasAnswer || this.#parts.need() !== this.#sentNeed || !this.#mayWait())
      await this.#send();
  }

  async #send(): Promise<void> {
    if (!this.#parts.source.hasNews) return;
    const nowSeconds = this.#parts.nowSeconds();
    this.#sentNeed = this.#parts.need();
    await acceptDemand(this.#world.ports, this.#parts.source.message(nowSeconds));
  }

  /** What is newer goes with the next message, at its time. */
  async #sendHeldBack(): Promise<void> {
    if (!this.#agent.isPostDue) await this.#send();
  }

  /** Run times are learned from messages, budgets of people count by them, and spot arrays look at the jobs that run. */
  #mayWait(): boolean {
    const { spot, predictsRunTimes } = this.#parts.config.cycle;
    const learns = predictsRunTimes && this.#parts.source.namesJobs;
    return !this.#parts.everyBeat && !learns && spot === undefined && !this.#hasBudgets && !this.#looksAtUse;
  }

  #requestPlan(request: PlanRequest, deliverAtSeconds: number): void {
    // A snapshot that was taken for a plan requests that same plan again.
    const atSeconds = deliverAtSeconds + this.#parts.delays.planSeconds;
    if (this.#isLooking || this.#planAtSeconds <= atSeconds) return;
    this.#planAtSeconds = atSeconds;
    this.#parts.timeline.at(atSeconds, rank.control, () => this.#plan(request));
  }

  async #plan(request: PlanRequest): Promise<void> {
    await this.#sendHeldBack();
    this.#planAtSeconds = Number.POSITIVE_INFINITY;
    if (this.#isChanged || this.#looksAtUse || this.#isAged()) {
      this.#isLooking = true;
      await this.#look();
      this.#isLooking = false;
    } else this.#world.refresh(this.#parts.nowSeconds());
    this.#parts.counts.plans += 1;
    await answerPlanRequest(this.#world.ports, request);
    this.#wake();
  }

  /** Whether figures of the snapshot grow with its age. */
  #isAged(): boolean {
    const snapshot = this.#world.snapshot();
    if (snapshot === undefined || this.#hasBudgets) return true;
    return snapshot.cluster.nodeArrays.some(({ buckets }) =>
      buckets.some(({ secondsSinceCapacityFailure }) => secondsSinceCapacityFailure !== null),
    );
  }

  async #look(): Promise<void> {
    this.#isChanged = false;
    this.#parts.counts.snapshots += 1;
    await snapshotCluster(this.#lookPorts, this.#parts.config.cluster);
  }

  #beatBy(seconds: number): void {
    const { snapshotSeconds } = this.#parts.delays;
    const atSeconds = Math.ceil(seconds / snapshotSeconds) * snapshotSeconds;
    if (this.#beatAtSeconds <= atSeconds) return;
    this.#beatAtSeconds = atSeconds;
    this.#parts.timeline.at(atSeconds, rank.control, () => this.#beat(atSeconds));
  }

  async #beat(atSeconds: number): Promise<void> {
    // An earlier beat was scheduled meanwhile.
    if (this.#beatAtSeconds !== atSeconds) return;
    this.#beatAtSeconds = Number.POSITIVE_INFINITY;
    await this.#sendHeldBack();
    await this.#look();
    this.#wake();
  }

  /** The next moment at which time alone makes another plan due. */
  #wake(): void {
    const head = this.head;
    if (head === undefined) return;
    const nowSeconds = this.#parts.nowSeconds();
    if (this.#parts.everyBeat) {
      this.#beatBy(nowSeconds + 1);
      return;
    }
    const deadlines = this.#isTimeless(head) ? this.#deadlines(head) : [head.nextDeadlineSeconds];
    const next = deadlines.reduce<number>(
      (first, each) => (each === null ? first : Math.min(first, each)),
      Number.POSITIVE_INFINITY,
    );
    if (next < longestSeconds + nowSeconds) this.#beatBy(Math.max(next, nowSeconds + 1));
  }

  /**
   * Whether jobs that wait find nothing new by waiting, until something happens: then trying again every minute is left out. Not
   * while a node is drained, which has its own deadlines.
   */
  #isTimeless({ waiting, draining }: PlanHead): boolean {
    return waiting.length > 0 && draining.length === 0 && this.#parts.config.cycle.spot === undefined;
  }

  #deadlines(head: PlanHead): readonly (number | null)[] {
    const snapshot = this.#world.snapshot();
    const demand = this.#world.demand();
    const nowSeconds = this.#parts.nowSeconds();
    if (snapshot === undefined || demand === undefined) return [head.nextDeadlineSeconds];
    const deadline = nextDeadlineSeconds({
      plan: { jobs: [], targets: [] },
      snapshot,
      history: this.#world.history(),
      demand: [demand],
      targets: [],
      settings: this.#parts.config.engine,
      refusals: [],
      nowSeconds,
    });
    const ends = [...head.backedOff, ...head.refusedQuotas, ...head.bootsFailing].map(
      ({ untilSeconds }) => untilSeconds,
    );
    const scheduled = nextScheduleSeconds({
      config: this.#parts.config,
      history: this.#world.history(),
      nowSeconds,
    });
    return [deadline, scheduled, ...ends, ...(this.#hasBudgets ? [nextDay(nowSeconds)] : [])];
  }

  #execute(actions: readonly ScaleAction[], atSeconds: number | null): void {
    const due = Math.max(this.#parts.nowSeconds() + this.#parts.delays.actionSeconds, atSeconds ?? 0);
    for (const action of actions) this.#parts.timeline.at(due, rank.control, () => this.#act(action));
  }

  async #act(action: ScaleAction): Promise<void> {
    // A scheduler that drains starts nothing on a node being deleted: here it reports its started jobs in time.
    if (action.kind !== "create-nodes") await this.#send();
    await executeAction(this.#world.ports, action);
  }
}

/** Budgets of days and of months begin anew then (UTC). */
function nextDay(seconds: number): number {
  return (Math.floor(seconds / daySeconds) + 1) * daySeconds;
}

const daySeconds = 86_400;

/** Deadlines beyond this are ignored: the demand of the source, which never falls silent, ends there. */
const longestSeconds = 366 * daySeconds;
