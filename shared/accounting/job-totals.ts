import type { Entry } from "./attribute.ts";
import { type Amount, type Dimensions, nothing, plus } from "./lines.ts";
import type { SeenJob, Sight } from "./sight.ts";

/** What one run of a job cost. A job that comes back under its name later is another run. */
export interface JobTotal extends SeenJob, Amount, Pick<Dimensions, "nodeArray" | "vmSize" | "spot"> {
  /** When it was seen running first, and last. Unix seconds. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
}

/** Jobs of one day: the dearest by name, the others as a sum. */
export interface RankedJobs {
  readonly dearest: readonly JobTotal[];
  readonly others: Amount & { readonly jobs: number };
}

/** A day with a hundred thousand jobs still has to fit into a record that is read whole. */
const mostRanked = 1_000;

/**
 * The totals of all jobs that ran before or run now. A job on several node arrays or sizes goes by the first. Who it belongs
 * to is what was said last.
 */
export function totalsOf(
  before: readonly JobTotal[],
  entries: readonly Entry[],
  sight: Sight,
): readonly JobTotal[] {
  const totals = new Map(before.map((total) => [total.key, total]));
  const where = placesOf(sight);
  for (const job of sight.jobs) {
    const known = totals.get(job.key);
    const { takenAtSeconds } = sight;
    const first = known ?? { ...nothing, ...(where.get(job.key) ?? nowhere), firstSeconds: takenAtSeconds };
    totals.set(job.key, { ...first, ...identityOf(job), lastSeconds: takenAtSeconds });
  }
  const sums = new Map<string, Amount>();
  for (const { job, amount } of entries)
    if (job !== null) sums.set(job.key, plus(sums.get(job.key) ?? nothing, amount));
  return [...totals.values()].map((total) => ({ ...total, ...plus(total, sums.get(total.key) ?? nothing) }));
}

export function rank(
  ended: readonly JobTotal[],
  before: RankedJobs = { dearest: [], others: { ...nothing, jobs: 0 } },
): RankedJobs {
  const all = [...before.dearest, ...ended].toSorted(
    (a, b) => b.nanoUsd - a.nanoUsd || b.nodeMs - a.nodeMs || (a.key < b.key ? -1 : 1),
  );
  const rest = all.slice(mostRanked);
  const others = rest.reduce<Amount>(plus, before.others);
  return { dearest: all.slice(0, mostRanked), others: { ...others, jobs: before.others.jobs + rest.length } };
}

function identityOf({ key, source, name, user, account, queue }: SeenJob): SeenJob {
  return { key, source, name, user, account, queue };
}

type Place = Pick<Dimensions, "nodeArray" | "vmSize" | "spot">;

/** A job whose hosts are none of the cluster's nodes. */
const nowhere: Place = { nodeArray: "", vmSize: "", spot: false };

function placesOf({ nodes }: Sight): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { nodeArray, vmSize, spot, jobs } of nodes)
    for (const { key } of jobs) if (!places.has(key)) places.set(key, { nodeArray, vmSize, spot });
  return places;
}
