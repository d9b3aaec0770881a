import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { runningIn } from "../model/caps.ts";
import type { PendingNodes } from "../model/node.ts";
import { type PlacementPolicy, placementOf } from "../model/placement.ts";
import type { Target } from "../model/target.ts";
import type { Allocation } from "./allocation.ts";
import { priceOf } from "./bucket-kinds.ts";
import { fitsAgain } from "./first-fit-again.ts";
import { mayMove } from "./loose-slots.ts";
import { meetTargets } from "./meet-targets.ts";
import { mayAskAll, movableJobs } from "./movable-jobs.ts";
import { packThere } from "./packing/portfolio.ts";
import { queueThere } from "./queue-there.ts";
import { surelyHasNoRoom } from "./room-there.ts";
import { roomWanted } from "./room-wanted.ts";
import {
  boughtIn,
  buys,
  isBought,
  looksAtPrices,
  type Run,
  type RunInput,
  run,
  runByWholes,
  runUpTo,
} from "./run.ts";
import { hoursOf, runHoursOf } from "./run-hours.ts";

/**
 * The run that counts. Filling nodes across buckets can go wrong where filling bucket by bucket does not: it may leave out
 * a job that could have been placed, cost more, or place jobs so that the next plan, with the same jobs and the nodes of
 * this one, buys again. Then the cluster is filled in order.
 */
export function chooseRun(input: RunInput, mostShapes = shapesBeforeGivingUp): Run {
  const { cluster, targets = [] } = input;
  if (!targets.some(isSpare)) return new Choice(input, mostShapes).make();
  const others = targets.filter((target) => !isSpare(target));
  const made = new Choice({ ...input, targets: others }, mostShapes).make();
  // Spare nodes change nothing for anybody else, so the run is chosen without them.
  const isRoomWanted = roomWanted(cluster, made);
  const spares = meetTargets(made.opened, { cluster, targets: targets.filter(isSpare) }, isRoomWanted);
  const [met, spare] = [made.targets.values(), spares.values()];
  return {
    ...made,
    targets: targets.flatMap((target) => (isSpare(target) ? spare : met).next().value ?? []),
  };
}

function isSpare({ wish }: Target): boolean {
  return wish.kind === "spares" || wish.kind === "slots";
}

/** One choice, with the runs made for it: each is made once, and only when it is needed. */
class Choice {
  readonly #input: RunInput;
  readonly #mostShapes: typeof shapesBeforeGivingUp;
  #ordered: Run | null = null;
  #wholes: readonly Run[] | null = null;
  #reused: Run | null = null;

  constructor(input: RunInput, mostShapes: typeof shapesBeforeGivingUp) {
    this.#input = input;
    this.#mostShapes = mostShapes;
  }

  make(): Run {
    return this.#lasting() ?? this.#inOrder;
  }

  /** Null: none that fills across buckets. It holds on to no run then: one of a million jobs takes gigabytes. */
  #lasting(): Run | null {
    const first = this.#withoutHarm(this.#input);
    if (!crosses(first) && !this.#choosesWholes(first)) return first;
    return (
      this.#lastingOf(first) ?? (looksAtPrices(this.#input.settings) ? this.#lastingOf(this.#inReuse) : null)
    );
  }

  /** The cheapest lasting run of this one and those that place as much. */
  #lastingOf(made: Run): Run | null {
    return [...this.#cheaperThan(made), made].find((each) => this.#isLasting(each)) ?? null;
  }

  get #inOrder(): Run {
    this.#ordered ??= run(inOrder(this.#input));
    return this.#ordered;
  }

  /** Runs in which price chooses the buckets of jobs that cannot be moved slot by slot. */
  get #byWholes(): readonly Run[] {
    this.#wholes ??= this.#makeWholes();
    return this.#wholes;
  }

  #makeWholes(): readonly Run[] {
    if (this.#hasNoPrice) return [];
    const beginnings = this.#input.cluster.nodes.length + this.#input.pending.length > 0 ? both : fromNothing;
    const runs: Run[] = [];
    for (const beginning of beginnings) {
      const made = runByWholes(this.#input, beginning);
      if (made === "not-chosen") break;
      if (made !== "no-place" && made.isSound) runs.push(made);
    }
    return runs;
  }

  get #hasNoPrice(): boolean {
    const { nodeArrays } = this.#input.cluster;
    return nodeArrays.every(({ buckets }) =>
      buckets.every((size) => (size.pricePerHourUsd ?? null) === null),
    );
  }

  /** Whether price may choose where jobs go that cannot be moved slot by slot: they take what other jobs would get as well. */
  #choosesWholes(made: Run): boolean {
    return looksAtPrices(this.#input.settings) && !buysNothing(made) && made.queue.some(isWholeToPlace);
  }

  get #inReuse(): Run {
    this.#reused ??= this.#withoutHarm(reusing(this.#input));
    return this.#reused;
  }

  /** A run that places all that the placement beneath it places, and else what that makes: by price that is reuse, then order. */
  #withoutHarm(input: RunInput): Run {
    const first = this.#firstOf(input);
    if (first.isSound && (isInOrder(first) || placesAll(first))) return first;
    const beneath = looksAtPrices(input.settings) ? this.#inReuse : this.#inOrder;
    return first.isSound && placesAsMuch(first, beneath) ? first : beneath;
  }

  /** Where jobs differ too much to fill across buckets for little, the cluster is filled in order. */
  #firstOf(input: RunInput): Run {
    if (looksAtPrices(this.#input.settings)) return run(input);
    const made = runUpTo(input, this.#mostShapes.reuse);
    if (made !== "too-many-shapes") return made;
    const ordered = this.#inOrder;
    const savesLittle = surelyHasNoRoom(ordered.opened.ledger, ordered.queue, isBought, 1 / leastReused);
    return savesLittle && placesAll(ordered) ? ordered : run(input);
  }

  /** Other runs that place as much for less money, the cheapest first. */
  #cheaperThan(first: Run): readonly Run[] {
    const looks = looksAtPrices(this.#input.settings);
    const choosesWholes = this.#choosesWholes(first);
    // Where run times are known, nodes that cost more by the hour may cost less in the end.
    const hours = looks ? runHoursOf(asked(first.queue)) : undefined;
    const usdOf = (made: Run): number | null =>
      hours === undefined ? usdPerHour(this.#input, made) : usdUntilIdle(made, hours);
    const most = usdOf(first);
    const others = choosesWholes ? [...this.#byWholes] : [];
    if (hours === undefined && mayCostLess(first, most)) others.push(this.#inOrder);
    // Only where limits let somebody in later, or a plan that is cheaper would not last, may choosing by price end dearer.
    const mayEndDearer =
      first.hadWaiting || (choosesWholes && this.#byWholes.length > 0 && !others.some(buysNothing));
    if (hours === undefined && looks && mayEndDearer) others.push(this.#inReuse);
    return others
      .map((other) => ({ other, usd: usdOf(other) }))
      .filter(({ other, usd }) => isLess(usd, most) && placesAsMuch(other, first))
      .sort((a, b) => stepsOf(a.usd) - stepsOf(b.usd))
      .map(({ other }) => other);
  }

  /** Whether the next plan buys nothing for the same jobs, and places all of them again. Without proof, it is made. */
  #isLasting(chosen: Run): boolean {
    if (buysNothing(chosen) || isSurelyLasting(this.#input, chosen)) return true;
    if (new Set(chosen.queue.map(({ shape }) => shape)).size > this.#mostShapes.planAgain) return false;
    if (fitsAgain(chosen)) return true;
    const next = new Choice(afterBuying(this.#input, boughtIn(chosen.opened.ledger)), this.#mostShapes);
    return next.#buysNothingFor(chosen);
  }

  #buysNothingFor(before: Run): boolean {
    const first = this.#withoutHarm(this.#input);
    if (buysNothing(first)) return placesAsMuch(first, before);
    const doAgain = (each: Run): boolean => buysNothing(each) && placesAsMuch(each, first);
    const chooses = this.#choosesWholes(first) && this.#byWholes.length > 0;
    const again = chooses ? (this.#byWholes.find(doAgain) ?? [this.#inReuse].find(doAgain)) : undefined;
    if (again !== undefined) return placesAsMuch(again, before);
    const ordered = this.#inOrder;
    return buysNothing(ordered) && placesAsMuch(ordered, first) && placesAsMuch(ordered, before);
  }
}

/**
 * With more shapes no further plan is made to ask whether this one lasts, since it takes as long as this one did, and where packing
 * all jobs proves nothing it rarely says yes; of still more, packing proves hardly anything, and nodes are reused only if that
 * saves much.
 */
const shapesBeforeGivingUp = { planAgain: 120_000, reuse: 250_000 };

/** The part of what filling in order buys for that the nodes there would have to hold. */
const leastReused = 0.1;

const fromNothing = ["nothing"] as const;
const both = ["nothing", "there"] as const;

function isWholeToPlace(allocation: Allocation): boolean {
  return allocation.job.executingHostnames.length === 0 && !mayMove(allocation) && allocation.granted > 0;
}

/** Whether a run buys, and not as filling in order would. */
function crosses(made: Run): boolean {
  return !isInOrder(made) && !buysNothing(made);
}

/**
 * Whether nodes were filled as filling in order does it. Deallocated nodes come behind all others, and are back among them by
 * their names once they are started: the next plan may then put jobs elsewhere.
 */
function isInOrder({ opened: { ledger } }: Run): boolean {
  if (ledger.crossed) return false;
  return ledger.buckets.every(
    ({ placement, nodes }) => placement === "order" || nodes.every(({ origin }) => origin !== "starting"),
  );
}

function buysNothing({ opened }: Run): boolean {
  return !buys(opened.ledger);
}

/**
 * Whether it is known without another plan: everything could be packed on the nodes that are there then, and that is
 * what the next plan tries. Where jobs lie now is of no account.
 */
function isSurelyLasting(
  { targets = [], cluster, settings }: RunInput,
  { opened: { ledger }, queue, gangs, leftAtStart }: Run,
): boolean {
  if (targets.length > 0) return false;
  if (cluster.nodeArrays.some(({ name }) => placementOf(settings, name) === "order")) return false;
  const movable = movableJobs(ledger, queue, gangs);
  if (movable === null || !movable.jobs.every(isPlaced) || !mayAskAll(ledger, movable)) return false;
  const problem = queueThere(ledger, movable, leftAtStart, "with-bought");
  return problem !== null && packThere(problem, { refines: looksAtPrices(settings) }) !== null;
}

/** The same without a look at prices. */
function reusing(input: RunInput): RunInput {
  const { default: all, byNodeArray } = input.settings.placement;
  const plain = (policy: PlacementPolicy): PlacementPolicy => (policy === "cost" ? "reuse" : policy);
  const arrays = Object.entries(byNodeArray).map(([name, policy]) => [name, plain(policy)] as const);
  const placement = { default: plain(all), byNodeArray: Object.fromEntries(arrays) };
  return { ...input, settings: { ...input.settings, placement } };
}

function inOrder(input: RunInput): RunInput {
  const placement = { default: "order", byNodeArray: {} } as const;
  return { ...input, settings: { ...input.settings, placement } };
}

function isPlaced({ granted, asked }: { readonly granted: number; readonly asked: number }): boolean {
  return granted >= asked;
}

function placesAll({ allocations, targets }: Run): boolean {
  return allocations.every(isPlaced) && targets.every(isPlaced);
}

function placesAsMuch(a: Run, b: Run): boolean {
  return (
    a.allocations.every(({ granted }, index) => granted >= (b.allocations[index]?.granted ?? 0)) &&
    a.targets.every(({ granted }, index) => granted >= (b.targets[index]?.granted ?? 0))
  );
}

/** What all nodes cost once those of a run are there; null: not known of one of those. */
function usdPerHour(input: RunInput, { opened }: Run): number | null {
  const { ledger } = opened;
  if (ledger.buckets.some((bucket) => priceOf(bucket) === null && bucket.nodes.some(isBought))) return null;
  const { cluster, pending } = afterBuying(input, boughtIn(ledger));
  return runningIn(cluster, pending).usdPerHour;
}

function asked(queue: readonly Allocation[]) {
  return queue.map((allocation) => ({ allocation, slots: allocation.asked }));
}

/** What the nodes of a run cost for as long as their jobs are expected to keep them; null: the price of one is not known. */
function usdUntilIdle({ opened, queue }: Run, hours: readonly number[]): number | null {
  const kept = new Map<LedgerNode, { loose: number; hours: number }>();
  for (const allocation of queue)
    for (const { node, slots } of allocation.placements) {
      if (!isBought(node)) continue;
      const each = kept.get(node) ?? { loose: 0, hours: 0 };
      kept.set(node, each);
      if (mayMove(allocation)) each.loose += slots;
      else each.hours = Math.max(each.hours, hoursOf(allocation.job, hours));
    }
  let usd = 0;
  for (const node of boughtIn(opened.ledger)) {
    const price = priceOf(node.bucket);
    if (price === null) return null;
    const { loose = 0, hours: least = 0 } = kept.get(node) ?? {};
    usd += price * Math.max(least, hours[Math.min(loose, hours.length - 1)] ?? 1);
  }
  return usd;
}

/** US dollars for an hour: a smaller difference is none. */
const leastGain = 1e-6;

function isLess(usd: number | null, than: number | null): boolean {
  return usd !== null && (than === null || usd < than - leastGain);
}

/** A price in steps of the smallest difference that counts, so that equal ones keep their order. */
function stepsOf(usd: number | null): number {
  return usd === null ? Number.MAX_VALUE : Math.round(usd / leastGain);
}

/** Whether filling in order can cost less: where no price is known, only if it may buy nothing at all. */
function mayCostLess({ opened: { ledger }, queue, exceedsThere }: Run, usd: number | null): boolean {
  if (usd !== null) return true;
  if (exceedsThere) return false;
  // What jobs with alternatives of amounts take depends on where they lie: then only the loose slots have a sum.
  const hasSum = queue.every(({ shape }) => shape.profile.alternatives.length === 0);
  return !surelyHasNoRoom(ledger, hasSum ? queue : queue.filter(mayMove), isBought);
}

/** The world when all that was bought is on order. */
function afterBuying(input: RunInput, bought: readonly LedgerNode[]): RunInput {
  const ordered = [...Map.groupBy(bought, ({ bucket }) => bucket)].map(([bucket, nodes]): PendingNodes => {
    const names = nodes.map(({ name }) => name);
    return { ...bucket.name, actionId: "planned", names, count: names.length };
  });
  return { ...input, pending: [...input.pending, ...ordered] };
}
