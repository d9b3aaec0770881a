import { draws } from "../packing/draws.ts";
import type { Steps } from "../packing/packing-problem.ts";
import { Fleet, type Score, type Sequence } from "./fleet.ts";
import type { LooseBeside } from "./loose-beside.ts";
import type { Whole, WholeBucket, WholeProblem } from "./whole-problem.ts";

/** Bounds the search: counted, not timed. */
const mostSteps = 3_000_000;
/** Tries to do better, and those where loose slots have to be packed each time. */
const mostTries = 600;
const mostTriesBesideLoose = 150;
/** Sizes that are tried as the only one. */
const mostSizes = 12;

/**
 * Chooses a bucket for each job so that all nodes that are made cost little: by several orders and rules, then by taking
 * some jobs out of the cheapest and putting them back another way. Draws from a fixed seed: the same problem gives the same answer.
 * Without one: "no-place" for one of them, or "too-many" of them for the search to get through.
 */
export function chooseBuckets(
  problem: WholeProblem,
  loose: LooseBeside | null,
): Sequence | "no-place" | "too-many" {
  return new Search(problem, loose).run();
}

class Search {
  readonly #problem: WholeProblem;
  readonly #loose: LooseBeside | null;
  readonly #steps: Steps = { left: mostSteps };
  readonly #below = draws();
  readonly #shares: ReadonlyMap<Whole, readonly number[]>;
  #best: Sequence | null = null;
  #least = Number.POSITIVE_INFINITY;

  constructor(problem: WholeProblem, loose: LooseBeside | null) {
    this.#problem = problem;
    this.#loose = loose;
    this.#shares = sharesOfAll(problem);
  }

  run(): Sequence | "no-place" | "too-many" {
    for (const order of this.#orders())
      for (const score of this.#scores())
        if (this.#steps.left > 0) this.#consider(this.#fill([], order, score));
    const tries = this.#loose === null ? mostTries : mostTriesBesideLoose;
    for (let k = 0; k < tries && this.#steps.left > 0 && this.#least > 0; k++) this.#tryAgain();
    return this.#best ?? (this.#steps.left < 0 ? "too-many" : "no-place");
  }

  #orders(): readonly (readonly Whole[])[] {
    const { wholes } = this.#problem;
    const worths = new Map(wholes.map((whole) => [whole, Math.min(...(this.#shares.get(whole) ?? []))]));
    const worthOf = (whole: Whole): number => worths.get(whole) ?? 0;
    return [
      wholes.toSorted((a, b) => worthOf(b) - worthOf(a) || b.count - a.count),
      wholes.toSorted((a, b) => b.count - a.count || worthOf(b) - worthOf(a)),
    ];
  }

  /** What is paid more; what would be paid could nodes be cut; and each of the best sizes before all others. */
  #scores(): readonly Score[] {
    return [this.#byMoney, this.#byShare, ...this.#sizes().map((size) => this.#inSize(size))];
  }

  readonly #byMoney: Score = (choice) => choice.laid.usd + this.#shareOf(choice) * tieBreak;

  readonly #byShare: Score = (choice) =>
    this.#shareOf(choice) * choice.whole.count * (choice.laid.made > 0 ? 1 : tieBreak);

  #inSize(size: string): Score {
    return (choice) => this.#byMoney(choice) + (choice.bucket.size === size ? 0 : notThere);
  }

  #shareOf({ whole, option }: Parameters<Score>[0]): number {
    return this.#shares.get(whole)?.[option] ?? 0;
  }

  /** Those in which all jobs would cost least, could nodes be cut. */
  #sizes(): readonly string[] {
    const sizes = [...new Set(this.#problem.buckets.map(({ size }) => size))];
    const usd = sizes.map(() => 0);
    const bySize = new Map<readonly number[], readonly number[]>();
    for (const whole of this.#problem.wholes) {
      const shares = this.#shares.get(whole) ?? [];
      const own = bySize.get(shares) ?? this.#sharesBySize(sizes, whole, shares);
      bySize.set(shares, own);
      for (let k = 0; k < sizes.length; k++) usd[k] = (usd[k] as number) + (own[k] as number) * whole.count;
    }
    return sizes
      .map((size, k) => [size, usd[k] as number] as const)
      .sort(([, a], [, b]) => a - b)
      .slice(0, mostSizes)
      .map(([size]) => size);
  }

  #sharesBySize(sizes: readonly string[], { options }: Whole, shares: readonly number[]): readonly number[] {
    const dearest = Math.max(...shares);
    const own = new Map(
      options.map(({ bucket }, k) => [this.#problem.buckets[bucket]?.size ?? "", shares[k] ?? 0]),
    );
    return sizes.map((size) => own.get(size) ?? dearest);
  }

  #fill(kept: Sequence, order: readonly Whole[], score: Score): Fleet | null {
    const fleet = new Fleet(this.#problem, this.#steps);
    for (const { whole, option } of kept) if (!fleet.put(whole, option)) return null;
    for (const [index, whole] of order.entries()) {
      if (this.#best === null && this.#isHopeless(index / order.length)) this.#steps.left = -1;
      if (this.#steps.left < 0 || !fleet.add(whole, score)) return null;
    }
    return fleet;
  }

  /** Whether the first filling takes more steps than there are if every further job takes as many as those before. Most take more. */
  #isHopeless(filled: number): boolean {
    const taken = 1 - this.#steps.left / mostSteps;
    return taken > trialShare && filled < taken;
  }

  #consider(fleet: Fleet | null): void {
    if (fleet === null || this.#steps.left < 0) return;
    const usd = fleet.usd + (this.#loose?.(fleet.alike, fleet.limits) ?? 0);
    if (usd >= this.#least - leastGain) return;
    this.#least = usd;
    this.#best = fleet.sequence;
  }

  /** Takes some jobs out, all those of a bucket or any, and puts them back where it costs least by changed prices. */
  #tryAgain(): void {
    const best = this.#best;
    if (best === null) {
      this.#steps.left = 0;
      return;
    }
    const picked = best[this.#below(best.length)] as Sequence[number];
    const home = picked.whole.options[picked.option]?.bucket;
    const isByBucket = this.#below(2) === 0;
    const most = 1 + this.#below(Math.min(best.length, mostTakenOut));
    const from = this.#below(best.length);
    const isOut = ({ whole, option }: Sequence[number], index: number): boolean =>
      isByBucket ? whole.options[option]?.bucket === home : (index - from + best.length) % best.length < most;
    const out = best.filter(isOut).map(({ whole }) => whole);
    const kept = best.filter((put, index) => !isOut(put, index));
    const tastes = new Map<string, number>();
    const noise = this.#below(4) * 0.2;
    for (const { size } of this.#problem.buckets)
      if (!tastes.has(size)) tastes.set(size, 1 - (noise * this.#below(1000)) / 1000);
    const isByShare = this.#below(3) === 0;
    const score: Score = (choice) =>
      (isByShare ? this.#byShare(choice) : this.#byMoney(choice)) * (tastes.get(choice.bucket.size) ?? 1);
    this.#consider(this.#fill(kept, this.#below(2) === 0 ? out : this.#shuffled(out), score));
  }

  #shuffled(some: readonly Whole[]): readonly Whole[] {
    const mixed = [...some];
    for (let last = mixed.length - 1; last > 0; last--) {
      const at = this.#below(last + 1);
      [mixed[last], mixed[at]] = [mixed[at] as Whole, mixed[last] as Whole];
    }
    return mixed;
  }
}

/** Of all steps: after so many it is asked whether the rest suffices. */
const trialShare = 1 / 16;
/** Of what costs the same, what takes less of a node that is dear. */
const tieBreak = 1e-6;
/** Above all prices. */
const notThere = 1e9;
const leastGain = 1e-6;
const mostTakenOut = 24;

/** Jobs that have the same options and run as long share one list. */
function sharesOfAll(problem: WholeProblem): ReadonlyMap<Whole, readonly number[]> {
  const known = new Map<Whole["options"], Map<number, readonly number[]>>();
  const shares = new Map<Whole, readonly number[]>();
  for (const whole of problem.wholes) {
    const byHours = known.get(whole.options) ?? new Map<number, readonly number[]>();
    known.set(whole.options, byHours);
    const own = byHours.get(whole.hours) ?? sharesOf(problem, whole);
    byHours.set(whole.hours, own);
    shares.set(whole, own);
  }
  return shares;
}

/** By option: what a slot would cost could nodes be cut: its share of what it takes most of, for as long as it runs. */
function sharesOf({ buckets }: WholeProblem, { options, exclusive, hours }: Whole): readonly number[] {
  return options.map(({ bucket, demand }) => {
    const { price, capacity } = buckets[bucket] as WholeBucket;
    const shares = demand.map((amount, column) => (amount > 0 ? amount / (capacity[column] ?? 1) : 0));
    return price * hours * (exclusive === "iteration" ? 1 : Math.max(...shares));
  });
}
