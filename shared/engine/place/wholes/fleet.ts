import type { Steps } from "../packing/packing-problem.ts";
import { BucketLoad, type Laid } from "./bucket-load.ts";
import type { Whole, WholeBucket, WholeProblem } from "./whole-problem.ts";

/** Which bucket each job gets, in the order in which they are put there. */
export type Sequence = readonly Put[];

interface Put {
  readonly whole: Whole;
  /** Index into the options of the job. */
  readonly option: number;
}

/** What a choice is judged by: the smallest is taken, the first of equals. */
export type Score = (choice: Choice) => number;

interface Choice {
  readonly whole: Whole;
  readonly option: number;
  readonly bucket: WholeBucket;
  readonly laid: Laid;
}

/** Jobs put into buckets one after the other, as the ledger would. */
export class Fleet {
  readonly problem: WholeProblem;
  readonly limits: number[];
  readonly #loads: readonly BucketLoad[];
  readonly #sequence: Put[] = [];
  usd = 0;

  constructor(problem: WholeProblem, steps: Steps) {
    this.problem = problem;
    this.limits = [...problem.limits];
    this.#loads = problem.buckets.map((bucket) => new BucketLoad(bucket, bucket.there, steps));
  }

  get sequence(): Sequence {
    return this.#sequence;
  }

  /** What nodes have left, by bucket. */
  get alike(): readonly BucketLoad["alike"][] {
    return this.#loads.map(({ alike }) => alike);
  }

  /** Puts a job where the score is least; false: it goes nowhere. */
  add(whole: Whole, score: Score): boolean {
    let best: Choice | null = null;
    let least = Number.POSITIVE_INFINITY;
    const untouched = new Set<string>();
    for (let option = 0; option < whole.options.length; option++) {
      const index = whole.options[option]?.bucket ?? -1;
      const bucket = this.problem.buckets[index] as WholeBucket;
      const isUntouched = this.#loads[index]?.isUntouched === true;
      // Placement groups of one size are alike as long as nothing is in them.
      if (isUntouched && untouched.has(bucket.size)) continue;
      const laid = this.#layIn(whole, option);
      if (laid === null) continue;
      if (isUntouched) untouched.add(bucket.size);
      const choice = { whole, option, bucket, laid };
      const value = score(choice);
      if (value >= least) continue;
      least = value;
      best = choice;
    }
    if (best !== null) this.#take(best);
    return best !== null;
  }

  /** Puts a job into a bucket; false: it does not go. */
  put(whole: Whole, option: number): boolean {
    const laid = this.#layIn(whole, option);
    const bucket = this.problem.buckets[whole.options[option]?.bucket ?? -1];
    if (laid === null || bucket === undefined) return false;
    this.#take({ whole, option, bucket, laid });
    return true;
  }

  #layIn(whole: Whole, option: number): Laid | null {
    const { bucket, demand } = whole.options[option] as Whole["options"][number];
    const laid = (this.#loads[bucket] as BucketLoad).lay(whole, demand);
    const isWithin = ({ limit, amount }: WholeBucket["charges"][number]): boolean =>
      amount * (laid?.made ?? 0) <= (this.limits[limit] as number);
    return laid === null || !this.problem.buckets[bucket]?.charges.every(isWithin) ? null : laid;
  }

  #take({ whole, option, bucket, laid }: Choice): void {
    const load = this.#loads[whole.options[option]?.bucket ?? -1] as BucketLoad;
    load.take(laid);
    this.usd += laid.usd;
    for (const { limit, amount } of bucket.charges)
      this.limits[limit] = (this.limits[limit] as number) - amount * laid.made;
    this.#sequence.push({ whole, option });
  }
}
