import type { CauseView } from "../../api/index.ts";
import { isOutByItself, liveSources } from "../../cycle/index.ts";
import { type BucketName, type LimitName, type Reason, shortHostname } from "../../engine/index.ts";
import { duration } from "../../text/durations.ts";
import { someOf } from "../../text/text.ts";
import type { NodeDrain } from "../drains.ts";
import { holdInWords } from "../held-sizes.ts";
import { drainsOfOutlook, type NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { actingOn, cause, isIn, labelOf, shown } from "./cause.ts";
import { backOffOf, bindingFigure, surveyOf } from "./limit-causes.ts";
import { limitInShort } from "./limit-words.ts";
import { roomSoon } from "./room-soon.ts";
import type { Wanted } from "./what-is-wanted.ts";

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
    first?.sinceSeconds == null ? "" : `, ${duration(outlook.atSeconds - first.sinceSeconds)} ago`;
  const [host] = hosts;
  const who =
    first !== undefined
      ? `${first.by}${first.source === null ? "" : ` in ${first.source}`}: ${first.why}${since}`
      : `${host?.stateBy ?? "somebody"} in ${host?.source ?? "its scheduler"}: ${host?.stateReason ?? "no reason was given"}`;
  const backOff = backOffOf(outlook, reason);
  const noNew =
    backOff === undefined
      ? noNewOnes(limit)
      : `no new ones are asked of CycleCloud ${holdInWords(backOff, outlook.atSeconds)}`;
  return cause("nodes-drained", {
    text: `No room for ${missing}: of ${labelOf(bucket)} those with room take no jobs, because they are drained: ${shown(left)} (${someOf(names)}; by ${who}); ${noNew}.${soon.text}`,
    next: wayBack(drains, host?.source ?? null),
    limit,
    asked: reason.asked,
    left,
    untilSeconds: soon.untilSeconds,
  });
}

function noNewOnes(limit: LimitName | null): string {
  if (limit === null) return "no new ones can be made";
  return `${limitInShort(limit)} leaves no new ones`;
}

function wayBack(drains: readonly NodeDrain[], source: string | null): string {
  const ours = drains.filter((drain) => drain.source === null).map(({ name }) => name);
  const theirs = drains.filter((drain) => drain.source !== null);
  const steps = [
    ...(ours.length === 0 ? [] : [`take them back: ${actingOn("undrain", ours)}`]),
    ...(theirs.length === 0 && source === null
      ? []
      : [`resume them in the scheduler "${theirs[0]?.source ?? source}", where they were drained`]),
  ];
  const [first = "take them back where they were drained", ...rest] = steps;
  return `${[first[0]?.toUpperCase(), first.slice(1)].join("")}${rest.map((step) => `; ${step}`).join("")}.`;
}

function drainsIn(outlook: Outlook, bucket: BucketName | null): readonly NodeDrain[] {
  const ids = new Set(
    outlook.snapshot.cluster.nodes.filter((node) => isIn(node, bucket)).map(({ nodeId }) => nodeId),
  );
  return drainsOfOutlook(outlook).filter(({ nodeId, phase }) => ids.has(nodeId) && phase === "draining");
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
