import { deallocatedIn, type Plan, type PlanInput, type Retirement } from "../../engine/index.ts";
import type { SchedulerEvent } from "../../messages/index.ts";
import type {
  BackedOff,
  BootsFailing,
  ClusterConfig,
  DrainingNode,
  NodeLoss,
  Operation,
  PlanHead,
  QuotaRefusal,
  SharedQuota,
  Snapshot,
  StalledJob,
  TroubledNode,
  WatchedJob,
} from "../../ports/index.ts";
import { capsAt, heldBuckets } from "../account/holds.ts";
import { doubtsOf } from "../doubts.ts";
import { underWay } from "../operations.ts";
import { bootsFailing, bucketsOf } from "./boots-failing.ts";
import { backedOffBuckets, failedStarts, heldSizesOf, longest } from "./capacity-memory.ts";
import { type DrainedPlan, decideOnDraining } from "./drain.ts";
import { foreseeQuotas } from "./foresee-quotas.ts";
import { asManyAsWanted, handingBack } from "./hand-back.ts";
import { oftenEvicted } from "./often-evicted.ts";
import { planSpot, type SpotPlan } from "./plan-spot.ts";
import { quotaRefusals } from "./quota-refusals.ts";
import { releasedSpot } from "./release-spot.ts";
import { otherUses, sharedQuotas } from "./shared-quotas.ts";
import { pairsOf } from "./spot-stance.ts";
import { avoidingStalls, noticeStalls, type StallNews, stallNews, stillStalled } from "./stalled-jobs.ts";
import { type Loaded, toPlanInput } from "./to-plan-input.ts";
import { decideOnFailed } from "./troubled-nodes.ts";
import { type DecidedUnhealthy, decideOnUnhealthy } from "./unhealthy-nodes.ts";

/** The input of a plan besides the engine's own. */
export interface PlanFacts {
  readonly config: ClusterConfig;
  readonly loaded: Loaded;
  readonly snapshot: Snapshot;
  /** Recent operations, in any state. */
  readonly recent: readonly Operation[];
  /** Nodes that were lost recently. */
  readonly losses: readonly NodeLoss[];
  /** The plan before this one. */
  readonly before: PlanHead | undefined;
  readonly isSent: boolean;
  readonly nowSeconds: number;
}

/** `plan` is the engine's plan, which the input reproduces; `decided` is the plan that is executed. */
export interface MadePlan {
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly spot: Pick<SpotPlan, "stances" | "patienceEndsSeconds"> & {
    /** Pairs that the cluster does not have. */
    readonly problems: readonly string[];
  };
  readonly decided: DrainedPlan;
  readonly backedOff: readonly BackedOff[];
  readonly refusedQuotas: readonly QuotaRefusal[];
  readonly sharedQuotas: readonly SharedQuota[];
  readonly troubled: readonly TroubledNode[];
  readonly bootsFailing: readonly BootsFailing[];
  readonly unhealthy: Omit<DecidedUnhealthy, "plan">;
  readonly draining: readonly DrainingNode[];
  /** Jobs that their schedulers do not start, those of earlier plans included, and those to look at again. */
  readonly stalled: readonly StalledJob[];
  readonly watched: readonly WatchedJob[];
  /** Whether this plan noticed one. */
  readonly isNewStall: boolean;
  readonly stallNews: StallNews;
  /** Events for schedulers once the plan counts, and when to check their answers. */
  readonly drainEvents: readonly SchedulerEvent[];
  readonly drainLookSeconds: number | null;
}

/**
 * Runs the engine without the buckets that are backed off; again, once it is seen that a scheduler does not start jobs which
 * have their place: these are planned anew, without nodes of that kind.
 */
export function makePlan(facts: PlanFacts): MadePlan {
  const before = { stalled: facts.before?.stalled ?? [], watched: facts.before?.watched ?? [] };
  const made = planOnce(facts, before);
  return made.isNewStall ? planOnce(facts, made) : made;
}

function planOnce(facts: PlanFacts, stalls: Required<Pick<PlanHead, "stalled" | "watched">>): MadePlan {
  const { config, loaded, snapshot, recent, losses, nowSeconds } = facts;
  const backoffSeconds = config.cycle.capacityFailureBackoffSeconds;
  const failing = failingOf(facts);
  const short = backedOffBuckets({ snapshot, operations: recent, losses, backoffSeconds, nowSeconds });
  const backedOff = longest([
    ...short,
    ...oftenEvicted({ cluster: snapshot.cluster, losses, backoffSeconds, nowSeconds }),
    ...bucketsOf(failing),
    ...heldBuckets(config, snapshot, nowSeconds),
  ]);
  const refused = { cluster: snapshot.cluster, operations: recent, losses, backoffSeconds, nowSeconds };
  const refusedQuotas = quotaRefusals(refused);
  const { pending } = underWay(loaded.operations, snapshot.cluster);
  const { takenAtSeconds } = snapshot;
  const self = { cluster: config.cluster, takenAtSeconds, nowSeconds, share: config.cycle.shares };
  const others = otherUses(loaded.shared ?? [], self);
  const quotas = { refusals: refusedQuotas, pending, operations: recent, others };
  const cluster = foreseeQuotas(snapshot.cluster, quotas);
  const caps = capsAt(config.cycle, snapshot, nowSeconds);
  const shared = sharedQuotas(snapshot.cluster, others);
  const settings = handingBack(loaded.settings, cluster, shared);
  const wanted = toPlanInput({ ...loaded, settings, snapshot: { cluster } }, nowSeconds);
  const seen = { jobs: wanted.jobs, nodes: cluster.nodes, demand: loaded.demand, nowSeconds };
  const rows = stillStalled(stalls, seen);
  const { history } = loaded;
  const notStarted = failedStarts({ cluster, history, operations: recent, backoffSeconds, nowSeconds });
  const asked = {
    ...wanted,
    ...(notStarted.length > 0 && { closedNodeIds: [...(wanted.closedNodeIds ?? []), ...notStarted] }),
    jobs: avoidingStalls(wanted.jobs, rows, nowSeconds),
    ...(backedOff.length === 0 ? {} : { heldSizes: heldSizesOf(backedOff) }),
    ...(caps === undefined ? {} : { caps }),
  };
  const { pairs, problems } = config.cycle.spot
    ? pairsOf(snapshot.cluster, config.cycle.spot)
    : { pairs: [], problems: [] };
  const spot = planSpot(asked, { settings: config.cycle.spot ?? null, pairs, losses, nowSeconds });
  const { input, plan } = spot;
  const noticed =
    input.settings.compatibility === "scalelib"
      ? { stalled: [], watched: [], isNew: false }
      : noticeStalls(plan, stalls, rows, seen);
  const { leavingNodeIds } = input;
  const handing = { settings: loaded.settings, cluster, quotas: shared, leavingNodeIds, nowSeconds };
  const retire = asManyAsWanted(plan.retire, handing);
  const { operations, demand } = loaded;
  const { failedNodeRetries } = config.cycle;
  const decided = decideOnFailed({ ...plan, retire }, { ...facts, operations, failedNodeRetries });
  const now = { ...facts, demand, history, leavingNodeIds };
  const { plan: withUnhealthy, ...unhealthy } = decideOnUnhealthy(decided.plan, now);
  const drains = decideOnDraining(deletingBroken(withUnhealthy, input), {
    ...now,
    drainedNodeIds: wanted.closedNodeIds ?? [],
    drainTimeoutSeconds: config.cycle.drainTimeoutSeconds,
  });
  const released = releasedSpot(spot, {
    cluster: snapshot.cluster,
    pairs,
    leavingNodeIds,
    nowSeconds,
    isInDoubt: doubtsOf(demand, nowSeconds).length > 0,
  });
  return {
    input,
    plan,
    spot: { stances: spot.stances, patienceEndsSeconds: spot.patienceEndsSeconds, problems },
    decided: { ...drains.plan, retire: [...drains.plan.retire, ...released] },
    backedOff,
    refusedQuotas,
    sharedQuotas: shared,
    troubled: decided.troubled,
    bootsFailing: failing,
    unhealthy,
    draining: drains.draining,
    stalled: noticed.stalled,
    watched: noticed.watched,
    isNewStall: noticed.isNew,
    stallNews: stallNews(facts.before, noticed.stalled, seen),
    drainEvents: drains.events,
    drainLookSeconds: drains.nextLookSeconds,
  };
}

/** Nodes that the cycle adds to those that go are broken: none is kept deallocated, whatever its shutdown policy. */
function deletingBroken(plan: Plan, { cluster, settings }: PlanInput): Plan {
  const arrays = cluster.nodeArrays.filter((array) => deallocatedIn(settings, array) !== null);
  const names = new Set(arrays.map(({ name }) => name));
  const retire = plan.retire.map((retirement): Retirement => {
    const isLeft = retirement.verb !== undefined || !names.has(retirement.nodeArray);
    return isLeft ? retirement : { ...retirement, verb: "terminate" };
  });
  return { ...plan, retire };
}

function failingOf({
  config,
  loaded,
  snapshot: { cluster },
  nowSeconds,
}: PlanFacts): readonly BootsFailing[] {
  const { bootFailuresBeforeBackoff: failures, bootFailureBackoffSeconds: backoffSeconds } = config.cycle;
  const { history, settings } = loaded;
  return bootsFailing({ history, cluster, settings, failures, backoffSeconds, nowSeconds });
}
