import type { ClusterNode, NodeHistory, Plan, Retirement } from "../../engine/index.ts";
import type { ActionDrain, SchedulerEvent } from "../../messages/index.ts";
import type { DrainingNode, PlanHead, Snapshot, SourceDemand } from "../../ports/index.ts";
import { earliest } from "../clocks.ts";
import { doubtsOf, restsOnDemand } from "../doubts.ts";
import {
  isDrained,
  isEmpty,
  isHeldByOthers,
  isOutByEvent,
  isOutByOthers,
  type Listing,
  listingsFor,
  listingsOf,
  obeys,
} from "../listings.ts";
import type { HandedBack } from "./hand-back.ts";

/** Unanswered events are sent again at this interval: an event may be lost with the machine that received it. */
const repeatSeconds = 30;

/** A node to delete, and how it was drained. Absent: no scheduler that can drain lists it, or it never was up. */
export type DrainedRetirement = HandedBack & { readonly drain?: ActionDrain };

/** A plan that deletes only nodes that are drained, or need not be. */
export type DrainedPlan = Omit<Plan, "retire"> & { readonly retire: readonly DrainedRetirement[] };

export interface Drains {
  readonly plan: DrainedPlan;
  readonly draining: readonly DrainingNode[];
  /** Events for the schedulers, sent once the plan counts. */
  readonly events: readonly SchedulerEvent[];
  /** When the next check is due by time alone; null: nothing waits for the clock. */
  readonly nextLookSeconds: number | null;
}

interface DrainFacts {
  readonly before: Pick<PlanHead, "draining"> | undefined;
  readonly snapshot: Pick<Snapshot, "cluster">;
  /** All sources, silent ones too: a source that was asked to drain a node and fell silent has not released it. */
  readonly demand: readonly SourceDemand[];
  /** The state before the plan. */
  readonly history: readonly NodeHistory[];
  /** Nodes with a deletion under way: they are decided again when that operation has ended. */
  readonly leavingNodeIds: readonly string[];
  /** Nodes that operators drained: out until an operator undrains them, whether a job could use them or not. */
  readonly drainedNodeIds: readonly string[];
  /** 0: nodes are not drained, except those that operators drained. */
  readonly drainTimeoutSeconds: number;
  /** A plan that is held drains nothing, and shows the nodes it would delete. */
  readonly isSent: boolean;
  readonly nowSeconds: number;
}

/**
 * Idle nodes are not deleted while a scheduler may still start a job on them. Schedulers that can drain are asked to,
 * and the node is deleted when each of them reports it drained or no longer lists it, or when the drain timeout is
 * over. A node that is needed again stays. So does one that its scheduler holds for reasons of its own, for as long as it says so.
 *
 * To the planner a node is up, `draining`, or `undraining`: needed again, and recorded until its scheduler has
 * undrained it. Every change carries a later time than the one before, and schedulers report the time of the event that
 * they follow: a report about an earlier drain never counts for this one, in whatever order messages arrive.
 *
 * While the demand of a source is in doubt, no node is idle for certain: none is deleted, and drains in progress stay
 * as they are.
 */
export function decideOnDraining(plan: Plan, facts: DrainFacts): Drains {
  const inDoubt = doubtsOf(facts.demand, facts.nowSeconds).length > 0;
  return inDoubt ? decide(withoutIdle(plan), facts, idleIn(plan)) : decide(plan, facts, new Set());
}

function idleIn({ retire }: Plan): ReadonlySet<string> {
  return new Set(retire.flatMap(({ nodeId, cause }) => (restsOnDemand(cause) ? [nodeId] : [])));
}

function withoutIdle(plan: Plan): Plan {
  return { ...plan, retire: plan.retire.filter(({ cause }) => !restsOnDemand(cause)) };
}

/** `perhapsIdle`: these nodes are not decided. */
function decide(plan: Plan, facts: DrainFacts, perhapsIdle: ReadonlySet<string>): Drains {
  const { before, snapshot, isSent, nowSeconds } = facts;
  const records = new Map(before?.draining.map((record) => [record.nodeId, record]));
  const listings = listingsOf(facts.demand, nowSeconds);
  const nothing = { plan, draining: [...records.values()], events: [], nextLookSeconds: null };
  const wished = new Set(facts.drainedNodeIds);
  if (!isSent || (records.size === 0 && isEmpty(listings) && wished.size === 0)) return nothing;

  const createdSeconds = new Map(
    [...facts.history, ...plan.history].map((row) => [row.nodeId, row.createdSeconds]),
  );
  const leaving = new Set(facts.leavingNodeIds);
  const retired = new Map(plan.retire.map((retirement) => [retirement.nodeId, retirement]));
  const decisions = snapshot.cluster.nodes
    .filter((node) => node.targetState === "Started")
    .map((node) => {
      const cause = retired.get(node.nodeId)?.cause;
      const record = records.get(node.nodeId);
      const isSettled = leaving.has(node.nodeId) || (cause !== undefined && !restsOnDemand(cause));
      if (isSettled) return { ...undecided, nodeId: node.nodeId, record, goes: {} };
      const created = createdSeconds.get(node.nodeId) ?? nowSeconds;
      const about = {
        node,
        createdSeconds: created,
        record,
        said: listingsFor(listings, node.hostname),
        facts,
      };
      const isIdle = cause !== undefined;
      if (perhapsIdle.has(node.nodeId) && !wished.has(node.nodeId))
        return { ...undecided, nodeId: node.nodeId, record };
      const kept = wished.has(node.nodeId) ? keptOut(about, { isIdle }) : undefined;
      return { ...(kept ?? (isIdle ? drained(about) : takenBack(about))), nodeId: node.nodeId };
    });
  const told = decisions.map((decision) => tell(decision, nowSeconds));
  return {
    plan: { ...plan, retire: goingOnly(plan.retire, decisions) },
    draining: told.flatMap(({ record }) => record ?? []),
    events: eventsOf(told, { cluster: snapshot.cluster.name }),
    nextLookSeconds: earliest(told.map(({ lookSeconds }) => lookSeconds)),
  };
}

/** The decision about one node. */
interface Decision {
  /** Undefined: the node counts as up. */
  readonly record: DrainingNode | undefined;
  /** Live sources that have not answered. */
  readonly unanswered: readonly string[];
  /** Set: the node is idle, and nothing keeps it. */
  readonly goes?: { readonly drain?: ActionDrain };
  readonly lookSeconds: number | null;
}

const undecided: Decision = { record: undefined, unanswered: [], lookSeconds: null };

interface About {
  readonly node: ClusterNode;
  /** When a plan first saw it. */
  readonly createdSeconds: number;
  readonly record: DrainingNode | undefined;
  readonly said: readonly Listing[];
  readonly facts: DrainFacts;
}

/** The decision about an idle node. */
function drained(about: About): Decision {
  const { record, said, facts } = about;
  const { nowSeconds, drainTimeoutSeconds } = facts;
  const isHeld = said.some(isHeldByOthers);
  const endSeconds = record === undefined ? Number.POSITIVE_INFINITY : drainEndSeconds(record, facts);
  const isOver = !isHeld && nowSeconds >= endSeconds;
  if (record?.phase === "draining") {
    const { sinceSeconds } = record;
    const open = said.filter((listing) => !isDrained(listing, sinceSeconds));
    if (open.length === 0 || isOver)
      return { ...undecided, record, goes: { drain: { sinceSeconds, isTimedOut: open.length > 0 } } };
    return {
      record: isHeld ? { ...record, heldAtSeconds: nowSeconds } : record,
      unanswered: live(open.filter((listing) => !isOut(listing, sinceSeconds))),
      lookSeconds: isHeld ? null : endSeconds,
    };
  }
  // A scheduler that has not undrained the node yet would take the next drain for the last one, and an unreachable
  // scheduler must not keep an idle node up for ever.
  const waits = record === undefined || isOver ? undecided : takenBack(about);
  if (waits.record !== undefined) return waits;
  const sources = live(said);
  if (sources.length === 0) return { ...undecided, goes: {} };
  if (drainTimeoutSeconds === 0 && !isHeld)
    return { ...undecided, goes: { drain: { sinceSeconds: nowSeconds, isTimedOut: true } } };
  const next = changed(about, "draining");
  const unanswered = live(said.filter((listing) => !isOut(listing, next.sinceSeconds)));
  return isHeld
    ? { record: { ...next, heldAtSeconds: nowSeconds }, unanswered, lookSeconds: null }
    : { record: next, unanswered, lookSeconds: next.sinceSeconds + drainTimeoutSeconds };
}

/** When the node goes undrained. What held it must be over for as long: its scheduler may start jobs there again since. */
function drainEndSeconds(
  { sinceSeconds, heldAtSeconds = 0 }: DrainingNode,
  { drainTimeoutSeconds }: Pick<DrainFacts, "drainTimeoutSeconds">,
): number {
  return Math.max(sinceSeconds, heldAtSeconds) + drainTimeoutSeconds;
}

/**
 * Whether its scheduler needs no drain event: it follows an earlier one, or has the node out for its own reasons. A
 * manual drain keeps its owner and reason; the node is deleted when a later message still lists it as drained.
 */
function isOut(listing: Listing, sinceSeconds: number): boolean {
  return obeys(listing, sinceSeconds) || isOutByOthers(listing);
}

/** The decision about a node that an operator drained; once idle, it is deleted like any other. */
function keptOut(about: About, { isIdle }: { readonly isIdle: boolean }): Decision {
  const { node, record, said } = about;
  if (isIdle && record?.phase !== "undraining") return drained(about);
  // A node gets its host name while it boots.
  const { name, hostname } = node;
  const next = record?.phase === "draining" ? { ...record, name, hostname } : changed(about, "draining");
  const unanswered = live(said.filter((listing) => !isOut(listing, next.sinceSeconds)));
  return { record: next, unanswered, lookSeconds: null };
}

/** The decision about a node that is needed, or may not be deleted. */
function takenBack(about: About): Decision {
  const { record, said, facts, createdSeconds } = about;
  // A new machine under the name of an old one may still be out because of the old one. An event that is younger than
  // the machine, and not recorded here, is somebody else's: an operator drained the node.
  const isLeftOut = record === undefined && said.some((listing) => isOutByEvent(listing, createdSeconds));
  if (record === undefined && !isLeftOut) return undecided;
  const next = record?.phase === "undraining" ? record : changed(about, "undraining");
  const endSeconds = next.sinceSeconds + facts.drainTimeoutSeconds;
  // Out by a later event than ours: taken back, and drained anew by an operator.
  const isAnsweredBy = (eventAtSeconds: number | null) =>
    eventAtSeconds === null || eventAtSeconds > next.sinceSeconds;
  const isBack = (listing: Listing) =>
    listing.state === "up"
      ? obeys(listing, next.sinceSeconds) || facts.nowSeconds >= endSeconds
      : isAnsweredBy(listing.eventAtSeconds);
  const open = said.filter((listing) => !isBack(listing));
  if (open.length === 0) return undecided;
  return {
    record: next,
    unanswered: live(open),
    lookSeconds: facts.nowSeconds < endSeconds ? endSeconds : null,
  };
}

/** A time later than every decision about this node, and every event that its schedulers follow, on any clock. */
function changed({ node, record, said, facts }: About, phase: DrainingNode["phase"]): DrainingNode {
  const { nodeId, name, hostname } = node;
  const times = [record?.sinceSeconds, ...said.map(({ eventAtSeconds }) => eventAtSeconds)];
  const sinceSeconds = times.reduce<number>(
    (latest, at) => Math.max(latest, (at ?? 0) + 1),
    facts.nowSeconds,
  );
  return { nodeId, name, hostname, phase, sinceSeconds, toldSeconds: null };
}

function live(said: readonly Listing[]): readonly string[] {
  return [...new Set(said.filter(({ isLive }) => isLive).map(({ source }) => source))];
}

/** A decision with the sources that are sent it now; the record lists them, even if this run dies before it sends. */
type Told = Decision & { readonly sources: readonly string[] };

function tell(decision: Decision, nowSeconds: number): Told {
  const { record, unanswered, lookSeconds } = decision;
  if (record === undefined || unanswered.length === 0) return { ...decision, sources: [] };
  const { toldSeconds } = record;
  const isDue = toldSeconds === null || nowSeconds >= toldSeconds + repeatSeconds;
  const next = isDue ? { ...record, toldSeconds: nowSeconds } : record;
  const again = (next.toldSeconds ?? nowSeconds) + repeatSeconds;
  return {
    ...decision,
    record: next,
    lookSeconds: lookSeconds === null ? again : Math.min(lookSeconds, again),
    sources: isDue ? unanswered : [],
  };
}

function goingOnly(
  retire: readonly Retirement[],
  decisions: readonly (Decision & { readonly nodeId: string })[],
): readonly DrainedRetirement[] {
  const byNode = new Map(decisions.map((decision) => [decision.nodeId, decision.goes]));
  return retire.flatMap((retirement) => {
    // No scheduler starts a job on a node that has no VM.
    const goes = retirement.cause === "deallocated" ? {} : byNode.get(retirement.nodeId);
    return goes === undefined ? [] : [{ ...retirement, ...goes }];
  });
}

/** One event for all nodes about which a source is sent the same. */
function eventsOf(told: readonly Told[], { cluster }: { readonly cluster: string }): SchedulerEvent[] {
  const events = new Map<string, SchedulerEvent>();
  for (const { record, sources } of told) {
    if (record === undefined) continue;
    const { nodeId, name, hostname, phase, sinceSeconds: atSeconds } = record;
    const kind = phase === "draining" ? "drain" : "undrain";
    for (const source of sources) {
      const key = JSON.stringify([source, kind, atSeconds]);
      const event: SchedulerEvent = events.get(key) ?? {
        version: 1,
        cluster,
        source,
        kind,
        nodes: [],
        atSeconds,
      };
      event.nodes.push({ nodeId, name, hostname });
      events.set(key, event);
    }
  }
  return [...events.values()];
}
