import { type Amount, type Dimensions, dearestFirst, nothing, plus } from "./lines.ts";
import type { SeenJob, SeenNode, Sight } from "./sight.ts";
import type { Sum } from "./tally.ts";

/** The cost of one run of a job. A job that returns later under its name is another run. */
export interface JobTotal
  extends Omit<SeenJob, "submittedAt">,
    Amount,
    Pick<Dimensions, "nodeArray" | "vmSize" | "spot"> {
  /** When it was seen running first, and last. Unix seconds. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  /** When it was submitted, in Unix seconds. Absent: its scheduler does not say, or it began before this was kept. */
  readonly submittedSeconds?: number;
  /** Names of the nodes that a run which ended was last seen on, at most 100. Absent: it runs, or ended before they were kept. */
  readonly nodes?: readonly string[];
}

const mostNodes = 100;

/** Jobs of which only the sum is kept. */
export type JobSum = Amount & { readonly jobs: number };

/** The same for one owner. */
export type OwnerSum = JobSum & Owner;

/** Jobs of one day: the dearest by name, the others as a sum. */
export interface RankedJobs {
  readonly dearest: readonly JobTotal[];
  readonly others: JobSum;
  /** `others` by owner, the dearest owners. */
  readonly othersByOwner: readonly OwnerSum[];
}

/** A day with a hundred thousand jobs still has to fit into a record that is read whole. */
const mostRanked = 1_000;
/** Besides the most expensive jobs of all, those of each user, so that the bill of a user with cheap jobs names jobs too. */
const mostRankedOfUser = 20;
const mostRankedMore = 1_000;
const mostOwners = 1_000;

/** The totals with what was settled since. Unchanged totals stay the same objects. */
export function withSettled(
  totals: readonly JobTotal[],
  byJob: ReadonlyMap<string, Sum>,
): readonly JobTotal[] {
  if (byJob.size === 0) return totals;
  return totals.map((total) => {
    const sum = byJob.get(total.key);
    return sum === undefined ? total : { ...total, ...plus(total, { ...sum, runs: 0 }) };
  });
}

/** The jobs that run now, with earlier totals. A job on several arrays or sizes counts for the first; its newest owner counts. */
export function runningNow(before: ReadonlyMap<string, JobTotal>, sight: Sight): readonly JobTotal[] {
  const { takenAtSeconds: at } = sight;
  const added = new Set<string>();
  for (const { key } of sight.jobs) if (!before.has(key)) added.add(key);
  const where = added.size === 0 ? undefined : placesOf(added, sight.nodes);
  return sight.jobs.map((job): JobTotal => {
    const totalBefore = before.get(job.key);
    if (totalBefore !== undefined && isSameOwner(totalBefore, job)) return totalBefore;
    const { key, source, name, user, account, queue, submittedAt } = job;
    const first = totalBefore ?? {
      ...nothing,
      ...(where?.get(key) ?? nowhere),
      firstSeconds: at,
      lastSeconds: at,
      // Read once: most jobs were there before.
      ...(submittedAt !== undefined && { submittedSeconds: Math.floor(Date.parse(submittedAt) / 1_000) }),
    };
    return { ...first, key, source, name, user, account, queue };
  });
}

export function rank(
  ended: readonly JobTotal[],
  before: RankedJobs = { dearest: [], others: { ...nothing, jobs: 0 }, othersByOwner: [] },
): RankedJobs {
  if (ended.length === 0) return before;
  const all = [...before.dearest, ...ended].toSorted(
    (a, b) => dearestFirst(a, b) || (a.key < b.key ? -1 : 1),
  );
  const dearest: JobTotal[] = [];
  const rest: JobTotal[] = [];
  const ofUsers = new Map<string | null, number>();
  for (const [index, run] of all.entries()) {
    const ofUser = ofUsers.get(run.user) ?? 0;
    ofUsers.set(run.user, ofUser + 1);
    const isNamed =
      index < mostRanked || (ofUser < mostRankedOfUser && dearest.length < mostRanked + mostRankedMore);
    (isNamed ? dearest : rest).push(run);
  }
  const others = rest.reduce<Amount>(plus, before.others);
  return {
    dearest,
    others: { ...others, jobs: before.others.jobs + rest.length },
    othersByOwner: byOwner([...before.othersByOwner, ...rest.map((run) => ({ ...run, jobs: 1 }))]),
  };
}

/** Sums of jobs by owner, the dearest owners first. */
export function byOwner(sums: readonly OwnerSum[]): readonly OwnerSum[] {
  const owners = new Map<string, OwnerSum>();
  for (const sum of sums) {
    const { user, account, queue } = sum;
    const key = JSON.stringify([user, account, queue]);
    const { jobs, ...amount } = owners.get(key) ?? { ...nothing, jobs: 0 };
    owners.set(key, { user, account, queue, ...plus(amount, sum), jobs: jobs + sum.jobs });
  }
  return [...owners.values()].toSorted(dearestFirst).slice(0, mostOwners);
}

type Owner = Pick<SeenJob, "user" | "account" | "queue">;

export function isSameOwner(a: Owner, b: Owner): boolean {
  return a.user === b.user && a.account === b.account && a.queue === b.queue;
}

type Place = Pick<Dimensions, "nodeArray" | "vmSize" | "spot">;

/** A job whose hosts are none of the cluster's nodes. */
const nowhere: Place = { nodeArray: "", vmSize: "", spot: false };

/** These runs with their nodes. */
export function onTheirNodes(ended: readonly JobTotal[], nodes: readonly SeenNode[]): readonly JobTotal[] {
  if (ended.length === 0) return ended;
  const names = new Map(ended.map(({ key }): [string, string[]] => [key, []]));
  for (const { nodeId, name = nodeId, jobs } of nodes) for (const { key } of jobs) names.get(key)?.push(name);
  return ended.map((run) => ({ ...run, nodes: (names.get(run.key) ?? []).slice(0, mostNodes) }));
}

/** The first node of each of these jobs. */
function placesOf(keys: ReadonlySet<string>, nodes: readonly SeenNode[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { nodeArray, vmSize, spot, jobs } of nodes)
    for (const { key } of jobs)
      if (keys.has(key) && !places.has(key)) places.set(key, { nodeArray, vmSize, spot });
  return places;
}
