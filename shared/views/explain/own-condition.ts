import type { CauseView } from "../../api/index.ts";
import type { BucketSurvey, Constraint, Reason } from "../../engine/index.ts";
import { counted } from "../../text/text.ts";
import type { OutlookJob } from "../job-states.ts";
import type { Outlook } from "../outlook.ts";
import { cause, figures, labelOf } from "./cause.ts";
import { describeConstraint } from "./constraint-words.ts";
import { fitsBut } from "./never.ts";
import { leftAfterPlan, sizeOf, vcpusOf } from "./spot-off.ts";
import type { Wanted } from "./what-is-wanted.ts";

/** Properties of a bucket, not of a single node, that a job may name. */
const ofBuckets: ReadonlySet<string> = new Set([
  "nodearray",
  "bucket_id",
  "vm_size",
  "vm_family",
  "location",
  "spot",
  "infiniband",
]);

interface Elsewhere {
  readonly reason: Reason;
  readonly size: BucketSurvey;
  readonly nodes: number;
  readonly usdPerHour: number | null;
}

/** A core that costs so many times what one costs where the job may go is no cheap way out. */
const mostTimesDearer = 2;

/**
 * The cheapest VM size with room that would take the job but for one condition that it sets itself, such as the node array that
 * it names. None that is much dearer, and none where nodes cannot be had at once for all that has to start together.
 */
export function ownCondition(
  outlook: Outlook,
  { job, outcome }: OutlookJob,
  wanted: Wanted,
): readonly CauseView[] {
  const candidates = outcome.reasons.filter(
    ({ constraint, bucket }) =>
      namesBuckets(constraint) && (!job.colocated || bucket?.placementGroup != null),
  );
  if (candidates.length === 0) return [];
  const isFit = fitsBut(outlook, job.constraints);
  const most = mostTimesDearer * cheapestCore(outlook, outcome.reasons);
  const found = candidates
    .flatMap((reason): Elsewhere[] => {
      const size = sizeOf(outlook, reason);
      if (size === undefined) return [];
      const nodes = leftAfterPlan(outlook, size);
      if (nodes === 0) return [];
      const startsTogether = job.packingStrategy === "scatter" || job.colocated || job.gang !== undefined;
      if (startsTogether && nodes < (wanted.nodesOf(size) ?? Number.POSITIVE_INFINITY)) return [];
      const usdPerHour = priceOf(outlook, size);
      const isDear = usdPerHour !== null && usdPerHour / vcpusOf(outlook, size) > most;
      return !isDear && isFit(reason) ? [{ reason, size, nodes, usdPerHour }] : [];
    })
    .toSorted((a, b) => (a.usdPerHour ?? dear) - (b.usdPerHour ?? dear) || b.nodes - a.nodes);
  return found.slice(0, 1).map(({ reason, size, nodes, usdPerHour }) => {
    const price = usdPerHour === null ? "" : ` for ${usdPerHour.toFixed(2)} USD/h each`;
    const asks = describeConstraint(reason.constraint);
    return cause("own-condition", {
      text: `Room is free in ${labelOf(size)}, ${counted(nodes * vcpusOf(outlook, size), "cores")} on ${counted(nodes, "new nodes")}${price}, and only one thing keeps the job off: it asks for ${asks}.`,
      next: "Submit it without that condition, or let it take either, if it can run there.",
      ...figures(reason),
    });
  });
}

const dear = Number.MAX_VALUE;

/** Of the sizes that the job may use, which have no room. Without a known price: without end. */
function cheapestCore(outlook: Outlook, reasons: readonly Reason[]): number {
  const allowed = reasons.filter(({ constraint }) => constraint === null);
  return allowed.reduce((least, reason) => {
    const size = sizeOf(outlook, reason);
    const usdPerHour = size === undefined ? null : priceOf(outlook, size);
    return size === undefined || usdPerHour === null
      ? least
      : Math.min(least, usdPerHour / vcpusOf(outlook, size));
  }, Number.POSITIVE_INFINITY);
}

function namesBuckets(constraint: Constraint | null): boolean {
  if (constraint?.kind === "property-options") return ofBuckets.has(constraint.property);
  return constraint?.kind === "resource-options" && constraint.resource === "nodearray";
}

function priceOf({ input }: Outlook, { nodeArray, vmSize }: BucketSurvey): number | null {
  const array = input.cluster.nodeArrays.find(({ name }) => name === nodeArray);
  return array?.buckets.find((bucket) => bucket.vmSize === vmSize)?.pricePerHourUsd ?? null;
}
