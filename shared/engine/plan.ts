/**
 * The planner: snapshot and demand in, plan out. Three stages: lay the cluster out as a ledger of buckets and nodes;
 * put the jobs on it one after the other, first fit (`allocate.ts`), and meet the targets (`meet-targets.ts`), in one or
 * more runs (`choose-run.ts`); read off what has to be created, started and
 * deleted. Pure: the same input gives the same plan. Breaks no limit whatever the input, and throws only on bugs.
 * README.md describes the model on one page.
 */

import type { LedgerNode } from "./ledger/ledger-bucket.ts";
import { isIgnored, isLeftOut } from "./ledger/left-alone.ts";
import type { ClusterNode } from "./model/bucket.ts";
import { isOverdue, type NodeHistory, observeNodes, recordMatches } from "./model/history.ts";
import { shortHostname } from "./model/names.ts";
import type { PlanInput } from "./model/plan-input.ts";
import type { ClippingCap, Plan } from "./model/plan-result.ts";
import { demandCapsOf, forNodeArray } from "./model/settings.ts";
import { clippingCaps, heldBackOf } from "./outcome/clipping.ts";
import { createSets, newNodes } from "./outcome/create-sets.ts";
import { neverDeallocated, withDeallocated } from "./outcome/deallocate.ts";
import { AllocationOutcome, LedgerPlannedNode } from "./outcome/outcome.ts";
import { ReasonBook } from "./outcome/reason-book.ts";
import { failedBeyond, keptFailed, retries, timedOut } from "./outcome/retire.ts";
import { sizeChoices } from "./outcome/size-choices.ts";
import { bucketUses } from "./outcome/survey.ts";
import { unneededBoots } from "./outcome/unneeded-boots.ts";
import { chooseRun } from "./place/choose-run.ts";
import { roomWanted } from "./place/room-wanted.ts";

/** Plans one pass over a cluster. */
export function plan(input: PlanInput): Plan {
  const busyIds = busyNodeIds(input);
  const observation = observeNodes(input.history, {
    nowSeconds: input.nowSeconds,
    nodes: input.cluster.nodes,
    busyNodeIds: busyIds,
  });
  const history = merged(input.history, observation);
  const overdueNodeIds = overdueIds(input, history);
  const run = chooseRun({
    ...input,
    history: [...history.values()],
    overdueNodeIds,
  });
  const { opened, allocations, bucketsOfJobs, targets, ownerUses } = run;
  const { ledger } = opened;
  const book = new ReasonBook(ledger, ledger.buckets.slice(0, bucketsOfJobs));

  const nodes = ledger.buckets.flatMap((bucket) => bucket.nodes);
  const matchedIds = matchedNodeIds(nodes);
  const unneeded = unneededBoots(input, { nodes, allocations, targets, history });
  const changed = settle(input, history, observation, { matchedIds, unneeded });
  const touchable = touchableNodes(input);
  const after = { ...input, nodes: touchable, history: merged([...history.values()], changed), unneeded };
  const keptFailedNodes = keptFailed(after, roomWanted(input.cluster, run));
  const expired = [...timedOut(after), ...failedBeyond(after, keptFailedNodes)];
  const isFailed = (node: LedgerNode): boolean => node.reported?.status === "Failed";
  const made = newNodes(ledger);
  const create = createSets(made, input.settings, input.targets ?? []);
  return {
    jobs: allocations.map((allocation) => new AllocationOutcome(allocation, book)),
    targets,
    create,
    sizes: sizeChoices(ledger, allocations, made, create),
    start: nodes.flatMap((node) => startOf(node)),
    retire: withDeallocated(
      expired.filter(({ nodeId }) => !matchedIds.has(nodeId)),
      input,
      { history, wantedIds: askedToStart(nodes), closedIds: closedNodeIds(nodes) },
    ),
    timedOut: expired,
    retry: retries(after).filter(({ nodeId }) => !busyIds.has(nodeId)),
    ...(keptFailedNodes.length === 0 ? {} : { keptFailed: keptFailedNodes }),
    nodes: nodes.map((node) => new LedgerPlannedNode(node)),
    matched: namesOf(nodes.filter((node) => node.matched && !isFailed(node))),
    unmatched: namesOf(nodes.filter((node) => !node.matched && !isFailed(node))),
    failed: touchable.filter((node) => node.status === "Failed").map((node) => node.name),
    buckets: bucketUses(ledger),
    history: changed,
    warnings: [...opened.warnings, ...neverDeallocated(input)],
    ...(ownerUses.length > 0 && { ownerUses }),
    ...heldBackOf(allocations, opened.hostsLeftOut, demandCapsOf(input.settings)),
    ...clippedBy(input, clippingCaps(input, { allocations, book, targets }), nodes),
  };
}

/** What the caps held back; what was asked for is found out by planning once more without caps. */
function clippedBy(
  input: PlanInput,
  by: readonly ClippingCap[],
  nodes: readonly LedgerNode[],
): Pick<Plan, "clipped"> {
  if (by.length === 0) return {};
  const { caps: _, ...uncapped } = input;
  const { create, start } = plan(uncapped);
  const asked = create.reduce((total, set) => total + set.count, start.length);
  const granted = nodes.filter(({ origin }) => origin === "new" || origin === "starting").length;
  return { clipped: { asked, granted, by } };
}

/** Nodes on which a scheduler says that something runs. */
function busyNodeIds({ jobs, cluster }: PlanInput): ReadonlySet<string> {
  const hostnames = new Set<string>();
  for (const job of jobs)
    for (const hostname of job.executingHostnames) hostnames.add(shortHostname(hostname));
  if (hostnames.size === 0) return hostnames;
  const busy = cluster.nodes.filter(
    (node) => node.hostname !== null && hostnames.has(shortHostname(node.hostname)),
  );
  return new Set(busy.map((node) => node.nodeId));
}

function merged(
  rows: readonly NodeHistory[],
  changed: readonly NodeHistory[],
): ReadonlyMap<string, NodeHistory> {
  const byId = new Map(rows.map((row) => [row.nodeId, row]));
  for (const row of changed) byId.set(row.nodeId, row);
  return byId;
}

/**
 * Nodes that were past their boot time-out in the last pass already. They get no more jobs: jobs planned on a node that
 * never comes up would keep it, and themselves, waiting for ever.
 */
function overdueIds(
  { settings, lastPassSeconds, cluster }: PlanInput,
  history: ReadonlyMap<string, NodeHistory>,
): ReadonlySet<string> {
  if (lastPassSeconds === null) return new Set();
  const overdue = cluster.nodes.filter((node) => {
    const row = history.get(node.nodeId);
    const timeout = forNodeArray(settings.bootTimeoutSeconds, node.nodeArray);
    return row !== undefined && row.deletedSeconds === null && isOverdue(row, lastPassSeconds, timeout);
  });
  return new Set(overdue.map((node) => node.nodeId));
}

function matchedNodeIds(nodes: readonly LedgerNode[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const node of nodes) if (node.reported !== null && node.matched) ids.add(node.reported.nodeId);
  return ids;
}

/** The rows that this pass changed: what it saw, and whom it matched. Nodes that are not Ready count as matched, save unneeded ones. */
function settle(
  input: PlanInput,
  history: ReadonlyMap<string, NodeHistory>,
  observation: readonly NodeHistory[],
  {
    matchedIds,
    unneeded,
  }: { readonly matchedIds: ReadonlySet<string>; readonly unneeded: ReadonlySet<string> },
): readonly NodeHistory[] {
  const active = new Set(matchedIds);
  for (const { status, nodeId } of input.cluster.nodes)
    if (status !== "Ready" && !unneeded.has(nodeId)) active.add(nodeId);
  const { nowSeconds, lastPassSeconds } = input;
  const rows = [...history.values()];
  const matches = recordMatches(rows, { nowSeconds, lastPassSeconds, matchedNodeIds: active });
  return [...merged(observation, matches).values()];
}

/** Nodes that may be deleted or retried: of enabled arrays, not ignored, with a target state, not leaving already. */
function touchableNodes({ cluster, settings, leavingNodeIds }: PlanInput): readonly ClusterNode[] {
  const arrays = new Map(
    cluster.nodeArrays.filter((array) => array.enabled).map((array) => [array.name, array]),
  );
  const leaving = new Set(leavingNodeIds);
  return cluster.nodes.filter((node) => {
    const array = arrays.get(node.nodeArray);
    if (array === undefined || node.targetState !== "Started" || leaving.has(node.nodeId)) return false;
    return !isIgnored(node, settings.ignoredNodes) && !isLeftOut(node, array, settings);
  });
}

function startOf(node: LedgerNode): Plan["start"] {
  if (node.origin !== "starting" || node.reported === null) return [];
  return [{ nodeId: node.reported.nodeId, name: node.name, nodeArray: node.bucket.name.nodeArray }];
}

/** Nodes that are there without a VM, and start in this plan or by an earlier one. */
function askedToStart(nodes: readonly LedgerNode[]): ReadonlySet<string> {
  return new Set(
    nodes.flatMap(({ origin, reported }) =>
      reported !== null && (origin === "starting" || origin === "pending") ? [reported.nodeId] : [],
    ),
  );
}

function closedNodeIds(nodes: readonly LedgerNode[]): ReadonlySet<string> {
  return new Set(
    nodes.flatMap(({ takesNoJobs, reported }) => (takesNoJobs && reported !== null ? [reported.nodeId] : [])),
  );
}

function namesOf(nodes: readonly LedgerNode[]): readonly string[] {
  return nodes.map((node) => node.name);
}
