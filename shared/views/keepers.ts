import type { NodeView } from "../api/index.ts";
import { scheduleOf } from "../cycle/index.ts";
import {
  type ClusterNode,
  deallocatedIn,
  isIgnored,
  madeAt,
  type NodeArray,
  type NodeHistory,
  type PlannedNode,
} from "../engine/index.ts";
import type { KeptNode } from "../ports/index.ts";
import type { Outlook } from "./outlook.ts";

type Keeper = NodeView["kept"][number];

export interface KeeperFacts {
  readonly outlook: Outlook;
  readonly history: ReadonlyMap<string, NodeHistory>;
  readonly arrays: ReadonlyMap<string, NodeArray>;
  readonly kept: ReadonlyMap<string, KeptNode>;
  /** When failed nodes go that are left for a look. */
  readonly keptFailed: ReadonlyMap<string, number>;
}

interface Subject {
  readonly reported: ClusterNode | null;
  readonly planned: PlannedNode | null;
}

/** Who keeps a node that no job needs, first who keeps it longest. */
export function keepersOf(facts: KeeperFacts, subject: Subject): readonly Keeper[] {
  const { reported, planned } = subject;
  const keepers = [
    ...(reported?.keepAlive === true || planned?.keepAlive === true ? [keptAlive(facts, reported)] : []),
    ...targetsOf(facts, planned),
    ...(reported === null ? [] : [...failed(facts, reported), ...deallocated(facts, reported)]),
  ];
  const end = ({ untilSeconds }: Keeper) => untilSeconds ?? Number.MAX_SAFE_INTEGER;
  return keepers.sort((a, b) => end(b) - end(a));
}

/** By an operator's request here, or by CycleCloud's own record. */
function keptAlive({ kept }: KeeperFacts, reported: ClusterNode | null): Keeper {
  const request = reported === null ? undefined : kept.get(reported.nodeId);
  const kind = "keep-alive";
  if (request === undefined)
    return {
      kind,
      by: "CycleCloud",
      reason: "its own record says so",
      sinceSeconds: null,
      untilSeconds: null,
    };
  const { by, reason, atSeconds: sinceSeconds, untilSeconds = null } = request;
  return { kind, by, reason, sinceSeconds, untilSeconds };
}

function targetsOf({ outlook }: KeeperFacts, planned: PlannedNode | null): readonly Keeper[] {
  if (planned === null || planned.jobs.length > 0) return [];
  return (planned.targets ?? []).map(({ name, requestSet, untilSeconds = null }): Keeper => {
    const outcome = outlook.plan.targets.find((each) => each.name === name && each.requestSet === requestSet);
    const schedule = scheduleOf(requestSet);
    const asker = schedule === undefined ? `request set ${requestSet}` : `schedule ${schedule}`;
    const about = { sinceSeconds: null, untilSeconds };
    return outcome?.unit === "spares" || outcome?.unit === "slots"
      ? {
          kind: "spare",
          by: `spare nodes of ${outcome.nodeArray}`,
          reason: `asked for by ${asker}`,
          ...about,
        }
      : { kind: "target", by: asker, reason: `target "${name}"`, ...about };
  });
}

function failed({ keptFailed, history }: KeeperFacts, { nodeId }: ClusterNode): readonly Keeper[] {
  const untilSeconds = keptFailed.get(nodeId);
  if (untilSeconds === undefined) return [];
  const sinceSeconds = history.get(nodeId)?.failure?.atSeconds ?? null;
  return [{ kind: "failed", by: "failed_nodes", reason: "for a look", sinceSeconds, untilSeconds }];
}

function deallocated({ outlook, arrays, history }: KeeperFacts, node: ClusterNode): readonly Keeper[] {
  const { settings } = outlook.input;
  const array = arrays.get(node.nodeArray);
  const isOurs =
    node.targetState === "Deallocated" && !node.keepAlive && !isIgnored(node, settings.ignoredNodes);
  const most = isOurs && array !== undefined ? deallocatedIn(settings, array) : null;
  const row = history.get(node.nodeId);
  if (most === null) return [];
  return [
    {
      kind: "deallocated",
      by: `nodearrays.${node.nodeArray}.deallocate`,
      reason: "it starts sooner than a new node boots",
      sinceSeconds: row?.deletedSeconds ?? null,
      untilSeconds: row === undefined ? null : madeAt(row) + most.maxAgeSeconds,
    },
  ];
}
