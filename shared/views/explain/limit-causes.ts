import type { CauseView } from "../../api/index.ts";
import {
  type BucketSurvey,
  capNames,
  holdNames,
  type LimitFigure,
  type LimitName,
  type Reason,
} from "../../engine/index.ts";
import type { BackedOff, SharedQuota } from "../../ports/index.ts";
import { duration } from "../../text/durations.ts";
import { counted, someOf } from "../../text/text.ts";
import { holdOn, holdSentence } from "../held-sizes.ts";
import type { NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { heldBucketCause } from "./budget-cause.ts";
import { amount, cause, figures, shown } from "./cause.ts";
import { limitNoun, limitWords } from "./limit-words.ts";
import { roomSoon } from "./room-soon.ts";
import type { Wanted } from "./what-is-wanted.ts";

/** Existing nodes are full, and a limit leaves no new ones: which, how much of it is used, by how much it is short. */
export function noCapacity(outlook: Outlook, views: NodeViews, reason: Reason, wanted: Wanted): CauseView {
  const backedOff = backOffCause(outlook, reason);
  if (backedOff !== undefined) return backedOff;
  const { limit } = reason;
  const survey = surveyOf(outlook, reason);
  const figure = bindingFigure(survey, limit);
  const soon = roomSoon(outlook, views, reason, figure);
  const more = moreOf(reason, wanted, { survey, figure });
  const words = limitWords(limit);
  const binding = {
    scope: figure?.scope ?? "",
    unit: figure?.unit ?? "nodes",
    max: figure?.max ?? 0,
    more,
  };
  const newNodes = counted(amount(reason.left), "new nodes");
  const why = words.why?.(binding, newNodes) ?? `${limitNoun({ limit, ...binding })} leaves ${newNodes}`;
  const used = words.hasNoFigures ? "" : usedOf(reason, figure);
  const endSeconds = words.endSeconds?.(outlook.atSeconds);
  const refused = refusalOf(outlook, figure);
  const ordered = ordersOfOthers(outlook, figure);
  return cause(capNames.some((cap) => cap === limit) ? "cap" : "quota", {
    text: `No room for ${wanted.missing}: ${why}${used}.${refused.text}${ordered}${wanted.note}${soon.text}`,
    next: words.next(binding),
    limit,
    ...figures(reason),
    untilSeconds: endSeconds ?? refused.untilSeconds ?? soon.untilSeconds,
  });
}

/** Azure refused nodes under the quota lately: less is asked of it than the figures leave. */
function refusalOf(
  { made, atSeconds }: Outlook,
  figure: LimitFigure | undefined,
): { readonly text: string; readonly untilSeconds: number | null } {
  const refusal = made.refusedQuotas.find(
    ({ limit, scope }) => limit === figure?.limit && scope === figure.scope,
  );
  if (refusal === undefined) return { text: "", untilSeconds: null };
  const { coresLeft, untilSeconds } = refusal;
  const text = ` Azure refused nodes there ${duration(atSeconds - refusal.atSeconds)} ago, with at most ${counted(coresLeft, "cores")} left: that counts for ${duration(untilSeconds - atSeconds)} more.`;
  return { text, untilSeconds };
}

/** Other clusters of the deployment have ordered what the figures still show as free. */
function ordersOfOthers({ made }: Outlook, figure: LimitFigure | undefined): string {
  const quota = made.sharedQuotas.find(
    ({ limit, scope }) => limit === figure?.limit && scope === figure.scope,
  );
  if (quota === undefined) return "";
  const { orders, kept } = quota;
  const used =
    orders.length === 0
      ? ""
      : ` The quota is used by orders of ${clusterNames(orders)}, which its figures do not show yet.`;
  const waits = kept.length === 1 ? "waits and has" : "wait and have";
  return kept.length === 0
    ? used
    : `${used} It is kept for ${clusterNames(kept)}, which ${waits} less for ${kept.length === 1 ? "its share" : "their shares"}.`;
}

const mostClusterNames = 3;

function clusterNames(clusters: SharedQuota["orders"]): string {
  const names = clusters.map(
    ({ cluster, cores }) => `cluster ${cluster} (${counted(Math.ceil(cores), "cores")})`,
  );
  return someOf(names, mostClusterNames);
}

/** Set: the autoscaler itself asks the bucket for nothing for a while. */
export function backOffOf({ made, atSeconds }: Outlook, { bucket, limit }: Reason): BackedOff | undefined {
  if (!holdNames.some((hold) => hold === limit)) return undefined;
  return holdOn({ backedOff: made.backedOff, nowSeconds: atSeconds }, bucket);
}

function backOffCause(outlook: Outlook, reason: Reason): CauseView | undefined {
  const backOff = backOffOf(outlook, reason);
  if (backOff === undefined) return undefined;
  if (backOff.budget !== undefined) return heldBucketCause(outlook, backOff, reason);
  const { nodeArray, vmSize, untilSeconds } = backOff;
  const failing = outlook.made.bootsFailing.some(
    (each) => each.nodeArray === nodeArray && each.vmSize === vmSize,
  );
  return cause(failing ? "boots-failing" : "capacity-back-off", {
    text: holdSentence(backOff, outlook.atSeconds),
    next: failing
      ? `Find out why they do not boot (image, scripts, network): \`ccscale events --kind node-failed\` shows what CycleCloud says. It is tried again then; a job that other sizes can take need not wait: \`ccscale buckets\`.`
      : "It ends by itself, and is tried again then; a job that other sizes can take need not wait: `ccscale buckets`.",
    ...figures(reason),
    untilSeconds,
  });
}

/** The figures of a bucket. A placement group that a target would have to itself has those of its size outside of groups. */
export function surveyOf(outlook: Outlook, { bucket }: Pick<Reason, "bucket">): BucketSurvey | undefined {
  const ofSize = outlook
    .buckets()
    .filter(({ nodeArray, vmSize }) => nodeArray === bucket?.nodeArray && vmSize === bucket.vmSize);
  return (
    ofSize.find(({ placementGroup }) => placementGroup === bucket?.placementGroup) ??
    ofSize.find(({ placementGroup }) => placementGroup === null)
  );
}

/** An array has a limit on nodes and one on cores: the smaller one. */
export function bindingFigure(
  survey: BucketSurvey | undefined,
  limit: LimitName | null,
): LimitFigure | undefined {
  return survey?.limits
    .filter((each) => each.limit === limit)
    .reduce<LimitFigure | undefined>(
      (least, each) => (least === undefined || each.nodesLeft < least.nodesLeft ? each : least),
      undefined,
    );
}

/** What is used of the limit now, and whether the plan takes the rest. */
function usedOf({ left }: Reason, figure: LimitFigure | undefined): string {
  if (figure === undefined) return "";
  const { used, max, unit, perNode, nodesLeft } = figure;
  const planned = nodesLeft - amount(left);
  const rest =
    planned > 0 && nodesLeft < Number.MAX_SAFE_INTEGER
      ? `, ${counted(planned, "new nodes")} ${planned === 1 ? "is" : "are"} planned`
      : "";
  const units = unit === "usd" ? "USD" : unit;
  const each = unit === "nodes" ? "" : `, a node takes ${shown(perNode)}${unit === "usd" ? " an hour" : ""}`;
  return `: ${shown(used)} of ${shown(max)} ${units} are used${rest}${each}`;
}

/** By how much the limit is short for all that is missing, in its own unit; null: unknown. */
export function moreOf(
  { left }: Reason,
  { nodesOf }: Wanted,
  { survey, figure }: { readonly survey: BucketSurvey | undefined; readonly figure: LimitFigure | undefined },
): number | null {
  const nodes = survey === undefined ? null : nodesOf(survey);
  if (nodes === null || figure === undefined || figure.perNode <= 0) return null;
  const planned = Math.max(0, figure.nodesLeft - amount(left)) * figure.perNode;
  return Math.max(1, nodes * figure.perNode - Math.max(0, figure.left - planned));
}
