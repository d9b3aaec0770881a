import type {
  BucketLimitView,
  BucketsAnswer,
  BucketsQuery,
  BucketView,
  LimitsAnswer,
  LimitView,
} from "../api/index.ts";
import { bootsOf } from "../cycle/index.ts";
import { type BucketSurvey, holdNames, isInBucket, kindName, type LimitFigure } from "../engine/index.ts";
import { duration } from "../text/durations.ts";
import { countedText } from "./counted-text.ts";
import { holdInWords, holdOn } from "./held-sizes.ts";
import { ofSelected, type Selected, selectingOf } from "./node-selection.ts";
import type { Outlook } from "./outlook.ts";
import { sharedLimits } from "./shared-limits.ts";
import { bucketKey, limitKey, ownerKey, waitingBehind, waitingForOwners } from "./waiting-behind.ts";

/** What new nodes can come from: every limit that holds there, what is left, and what binds. */
export function listBuckets(outlook: Outlook, query: BucketsQuery): Selected<BucketsAnswer> {
  return ofSelectedBuckets(outlook, query, (buckets) => drawUpBuckets(outlook, buckets));
}

/** Every limit that holds for one of the buckets once, what most waits for first. */
export function listLimits(outlook: Outlook, query: BucketsQuery): Selected<LimitsAnswer> {
  return ofSelectedBuckets(outlook, query, (buckets) => drawUpLimits(outlook, buckets));
}

function ofSelectedBuckets<T>(
  outlook: Outlook,
  query: BucketsQuery,
  drawUp: (buckets: readonly BucketSurvey[]) => T,
): Selected<T> {
  return ofSelected(outlook.input, selectingOf(query), (selector) => {
    const buckets = outlook.buckets();
    return drawUp(selector === undefined ? buckets : buckets.filter(selector.isBucketSelected));
  });
}

function drawUpBuckets(outlook: Outlook, surveyed: readonly BucketSurvey[]): BucketsAnswer {
  const { made, plan, snapshot, input } = outlook;
  const left = new Map(plan.buckets.map((use) => [bucketKey(use), use.availableCount]));
  const backedOff = new Map(made.backedOff.map((each) => [kindName(each), each]));
  const active = activeByBucket(outlook);
  const boots = bootsOf(outlook.loaded.history, {
    nowSeconds: outlook.atSeconds,
    bootTimeoutSeconds: input.settings.bootTimeoutSeconds,
  });
  const arrays = new Map(input.cluster.nodeArrays.map((array) => [array.name, array]));
  const buckets = surveyed.flatMap((bucket): BucketView[] => {
    const array = arrays.get(bucket.nodeArray);
    const size = array?.buckets.find(({ vmSize }) => vmSize === bucket.vmSize);
    if (array === undefined || size === undefined) return [];
    const backOff = backedOff.get(kindName(bucket));
    const { vcpuCount, vcpuQuotaCount, pcpuCount, gpuCount, memoryBytes, family, infiniband } = size.vm;
    return [
      {
        nodeArray: bucket.nodeArray,
        vmSize: bucket.vmSize,
        placementGroup: bucket.placementGroup,
        bucketId: bucket.bucketId,
        location: array.location,
        spot: array.spot,
        enabled: array.enabled,
        valid: size.valid,
        invalidReason: size.invalidReason,
        vm: { vcpuCount, vcpuQuotaCount, pcpuCount, gpuCount, memoryBytes, family, infiniband },
        priority: array.priority,
        activeCount: active.get(bucketKey(bucket)) ?? 0,
        availableCount: bucket.nodesLeft,
        binding: bucket.binding,
        limits: bucket.limits.map(toLimit),
        leftAfterPlan: left.get(bucketKey(bucket)) ?? null,
        backOff: backOff === undefined ? null : { untilSeconds: backOff.untilSeconds, why: backOff.why },
        secondsSinceCapacityFailure: size.secondsSinceCapacityFailure,
        spotPlacementScore: size.spotPlacementScore,
        usdPerHour: size.pricePerHourUsd ?? null,
        boots: boots(bucket),
        resources: bucket.resources,
        counted: bucket.counted.map((each) => ({ ...each, text: countedText(each) })),
      },
    ];
  });
  const { cluster, atSeconds } = outlook;
  return { cluster, atSeconds, snapshotTakenAtSeconds: snapshot.takenAtSeconds, buckets };
}

function drawUpLimits(outlook: Outlook, surveyed: readonly BucketSurvey[]): LimitsAnswer {
  const limits = new Map<string, { figure: LimitFigure; binds: number; boundBy: string | null }>();
  for (const { limits: figures, binding, ...size } of surveyed) {
    // A node array has two limits, nodes and cores.
    const least = leastOf(figures.filter(({ limit }) => limit === binding));
    for (const figure of figures) {
      const key = limitKey(figure);
      const row = limits.get(key) ?? {
        figure,
        binds: 0,
        boundBy:
          heldBy(outlook, figure, size) ??
          refusedUntil(outlook, figure) ??
          orderedBy(outlook, figure) ??
          boundBy(figure, figures),
      };
      limits.set(key, { ...row, binds: row.binds + (figure === least ? 1 : 0) });
    }
  }
  const waiting = waitingBehind(outlook);
  const rows = [...limits].map(([key, { figure, binds, boundBy }]): LimitView => {
    const { limit, scope, unit, left } = figure;
    const isHold = holdNames.some((hold) => hold === limit);
    const max = isHold ? null : finite(figure.max);
    const used = isHold ? null : finite(figure.used);
    const { jobs: waitingJobs = 0, cores: waitingCores = 0 } = waiting.get(key) ?? {};
    return { limit, scope, unit, max, used, left, binds, boundBy, waitingJobs, waitingCores };
  });
  const { cluster, atSeconds, snapshot } = outlook;
  const ranked = [...rows, ...ownerLimits(outlook)].toSorted(mostWantedFirst);
  const takenAtSeconds = { snapshotTakenAtSeconds: snapshot.takenAtSeconds };
  return { cluster, atSeconds, ...takenAtSeconds, limits: ranked, ...sharedLimits(outlook) };
}

/** What the jobs of one owner may have binds no bucket: it holds for these jobs wherever they run. */
function ownerLimits(outlook: Outlook): readonly LimitView[] {
  const { ownerUses = [] } = outlook.plan;
  if (ownerUses.length === 0) return [];
  const waiting = waitingForOwners(outlook);
  return ownerUses.map(({ cap, owner, maxCores, usedCores }) => {
    const { jobs: waitingJobs = 0, cores: waitingCores = 0 } = waiting.get(ownerKey(cap, owner)) ?? {};
    return {
      limit: cap,
      scope: owner,
      unit: "cores",
      max: maxCores,
      used: usedCores,
      left: Math.max(0, maxCores - usedCores),
      binds: 0,
      boundBy: null,
      waitingJobs,
      waitingCores,
    };
  });
}

/** The autoscaler itself asks for nothing, however much CycleCloud offers. */
function heldBy({ made, atSeconds }: Outlook, { limit }: LimitFigure, size: SizeOf): string | null {
  if (!holdNames.some((hold) => hold === limit)) return null;
  const hold = holdOn({ backedOff: made.backedOff, nowSeconds: atSeconds }, size);
  return hold === undefined ? null : holdInWords(hold, atSeconds);
}

type SizeOf = Pick<BucketSurvey, "nodeArray" | "vmSize">;

/** Those behind which most cores wait, then most jobs; then what binds and is used up, what binds next, what binds with room. */
function mostWantedFirst(a: LimitView, b: LimitView): number {
  return (
    b.waitingCores - a.waitingCores ||
    b.waitingJobs - a.waitingJobs ||
    rank(a) - rank(b) ||
    shareOf(b) - shareOf(a)
  );
}

function rank({ binds, left, used, boundBy }: LimitView): number {
  if (binds > 0 && left === 0) return 0;
  // A bucket that another limit leaves nothing would have room without that limit.
  if (left === 0 && (used ?? 0) > 0 && boundBy === null) return 1;
  return binds > 0 ? 2 : 3;
}

/** The share that is used; unknown counts as 0. */
function shareOf({ max, used }: LimitView): number {
  return max === null || used === null || max === 0 ? 0 : used / max;
}

/** Azure has refused more of a quota than is left of it here, whatever the figures say. */
function refusedUntil(
  { made, atSeconds }: Outlook,
  { limit, scope, max, used, left }: LimitFigure,
): string | null {
  const refusal = made.refusedQuotas.find((each) => each.limit === limit && each.scope === scope);
  if (refusal === undefined || left >= max - used) return null;
  return `refusal, for ${duration(refusal.untilSeconds - atSeconds)}`;
}

/** Other clusters of the deployment have ordered what the figures still show as free. */
function orderedBy({ made }: Outlook, { limit, scope, max, used, left }: LimitFigure): string | null {
  const quota = made.sharedQuotas.find((each) => each.limit === limit && each.scope === scope);
  if (quota === undefined || left >= max - used) return null;
  const isKept = quota.kept.length > 0;
  const [first, ...more] = isKept ? quota.kept : quota.orders;
  const others = more.length > 0 ? " and others" : "";
  return `${isKept ? "kept for" : "orders of"} cluster ${first?.cluster}${others}`;
}

/** CycleCloud reports what a bucket still offers with all its own limits applied, but not which limit decides. */
function boundBy({ limit, max, used, left }: LimitFigure, figures: readonly LimitFigure[]): string | null {
  if (limit !== "bucket" || left >= max - used) return null;
  const other = leastOf(figures.filter((each) => isInBucket(each.limit) && each.nodesLeft <= left));
  return other === undefined ? "CycleCloud" : `${other.limit} ${other.scope}`;
}

/** The one that leaves fewest nodes; of several the first. */
function leastOf(figures: readonly LimitFigure[]): LimitFigure | undefined {
  return figures.toSorted((a, b) => a.nodesLeft - b.nodesLeft)[0];
}

function toLimit({ limit, unit, max, used, left, perNode, nodesLeft }: LimitFigure): BucketLimitView {
  return { limit, unit, max: finite(max), used: finite(used), left, perNode, nodesLeft };
}

/** Where CycleCloud states no maximum, a figure stands that nothing reaches. */
function finite(figure: number): number | null {
  return figure >= Number.MAX_SAFE_INTEGER ? null : figure;
}

function activeByBucket({ snapshot }: Outlook): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of snapshot.cluster.nodes) {
    if (node.targetState === node.status && node.targetState !== "Started") continue;
    const key = bucketKey(node);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
