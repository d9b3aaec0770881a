import type { Ledger } from "../../ledger/ledger.ts";
import { allocate, allocateIn } from "../allocate.ts";
import type { Allocation } from "../allocation.ts";
import { type Gangs, placeParts } from "../gangs.ts";
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
  gangs: Gangs,
  beginning: Beginning,
): "placed" | "no-place" | "not-chosen" {
  const problem = wholeProblem(ledger, queue, beginning);
  if (problem === null) return "not-chosen";
  const sequence = chooseBuckets(problem, looseBeside(ledger, problem));
  if (sequence === "too-many") return "not-chosen";
  if (sequence === "no-place") return sequence;
  const homes = new Map(
    sequence.map(({ whole, option }) => [
      whole.allocation,
      { bucket: problem.buckets[whole.options[option]?.bucket ?? -1]?.bucket, above: whole.above },
    ]),
  );
  const place = (allocation: Allocation): void => {
    const { bucket, above = 0 } = homes.get(allocation) ?? {};
    if (bucket === undefined) allocate(ledger, allocation);
    else allocateIn(ledger, allocation, bucket, above);
  };
  for (const parts of new Set([...homes.keys()].map((each) => gangs.get(each) ?? [each])))
    if (parts.some(({ job }) => job.gang !== undefined || job.gangSize !== undefined))
      placeParts(
        ledger,
        parts,
        place,
        parts.map((part) => homes.get(part)?.bucket),
      );
    else parts.forEach(place);
  return "placed";
}
