import {
  askedBy,
  type Cluster,
  type Job,
  type Plan,
  type PlanInput,
  plan,
  type ReasonCode,
  type SpotShare,
} from "../../engine/index.ts";
import { earliest } from "../clocks.ts";
import {
  addingTo,
  choiceOf,
  type SpotFacts,
  type SpotStance,
  stanceOf,
  waitingSinceOf,
} from "./spot-stance.ts";

/** A plan in which jobs take their turn on spot and regular nodes. */
export interface SpotPlan {
  readonly input: PlanInput;
  readonly plan: Plan;
  /** Stances of waiting jobs, by index in the input. */
  readonly stances: ReadonlyMap<number, SpotStance>;
  /** When the next of the waiting jobs has waited as long as it waits for a spot node; null: none does. */
  readonly patienceEndsSeconds: number | null;
}

/**
 * Plans with spot nodes first. Jobs that stay off them and find no regular node get one in a second plan, behind the
 * regular ones, instead of waiting for capacity that does not exist. Jobs that may not be interrupted never use spot nodes.
 */
export function planSpot(input: PlanInput, facts: SpotFacts): SpotPlan {
  if (!knowsSpot(input, facts))
    return { input, plan: plan(input), stances: new Map(), patienceEndsSeconds: null };
  const stances = stancesOf(input.jobs, facts);
  const cluster = inSpotOrder(input.cluster, facts);
  const spotShares = sharesOf(facts);
  const base = { ...input, cluster, ...(spotShares.length === 0 ? {} : { spotShares }) };
  const patienceEndsSeconds = patienceEnds(input.jobs, stances, facts);
  const firstInput = { ...base, jobs: choosing(base, stances, facts) };
  const first = plan(firstInput);
  const lifted = new Map(stances);
  for (const place of stances.keys())
    if (mayUseSpotAfterAll(first, place, stances, facts)) lifted.delete(place);
  if (lifted.size === stances.size) return { input: firstInput, plan: first, stances, patienceEndsSeconds };
  const secondInput = { ...base, jobs: choosing(base, lifted, facts) };
  return { input: secondInput, plan: plan(secondInput), stances, patienceEndsSeconds };
}

/** scalelib knows no spot nodes. */
function knowsSpot({ settings, cluster, jobs }: PlanInput, { pairs }: SpotFacts): boolean {
  if (settings.compatibility === "scalelib") return false;
  const hasSpot = cluster.nodeArrays.some(({ spot }) => spot);
  return pairs.length > 0 || (hasSpot && jobs.some(({ interruptible }) => interruptible === false));
}

/** Only for jobs that still wait: running jobs stay where they are. */
function stancesOf(jobs: readonly Job[], facts: SpotFacts): ReadonlyMap<number, SpotStance> {
  const stances = new Map<number, SpotStance>();
  jobs.forEach((job, place) => {
    if (job.executingHostnames.length < askedBy(job)) stances.set(place, stanceOf(job, facts));
  });
  return stances;
}

function choosing(
  { jobs, cluster }: PlanInput,
  stances: ReadonlyMap<number, SpotStance>,
  facts: SpotFacts,
): readonly Job[] {
  const choices = new Map(
    [...new Set(stances.values())].map((each) => [each, choiceOf(each, facts, cluster)]),
  );
  const added = addingTo();
  return jobs.map((job, place) => {
    const stance = stances.get(place);
    const choice = stance === undefined ? null : (choices.get(stance) ?? null);
    return choice === null ? job : { ...job, constraints: added(job.constraints, choice) };
  });
}

/** Codes of buckets that would take the job if they had room. */
const roomCodes: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "NoCapacity",
  "OutOfCapacity",
  "NodesTakeNoJobs",
  "CapacityFailureBackoff",
  "PlacementGroupTooSmall",
]);

function mayUseSpotAfterAll(
  first: Plan,
  place: number,
  stances: ReadonlyMap<number, SpotStance>,
  facts: SpotFacts,
): boolean {
  const outcome = first.jobs[place];
  if (outcome === undefined || outcome.granted >= outcome.asked) return false;
  switch (stances.get(place)) {
    case "SpotPatienceOver":
      return true;
    case "SpotRunTimeTooLong":
    case "SpotEvictedTooOften":
      // A job that no regular node can ever take may use a spot node.
      return !outcome.reasons.some(
        ({ code, bucket }) =>
          roomCodes.has(code) && !facts.pairs.some(({ spot }) => spot === bucket?.nodeArray),
      );
    case "SpotNotInterruptible":
    case "first":
    case undefined:
      return false;
  }
}

/** The better score of Azure first, among the sizes of a spot array; and no pair is decided by `Priority`. */
function inSpotOrder(cluster: Cluster, { pairs }: SpotFacts): Cluster {
  if (pairs.length === 0) return cluster;
  const priorities = new Map(cluster.nodeArrays.map(({ name, priority }) => [name, priority]));
  const nodeArrays = cluster.nodeArrays.map((array) => {
    const pair = pairs.find(({ spot }) => spot === array.name);
    if (pair === undefined) return array;
    const priority = Math.max(array.priority ?? 1, priorities.get(pair.regular) ?? 1);
    const buckets = array.buckets.toSorted(
      (a, b) => rankOf(a.spotPlacementScore) - rankOf(b.spotPlacementScore),
    );
    return { ...array, priority, buckets };
  });
  return { ...cluster, nodeArrays };
}

/** An unknown score ranks between High and Low. */
function rankOf(score: string | null): number {
  if (score === "High") return 0;
  return score === "Low" ? 2 : 1;
}

function sharesOf({ settings, pairs }: SpotFacts): readonly SpotShare[] {
  if (settings === null || settings.maxShare >= 1) return [];
  return pairs.map((pair) => ({ ...pair, perMille: Math.floor(settings.maxShare * 1_000) }));
}

function patienceEnds(
  jobs: readonly Job[],
  stances: ReadonlyMap<number, SpotStance>,
  { settings, pairs }: SpotFacts,
): number | null {
  if (settings === null || pairs.length === 0) return null;
  return earliest(
    [...stances].flatMap(([place, stance]) => {
      const job = jobs[place];
      const since = stance === "first" && job !== undefined ? waitingSinceOf(job) : null;
      return since === null ? [] : [since + settings.patienceSeconds];
    }),
  );
}
