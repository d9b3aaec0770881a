import {
  type ClusterNode,
  forNodeArray,
  isIgnored,
  matchesWildcard,
  type NodeHistory,
  type Plan,
  type Retirement,
  shortHostname,
} from "../../engine/index.ts";
import type {
  ClusterConfig,
  NotedEvent,
  OutNode,
  PlanHead,
  ReplacedNode,
  Snapshot,
  SourceDemand,
  UnhealthyNode,
  UnhealthySettings,
} from "../../ports/index.ts";
import { earliest } from "../clocks.ts";
import { busyHostnames, liveSources, longestSilenceSeconds, outNodesOf } from "../demand/live-demand.ts";
import { eventsOf } from "../note-events.ts";

const daySeconds = 86_400;
/** A scheduler's words may be long, and every plan keeps them. */
const longestWhy = 200;

export interface UnhealthyFacts {
  readonly config: Pick<ClusterConfig, "cycle" | "engine">;
  readonly before: Pick<PlanHead, "unhealthy" | "replaced"> | undefined;
  readonly snapshot: Pick<Snapshot, "cluster">;
  readonly demand: readonly SourceDemand[];
  /** The state before the plan. */
  readonly history: readonly NodeHistory[];
  readonly leavingNodeIds: readonly string[];
  readonly isSent: boolean;
  readonly nowSeconds: number;
}

export interface DecidedUnhealthy {
  /** With nodes that are replaced among those to delete, and without those that stay however long they are idle. */
  readonly plan: Plan;
  readonly unhealthy: readonly UnhealthyNode[];
  readonly replaced: readonly ReplacedNode[];
  /** When one that the limit of a day keeps may be replaced; null: none is. */
  readonly lookSeconds: number | null;
  readonly events: readonly NotedEvent[];
}

/**
 * Nodes that a health check took out of service, known by the reason that their scheduler has for it. One is replaced when its
 * scheduler says that it is empty, as many as the limits allow; demand then buys what it needs. It is deleted like an idle
 * node, with the same checks, and a node that is healthy again meanwhile stays.
 */
export function decideOnUnhealthy(plan: Plan, facts: UnhealthyFacts): DecidedUnhealthy {
  const { config, before, snapshot, isSent, nowSeconds } = facts;
  const settings = config.cycle.unhealthyNodes;
  const found = foundIn(settings, plan, facts);
  const leaving = new Set(facts.leavingNodeIds);
  const there = new Map(snapshot.cluster.nodes.map((node) => [node.nodeId, node]));
  const ids = new Set(found.map(({ nodeId }) => nodeId));
  const isWell = (nodeId: string) =>
    there.get(nodeId)?.targetState === "Started" && !ids.has(nodeId) && !leaving.has(nodeId);
  const remembered = (before?.replaced ?? []).filter(
    ({ nodeId, atSeconds }) => !isWell(nodeId) && (there.has(nodeId) || atSeconds > nowSeconds - daySeconds),
  );
  const chosen = new Map(remembered.map((each) => [each.nodeId, each]));
  const inDay = remembered.filter(({ atSeconds }) => atSeconds > nowSeconds - daySeconds);
  const room = {
    atOnce: settings.mostAtOnce - remembered.filter(({ nodeId }) => there.has(nodeId)).length,
    perDay: settings.mostPerDay - inDay.length,
  };
  const news: ReplacedNode[] = [];
  const unhealthy = found.map((node): UnhealthyNode => {
    const { nodeId, name, nodeArray, why } = node;
    if (node.policy !== "replace" || node.waitsFor !== undefined || leaving.has(nodeId)) return node;
    if (chosen.has(nodeId)) return node;
    if (room.atOnce <= 0) return { ...node, waitsFor: "at-once" };
    if (room.perDay <= 0) return { ...node, waitsFor: "per-day" };
    room.atOnce -= 1;
    room.perDay -= 1;
    const replaced = { nodeId, name, nodeArray, why, atSeconds: nowSeconds };
    chosen.set(nodeId, replaced);
    news.push(replaced);
    return node;
  });
  return {
    plan: { ...plan, retire: retireOf(plan, unhealthy, { chosen, leaving, snapshot }) },
    unhealthy,
    replaced: isSent ? [...remembered, ...news] : (before?.replaced ?? []),
    lookSeconds: unhealthy.some(({ waitsFor }) => waitsFor === "per-day")
      ? earliest(inDay.map(({ atSeconds }) => atSeconds + daySeconds))
      : null,
    events: [
      ...seenEvents(before?.unhealthy ?? [], unhealthy, nowSeconds),
      ...(isSent ? replacedEvents(news) : []),
    ],
  };
}

/** Unhealthy nodes, and what keeps each from being replaced whatever the limits. */
function foundIn(
  settings: UnhealthySettings,
  plan: Plan,
  { config, before, snapshot, demand, history, nowSeconds }: UnhealthyFacts,
): readonly UnhealthyNode[] {
  const { cluster } = snapshot;
  const outs = new Map(outNodesOf(cluster, demand, nowSeconds).map((out) => [out.nodeId, out]));
  const known = new Map(before?.unhealthy?.map((node) => [node.nodeId, node]));
  if (outs.size === 0 && known.size === 0) return [];
  const listed = new Set(
    liveSources(demand, nowSeconds).flatMap(({ nodes }) =>
      nodes.map(({ hostname }) => shortHostname(hostname)),
    ),
  );
  const silent = new Set(
    demand.flatMap(({ source, expiresAtSeconds: end }) =>
      end <= nowSeconds && nowSeconds < end + longestSilenceSeconds ? [source] : [],
    ),
  );
  const busy = busyHostnames(demand, nowSeconds);
  const createdSeconds = new Map(
    [...history, ...plan.history].map((row) => [row.nodeId, row.createdSeconds]),
  );
  const enabled = new Set(cluster.nodeArrays.filter((array) => array.enabled).map(({ name }) => name));
  return cluster.nodes.flatMap((node): UnhealthyNode[] => {
    const { nodeId, name, nodeArray, hostname, targetState } = node;
    if (hostname === null || targetState !== "Started") return [];
    if (!enabled.has(nodeArray) || isIgnored(node, config.engine.ignoredNodes)) return [];
    const policy = forNodeArray(settings.policy, nodeArray);
    const seen = known.get(nodeId);
    const waiting = (keeps: UnhealthyNode["waitsFor"]) =>
      keeps === undefined || policy !== "replace" ? {} : { waitsFor: keeps };
    // It is what it was. A scheduler that speaks and does not list it has lost it, such as one that stopped answering.
    if (seen !== undefined && !listed.has(shortHostname(hostname))) {
      const { waitsFor: _, ...before } = seen;
      const keeps = silent.has(seen.source) ? "source" : whatKeeps(node, { isHeld: false }, busy);
      return [{ ...before, policy, ...waiting(keeps) }];
    }
    const out = outs.get(nodeId);
    if (out?.why == null || !isOfHealth(out.why, settings)) return [];
    // Said of a machine that had the name before.
    if (out.sinceSeconds !== null && out.sinceSeconds < (createdSeconds.get(nodeId) ?? 0)) return [];
    const { source } = out;
    const why = out.why.slice(0, longestWhy);
    const sinceSeconds = out.sinceSeconds ?? seen?.sinceSeconds ?? nowSeconds;
    const about = { nodeId, name, nodeArray, hostname, source, why, sinceSeconds, policy };
    return [{ ...about, ...waiting(whatKeeps(node, out, busy)) }];
  });
}

function whatKeeps(
  { keepAlive, hostname }: ClusterNode,
  { isHeld }: Pick<OutNode, "isHeld">,
  busy: ReadonlySet<string>,
): UnhealthyNode["waitsFor"] {
  if (keepAlive) return "keep-alive";
  return isHeld || (hostname !== null && busy.has(shortHostname(hostname))) ? "jobs" : undefined;
}

function isOfHealth(why: string, { reasons }: UnhealthySettings): boolean {
  return reasons.some((pattern) => matchesWildcard(pattern.toLowerCase(), why.toLowerCase()));
}

/** What is reported only goes when it is idle, like any other node. */
function retireOf(
  { retire }: Plan,
  unhealthy: readonly UnhealthyNode[],
  {
    chosen,
    leaving,
    snapshot,
  }: {
    readonly chosen: ReadonlyMap<string, ReplacedNode>;
    readonly leaving: ReadonlySet<string>;
    readonly snapshot: UnhealthyFacts["snapshot"];
  },
): readonly Retirement[] {
  const stays = new Set(unhealthy.flatMap(({ nodeId, policy }) => (policy === "report" ? [] : [nodeId])));
  const others = retire.filter(({ nodeId, cause }) => cause !== "idle-timeout" || !stays.has(nodeId));
  const going = new Set(others.map(({ nodeId }) => nodeId));
  const hostnames = new Map(snapshot.cluster.nodes.map(({ nodeId, hostname }) => [nodeId, hostname]));
  const goes = unhealthy.flatMap(
    ({ nodeId, name, nodeArray, policy, waitsFor, sinceSeconds }): Retirement[] => {
      const isDue = policy === "replace" && waitsFor === undefined && chosen.has(nodeId);
      if (!isDue || leaving.has(nodeId) || going.has(nodeId)) return [];
      const hostname = hostnames.get(nodeId) ?? null;
      return [{ nodeId, name, nodeArray, hostname, cause: "unhealthy", sinceSeconds }];
    },
  );
  return [...others, ...goes];
}

/** Of nodes that were not known to be unhealthy, or for another reason. */
function seenEvents(
  before: readonly UnhealthyNode[],
  unhealthy: readonly UnhealthyNode[],
  atSeconds: number,
): readonly NotedEvent[] {
  const whyBefore = new Map(before.map(({ nodeId, why }) => [nodeId, why]));
  return unhealthy
    .filter(({ nodeId, why, policy }) => policy !== "keep" && whyBefore.get(nodeId) !== why)
    .flatMap((node) =>
      eventsOf({ kind: "node-unhealthy", by: null, source: node.source, reason: node.why, atSeconds }, [
        node,
      ]),
    );
}

function replacedEvents(news: readonly ReplacedNode[]): readonly NotedEvent[] {
  return news.flatMap((node) =>
    eventsOf({ kind: "node-replaced", by: "the autoscaler", reason: node.why, atSeconds: node.atSeconds }, [
      node,
    ]),
  );
}
