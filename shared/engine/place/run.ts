import { WantedResources } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { type OpenedLedger, openLedger } from "../ledger/open-ledger.ts";
import { Pools } from "../ledger/pools.ts";
import { runningIn } from "../model/caps.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { OwnerUse } from "../model/plan-result.ts";
import type { EngineSettings } from "../model/settings.ts";
import type { TargetOutcome } from "../model/target.ts";
import type { Allocation } from "./allocation.ts";
import { allocateAll, type Gangs, gangsOf } from "./gangs.ts";
import { meetTargets } from "./meet-targets.ts";
import { movableJobs } from "./movable-jobs.ts";
import { moveQueue } from "./move-queue.ts";
import { occupy } from "./occupy.ts";
import { openJobs } from "./open-jobs.ts";
import { openOwners, usesOf } from "./owner-cores.ts";
import { packThere } from "./packing/portfolio.ts";
import { type LeftAtStart, type NodesThere, queueThere } from "./queue-there.ts";
import { repack } from "./repack.ts";
import { forgetSearches, Shapes } from "./shape.ts";
import { placeWholes } from "./wholes/place-wholes.ts";
import type { Beginning } from "./wholes/whole-problem.ts";

/** What a run needs besides the input: nodes that take no more jobs since they never came up. */
export interface RunInput extends PlanInput {
  readonly overdueNodeIds: ReadonlySet<string>;
}

/** Jobs and targets put on a cluster that was laid out anew. */
export interface Run {
  readonly opened: OpenedLedger;
  readonly allocations: readonly Allocation[];
  /** The jobs, higher priority first. */
  readonly queue: readonly Allocation[];
  readonly gangs: Gangs;
  readonly leftAtStart: LeftAtStart;
  readonly ownerUses: readonly OwnerUse[];
  /** Whether jobs waited that first fit found no room for. */
  readonly hadWaiting: boolean;
  /** Whether all jobs together surely want more than the nodes have that were there. */
  readonly exceedsThere: boolean;
  /** How many of the buckets jobs could choose from: targets add some behind them. */
  readonly bucketsOfJobs: number;
  readonly targets: readonly TargetOutcome[];
  /** False: it went wrong half-way, and counts for nothing. */
  readonly isSound: boolean;
}

type Placed = Pick<Run, "opened" | "allocations" | "queue" | "gangs" | "leftAtStart" | "ownerUses">;

/** Lays the cluster out, and puts the jobs and then the targets on it. */
export function run(input: RunInput): Run {
  return settled(firstFit(input), input);
}

/** The same, unless jobs have more shapes than that. */
export function runUpTo(input: RunInput, mostShapes: number): Run | "too-many-shapes" {
  const placed = layOut(input);
  return placed.shapeCount > mostShapes ? "too-many-shapes" : settled(withJobs(placed), input);
}

/**
 * The same, after price chose the buckets of jobs that cannot be moved slot by slot. Without a run it chooses none, so that it would
 * be the same: from this beginning or, "not-chosen", from any.
 */
export function runByWholes(input: RunInput, beginning: Beginning): Run | "no-place" | "not-chosen" {
  const placed = layOut(input);
  const { opened, queue, gangs } = placed;
  const chosen = placeWholes(opened.ledger, queue, gangs, beginning);
  if (chosen !== "placed") return chosen;
  allocateAll(opened.ledger, queue, gangs);
  return settled(placed, input);
}

function settled(placed: Placed, input: RunInput): Run {
  const { opened } = placed;
  const hadWaiting = placed.queue.some(isWaiting);
  const { isSound, exceedsThere } = settle(placed, input);
  const bucketsOfJobs = opened.ledger.buckets.length;
  return { ...placed, hadWaiting, exceedsThere, bucketsOfJobs, isSound, targets: meetTargets(opened, input) };
}

/** Lays the cluster out, and puts each job where it first fits. */
export function firstFit(input: RunInput): Placed {
  return withJobs(layOut(input));
}

function withJobs(placed: Placed): Placed {
  allocateAll(placed.opened.ledger, placed.queue, placed.gangs);
  return placed;
}

/** Lays the cluster out with the jobs that run. */
function layOut(input: RunInput): Placed & { readonly shapeCount: number } {
  const pools = new Pools(input.settings.sharedPools);
  const opened = openLedger(input, pools, input.overdueNodeIds);
  const { ledger } = opened;
  const wanted = new WantedResources();
  const shapes = new Shapes(wanted, pools, exclusiveScope(input.settings), opened.byNode);
  const allocations = openJobs(input, opened.resources, shapes);
  // Only now is it known what nodes have and jobs want: no other resource is counted.
  opened.open(wanted);
  const owners = openOwners(allocations, ledger.buckets);
  for (const allocation of allocations)
    if (allocation.job.executingHostnames.length > 0) occupy(ledger, allocation, opened.byHostname);
  const ownerUses = usesOf(owners);
  const leftAtStart = leftOnBusyNodes(ledger);
  const queue = byPriority(allocations);
  const gangs = gangsOf(queue);
  return { opened, allocations, queue, gangs, leftAtStart, ownerUses, shapeCount: shapes.count };
}

function leftOnBusyNodes({ buckets }: Ledger): LeftAtStart {
  return new Map(
    buckets.flatMap(({ nodes, table }) =>
      nodes.flatMap((node) => (node.jobs.length > 0 ? [[node, table.row(node.position)] as const] : [])),
    ),
  );
}

/** Fewer rounds than this leave a queue that never gets through as it is. */
const mostRounds = 4;

/**
 * Where jobs lie can be chosen anew: first whether all of them find room on the nodes that are there, which buys nothing.
 * Else nodes are chosen anew, and those let in for which that leaves room, until nobody finds more. Who waits then may
 * still find room if all others move.
 */
function settle(placed: Placed, input: RunInput): Pick<Run, "isSound" | "exceedsThere"> {
  const { ledger } = placed.opened;
  if (ledger.buckets.every(({ placement }) => placement === "order"))
    return { isSound: true, exceedsThere: false };
  const refines = looksAtPrices(input.settings);
  const there = moveThere(placed, "without-bought", refines);
  if (there === "moved") return { isSound: true, exceedsThere: false };
  const exceedsThere = there === "surely-no-room";
  // By price, the same is asked again of a problem that is drawn up in another way: it may find what this one did not.
  const isTriedThere = exceedsThere || (there === "no-room" && !refines);
  const isSound = chooseNodes(placed, reservationsLeft(input), isTriedThere);
  if (isSound && placed.queue.some(isWaiting)) moveThere(placed, "with-bought", refines);
  return { isSound, exceedsThere };
}

function chooseNodes(
  { opened: { ledger }, queue, gangs }: Placed,
  reservedLeft: ReadonlyMap<string, number>,
  isTriedThere: boolean,
): boolean {
  for (let round = 0; round < mostRounds; round++) {
    const changes = ledger.changeCount;
    if (!repack(ledger, queue, reservedLeft, isTriedThere && round === 0)) return false;
    const waiting = queue.filter(isWaiting);
    if (waiting.length === 0 || ledger.changeCount === changes) return true;
    ledger.forgetSearches();
    for (const { shape } of waiting) forgetSearches(shape);
    const made = ledger.created;
    allocateAll(ledger, waiting, gangs);
    if (ledger.created === made) return true;
  }
  return true;
}

/** Moves the whole queue onto some nodes, if it would buy otherwise or leave somebody out. */
function moveThere(
  { opened: { ledger }, queue, gangs, leftAtStart }: Placed,
  there: NodesThere,
  refines: boolean,
): "moved" | "no-room" | "surely-no-room" | "not-tried" {
  if (ledger.buckets.some(({ placement }) => placement === "order")) return "not-tried";
  const hasWaiting = queue.some(isWaiting);
  if (!hasWaiting && !buys(ledger)) return "not-tried";
  const movable = movableJobs(ledger, queue, gangs);
  if (movable === null) return "not-tried";
  const problem = queueThere(ledger, movable, leftAtStart, there);
  if (problem === null) return hasWaiting ? "not-tried" : "surely-no-room";
  const packing = packThere(problem, { refines });
  if (packing === null) return hasWaiting ? "not-tried" : "no-room";
  moveQueue(ledger, problem, packing);
  return "moved";
}

function isWaiting({ granted, asked, heldBy }: Allocation): boolean {
  return granted < asked && heldBy === null;
}

/** Nodes that reservations still pay for, by their names. */
function reservationsLeft({ cluster, pending }: RunInput): ReadonlyMap<string, number> {
  const { reservedNodes } = runningIn(cluster, pending);
  const left = new Map<string, number>();
  for (const { buckets } of cluster.nodeArrays)
    for (const { reservation } of buckets)
      if (reservation !== undefined)
        left.set(
          reservation.name,
          Math.max(0, reservation.nodes - (reservedNodes.get(reservation.name) ?? 0)),
        );
  return left;
}

/** Whether price chooses new nodes anywhere. */
export function looksAtPrices({ compatibility, placement }: EngineSettings): boolean {
  const all = [placement.default, ...Object.values(placement.byNodeArray)];
  return compatibility !== "scalelib" && all.includes("cost");
}

/** Nodes that a run makes or starts. */
export function boughtIn({ buckets }: Ledger): readonly LedgerNode[] {
  const bought: LedgerNode[] = [];
  for (const { nodes } of buckets) for (const node of nodes) if (isBought(node)) bought.push(node);
  return bought;
}

export function buys({ buckets }: Ledger): boolean {
  return buckets.some(({ nodes }) => nodes.some(isBought));
}

export function isBought({ origin }: LedgerNode): boolean {
  return origin === "new" || origin === "starting";
}

function exclusiveScope({ compatibility, exclusiveScope }: EngineSettings): EngineSettings["exclusiveScope"] {
  return compatibility === "scalelib" ? "job" : exclusiveScope;
}

/** Higher priority first, ties by arrival. Untouched when all are equal, as they nearly always are. */
function byPriority(allocations: readonly Allocation[]): readonly Allocation[] {
  const first = allocations[0]?.job.priority;
  if (allocations.every(({ job }) => job.priority === first)) return allocations;
  return allocations.toSorted((a, b) => b.job.priority - a.job.priority);
}
