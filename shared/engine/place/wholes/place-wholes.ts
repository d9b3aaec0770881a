import type { Ledger } from "../../ledger/ledger.ts";
import { allocateIn } from "../allocate.ts";
import type { Allocation } from "../allocation.ts";
import { chooseBuckets } from "./choose-buckets.ts";
import { looseBeside } from "./loose-beside.ts";
import { type Beginning, wholeProblem } from "./whole-problem.ts";

/** Puts jobs that cannot be moved slot by slot into the buckets that together cost least; false: none were found. */
export function placeWholes(ledger: Ledger, queue: readonly Allocation[], beginning: Beginning): boolean {
  const problem = wholeProblem(ledger, queue, beginning);
  if (problem === null) return false;
  const sequence = chooseBuckets(problem, looseBeside(ledger, problem));
  if (sequence === null) return false;
  for (const { whole, option } of sequence) {
    const bucket = problem.buckets[whole.options[option]?.bucket ?? -1]?.bucket;
    if (bucket !== undefined) allocateIn(ledger, whole.allocation, bucket, whole.above);
  }
  return true;
}
