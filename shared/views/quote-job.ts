import type { QuoteAnswer, QuoteAsked, QuotedWay } from "../api/index.ts";
import { type BootSecondsOf, bootSecondsOf, type World } from "../cycle/index.ts";
import {
  examine,
  forNodeArray,
  type Job,
  kindName,
  largestShare,
  type PlannedNode,
  paidNodes,
  parseConstraints,
  plan,
  resourcesOfSizes,
  shortHostname,
} from "../engine/index.ts";
import { InvariantError } from "../errors/errors.ts";
import { inMilliCents } from "../prices/index.ts";
import { duration } from "../text/durations.ts";
import { explainOne } from "./explain/explain-job.ts";
import { isUpNode, type OutlookJob, outlookJobs, waits } from "./job-states.ts";
import type { Selected } from "./node-selection.ts";
import { nodeViews } from "./node-views.ts";
import { extraSource, refused } from "./other-world.ts";
import { type Outlook, outlookOf } from "./outlook.ts";
import { extraDemand } from "./plan-what-if.ts";

/** Each is a plan. */
const mostWays = 3;
const secondsPerHour = 3_600;

/** The jobs with a constraint more; of `freed`, the running jobs are over. */
interface Other {
  readonly kind: QuotedWay["kind"];
  readonly constraint: Readonly<Record<string, unknown>>;
  readonly freed?: Freed;
}

/** Nodes on which no job runs any more from some moment on. */
interface Freed {
  readonly names: readonly string[];
  readonly atSeconds: number;
}

interface Estimated extends Other {
  readonly usd: number;
  readonly doneAtSeconds: number;
}

interface Quoting {
  readonly nowSeconds: number;
  readonly bootSeconds: BootSecondsOf;
}

/** A way, and what it was read off. */
interface Planned {
  readonly outlook: Outlook;
  readonly jobs: readonly OutlookJob[];
  readonly way: QuotedWay;
}

/** What jobs would cost and when they are done, in up to three ways, the cheapest first: plans with one constraint more each. Pure. */
export function quoteJobs(
  world: World,
  { jobs, bySeconds }: QuoteAsked,
  nowSeconds: number,
): Selected<QuoteAnswer> {
  const bootSeconds = bootSecondsOf(world.loaded.history);
  const named = jobs.map((job, index) => ({ name: `quote-${index + 1}`, ...job }));
  const extra = extraDemand(world, named, nowSeconds);
  if (!extra.ok) return extra;
  const outlook = outlookOf(world, nowSeconds, extra.answer);
  const first = {
    outlook,
    jobs: outlookJobs(outlook).filter(({ job }) => job.source === extraSource),
    way: wayOf({ kind: "planned", outlook, bootSeconds, freedAtSeconds: nowSeconds }),
  };
  if (first.jobs.length === 0) return refused("jobs: they ask for nothing");
  const quoting = { nowSeconds, bootSeconds };
  const possible = otherWays(quoting, first)
    .filter(({ doneAtSeconds }) => bySeconds === undefined || doneAtSeconds <= bySeconds)
    .slice(0, mostWays - 1)
    .map((other) => plannedWay(first, quoting, other))
    .filter(({ waiting }) => waiting === 0);
  // What the plan would do counts even where jobs go on waiting: it says why.
  const ways = [first.way, ...possible];
  const inTime = ways.filter(
    ({ doneAtSeconds }) => bySeconds === undefined || (doneAtSeconds !== null && doneAtSeconds <= bySeconds),
  );
  const best = distinct(inTime.toSorted(cheapestFirst));
  const reason = reasonOf(ways, best, { nowSeconds, bySeconds });
  return { ok: true, answer: { cluster: world.cluster, atSeconds: nowSeconds, ways: best, reason } };
}

/** What to plan beside it: other sizes, and nodes that become free, by a rough estimate the cheapest first. */
function otherWays(quoting: Quoting, first: Planned): readonly Estimated[] {
  const sizes = fittingSizes(first, quoting);
  const { nodeArrays, vmSizes } = first.way;
  const others = sizes
    .filter(({ nodeArray, vmSize }) => `${nodeArrays} ${vmSizes}` !== `${nodeArray} ${vmSize}`)
    .filter(({ nodes, availableCount }) => nodes <= availableCount)
    .map(({ nodeArray, vmSize, nodes, usdPerHour, aroundSeconds, startsAtSeconds, runSeconds }) => ({
      kind: "other-size" as const,
      constraint: { "node.nodearray": nodeArray, "node.vm_size": vmSize },
      usd: usdPerHour * nodes * (aroundSeconds + runSeconds),
      doneAtSeconds: startsAtSeconds + runSeconds,
    }));
  const waits = freedNodes(sizes, first, quoting.nowSeconds).map(({ size, freed }) => ({
    kind: "wait" as const,
    constraint: { "node.name": freed.names },
    freed,
    usd: size.usdPerHour * size.nodes * size.runSeconds,
    doneAtSeconds: freed.atSeconds + size.runSeconds,
  }));
  const cheapest = (a: Estimated, b: Estimated) => a.usd - b.usd || a.doneAtSeconds - b.doneAtSeconds;
  return [...others, ...waits.toSorted(cheapest).slice(0, 1)].toSorted(cheapest);
}

function plannedWay(first: Planned, quoting: Quoting, { kind, constraint, freed }: Other): QuotedWay {
  const { outlook } = first;
  const parsed = parseConstraints(constraint);
  if (!parsed.ok) throw new InvariantError(`A quote's own constraint: ${JSON.stringify(parsed.problems)}`);
  const isOver = freed === undefined ? () => false : runsOn(outlook, freed);
  const isThere = nodesOfWay(outlook, constraint, freed);
  const jobs = outlook.input.jobs.flatMap((job, index): readonly Job[] => {
    if (job.source === extraSource)
      return [{ ...job, constraints: [...job.constraints, ...parsed.constraints] }];
    const { placements = [] } = outlook.plan.jobs[index] ?? {};
    // Others keep the places that they have, and those without one are first where nodes become free.
    const isFirst =
      placements.length === 0 ? freed !== undefined : placements.some(({ node }) => isThere(node));
    return isOver(job) || (job.executingHostnames.length === 0 && !isFirst) ? [] : [job];
  });
  const input = { ...outlook.input, jobs };
  const decided = plan(input);
  const nodesByName = new Map(decided.nodes.map((node) => [node.name, node]));
  const other = { ...outlook, input, plan: decided, nodesByName };
  return wayOf({ ...quoting, kind, outlook: other, freedAtSeconds: freed?.atSeconds ?? quoting.nowSeconds });
}

/** Which nodes of the first plan a way is on, by name: what is planned elsewhere does not matter to it. */
function nodesOfWay(
  { plan: { nodes } }: Outlook,
  { "node.nodearray": nodeArray, "node.vm_size": vmSize }: Other["constraint"],
  freed: Freed | undefined,
): (name: string) => boolean {
  const names = new Set(
    freed?.names ??
      nodes.flatMap((node) => (node.nodeArray === nodeArray && node.vmSize === vmSize ? [node.name] : [])),
  );
  return (name) => names.has(name);
}

function cheapestFirst(a: QuotedWay, b: QuotedWay): number {
  return (
    orLast(a.usd) - orLast(b.usd) ||
    a.waiting - b.waiting ||
    orLast(a.doneAtSeconds) - orLast(b.doneAtSeconds)
  );
}

function orLast(value: number | null): number {
  return value ?? Number.MAX_VALUE;
}

/** Two plans may come to the same nodes. */
function distinct(ways: readonly QuotedWay[]): readonly QuotedWay[] {
  const seen = new Set<string>();
  return ways.filter(({ nodeArrays, vmSizes, newNodes, nodes, usd, startsAtSeconds }) => {
    const key = JSON.stringify([nodeArrays, vmSizes, newNodes, nodes, usd, startsAtSeconds]);
    return !seen.has(key) && seen.add(key);
  });
}

/** A size of a node array whose empty nodes hold the jobs: roughly how many they take, what these cost and when they are there. */
interface FittingSize {
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly nodes: number;
  /** More of it than what the plan buys. */
  readonly availableCount: number;
  /** Of a node; a price that is not known comes last. */
  readonly usdPerHour: number;
  /** Boot and idle time. */
  readonly aroundSeconds: number;
  readonly startsAtSeconds: number;
  readonly runSeconds: number;
}

function fittingSizes(
  { outlook, jobs }: Planned,
  { bootSeconds, nowSeconds }: Quoting,
): readonly FittingSize[] {
  const { input, plan: made } = outlook;
  const resourcesOf = resourcesOfSizes(input.cluster, input.settings);
  const empty = { ...input, cluster: { ...input.cluster, nodes: [] } };
  const fits = new Set(
    examine(
      empty,
      jobs.flatMap(({ job }) => job.constraints),
    ).buckets.flatMap((bucket) => (bucket.reason === null ? [kindName(bucket)] : [])),
  );
  const isGrouped = jobs.some(({ job }) => job.colocated);
  const available = new Map<string, number>();
  for (const bucket of made.buckets)
    if (!isGrouped || bucket.placementGroup !== null)
      available.set(kindName(bucket), Math.max(bucket.availableCount, available.get(kindName(bucket)) ?? 0));
  const runSeconds = Math.max(...jobs.map(({ job }) => job.runtimeSeconds ?? 0));
  return input.cluster.nodeArrays.flatMap(({ name: nodeArray, spot, buckets }) =>
    buckets.flatMap(({ vmSize, pricePerHourUsd }) => {
      const key = kindName({ nodeArray, vmSize });
      const resources = resourcesOf(nodeArray, vmSize);
      const isLost = spot && jobs.some(({ job }) => job.interruptible === false);
      if (isLost || resources === undefined || !fits.delete(key)) return [];
      const boot = bootSeconds(nodeArray) ?? 0;
      return [
        {
          nodeArray,
          vmSize,
          nodes: jobs.reduce((sum, { job }) => sum + nodesFor(job, resources), 0),
          availableCount: available.get(key) ?? 0,
          usdPerHour: pricePerHourUsd ?? Number.MAX_VALUE,
          aroundSeconds: boot + forNodeArray(input.settings.idleTimeoutSeconds, nodeArray),
          startsAtSeconds: nowSeconds + boot,
          runSeconds,
        },
      ];
    }),
  );
}

function nodesFor(job: Job, resources: PlannedNode["resources"]): number {
  if (job.packingStrategy === "scatter") return Math.max(1, job.nodeCount);
  const share = largestShare(job, resources);
  // 1 / (1 / 49) is a little less than 49.
  return Math.ceil(job.iterations / Math.max(1, Math.floor(share > 0 ? 1 / share + 1e-9 : job.iterations)));
}

/** Of each size that fits, the nodes on which all runs end first. None where nobody knows when, or where the jobs can start now. */
function freedNodes(
  sizes: readonly FittingSize[],
  { outlook, way }: Planned,
  nowSeconds: number,
): readonly { readonly size: FittingSize; readonly freed: Freed }[] {
  if (way.startsAtSeconds === nowSeconds) return [];
  const freeAt = freeAtSeconds(outlook);
  const nodesOf = Map.groupBy(outlook.snapshot.cluster.nodes, kindName);
  return sizes.flatMap((size) => {
    const first = (nodesOf.get(kindName(size)) ?? [])
      .flatMap(({ name, hostname }) => {
        const atSeconds = hostname === null ? undefined : freeAt.get(shortHostname(hostname));
        return atSeconds === undefined || atSeconds === null ? [] : [{ name, atSeconds }];
      })
      .toSorted((a, b) => a.atSeconds - b.atSeconds)
      .slice(0, size.nodes);
    const last = first.at(-1);
    if (last === undefined || first.length < size.nodes) return [];
    const freed = { names: first.map(({ name }) => name), atSeconds: Math.max(nowSeconds, last.atSeconds) };
    return [{ size, freed }];
  });
}

/** When the last run on each busy host ends; null: not known of one of them. */
function freeAtSeconds({ input }: Outlook): ReadonlyMap<string, number | null> {
  const freeAt = new Map<string, number | null>();
  for (const { executingHostnames, startedAtSeconds, runtimeSeconds } of input.jobs) {
    const ends =
      startedAtSeconds === null || runtimeSeconds === null ? null : startedAtSeconds + runtimeSeconds;
    for (const hostname of executingHostnames) {
      const host = shortHostname(hostname);
      const before = freeAt.get(host) ?? 0;
      freeAt.set(host, ends === null || freeAt.get(host) === null ? null : Math.max(before, ends));
    }
  }
  return freeAt;
}

/** Whether a job runs on one of these nodes. */
function runsOn({ snapshot }: Outlook, { names }: Freed): (job: Job) => boolean {
  const freed = new Set(names);
  const hosts = new Set(
    snapshot.cluster.nodes.flatMap(({ name, hostname }) =>
      hostname !== null && freed.has(name) ? [shortHostname(hostname)] : [],
    ),
  );
  return ({ executingHostnames }) => executingHostnames.some((host) => hosts.has(shortHostname(host)));
}

interface OnNode {
  readonly job: Job;
  readonly slots: number;
  readonly node: PlannedNode;
}

interface Reading {
  readonly kind: QuotedWay["kind"];
  readonly outlook: Outlook;
  readonly bootSeconds: BootSecondsOf;
  /** Before that nothing starts. */
  readonly freedAtSeconds: number;
}

function wayOf(reading: Reading): QuotedWay {
  const { kind, outlook, freedAtSeconds } = reading;
  const jobs = outlookJobs(outlook).filter(({ job }) => job.source === extraSource);
  const waiting = jobs.filter(({ outcome }) => waits(outcome));
  const placed = jobs.map(({ job, outcome }) => ({
    job,
    on: outcome.placements.flatMap(({ node: name, slots }): readonly OnNode[] => {
      const node = outlook.nodesByName.get(name);
      return node === undefined ? [] : [{ job, slots, node }];
    }),
  }));
  const nodes = [...new Set(placed.flatMap(({ on }) => on.map(({ node }) => node)))];
  const readyAt = readyAtSeconds(reading);
  const starts = placed.map(({ job, on }) => {
    const atSeconds = latest([freedAtSeconds, ...on.map(({ node }) => readyAt(node))]);
    const { runtimeSeconds } = job;
    return {
      atSeconds,
      doneAtSeconds: atSeconds === null || runtimeSeconds === null ? null : atSeconds + runtimeSeconds,
    };
  });
  const { usd, why } = costOf(
    reading,
    nodes,
    placed.flatMap(({ on }) => on),
  );
  const [first] = waiting;
  const spotArrays = new Set(
    outlook.input.cluster.nodeArrays.flatMap(({ name, spot }) => (spot ? [name] : [])),
  );
  return {
    kind,
    nodeArrays: [...new Set(nodes.map(({ nodeArray }) => nodeArray))],
    vmSizes: [...new Set(nodes.map(({ vmSize }) => vmSize))],
    spot: nodes.some(({ nodeArray }) => spotArrays.has(nodeArray)),
    nodes: nodes.length,
    newNodes: nodes.filter(isNew).length,
    waiting: waiting.length,
    usd: first === undefined ? usd : null,
    startsAtSeconds: first === undefined ? latest(starts.map(({ atSeconds }) => atSeconds)) : null,
    doneAtSeconds: first === undefined ? latest(starts.map(({ doneAtSeconds }) => doneAtSeconds)) : null,
    why: first === undefined ? why : explainOne(outlook, first).summary,
  };
}

function isNew({ origin }: PlannedNode): boolean {
  return origin === "new" || origin === "starting";
}

/** Null: of one of them it is not known. */
function latest(seconds: readonly (number | null)[]): number | null {
  return seconds.reduce<number | null>(
    (last, each) => (last === null || each === null ? null : Math.max(last, each)),
    0,
  );
}

/** When a node can take the job; null: unknown. One that takes longer to boot than others is taken to be there soon. */
function readyAtSeconds({ outlook, bootSeconds }: Reading): (node: PlannedNode) => number | null {
  const { atSeconds } = outlook;
  return (node) => {
    if (isUpNode(node)) return atSeconds;
    if (!isNew(node)) {
      const expected = nodeViews(outlook).viewOfPlanned(node).expectedReadySeconds;
      return expected === null ? null : Math.max(atSeconds, expected);
    }
    const seconds = bootSeconds(node.nodeArray);
    return seconds === null ? null : atSeconds + seconds;
  };
}

type Cost = Pick<QuotedWay, "usd" | "why">;

/**
 * A node that the plan adds costs from the request for it to the end of its idle time, one that is there or on order the run time
 * alone: its boot and idle time come anyway. Of both, jobs that share a node pay by their shares of it, and one that is alone the
 * whole.
 */
function costOf(
  { outlook, bootSeconds }: Reading,
  nodes: readonly PlannedNode[],
  on: readonly OnNode[],
): Cost {
  const { idleTimeoutSeconds } = outlook.input.settings;
  if (on.some(({ job }) => job.runtimeSeconds === null))
    return { usd: null, why: "No run time is given or known for this job." };
  const priceOf = prices(outlook);
  const sharesOn = shares(outlook, nodes);
  const ownOn = Map.groupBy(on, ({ node }) => node);
  let usd = 0;
  for (const [node, own] of ownOn) {
    const { name, nodeArray, vmSize } = node;
    const price = node.origin === "on-premise" ? 0 : priceOf(node);
    if (price === null) return { usd: null, why: `The price of ${vmSize} in ${nodeArray} is not known.` };
    const boot = isNew(node) ? bootSeconds(nodeArray) : 0;
    if (boot === null) return { usd: null, why: `How long nodes of ${nodeArray} boot is not known yet.` };
    const idle = isNew(node) ? forNodeArray(idleTimeoutSeconds, nodeArray) : 0;
    const ownShare = own.reduce((sum, each) => sum + shareOf(each), 0);
    const part = ownShare / (sharesOn.get(name) || ownShare || 1);
    const run = Math.max(...own.map(({ job }) => job.runtimeSeconds ?? 0));
    usd += (price * part * (boot + run + idle)) / secondsPerHour;
  }
  return { usd: inMilliCents(usd), why: null };
}

function shareOf({ job, slots, node }: OnNode): number {
  return slots * largestShare(job, node.resources);
}

/** What all jobs together take of these nodes, by name; names of jobs tell nothing, because two sources may use the same. */
function shares(outlook: Outlook, nodes: readonly PlannedNode[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const byName = new Map(nodes.map((node) => [node.name, node]));
  for (const { job, outcome } of outlookJobs(outlook))
    for (const { node: name, slots } of outcome.placements) {
      const node = byName.get(name);
      if (node !== undefined) sums.set(name, (sums.get(name) ?? 0) + shareOf({ job, slots, node }));
    }
  return sums;
}

/** What an hour of a node costs, 0 where a reservation pays it, as the accounts will count it; null: not known. */
function prices({ input, plan: made }: Outlook): (node: PlannedNode) => number | null {
  const { nodeArrays, nodes } = input.cluster;
  const planned = new Set(made.nodes.map(({ nodeId }) => nodeId));
  const added = made.nodes
    .filter(({ origin }) => origin !== "on-premise")
    .map(({ nodeId, name, nodeArray, vmSize }) => ({
      // Those that are there come first when a reservation pays some.
      nodeId: nodeId ?? `~${name}`,
      nodeArray,
      vmSize,
      status: "Requested",
      targetState: "Started",
    }));
  const paid = paidNodes({
    nodeArrays,
    nodes: [...nodes.filter(({ nodeId }) => !planned.has(nodeId)), ...added],
  });
  const byId = new Map(paid.map(({ node, usdPerHour }) => [node.nodeId, usdPerHour]));
  return ({ nodeId, name }) => byId.get(nodeId ?? `~${name}`) ?? null;
}

interface When {
  readonly nowSeconds: number;
  readonly bySeconds: number | undefined;
}

function reasonOf(
  all: readonly QuotedWay[],
  best: readonly QuotedWay[],
  { nowSeconds, bySeconds }: When,
): string {
  const [first, second] = best;
  if (first === undefined) return lateWords(all, nowSeconds);
  if (first.usd === null) return first.why ?? "Its cost is not known.";
  const inTime = bySeconds === undefined ? "" : " of those that are done by then";
  if (second === undefined) return `It is the only way${inTime}.`;
  if (second.usd === null) return `It is the only way with a known cost${inTime}.`;
  const risk = first.spot ? " Spot nodes may be taken away while it runs." : "";
  const isSame = dollars(second.usd) === dollars(first.usd);
  if (isSame && second.doneAtSeconds === first.doneAtSeconds)
    return `It costs ${dollars(first.usd)}, and is done at the same time as the next.${risk}`;
  if (isSame && orLast(first.doneAtSeconds) <= orLast(second.doneAtSeconds))
    return `None is cheaper${inTime} or, at ${dollars(first.usd)}, done earlier.${risk}`;
  const next = isSame ? "the next costs hardly more" : `the next ${dollars(second.usd)}`;
  return `It is the cheapest${inTime}: ${dollars(first.usd)}, ${next}.${risk}`;
}

function lateWords(all: readonly QuotedWay[], nowSeconds: number): string {
  const ends = all.flatMap(({ doneAtSeconds }) => (doneAtSeconds === null ? [] : [doneAtSeconds]));
  const unknown = all.find(({ doneAtSeconds }) => doneAtSeconds === null);
  const why =
    unknown === undefined ? "" : ` ${unknown.why ?? "Of some ways it is not known when they are done."}`;
  if (ends.length === 0) return `It is not known when it would be done.${why}`;
  return `Nothing is done by then: the earliest is done in ${duration(Math.min(...ends) - nowSeconds)}.${why}`;
}

function dollars(usd: number): string {
  return `${usd.toFixed(2)} USD`;
}
