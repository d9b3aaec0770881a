import type { CauseView } from "../../api/index.ts";
import { examine, type Reason } from "../../engine/index.ts";
import { bucketLabel } from "../../names/bucket-words.ts";
import { counted, someOf } from "../../text/text.ts";
import type { Outlook } from "../outlook.ts";
import { amount, cause, figures, labelOf, shown } from "./cause.ts";
import { describeConstraint } from "./constraint-words.ts";
import type { Wanted } from "./what-is-wanted.ts";

/** All nodes are full, where no new ones can be made, or the job names the nodes that it wants. */
export function fullNodes(outlook: Outlook, reason: Reason, { missing }: Wanted): CauseView {
  const { constraint, bucket } = reason;
  if (constraint !== null) {
    const ids = examine(outlook.input, [constraint]).nodeIds;
    const named = outlook.plan.nodes.filter(({ nodeId }) => nodeId !== null && ids.has(nodeId));
    const jobs = [...new Set(named.flatMap((node) => node.jobs.map(({ job }) => `"${job}"`)))];
    const holders = jobs.length === 0 ? "" : `, with places of ${someOf(jobs)}`;
    return cause("nodes-full", {
      text: `No room for ${missing} on what the job names (${describeConstraint(constraint)}): ${someOf(named.map(({ name }) => name))}${holders}.`,
      next: "It fits when jobs there end; without naming nodes, it could go elsewhere: `ccscale jobs --state running`.",
      ...figures(reason),
    });
  }
  const hosts = outlook.plan.nodes.filter(({ origin }) => origin === "on-premise");
  if (hosts.length > 0 && hosts.some(({ nodeArray }) => nodeArray === bucket?.nodeArray))
    return cause("nodes-full", {
      text: `No room for ${missing}: the scheduler's own hosts (${hosts.length}) are full, and no new ones can be made.`,
      next: "It fits when jobs there end: `ccscale jobs --state running`.",
      ...figures(reason),
    });
  return cause("nodes-full", {
    text: `No room for ${missing}: the nodes of ${bucketLabel(bucket)} are full, and no new ones can be made for jobs.`,
    next: "It fits when jobs there end: `ccscale jobs --state running`.",
    ...figures(reason),
  });
}

/** CycleCloud makes no nodes of the size. */
export function unusable(outlook: Outlook, reason: Reason, { missing }: Wanted): CauseView {
  const { bucket } = reason;
  const array = outlook.input.cluster.nodeArrays.find(({ name }) => name === bucket?.nodeArray);
  const why = array?.buckets.find(({ vmSize }) => vmSize === bucket?.vmSize)?.invalidReason ?? null;
  return cause("bucket-unusable", {
    text: `No room for ${missing}: CycleCloud makes no new nodes of ${bucketLabel(bucket)}${why === null ? "" : ` (${why})`}, and those that are there are full.`,
    next: "Activate the VM size in CycleCloud, or let the job take another one: `ccscale buckets`.",
    ...figures(reason),
  });
}

export function groupTooSmall(outlook: Outlook, reason: Reason): CauseView {
  const { asked, left, bucket } = reason;
  const others = outlook
    .buckets()
    .filter(({ placementGroup }) => placementGroup !== null)
    .flatMap(({ limits }) => limits.filter(({ limit }) => limit === "placement-group").map(({ max }) => max));
  const largest = Math.max(amount(left), ...others);
  // All groups of a size are alike: without its name, they are one cause.
  const ofSize = labelOf(bucket && { ...bucket, placementGroup: null });
  return cause("placement-group-too-small", {
    text: `The job wants ${counted(amount(asked), "nodes")} in one placement group; one of ${ofSize} holds at most ${shown(left)}${largest > amount(left) ? `, the largest of the cluster ${largest}` : ""}.`,
    next: `Ask for at most ${shown(largest)} nodes, drop the colocation, or raise Azure.MaxScalesetSize of the node array in CycleCloud.`,
    asked,
    left,
  });
}
