import {
  type BucketSurvey,
  type Constraint,
  kindName,
  type LimitFigure,
  largestShare,
  type Reason,
  sizesByKind,
} from "../engine/index.ts";
import { bindingFigure } from "./explain/limit-causes.ts";
import { type OutlookJob, outlookJobs, waits } from "./job-states.ts";
import type { Outlook } from "./outlook.ts";

export interface Waiting {
  readonly figure: LimitFigure;
  readonly jobs: number;
  /** Of what these jobs lack, on the size that the limit keeps them from. */
  readonly cores: number;
}

/** The same for the same limit, whatever bucket it is met in. */
export function limitKey({ limit, scope, unit }: Pick<LimitFigure, "limit" | "scope" | "unit">): string {
  return JSON.stringify([limit, scope, unit]);
}

/** Of a longer queue the first jobs count: finding out why a job waits takes time. */
const mostJobs = 10_000;

/** Jobs and cores that wait behind each limit, by `limitKey`. A job counts for each limit whose raising would help it. */
export function waitingBehind(outlook: Outlook): ReadonlyMap<string, Waiting> {
  const surveys = new Map(outlook.buckets().map((bucket) => [bucketKey(bucket), bucket]));
  const sizes = sizesByKind(outlook.input.cluster);
  // Jobs that wait for the same cause share one list of reasons.
  const met = new Map<readonly Reason[], readonly Met[]>();
  const metBy = (reasons: readonly Reason[]): readonly Met[] => {
    const found = met.get(reasons) ?? limitsIn(reasons, surveys);
    met.set(reasons, found);
    return found;
  };
  const waiting = new Map<string, Waiting>();
  let asked = 0;
  for (const each of outlookJobs(outlook)) {
    if (!waits(each.outcome)) continue;
    asked += 1;
    if (asked > mostJobs) break;
    for (const { key, figure, size } of metBy(each.outcome.reasons)) {
      const { jobs = 0, cores = 0 } = waiting.get(key) ?? {};
      const more = coresOf(each, size, sizes.get(kindName(size))?.vm.vcpuCount ?? 0);
      waiting.set(key, { figure, jobs: jobs + 1, cores: cores + more });
    }
  }
  return new Map([...waiting].map(([key, each]) => [key, { ...each, cores: Math.ceil(each.cores - 1e-9) }]));
}

export function ownerKey(cap: string, owner: string): string {
  return JSON.stringify([cap, owner]);
}

/** Jobs and cores that wait behind the caps of owners, by `ownerKey`. */
export function waitingForOwners(outlook: Outlook): ReadonlyMap<string, Pick<Waiting, "jobs" | "cores">> {
  const waiting = new Map<string, Pick<Waiting, "jobs" | "cores">>();
  let asked = 0;
  for (const { job, outcome } of outlookJobs(outlook)) {
    if (job.ownerLimits === undefined || !waits(outcome)) continue;
    asked += 1;
    if (asked > mostJobs) break;
    const [reason] = outcome.reasons;
    if (reason?.cap === undefined || reason.owner === undefined) continue;
    const key = ownerKey(reason.cap, reason.owner);
    const { jobs, cores } = waiting.get(key) ?? { jobs: 0, cores: 0 };
    const lacks = (outcome.asked - outcome.granted) * coresOfPlace(job.constraints);
    waiting.set(key, { jobs: jobs + 1, cores: cores + lacks });
  }
  return waiting;
}

/** As the cap counts them; of whole nodes nobody knows before they are chosen. */
function coresOfPlace(constraints: readonly Constraint[]): number {
  const ncpus = constraints.reduce(
    (sum, each) =>
      each.kind === "minimum-resource" && each.resource === "ncpus" && typeof each.amount === "number"
        ? sum + each.amount
        : sum,
    0,
  );
  return ncpus || 1;
}

interface Met {
  readonly key: string;
  readonly figure: LimitFigure;
  /** The first size, in order of preference, that the limit keeps the jobs from. */
  readonly size: BucketSurvey;
}

function limitsIn(reasons: readonly Reason[], surveys: ReadonlyMap<string, BucketSurvey>): readonly Met[] {
  const found = new Map<string, Met>();
  for (const { code, bucket, limit } of reasons) {
    const size = bucket === null || code !== "NoCapacity" ? undefined : surveys.get(bucketKey(bucket));
    const figure = bindingFigure(size, limit);
    if (size === undefined || figure === undefined) continue;
    const key = limitKey(figure);
    if (!found.has(key)) found.set(key, { key, figure, size });
  }
  return [...found.values()];
}

function coresOf({ job, outcome }: OutlookJob, { resources }: BucketSurvey, vcpuCount: number): number {
  const missing = Math.max(0, outcome.asked - outcome.granted);
  const share = job.packingStrategy === "scatter" ? 1 : largestShare(job, resources);
  return missing * share * vcpuCount;
}

export function bucketKey(given: Pick<BucketSurvey, "nodeArray" | "vmSize" | "placementGroup">): string {
  const { nodeArray, vmSize, placementGroup } = given;
  return JSON.stringify([nodeArray, vmSize, placementGroup]);
}
