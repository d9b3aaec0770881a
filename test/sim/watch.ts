import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import { longestSilenceSeconds, underWay } from "../../shared/cycle/index.ts";
import { type Plan, type PlanInput, plan } from "../../shared/engine/index.ts";
import { accountOf, type NodeArrayTarget } from "../../shared/messages/node-array-target.ts";
import type { ScaleAction } from "../../shared/messages/scale-action.ts";
import type {
  ArchivedPlan,
  ClusterControl,
  Operation,
  PlanHead,
  RequestSet,
  Snapshot,
  SourceDemand,
  Stored,
} from "../../shared/ports/index.ts";
import { violationsOf } from "../shared/engine/plan-validity.ts";
import type { Cloud, TrueNode } from "./cloud.ts";
import type { Fleet, Run } from "./fleet.ts";
import type { Posted, WatchedSource } from "./source.ts";

/** What a plan knew when it recorded an action: nodes by id, and creates that were on their way. */
interface Knowledge {
  readonly nodeIds: ReadonlySet<string>;
  readonly actionIds: ReadonlySet<string>;
  /** How many nodes the plan counted as coming, by the create that made or makes them. */
  readonly coming: ReadonlyMap<string, number>;
}

/** Since when something has been on record without a break. */
type Since = Map<string, number>;

/** No scenario gives nodes less time than this to boot; older ones may be replaced. */
const shortestBootTimeoutSeconds = 200;

/** Longer than what delays the deletion of a failed node: runs that die, and demand that waits to be read. */
const longestFailedSeconds = 1_800;

/** As `world.ts` configures it. */
const demandTtlSeconds = 300;

export interface WatchParts {
  readonly cluster: string;
  readonly cloud: Cloud;
  readonly source: WatchedSource;
  readonly fleet: Fleet;
  /** How many node arrays there are: nodes of one do not stand in for nodes of another that is preferred. */
  readonly arrays: number;
  /** Whether its scheduler leaves jobs waiting beside nodes with room. */
  readonly refusesJobs: boolean;
  /** Failed nodes that may be there for long; undefined: not watched. */
  readonly mostFailedNodes: number | undefined;
  /** Nodes that may be deallocated at a time. */
  readonly mostDeallocated: number;
  readonly now: () => number;
  readonly actionIdOf: (requestId: string) => string | undefined;
  readonly report: (violation: string) => void;
}

/** How nodes went. */
export interface Departures {
  /** While a job ran on them of which nobody had told yet, and without a drain: the race that draining is for. */
  readonly raced: number;
  /** Reported drained by their scheduler. */
  readonly drained: number;
  /** Not reported drained in time. */
  readonly drainTimedOut: number;
  /** Idle, and not deleted. */
  readonly deallocated: number;
}

/** Holds what must be true of one cluster at any moment against what really happens. */
export class Watch implements Departures {
  readonly #parts: WatchParts;
  readonly #knowledge = new Map<string, Knowledge>();
  readonly #busy: Since = new Map();
  readonly #kept: Since = new Map();
  /** By operators, in our own records. */
  readonly #keptHere: Since = new Map();
  readonly #failedSince: Since = new Map();
  /** When a run last wrote down that it asks CycleCloud for something. */
  readonly #askedAt = new WeakMap<Run, number>();
  /** Hosts that a scheduler which can drain has on record. */
  readonly #drainable: Since = new Map();
  /** Hosts on which something runs by the newest message that was put onto the queue, taken or not. */
  readonly #put = new NewestWord();
  /** The same by the newest message that has arrived, whatever could be read of it. */
  readonly #posted = new NewestWord();
  /** When an executor's run last looked at the demand queue. */
  readonly #lookedAt = new WeakMap<Run, number>();
  readonly #leaving = new Set<string>();
  readonly #failed = new Set<string>();
  #demandExpiresAtSeconds = Number.NEGATIVE_INFINITY;
  #mostSkewSeconds = 0;
  readonly #peaks = new Map<string, number>();
  raced = 0;
  drained = 0;
  drainTimedOut = 0;
  deallocated = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** A planner wrote down what it is going to ask. */
  onPlanned(run: Run, operation: Operation): void {
    const seen = run.saw.get("snapshots.load") as Stored<Snapshot> | undefined;
    const open = (run.saw.get("operations.open") ?? []) as readonly Stored<Operation>[];
    this.#knowledge.set(operation.actionId, {
      nodeIds: new Set(seen?.value.cluster.nodes.map((node) => node.nodeId)),
      actionIds: new Set(open.map(({ value }) => value.actionId)),
      coming: seen === undefined ? new Map() : comingFrom(open, seen.value),
    });
  }

  /** A scheduler that starts whatever fits, as soon as it looks, is no reason for an alarm. */
  onHead({ stalled = [] }: PlanHead): void {
    if (this.#parts.refusesJobs) return;
    for (const { jobs } of stalled)
      this.#parts.report(
        `job "${jobs[0]?.name}" is said not to be started, and its scheduler starts all it can`,
      );
  }

  /** A plan that counts takes these nodes for gone from then on, however long it takes to ask them to go. */
  onSent(run: Run, { action, asked }: Operation): void {
    if (asked === true) this.#askedAt.set(run, this.#parts.now());
    if (action.kind === "shutdown-nodes") for (const { nodeId } of action.nodes) this.#leaving.add(nodeId);
  }

  /** The demand that is stored now. */
  onDemand({ jobs, nodes, capabilities, expiresAtSeconds }: SourceDemand): void {
    const drainable = capabilities?.includes("drain") === true ? nodes.map((node) => node.hostname) : [];
    renew(this.#drainable, drainable, this.#parts.now());
    const hostnames = jobs.flatMap((job) => job.executingHostnames);
    renew(this.#busy, hostnames, this.#parts.now());
    this.#demandExpiresAtSeconds = expiresAtSeconds;
  }

  /** A message was put onto the queue. */
  onPut(posted: Posted): void {
    this.#put.hear(posted, this.#parts.now());
  }

  /** A message was done with. */
  onPosted(posted: Posted): void {
    this.#posted.hear(posted, this.#parts.now());
  }

  /** A run looked at the demand queue. */
  onLook(run: Run): void {
    this.#lookedAt.set(run, this.#parts.now());
  }

  /** An autoscale request took effect: its nodes are justified beside those that jobs are. */
  onTargets({ requestSet, arrays }: RequestSet): void {
    for (const target of arrays) {
      const key = `${requestSet} ${accountOf(target)}`;
      this.#peaks.set(key, Math.max(nodesOf(target), this.#peaks.get(key) ?? 0));
    }
  }

  /** The snapshot that is stored now. */
  onSnapshot(snapshot: Snapshot): void {
    const kept = snapshot.cluster.nodes.filter((node) => node.keepAlive).map((node) => node.nodeId);
    renew(this.#kept, kept, this.#parts.now());
    this.#noteFailed(snapshot.cluster.nodes);
  }

  /** What operators decided. */
  onControl({ keptNodes = [] }: ClusterControl): void {
    const kept = keptNodes.map((node) => node.nodeId);
    renew(this.#keptHere, kept, this.#parts.now());
  }

  onPlan(archived: ArchivedPlan): void {
    if (archived.archive !== "whole") return;
    const { input, plan: made } = archived;
    for (const violation of violationsOf(input, made)) this.#report(`plan: ${violation}`);
    this.#checkAside(input, made);
    for (const outcome of made.jobs) {
      const isWaiting = outcome.granted < outcome.asked;
      if (isWaiting && outcome.reasons.length === 0)
        this.#report(`job "${outcome.name}" got ${outcome.granted} of ${outcome.asked} without a reason`);
    }
  }

  /** Spare room pushes nobody aside: without it, jobs and other targets get the same. */
  #checkAside(input: PlanInput, made: Plan): void {
    const { targets = [] } = input;
    const others = targets.filter(({ wish }) => wish.kind !== "spares" && wish.kind !== "slots");
    if (others.length === targets.length) return;
    const got = (of: Plan) =>
      JSON.stringify([
        of.jobs.map(({ name, granted, placements }) => [name, granted, placements]),
        of.targets.flatMap(({ unit, name, granted }) =>
          unit === "spares" || unit === "slots" ? [] : [[name, granted]],
        ),
      ]);
    if (got(made) !== got(plan({ ...input, targets: others })))
      this.#report("plan: spare room changes what others get");
  }

  /** Nodes were made: no plan may have bought while it was blind to what another had bought. */
  onCreate(requestId: string): void {
    const actionId = this.#parts.actionIdOf(requestId) ?? "";
    // Nodes that a scheduler names are no plan's: it counts them itself.
    if (isNamed(actionId)) return;
    const mine = this.#knowledge.get(actionId);
    if (mine === undefined) {
      this.#report(`nodes were created for request ${requestId}, which no plan recorded`);
      return;
    }
    const strangers = this.#wanted().filter((node) => !this.#isKnown(node, { actionId, mine }));
    for (const { name, requestId: other } of strangers)
      this.#report(
        `${actionId} bought without knowing of ${name}, bought by ${this.#parts.actionIdOf(other ?? "")}`,
      );
    this.#checkCounted(actionId, mine);
  }

  /** What an open create had made and the snapshot did not show must have been counted in full, whatever lists told. */
  #checkCounted(actionId: string, { nodeIds, actionIds, coming }: Knowledge): void {
    const unseen = new Map<string, number>();
    for (const { nodeId, requestId = "" } of this.#wanted()) {
      const other = this.#parts.actionIdOf(requestId) ?? "";
      if (isNamed(other)) continue;
      if (!nodeIds.has(nodeId) && actionIds.has(other)) unseen.set(other, (unseen.get(other) ?? 0) + 1);
    }
    for (const [other, count] of unseen) {
      const counted = coming.get(other) ?? 0;
      if (counted < count)
        this.#report(
          `${actionId} bought counting ${counted} nodes of ${other}, which has ${count} to show yet`,
        );
    }
  }

  /** Nodes are asked to go. */
  onShutdown(
    run: Run,
    { nodes, action }: { readonly nodes: readonly TrueNode[]; readonly action: ScaleAction | undefined },
  ): void {
    const drains = new Map(
      action?.kind === "shutdown-nodes" ? action.nodes.map(({ nodeId, drain }) => [nodeId, drain]) : [],
    );
    if (action?.kind === "shutdown-nodes" && action.verb === "deallocate") this.deallocated += nodes.length;
    const now = this.#parts.now();
    const really = this.#parts.source.busyHostnames;
    const isLive = now < this.#demandExpiresAtSeconds - this.#mostSkewSeconds;
    // What a silent source last said to run is busy for a day.
    const isOnRecord = now < this.#demandExpiresAtSeconds + longestSilenceSeconds - this.#mostSkewSeconds;
    for (const { nodeId, name, hostname = "", isWanted } of nodes) {
      this.#leaving.add(nodeId);
      const drain = drains.get(nodeId);
      if (drain?.isTimedOut === true) this.drainTimedOut += 1;
      else if (drain !== undefined) this.drained += 1;
      const busySince = this.#busy.get(shortName(hostname)) ?? now;
      const newestSeconds = now - demandTtlSeconds + this.#mostSkewSeconds;
      const postedSince = this.#posted.since(hostname, newestSeconds) ?? now;
      if (really.has(hostname) && postedSince < run.startedAtSeconds)
        this.#report(
          `${name} was deleted under a job that was posted ${Math.round(now - postedSince)} s ago`,
        );
      const putSince = this.#put.since(hostname, newestSeconds) ?? now;
      const lookedAt = this.#lookedAt.get(run) ?? run.startedAtSeconds;
      if (really.has(hostname) && putSince < lookedAt)
        this.#report(
          `${name} was deleted under a job that a message named ${(lookedAt - putSince).toFixed(1)} s before the last look`,
        );
      const keptSince = this.#kept.get(nodeId) ?? now;
      if (isOnRecord && busySince < run.startedAtSeconds)
        this.#report(`${name} was deleted, on record as busy for ${Math.round(now - busySince)} s`);
      else if (isWanted && really.has(hostname)) {
        const listedSince = this.#drainable.get(shortName(hostname)) ?? now;
        const mayRace = !isLive || listedSince >= run.startedAtSeconds || drain?.isTimedOut === true;
        if (mayRace) this.raced += 1;
        else this.#report(`${name} was deleted under a job, though its scheduler can drain`);
      }
      if (keptSince < run.startedAtSeconds) this.#report(`${name} was asked to go, keep-alive`);
      const keptHereSince = this.#keptHere.get(nodeId) ?? now;
      if (keptHereSince < (this.#askedAt.get(run) ?? now))
        this.#report(`${name} was asked to go, kept alive for ${Math.round(now - keptHereSince)} s`);
    }
  }

  /** How far clocks of machines have been off: by so much earlier a source may count as silent. */
  #noteSkew(): void {
    const skews = this.#parts.fleet.machines.map((machine) => Math.abs(machine.clockOffsetSeconds));
    this.#mostSkewSeconds = Math.max(this.#mostSkewSeconds, ...skews);
  }

  /** Looks at the whole cluster, a few times a minute. */
  look(): void {
    const { cloud, cluster, source } = this.#parts;
    const nodes = cloud.nodes(cluster);
    if (new Set(nodes.map((node) => node.name)).size !== nodes.length) this.#report("two nodes share a name");
    const { total, waiting, running, done, later } = source.scheduler.progress();
    if (waiting + running + done + later !== total)
      this.#report(`${total} tasks, but ${waiting + running + done + later} accounted for`);
    this.#noteSkew();
    this.#notePeaks();
    this.#noteFailed(nodes);
    this.#noteUnhealthy(nodes);
    this.#checkFailed(nodes);
    this.#checkDeallocated(nodes);
    const useful = this.#wanted().filter(
      (node) =>
        !isNamed(this.#parts.actionIdOf(node.requestId ?? "") ?? "") &&
        !this.#leaving.has(node.nodeId) &&
        !this.#failed.has(node.nodeId) &&
        (node.status === "Ready" || node.ageSeconds < shortestBootTimeoutSeconds),
    );
    const most = [...this.#peaks.values()].reduce((sum, peak) => sum + peak, 0);
    if (useful.length > most)
      this.#report(`${useful.length} nodes, though no more than ${most} were ever needed`);
  }

  /**
   * A node that failed is replaced at once, since jobs do not wait for what becomes of it, and it may come back to life when
   * CycleCloud retries it, idle and one too many (docs/configure.md, failed nodes). Snapshots count too: a node can
   * fail, be seen, replaced and retried between two looks.
   */
  /** What health checks take out of service is bought anew, as if it had failed. */
  #noteUnhealthy(nodes: readonly TrueNode[]): void {
    const out = new Set(
      this.#parts.source.scheduler.hostStates.flatMap(({ hostname, stateReason }) =>
        stateReason === undefined ? [] : [hostname],
      ),
    );
    for (const { nodeId, hostname = "" } of nodes) if (out.has(hostname)) this.#failed.add(nodeId);
  }

  #noteFailed(nodes: readonly { readonly nodeId: string; readonly status: string }[]): void {
    for (const { nodeId, status } of nodes) if (status === "Failed") this.#failed.add(nodeId);
  }

  /** Failed nodes go, or are retried; no more than a few are kept for a look, and these not for ever. */
  #checkFailed(nodes: readonly TrueNode[]): void {
    const { mostFailedNodes } = this.#parts;
    if (mostFailedNodes === undefined) return;
    const failed = nodes.filter(
      ({ status, isWanted, keepAlive }) => status === "Failed" && isWanted && !keepAlive,
    );
    const now = this.#parts.now();
    renewIds(this.#failedSince, failed, now);
    const old = failed.filter(
      ({ nodeId }) => now - (this.#failedSince.get(nodeId) ?? now) > longestFailedSeconds,
    );
    if (old.length > mostFailedNodes)
      this.#report(`${old.length} failed nodes are still there, expected at most ${mostFailedNodes}`);
  }

  #checkDeallocated(nodes: readonly TrueNode[]): void {
    const { mostDeallocated } = this.#parts;
    const there = nodes.filter(({ status }) => status === "Stopping" || status === "Deallocated").length;
    if (there > mostDeallocated)
      this.#report(`${there} nodes are deallocated, expected at most ${mostDeallocated}`);
  }

  /**
   * Each task on a node of its own is the most that demand can justify, in each array that the task may run in. There is
   * no such figure for colocated jobs: one may start in the placement group that was made for another.
   */
  #notePeaks(): void {
    const now = new Map<string, number>();
    const add = (job: WorkloadJob, count: number) => {
      const isColocated = job.shape.kind === "nodes" && job.shape.colocated;
      const arrays = isColocated
        ? Number.POSITIVE_INFINITY
        : job.need.nodeArrays.length || this.#parts.arrays;
      const key = JSON.stringify(job.need);
      now.set(key, (now.get(key) ?? 0) + count * arrays);
    };
    const { runningTasks, waitingJobs } = this.#parts.source.scheduler;
    for (const { job, hostnames } of runningTasks) add(job, hostnames.length);
    for (const { job, waiting } of waitingJobs)
      add(job, job.shape.kind === "nodes" ? job.shape.nodes * waiting : waiting);
    for (const [key, count] of now) this.#peaks.set(key, Math.max(count, this.#peaks.get(key) ?? 0));
  }

  #wanted(): readonly TrueNode[] {
    const { cloud, cluster } = this.#parts;
    return cloud.nodes(cluster).filter((node) => node.isWanted && node.status !== "Failed");
  }

  #isKnown(node: TrueNode, by: { readonly actionId: string; readonly mine: Knowledge }): boolean {
    const other = this.#parts.actionIdOf(node.requestId ?? "") ?? "";
    if (isNamed(other)) return true;
    if (planOf(other) === planOf(by.actionId)) return true;
    if (by.mine.nodeIds.has(node.nodeId) || by.mine.actionIds.has(other)) return true;
    return this.#knowledge.get(other)?.actionIds.has(by.actionId) ?? false;
  }

  #report(violation: string): void {
    this.#parts.report(`${this.#parts.cluster}: ${violation}`);
  }
}

/** Where something runs by the newest message of a source. */
class NewestWord {
  readonly #busy: Since = new Map();
  #sequence = 0;
  #atSeconds = Number.NEGATIVE_INFINITY;

  /** A delta whose predecessor was lost tells nothing: it waits for that one. */
  hear({ kind, sequence, hostnames }: Posted, nowSeconds: number): void {
    if (sequence <= this.#sequence) return;
    const isWhole = kind === "snapshot" || sequence === this.#sequence + 1;
    renew(this.#busy, isWhole ? hostnames : [], nowSeconds);
    if (isWhole) this.#sequence = sequence;
    this.#atSeconds = nowSeconds;
  }

  /** Since when it names the host without a break; undefined: it does not, or it came before `newestSeconds`. */
  since(hostname: string, newestSeconds: number): number | undefined {
    return this.#atSeconds > newestSeconds ? this.#busy.get(shortName(hostname)) : undefined;
  }
}

/** Every simulated node has four cores, and those with GPUs two. */
function nodesOf(target: NodeArrayTarget): number {
  const {
    TargetGroupCount,
    GroupCoreCount = 0,
    GroupInstanceCount,
    TargetCoreCount,
    TargetGpuCount,
    TargetCount = 0,
    SpareCount = 0,
    SpareSlots = 0,
    SlotResources,
  } = target;
  if (SpareSlots !== 0 && SpareSlots !== "auto")
    return Math.ceil(SpareSlots / Math.floor(4 / (SlotResources?.ncpus ?? 4)));
  if (SpareCount !== 0 && SpareCount !== "auto") return SpareCount;
  if (TargetGroupCount !== undefined)
    return TargetGroupCount * (GroupInstanceCount ?? Math.ceil(GroupCoreCount / 4));
  if (TargetGpuCount !== undefined) return Math.ceil(TargetGpuCount / 2);
  return TargetCoreCount === undefined ? TargetCount : Math.ceil(TargetCoreCount / 4);
}

function comingFrom(open: readonly Stored<Operation>[], { cluster }: Snapshot): ReadonlyMap<string, number> {
  const { pending } = underWay(
    open.map(({ value }) => value),
    cluster,
  );
  const coming = new Map<string, number>();
  for (const { actionId, count } of pending) coming.set(actionId, (coming.get(actionId) ?? 0) + count);
  return coming;
}

function renewIds(since: Since, present: readonly TrueNode[], nowSeconds: number): void {
  const still = new Set(present.map(({ nodeId }) => nodeId));
  for (const key of since.keys()) if (!still.has(key)) since.delete(key);
  for (const key of still) if (!since.has(key)) since.set(key, nowSeconds);
}

function renew(since: Since, present: readonly string[], nowSeconds: number): void {
  const still = new Set(present.map(shortName));
  for (const key of since.keys()) if (!still.has(key)) since.delete(key);
  for (const key of still) if (!since.has(key)) since.set(key, nowSeconds);
}

function shortName(hostname: string): string {
  return (hostname.split(".")[0] ?? hostname).toLowerCase();
}

/** Asked for by names, with a key. */
function isNamed(actionId: string): boolean {
  return actionId.startsWith("request-");
}

function planOf(actionId: string): string {
  return actionId.replace(/-\d+$/, "");
}
