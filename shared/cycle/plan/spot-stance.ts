import type { ArrayChoice, Cluster, Constraint, Job, SpotOffCode } from "../../engine/index.ts";
import { isDictionary } from "../../json/json.ts";
import type { NodeLoss, SpotPair, SpotSettings } from "../../ports/index.ts";

/** What sends a job to spot nodes, or keeps it off them. */
export type SpotStance = "first" | SpotOffCode;

/** Facts about jobs and pairs of node arrays for a plan. */
export interface SpotFacts {
  /** Null: spot arrays are like all others, but for jobs that may not be interrupted. */
  readonly settings: SpotSettings | null;
  /** Those of the settings that the cluster has. */
  readonly pairs: readonly SpotPair[];
  readonly losses: readonly NodeLoss[];
  readonly nowSeconds: number;
}

/** How far a loss and the report that the job is queued again may be apart: both come with some delay. */
const longestApartSeconds = 3_600;

/** The pairs that a cluster has, and what is wrong with the others. */
export function pairsOf(
  { nodeArrays }: Cluster,
  { pairs }: SpotSettings,
): { readonly pairs: readonly SpotPair[]; readonly problems: readonly string[] } {
  const arrays = new Map(nodeArrays.map((array) => [array.name, array]));
  const problemOf = ({ spot, regular }: SpotPair): string | null => {
    if (!arrays.has(spot)) return `spot.pairs: the cluster has no node array "${spot}"`;
    if (!arrays.has(regular)) return `spot.pairs: the cluster has no node array "${regular}"`;
    if (arrays.get(spot)?.spot !== true)
      return `spot.pairs: node array "${spot}" is not Interruptible in CycleCloud`;
    return arrays.get(regular)?.spot === true
      ? `spot.pairs: node array "${regular}" is Interruptible in CycleCloud, expected a regular one`
      : null;
  };
  return {
    pairs: pairs.filter((pair) => problemOf(pair) === null),
    problems: [...new Set(pairs.flatMap((pair) => problemOf(pair) ?? []))],
  };
}

/** The stance of a waiting job. An unknown run time does not keep a job off spot nodes; evictions do. */
export function stanceOf(job: Job, facts: SpotFacts): SpotStance {
  const { settings, nowSeconds } = facts;
  if (job.interruptible === false) return "SpotNotInterruptible";
  if (settings === null) return "first";
  const { maxRuntimeSeconds, evictionsBeforeRegular, patienceSeconds } = settings;
  const isLong = maxRuntimeSeconds !== null && (job.runtimeSeconds ?? 0) > maxRuntimeSeconds;
  if (isLong) return "SpotRunTimeTooLong";
  if (evictionsOf(job, facts.losses) >= evictionsBeforeRegular) return "SpotEvictedTooOften";
  const since = waitingSinceOf(job);
  return since !== null && nowSeconds - since >= patienceSeconds ? "SpotPatienceOver" : "first";
}

/** Since when a job waits; null: nothing is known, or it does not. */
export function waitingSinceOf({ metadata }: Pick<Job, "metadata">): number | null {
  const { waitingSinceSeconds } = metadata;
  return typeof waitingSinceSeconds === "number" ? waitingSinceSeconds : null;
}

/** How many spot nodes went while the job ran there. */
export function evictionsOf({ metadata }: Pick<Job, "metadata">, losses: readonly NodeLoss[]): number {
  const { interruptedOn } = metadata;
  if (!Array.isArray(interruptedOn)) return 0;
  const wasOn = ({ hostname, atSeconds }: NodeLoss) =>
    interruptedOn.some(
      (each) =>
        isDictionary(each) &&
        each.hostname === hostname &&
        Math.abs(Number(each.atSeconds) - atSeconds) <= longestApartSeconds,
    );
  return new Set(losses.filter(wasOn).map(({ nodeId }) => nodeId)).size;
}

/** The restriction on node arrays that follows from the stance; null: none. */
export function choiceOf(stance: SpotStance, facts: SpotFacts, cluster: Cluster): ArrayChoice | null {
  const { settings, pairs } = facts;
  const spots = pairs.map(({ spot }) => spot);
  const off = (nodeArrays: readonly string[], bound: number | boolean): ArrayChoice | null =>
    nodeArrays.length === 0 || stance === "first"
      ? null
      : { kind: "array-choice", first: [], off: [{ nodeArrays, code: stance, bound }] };
  switch (stance) {
    case "first":
      return spots.length === 0 ? null : { kind: "array-choice", first: spots, off: [] };
    case "SpotNotInterruptible":
      return off(
        cluster.nodeArrays.filter(({ spot }) => spot).map(({ name }) => name),
        false,
      );
    case "SpotRunTimeTooLong":
      return off(spots, settings?.maxRuntimeSeconds ?? 0);
    case "SpotEvictedTooOften":
      return off(spots, settings?.evictionsBeforeRegular ?? 0);
    case "SpotPatienceOver":
      return off(spots, settings?.patienceSeconds ?? 0);
  }
}

/** Constraints with one more. Jobs that share their constraints keep sharing them, so that they stay one shape. */
export function addingTo(): (constraints: readonly Constraint[], more: ArrayChoice) => readonly Constraint[] {
  const made = new Map<readonly Constraint[], Map<ArrayChoice, readonly Constraint[]>>();
  return (constraints, more) => {
    const ofThese = made.get(constraints) ?? new Map<ArrayChoice, readonly Constraint[]>();
    made.set(constraints, ofThese);
    const together = ofThese.get(more) ?? [...constraints, more];
    ofThese.set(more, together);
    return together;
  };
}
