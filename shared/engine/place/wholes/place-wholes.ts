import type { Ledger } from "../../ledger/ledger.ts";
import { allocateIn } from "../allocate.ts";
import type { Allocation } from "../allocation.ts";
import { chooseBuckets } from "./choose-buckets.ts";
import { looseBeside } from "./loose-beside.ts";
import { type Beginning, wholeProblem } from "./whole-problem.ts";

/**
 * Puts jobs that cannot be moved slot by slot into the buckets that together cost least. "not-chosen": there are none or too many,
 * from whatever beginning; "no-place": none were found from this one.
 */
export function placeWholes(
  ledger: Ledger,
  queue: readonly Allocation[],
  beginning: Beginning,
): "placed" | "no-place" | "not-chosen" {
  const problem = wholeProblem(ledger, queue, beginning);
  if (problem === null) return "not-chosen";
  const sequence = chooseBuckets(problem, looseBeside(ledger, problem));
  if (sequence === "too-many") return "not-chosen";
  if (sequence === "no-place") return sequence;
  for (const { whole, option } of sequence) {
    const bucket = problem.buckets[whole.options[option]?.bucket ?? -1]?.bucket;
    if (bucket !== undefined) allocateIn(ledger, whole.allocation, bucket, whole.above);
  }
  return "placed";
}
