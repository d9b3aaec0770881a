import type { CauseView } from "../../../api/index.ts";
import {
  type BucketName,
  bucketLabel,
  describeConstraint,
  examine,
  isIgnored,
  type LimitName,
  type Reason,
  shortHostname,
} from "../../../engine/index.ts";
import { busyHostnames, isOutByItself, liveSources } from "../../plan-input.ts";
import type { NodeDrain } from "../drains.ts";
import { drainsOfOutlook, type NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { amount, cause, counted, figures, labelOf, rounded, selecting, shown, someOf } from "./cause.ts";
import { bindingFigure, surveyOf } from "./limits.ts";
import { roomSoon } from "./room-soon.ts";
import type { Wanted } from "./wanted.ts";

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

const limitWords: { readonly [limit in LimitName]?: string } = {
  bucket: "what CycleCloud still offers",
  region: "the region's core quota",
  cluster: "the cluster's core limit",
  "node-array": "the node array's limit",
  family: "the VM family's core quota",
};

/** Nodes have room and take no jobs: which, who drained them, why, and how they are taken back. */
export function drainedNodes(
  outlook: Outlook,
  views: NodeViews,
  reason: Reason,
  { missing }: Wanted,
): CauseView {
  const { bucket, limit, left } = reason;
  const soon = roomSoon(outlook, views, reason, bindingFigure(surveyOf(outlook, reason), limit));
  const drains = drainsIn(outlook, bucket);
  const hosts = drains.length === 0 ? drainedHosts(outlook) : [];
  const names = drains.length > 0 ? drains.map(({ name }) => name) : hosts.map(({ hostname }) => hostname);
  const [first] = drains;
  const since =
    first?.sinceSeconds == null ? "" : `, ${rounded(outlook.atSeconds - first.sinceSeconds)} s ago`;
  const [host] = hosts;
  const who =
    first !== undefined
      ? `${first.by}${first.source === null ? "" : ` in ${first.source}`}: ${first.why}${since}`
      : `${host?.stateBy ?? "somebody"} in ${host?.source ?? "its scheduler"}: ${host?.stateReason ?? "no reason was given"}`;
  const noNew =
    limit === null
      ? "no new ones can be made"
      : `${limitWords[limit] ?? `the limit ${limit}`} leaves no new ones`;
  return cause("nodes-drained", {
    text: `No room for ${missing}: of ${labelOf(bucket)} those with room take no jobs, because they are drained: ${shown(left)} (${someOf(names)}; by ${who}); ${noNew}.${soon.text}`,
    next: wayBack(drains, host?.source ?? null),
    limit,
    asked: reason.asked,
    left,
    untilSeconds: soon.untilSeconds,
  });
}

function wayBack(drains: readonly NodeDrain[], source: string | null): string {
  const ours = drains.filter((drain) => drain.source === null).map(({ name }) => name);
  const theirs = drains.filter((drain) => drain.source !== null);
  const steps = [
    ...(ours.length === 0 ? [] : [`take them back: \`ccscale undrain ${selecting(ours)}\``]),
    ...(theirs.length === 0 && source === null
      ? []
      : [`resume them in the scheduler "${theirs[0]?.source ?? source}", where they were drained`]),
  ];
  const [first = "take them back where they were drained", ...rest] = steps;
  return `${[first[0]?.toUpperCase(), first.slice(1)].join("")}${rest.map((step) => `; ${step}`).join("")}.`;
}

function drainsIn(outlook: Outlook, bucket: BucketName | null): readonly NodeDrain[] {
  const ids = new Set(
    outlook.snapshot.cluster.nodes.filter((node) => isOf(node, bucket)).map(({ nodeId }) => nodeId),
  );
  return drainsOfOutlook(outlook).filter(({ nodeId, phase }) => ids.has(nodeId) && phase === "draining");
}

function isOf(node: Omit<BucketName, "dynamicArray">, bucket: BucketName | null): boolean {
  return (
    node.nodeArray === bucket?.nodeArray &&
    node.vmSize === bucket.vmSize &&
    node.placementGroup === bucket.placementGroup
  );
}

/** Hosts that CycleCloud does not have. */
function drainedHosts({ loaded, plan, atSeconds }: Outlook) {
  const own = new Set(
    plan.nodes.flatMap(({ origin, hostname }) =>
      origin === "on-premise" && hostname !== null ? [shortHostname(hostname)] : [],
    ),
  );
  return liveSources(loaded.demand, atSeconds).flatMap(({ source, nodes }) =>
    nodes
      .filter((node) => isOutByItself(node) && own.has(shortHostname(node.hostname)))
      .map((node) => ({ ...node, source })),
  );
}

/** Nodes beside the full ones that would have room, were they not ignored. */
export function ignoredNodes(outlook: Outlook, reasons: readonly Reason[]): readonly CauseView[] {
  const { input, control, snapshot, loaded, atSeconds } = outlook;
  const patterns = input.settings.ignoredNodes;
  if (patterns.length === 0) return [];
  const full = reasons.filter(({ bucket, constraint }) => bucket !== null && constraint === null);
  const busy = busyHostnames(loaded.demand, atSeconds);
  const ignored = snapshot.cluster.nodes.filter(
    (node) =>
      node.targetState === "Started" &&
      isIgnored(node, patterns) &&
      (node.hostname === null || !busy.has(shortHostname(node.hostname))) &&
      full.some(({ bucket }) => isOf(node, bucket)),
  );
  if (ignored.length === 0) return [];
  return [
    ignoredCause(
      outlook,
      ignored.map(({ name }) => name),
      control.ignoredNodes ?? [],
    ),
  ];
}

/** Nodes that the autoscaler leaves alone: by whose wish, and how that ends. */
export function ignoredCause(
  { atSeconds }: Outlook,
  names: readonly string[],
  wishes: NonNullable<Outlook["control"]["ignoredNodes"]>,
): CauseView {
  const wish = wishes.find(({ name }) => names.includes(name));
  const by =
    wish === undefined
      ? 'by "ignored_nodes" of the configuration'
      : `by ${wish.by}: ${wish.reason}, ${rounded(atSeconds - wish.atSeconds)} s ago`;
  return cause("nodes-ignored", {
    text: `Ignored, so that no jobs are planned there: ${names.length} that might take it (${someOf(names)}; ${by}).`,
    next:
      wish === undefined
        ? 'Take them out of "ignored_nodes" and store the configuration: `ccscale config push FILE`.'
        : `Let them take part again: \`ccscale unignore ${selecting(names)}\`.`,
    left: names.length,
  });
}

export function groupTooSmall(outlook: Outlook, reason: Reason): CauseView {
  const { asked, left, bucket } = reason;
  const others = outlook
    .buckets()
    .filter(({ placementGroup }) => placementGroup !== null)
    .flatMap(({ limits }) => limits.filter(({ limit }) => limit === "placement-group").map(({ max }) => max));
  const largest = Math.max(amount(left), ...others);
  return cause("placement-group-too-small", {
    text: `The job wants ${counted(amount(asked), "nodes")} in one placement group; one of ${labelOf(bucket)} holds at most ${shown(left)}${largest > amount(left) ? `, the largest of the cluster ${largest}` : ""}.`,
    next: `Ask for at most ${shown(largest)} nodes, drop the colocation, or raise Azure.MaxScalesetSize of the node array in CycleCloud.`,
    asked,
    left,
  });
}
