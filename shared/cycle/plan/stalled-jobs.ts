import { createHash } from "node:crypto";
import type { ArrayChoice, ClusterNode, Job, Plan, PlannedNode } from "../../engine/index.ts";
import { kindName, type NodeKind, shortHostname } from "../../engine/index.ts";
import type { PlanHead, SourceDemand, StalledJob, WatchedJob } from "../../ports/index.ts";
import { redactText } from "../../text/redact.ts";
import { isOutByItself, liveSources } from "../demand/live-demand.ts";
import { doubtsOf } from "../doubts.ts";

/**
 * Jobs that have a place on nodes which are up, and that their scheduler does not start. Its model of a node is then
 * another than ours, and buying more of the same would go on for ever. Such a job is named, and planned without the
 * nodes that did not take it, for a while: other kinds of nodes may do.
 */

/** Between the two readings at least, so that a scheduler with work to do is no false alarm. */
const leastSeconds = 30;
/** How long nodes of a kind do not count for a job. It doubles each time that the same happens again, up to a day. */
const firstSeconds = 1_800;
const longestSeconds = 86_400;
/** How long a part of a job that is not started is shown, unless it is noticed again. */
const partSeconds = 600;
/** State is kept in the newest plan's record. */
const mostWatched = 200;
const mostStalled = 100;
const mostNames = 20;

type Remembered = Pick<PlanHead, "stalled" | "watched">;

interface QueueNow {
  /** As they were before any of this: in the order of the plan's jobs. */
  readonly jobs: readonly Job[];
  readonly nodes: readonly Pick<ClusterNode, "name" | "hostname" | "nodeArray" | "vmSize">[];
  readonly demand: readonly SourceDemand[];
  readonly nowSeconds: number;
}

/**
 * What still holds of what earlier plans noticed, while jobs of the shape are there. One of its jobs that started on such a
 * node ends it for all of them; one that started elsewhere shows nothing about these nodes. It was not the kind of the nodes
 * when their scheduler says later that all of them are out of service: their daemons may have been dead before it noticed.
 */
export function stillStalled(
  before: Remembered | undefined,
  { jobs, nodes, demand, nowSeconds }: QueueNow,
): readonly StalledJob[] {
  const rows = before?.stalled ?? [];
  if (rows.length === 0) return rows;
  const live = new Set(liveSources(demand, nowSeconds).map(({ source }) => source));
  const running = new Map(
    jobs.flatMap((job) => (isWaiting(job) ? [] : [[keyOf(job.source, job.name), job.executingHostnames]])),
  );
  // Tasks of an array run under names of their own, while the array keeps its name.
  const busy = Map.groupBy(
    jobs.filter((job) => !isWaiting(job)),
    ({ source }) => source,
  );
  const kindOfHost = new Map(
    nodes.flatMap((node) =>
      node.hostname === null ? [] : [[shortHostname(node.hostname), kindName(node)] as const],
    ),
  );
  const hostOfNode = new Map(nodes.map(({ name, hostname }) => [name, hostname]));
  const out = outOfService(demand, nowSeconds);
  const waits = waitingIn(jobs, namesIn(rows));
  const waiting = waitingByShape(jobs, new Set(rows.map(({ shape }) => shape)));
  return rows.flatMap((row): readonly StalledJob[] => {
    const { source, untilSeconds, forSeconds } = row;
    // For as long again it is remembered how often that happened.
    if (untilSeconds + forSeconds <= nowSeconds) return [];
    if (!live.has(source)) return [row];
    const isOut = (name: string) => out.has(keyOf(source, shortHostname(hostOfNode.get(name) ?? "")));
    if (row.nodes.length > 0 && row.nodes.every(isOut)) return [];
    const kinds = new Set(row.kinds.map(kindName));
    const hosts = row.jobs.flatMap(({ name }) => running.get(keyOf(source, name)) ?? []);
    const isThere = (host: string) =>
      kinds.size === 0 || kinds.has(kindOfHost.get(shortHostname(host)) ?? "");
    if (hosts.some(isThere)) return [];
    const isLess = row.jobs.some(({ name, asked }) => {
      const left = waits.get(keyOf(source, name)) ?? 0;
      return left > 0 && left < asked;
    });
    if (isLess && (busy.get(source) ?? []).flatMap((job) => job.executingHostnames).some(isThere)) return [];
    const names = waiting.get(row.shape) ?? [];
    if (names.length === 0 && hosts.length === 0) return [];
    const waitingNames = new Set(names.map(({ name }) => name));
    const still = row.jobs.filter(({ name }) => waitingNames.has(name));
    const runs = row.jobs.filter(({ name }) => running.has(keyOf(source, name)));
    return [{ ...row, jobs: [...(still.length === 0 ? names : still), ...runs].slice(0, mostNames) }];
  });
}

/** Hosts that a scheduler has out for another reason than our events, by source. */
function outOfService(demand: readonly SourceDemand[], nowSeconds: number): ReadonlySet<string> {
  return new Set(
    liveSources(demand, nowSeconds).flatMap(({ source, nodes }) =>
      nodes.filter(isOutByItself).map(({ hostname }) => keyOf(source, shortHostname(hostname))),
    ),
  );
}

/** The jobs that wait, of these shapes. */
function waitingByShape(
  jobs: readonly Job[],
  shapes: ReadonlySet<string>,
): ReadonlyMap<string, StalledJob["jobs"]> {
  const names = new Map<string, { readonly name: string; readonly asked: number }[]>();
  const shapeOf = shaper();
  for (const job of jobs) {
    if (!isWaiting(job)) continue;
    const shape = shapeOf(job);
    if (!shapes.has(shape)) continue;
    const alike = names.get(shape);
    const each = { name: job.name, asked: askedBy(job) };
    if (alike === undefined) names.set(shape, [each]);
    else alike.push(each);
  }
  return names;
}

/** What jobs of these names wait for, in slots or nodes; 0: they run. No key is made of the 100,000 others. */
function waitingIn(jobs: readonly Job[], names: Iterable<string>): ReadonlyMap<string, number> {
  const those = new Set(names);
  return new Map(
    jobs
      .filter(({ name }) => those.has(name))
      .map((job) => [keyOf(job.source, job.name), isWaiting(job) ? askedBy(job) : 0]),
  );
}

function namesIn(rows: readonly StalledJob[]): readonly string[] {
  return rows.flatMap(({ jobs }) => jobs.map(({ name }) => name));
}

/** All of it, or tasks of it: an array keeps its name while one task after the other starts. */
function hasStarted({ asked, now }: { readonly asked: number; readonly now: number | undefined }): boolean {
  return now !== undefined && now < asked;
}

function askedBy({ nodeCount, iterations }: Job): number {
  return nodeCount || iterations;
}

/** The jobs, those that were not started with the kinds of nodes that they stay off. The list stays the same if that is none. */
export function avoidingStalls(
  jobs: readonly Job[],
  rows: readonly StalledJob[],
  nowSeconds: number,
): readonly Job[] {
  const active = rows.filter(({ untilSeconds, kinds }) => untilSeconds > nowSeconds && kinds.length > 0);
  if (active.length === 0) return jobs;
  const byShape = new Map(active.map((row) => [row.shape, choiceOf(row)]));
  const shapeOf = shaper();
  // Jobs that share their constraints go on sharing them: the engine reads a list once.
  const lists = new Map<Job["constraints"], Map<ArrayChoice, Job["constraints"]>>();
  return jobs.map((job) => {
    const choice = isWaiting(job) ? byShape.get(shapeOf(job)) : undefined;
    if (choice === undefined) return job;
    const withChoice = lists.get(job.constraints) ?? new Map<ArrayChoice, Job["constraints"]>();
    const constraints = withChoice.get(choice) ?? [...job.constraints, choice];
    lists.set(job.constraints, withChoice.set(choice, constraints));
    return { ...job, constraints };
  });
}

function choiceOf({ source, kinds, reason }: StalledJob): ArrayChoice {
  const bound = reason === null ? `the scheduler of "${source}" gives no reason` : `${source}: ${reason}`;
  return {
    kind: "array-choice",
    first: [],
    off: kinds.map(({ nodeArray, vmSize }) => ({
      nodeArrays: [nodeArray],
      vmSizes: [vmSize],
      code: "NotStarted",
      bound,
    })),
  };
}

/** What began to be so with a plan, and what ended. */
export interface StallNews {
  readonly began: readonly StalledJob[];
  readonly ended: readonly (StalledJob & { readonly why: "started" | "gone" | "tried-again" })[];
}

/** Compares with the plan before: each stall begins once and ends once, whatever plans come in between. */
export function stallNews(
  before: Pick<PlanHead, "stalled" | "atSeconds"> | undefined,
  now: readonly StalledJob[],
  { jobs, nowSeconds }: QueueNow,
): StallNews {
  const wasOn = (before?.stalled ?? []).filter(({ untilSeconds }) => untilSeconds > (before?.atSeconds ?? 0));
  const waits = waitingIn(jobs, namesIn(wasOn));
  const on = now.filter(({ untilSeconds }) => untilSeconds > nowSeconds);
  const stalledShapes = new Set(wasOn.map(({ shape }) => shape));
  const still = new Set(on.map(({ shape }) => shape));
  const kept = new Set(now.map(({ shape }) => shape));
  const whyOf = ({ source, shape, jobs: named }: StalledJob) => {
    const left = named.map(({ name, asked }) => ({ asked, now: waits.get(keyOf(source, name)) }));
    if (left.some(hasStarted)) return "started" as const;
    return kept.has(shape) || left.some(({ now }) => now !== undefined)
      ? ("tried-again" as const)
      : ("gone" as const);
  };
  return {
    began: on.filter(({ shape }) => !stalledShapes.has(shape)),
    ended: wasOn.filter(({ shape }) => !still.has(shape)).map((row) => ({ ...row, why: whyOf(row) })),
  };
}

/** What a plan sees: jobs to look at again, and those that two readings have shown waiting beside their nodes. */
export function noticeStalls(
  plan: Pick<Plan, "jobs" | "nodes">,
  before: Remembered | undefined,
  rows: readonly StalledJob[],
  now: QueueNow,
): {
  readonly watched: readonly WatchedJob[];
  readonly stalled: readonly StalledJob[];
  readonly isNew: boolean;
} {
  const { jobs, demand, nowSeconds } = now;
  // Jobs that cannot be read may run on the nodes that seem to have room.
  if (doubtsOf(demand, nowSeconds).length > 0) return { watched: [], stalled: rows, isNew: false };
  const nodes = new Map(plan.nodes.map((node) => [node.name, node]));
  const sources = new Map(liveSources(demand, nowSeconds).map((each) => [each.source, each]));
  const upIn = new Map([...sources].map(([source, each]) => [source, hostsUp(each)]));
  const lookedAt = before?.watched ?? [];
  const earlier = new Map(lookedAt.map((row) => [keyOf(row.source, row.job), row]));
  const coming = comingFor(plan, jobs, nodes);
  const moving = shapesThatMove(
    lookedAt,
    waitingIn(
      jobs,
      lookedAt.map(({ job }) => job),
    ),
  );
  const shapeOf = shaper();
  const watched: WatchedJob[] = [];
  const stalled = new Map(rows.map((row) => [row.shape, row]));
  let isNew = false;
  jobs.forEach((job, place) => {
    const source = job.source === null ? undefined : sources.get(job.source);
    const outcome = plan.jobs[place];
    if (source === undefined || outcome === undefined || !isWaiting(job)) return;
    if (job.metadata.behindOthers === true || watched.length >= mostWatched) return;
    if (outcome.asked <= 0 || outcome.granted <= 0) return;
    const up = upIn.get(source.source) ?? new Set();
    const there = outcome.placements.flatMap(({ node }) => nodes.get(node) ?? []);
    if (there.length === 0 || !there.every((node) => isUp(node, up))) return;
    // Nodes on their way for jobs that go first may be kept for them, together with these.
    if (
      there.some(({ nodeArray }) => (coming.get(keyOf(job.source, nodeArray)) ?? -Infinity) >= job.priority)
    )
      return;
    const shape = shapeOf(job);
    const watchedJob = earlier.get(keyOf(source.source, job.name));
    // Its scheduler is at it: others like it start, one after the other.
    const first = watchedJob?.shape === shape && !moving.has(shape) ? watchedJob : undefined;
    const { sequence } = source;
    const isSecond =
      first !== undefined && first.sequence < sequence && nowSeconds - first.sinceSeconds >= leastSeconds;
    if (!isSecond) {
      const now = { source: source.source, job: job.name, shape, sequence, sinceSeconds: nowSeconds };
      watched.push({ ...(first ?? now), asked: askedBy(job) });
      return;
    }
    const row = stalled.get(shape);
    if (row === undefined && stalled.size >= mostStalled) return;
    const { asked, granted } = outcome;
    const seen = { job, shape, there, asked, granted, sinceSeconds: first.sinceSeconds, nowSeconds };
    stalled.set(shape, withStall(row, seen));
    isNew ||= granted >= asked;
  });
  return { watched, stalled: [...stalled.values()], isNew };
}

/** Shapes of jobs of which some that waited at the last look have started, or are gone. */
function shapesThatMove(
  watched: readonly WatchedJob[],
  waits: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const moved = watched.filter(({ source, job, asked }) => (waits.get(keyOf(source, job)) ?? 0) < asked);
  return new Set(moved.map(({ shape }) => shape));
}

/** A job that waits beside nodes with room for it. */
interface SeenWaiting extends Pick<StalledJob, "shape" | "asked" | "granted" | "sinceSeconds"> {
  readonly job: Job;
  readonly there: readonly PlannedNode[];
  readonly nowSeconds: number;
}

function withStall(
  row: StalledJob | undefined,
  { job, shape, there, asked, granted, sinceSeconds, nowSeconds }: SeenWaiting,
): StalledJob {
  const { waitingReason } = job.metadata;
  const isAgain = row !== undefined && row.untilSeconds <= nowSeconds;
  // Some jobs start only as a whole: a part that has room, and is not started, proves nothing about its nodes.
  const isPart = granted < asked;
  const kinds = isAgain ? [] : (row?.kinds ?? []);
  const wholeBefore = row === undefined || row.kinds.length === 0 ? undefined : row.forSeconds;
  const isLonger = isAgain && !isPart && wholeBefore !== undefined;
  const forSeconds = isLonger
    ? Math.min(longestSeconds, 2 * wholeBefore)
    : (wholeBefore ?? (isPart ? partSeconds : firstSeconds));
  return {
    source: job.source ?? "",
    shape,
    jobs: withJob(row?.jobs ?? [], job),
    kinds: isPart ? kinds : kindsIn([...kinds, ...there]),
    nodes: firstOf([...(isAgain ? [] : (row?.nodes ?? [])), ...there.map(({ name }) => name)]),
    asked,
    granted,
    reason: typeof waitingReason === "string" ? redactText(waitingReason) : null,
    sinceSeconds: isAgain ? sinceSeconds : (row?.sinceSeconds ?? sinceSeconds),
    untilSeconds: nowSeconds + forSeconds,
    forSeconds,
  };
}

function withJob(jobs: StalledJob["jobs"], job: Job): StalledJob["jobs"] {
  const others = jobs.filter(({ name }) => name !== job.name);
  return [...others, { name: job.name, asked: askedBy(job) }].slice(0, mostNames);
}

function firstOf(names: readonly string[]): readonly string[] {
  return [...new Set(names)].slice(0, mostNames);
}

function kindsIn(nodes: readonly NodeKind[]): readonly NodeKind[] {
  const kinds = nodes.map((node) => {
    const { nodeArray, vmSize } = node;
    return [kindName(node), { nodeArray, vmSize }] as const;
  });
  return [...new Map(kinds).values()];
}

/** It runs nowhere, and wants something. */
function isWaiting({ executingHostnames }: Job): boolean {
  return executingHostnames.length === 0;
}

function isUp({ origin, status, hostname }: PlannedNode, up: ReadonlySet<string>): boolean {
  return origin === "existing" && status === "Ready" && hostname !== null && up.has(shortHostname(hostname));
}

function hostsUp({ nodes }: SourceDemand): ReadonlySet<string> {
  return new Set(
    nodes.filter(({ state = "up" }) => state === "up").map(({ hostname }) => shortHostname(hostname)),
  );
}

/** The highest priority of the jobs of a source that have places on nodes of an array which are not up yet. */
function comingFor(
  { jobs: outcomes }: Pick<Plan, "jobs">,
  jobs: readonly Job[],
  nodes: ReadonlyMap<string, PlannedNode>,
): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  jobs.forEach(({ source, priority, executingHostnames }, place) => {
    if (executingHostnames.length > 0) return;
    for (const { node } of outcomes[place]?.placements ?? []) {
      const planned = nodes.get(node);
      if (planned === undefined || (planned.origin === "existing" && planned.status === "Ready")) continue;
      const key = keyOf(source, planned.nodeArray);
      highest.set(key, Math.max(priority, highest.get(key) ?? Number.NEGATIVE_INFINITY));
    }
  });
  return highest;
}

/** What jobs have in common that want the same of one scheduler. Constraints are shared by many jobs, and read once. */
function shaper(): (job: Job) => string {
  const byConstraints = new Map<Job["constraints"], Map<string, string>>();
  return ({ source, constraints, nodeCount, colocated, exclusive, packingStrategy }) => {
    const shapes = byConstraints.get(constraints) ?? new Map<string, string>();
    byConstraints.set(constraints, shapes);
    const rest = [nodeCount, colocated, exclusive, packingStrategy];
    const key = JSON.stringify([source, ...rest]);
    const shape = shapes.get(key) ?? digestOf([source, JSON.stringify(constraints), ...rest]);
    shapes.set(key, shape);
    return shape;
  };
}

function digestOf(whole: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(whole)).digest("hex").slice(0, 16);
}

function keyOf(one: string | null, other: string): string {
  return JSON.stringify([one, other]);
}
