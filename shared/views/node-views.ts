import type { NodeView } from "../api/index.ts";
import { onceFor } from "../collections/once-for.ts";
import { type Boots, bootSecondsOf, bootsOf, fewestBoots, outNodesOf } from "../cycle/index.ts";
import {
  type Bucket,
  bootEnds,
  type ClusterNode,
  forNodeArray,
  isIgnored,
  kindName,
  type NodeHistory,
  type PlannedNode,
  type Resources,
  sizesByKind,
  sortByNodeName,
  usesFailedNodes,
} from "../engine/index.ts";
import type { Operation, OutNode } from "../ports/index.ts";
import { foldedName } from "../text/text.ts";
import { drainInWords, drainsOf, type NodeDrain } from "./drains.ts";
import { plannedThere } from "./job-states.ts";
import { type KeeperFacts, keepersOf } from "./keepers.ts";
import type { Outlook } from "./outlook.ts";

interface Facts extends KeeperFacts {
  readonly plannedById: ReadonlyMap<string, PlannedNode>;
  readonly reportedById: ReadonlyMap<string, ClusterNode>;
  readonly draining: ReadonlyMap<string, NodeDrain>;
  /** For nodes that the plan drains or undrains, and so does not delete yet: when the wait ends. */
  readonly drainOver: ReadonlyMap<string, number>;
  /** Nodes that their scheduler holds for reasons of its own. */
  readonly heldIds: ReadonlySet<string>;
  readonly sizes: ReadonlyMap<string, Bucket>;
  readonly bootSeconds: (nodeArray: string) => number | null;
  readonly boots: (size: Pick<NodeHistory, "nodeArray" | "vmSize">) => Boots;
  /** When nodes go that boot and that no job needs any more. */
  readonly bootEndSeconds: ReturnType<typeof bootEnds>;
  readonly operationByNode: ReadonlyMap<string, Operation>;
  readonly operationByName: ReadonlyMap<string, Operation>;
}

/** Makes views of an outlook's nodes, one at a time: writing all of 10,000 out would be wasted on a page of 200. */
export interface NodeViews {
  /** What a cluster has, sorted by name: nodes of its arrays, nodes on order, on-premise hosts. */
  readonly present: () => readonly NodeSubject[];
  /** Nodes whose idle time-out runs, and when it ends. Worked out when first asked for. */
  readonly idle: () => readonly IdleNode[];
  /** `told`: the resources to show, by their folded names; absent: all. */
  readonly viewOf: (subject: NodeSubject, told?: ReadonlySet<string>) => NodeView;
  readonly viewOfPlanned: (node: PlannedNode) => NodeView;
}

interface IdleNode {
  readonly reported: ClusterNode;
  readonly deleteAtSeconds: number;
}

/** A node as CycleCloud reports it, as the plan sees it, or both. */
export interface NodeSubject {
  readonly name: string;
  readonly reported: ClusterNode | null;
  readonly planned: PlannedNode | null;
}

/** The next page or the next question needs the same. Views go with their outlook, which `OutlookMemory` owns. */
export const nodeViews = onceFor((outlook: Outlook): NodeViews => {
  const facts = factsOf(outlook);
  let sorted: readonly NodeSubject[] | undefined;
  let idle: readonly IdleNode[] | undefined;
  return {
    present: () => {
      sorted ??= present(facts);
      return sorted;
    },
    idle: () => {
      idle ??= facts.outlook.snapshot.cluster.nodes.flatMap((reported) => {
        const { idleSinceSeconds, deleteAtSeconds } = timesOf(facts, reported);
        return idleSinceSeconds === null || deleteAtSeconds === null ? [] : [{ reported, deleteAtSeconds }];
      });
      return idle;
    },
    viewOf: (subject, told) => toView(facts, subject, told),
    viewOfPlanned: (planned) => {
      const reported = planned.nodeId === null ? null : (facts.reportedById.get(planned.nodeId) ?? null);
      return toView(facts, { name: planned.name, reported, planned });
    },
  };
});

function factsOf(outlook: Outlook): Facts {
  const { input, plan, loaded, snapshot } = outlook;
  const { cluster } = snapshot;
  const rows = new Map(loaded.history.map((row) => [row.nodeId, row]));
  for (const row of plan.history) rows.set(row.nodeId, row);
  return {
    outlook,
    plannedById: new Map(
      plan.nodes.flatMap((node) => (node.nodeId === null ? [] : [[node.nodeId, node] as const])),
    ),
    reportedById: new Map(cluster.nodes.map((node) => [node.nodeId, node])),
    history: rows,
    draining: new Map(drainsOfOutlook(outlook).map((drain) => [drain.nodeId, drain])),
    drainOver: drainOverOf(outlook),
    heldIds: new Set(outOf(outlook).flatMap(({ nodeId, isHeld }) => (isHeld ? [nodeId] : []))),
    kept: new Map(outlook.control.keptNodes.map((node) => [node.nodeId, node])),
    arrays: new Map(input.cluster.nodeArrays.map((array) => [array.name, array])),
    sizes: sizesByKind(input.cluster),
    bootSeconds: bootSecondsOf([...rows.values()]),
    boots: bootsOf([...rows.values()], {
      nowSeconds: outlook.atSeconds,
      bootTimeoutSeconds: input.settings.bootTimeoutSeconds,
    }),
    bootEndSeconds: bootEnds(rows.values(), input.settings),
    keptFailed: new Map((plan.keptFailed ?? []).map(({ nodeId, untilSeconds }) => [nodeId, untilSeconds])),
    ...operationsByNode(loaded.operations),
  };
}

/** The open operations by the ids of the nodes that they are about, and by the names of nodes that they ask for. */
function operationsByNode(
  operations: readonly Operation[],
): Pick<Facts, "operationByNode" | "operationByName"> {
  const operationByNode = new Map<string, Operation>();
  const operationByName = new Map<string, Operation>();
  for (const operation of operations) {
    const { action, nodes } = operation;
    const about = action.kind === "create-nodes" ? nodes : [...action.nodes, ...nodes];
    for (const { nodeId, name } of about) {
      operationByNode.set(nodeId, operation);
      operationByName.set(name, operation);
    }
    if (action.kind !== "create-nodes") continue;
    for (const name of action.sets.flatMap((set) => set.names)) operationByName.set(name, operation);
  }
  return { operationByNode, operationByName };
}

/** Nodes of no array, such as the scheduler's own, are none of the autoscaler's. */
function present({ outlook, plannedById, reportedById, arrays }: Facts): readonly NodeSubject[] {
  const reported = [...reportedById.values()].filter((node) => arrays.has(node.nodeArray));
  const unreported = outlook.plan.nodes.filter(
    ({ nodeId, origin }) => nodeId === null && (origin === "pending" || origin === "on-premise"),
  );
  const subjects: NodeSubject[] = [
    ...reported.map((node) => ({
      name: node.name,
      reported: node,
      planned: plannedById.get(node.nodeId) ?? null,
    })),
    ...unreported.map((planned) => ({ name: planned.name, reported: null, planned })),
  ];
  return sortByNodeName(subjects, ({ name }) => name);
}

/** As of now, where the status has what the newest plan knew. */
export function drainsOfOutlook(outlook: Outlook): readonly NodeDrain[] {
  const { head, control, snapshot } = outlook;
  return drainsOf({ head, control, snapshot, out: outOf(outlook) });
}

function outOf({ snapshot, loaded, atSeconds }: Outlook): readonly OutNode[] {
  return outNodesOf(snapshot.cluster, loaded.demand, atSeconds);
}

function drainOverOf({ made, config }: Outlook): ReadonlyMap<string, number> {
  const going = new Set(made.decided.retire.map(({ nodeId }) => nodeId));
  return new Map(
    made.draining
      .filter(({ nodeId }) => !going.has(nodeId))
      .map(({ nodeId, sinceSeconds, heldAtSeconds = 0 }) => [
        nodeId,
        Math.max(sinceSeconds, heldAtSeconds) + config.cycle.drainTimeoutSeconds,
      ]),
  );
}

function drainingOf({ draining }: Facts, reported: ClusterNode | null): NodeView["draining"] {
  const drain = reported === null ? undefined : draining.get(reported.nodeId);
  if (drain === undefined) return null;
  return { phase: drain.phase, sinceSeconds: drain.sinceSeconds, reason: drainInWords(drain) };
}

function toView(
  facts: Facts,
  { name, reported, planned }: NodeSubject,
  told?: ReadonlySet<string>,
): NodeView {
  const nodeArray = reported?.nodeArray ?? planned?.nodeArray ?? "";
  const vmSize = reported?.vmSize ?? planned?.vmSize ?? "";
  const array = facts.arrays.get(nodeArray);
  const size = facts.sizes.get(kindName({ nodeArray, vmSize }));
  const operation = operationOf(facts, { name, reported, planned });
  return {
    name,
    nodeId: reported?.nodeId ?? planned?.nodeId ?? null,
    hostname: reported?.hostname ?? planned?.hostname ?? null,
    fqdn: reported?.fqdn ?? null,
    privateIp: reported?.privateIp ?? null,
    instanceId: reported?.instanceId ?? null,
    nodeArray,
    dynamicArray: reported?.dynamicArray ?? planned?.dynamicArray ?? null,
    vmSize,
    vmFamily: size?.vm.family ?? null,
    placementGroup: reported?.placementGroup ?? planned?.placementGroup ?? null,
    bucketId: size?.bucketId ?? null,
    location: reported?.location ?? array?.location ?? null,
    spot: reported?.spot ?? array?.spot ?? false,
    origin: planned?.origin ?? "existing",
    state: reported?.status ?? planned?.status ?? null,
    failure: failureOf(facts, reported),
    targetState: reported?.targetState ?? null,
    vcpuCount: size?.vm.vcpuCount ?? null,
    pcpuCount: size?.vm.pcpuCount ?? null,
    gpuCount: size?.vm.gpuCount ?? null,
    coresPerSocket: size?.vm.coresPerSocket ?? null,
    memoryBytes: size?.vm.memoryBytes ?? null,
    infiniband: size?.vm.infiniband ?? null,
    usdPerHour: size?.pricePerHourUsd ?? null,
    jobs: planned?.jobs ?? [],
    plannedJobs: planned === null ? [] : [...plannedThere(facts.outlook.input, planned)],
    resources: only(told, planned?.resources ?? {}),
    available: only(told, planned?.available ?? {}),
    keepAlive: reported?.keepAlive ?? planned?.keepAlive ?? false,
    kept: keepersOf(facts, { reported, planned }),
    ignored: reported !== null && isIgnored(reported, facts.outlook.input.settings.ignoredNodes),
    draining: drainingOf(facts, reported),
    ...timesOf(facts, reported),
    slowBoot: slowBootOf(facts, reported),
    expectedReadySeconds: expectedReady(facts, { name, reported, planned }, operation),
    operation:
      operation === undefined
        ? null
        : { actionId: operation.actionId, kind: operation.action.kind, state: operation.state },
  };
}

/** Of this life of the node; before the first plan that sees it, what the snapshot has. */
function failureOf({ history, outlook }: Facts, reported: ClusterNode | null): NodeView["failure"] {
  if (reported === null) return null;
  const failure = history.get(reported.nodeId)?.failure;
  if (failure !== undefined || reported.status !== "Failed") return failure ?? null;
  return { atSeconds: outlook.snapshot.takenAtSeconds, message: reported.statusMessage ?? null };
}

function only(told: ReadonlySet<string> | undefined, resources: Resources): Resources {
  if (told === undefined) return resources;
  return Object.fromEntries(Object.entries(resources).filter(([name]) => told.has(foldedName(name))));
}

function operationOf(facts: Facts, { name, reported }: NodeSubject): Operation | undefined {
  if (reported !== null) return facts.operationByNode.get(reported.nodeId);
  // A node on order whose name is taken goes by `<name>#<action id>`, see `operations.ts`.
  return facts.operationByName.get(name) ?? facts.operationByName.get(name.split("#", 1)[0] ?? name);
}

type Times = Pick<
  NodeView,
  | "firstSeenSeconds"
  | "readySeconds"
  | "idleSinceSeconds"
  | "lastMatchSeconds"
  | "deletedSeconds"
  | "deleteAtSeconds"
>;

const noTimes: Times = {
  firstSeenSeconds: null,
  readySeconds: null,
  idleSinceSeconds: null,
  lastMatchSeconds: null,
  deletedSeconds: null,
  deleteAtSeconds: null,
};

function timesOf(facts: Facts, reported: ClusterNode | null): Times {
  const { outlook, history, drainOver, bootEndSeconds } = facts;
  const row = reported === null ? undefined : history.get(reported.nodeId);
  if (reported === null || row === undefined) return noTimes;
  const { lastMatchSeconds, deletedSeconds } = row;
  if (deletedSeconds !== null) return { ...noTimes, lastMatchSeconds, deletedSeconds };
  const { idleTimeoutSeconds, bootTimeoutSeconds, ignoredNodes } = outlook.input.settings;
  const idleSinceSeconds = row.lastMatchSeconds;
  const isSafe =
    reported.keepAlive || isIgnored(reported, ignoredNodes) || reported.targetState !== "Started";
  const failedOver = failedOverSeconds(facts, reported);
  if (failedOver !== undefined) {
    const { createdSeconds: firstSeenSeconds, readySeconds } = row;
    return {
      ...noTimes,
      firstSeenSeconds,
      readySeconds,
      lastMatchSeconds,
      deleteAtSeconds: isSafe ? null : failedOver,
    };
  }
  const isHeld = idleSinceSeconds !== null && facts.heldIds.has(reported.nodeId);
  const bootOverSeconds =
    row.readySeconds === null
      ? row.createdSeconds + forNodeArray(bootTimeoutSeconds, reported.nodeArray)
      : null;
  const idleEndSeconds =
    idleSinceSeconds === null || row.readySeconds === null
      ? bootEndSeconds(row)
      : idleSinceSeconds + forNodeArray(idleTimeoutSeconds, reported.nodeArray);
  const idleOverSeconds =
    idleEndSeconds === null ? null : Math.max(idleEndSeconds, drainOver.get(reported.nodeId) ?? 0);
  return {
    firstSeenSeconds: row.createdSeconds,
    readySeconds: row.readySeconds,
    idleSinceSeconds,
    lastMatchSeconds,
    deletedSeconds,
    deleteAtSeconds: isSafe || isHeld ? null : (idleOverSeconds ?? bootOverSeconds),
  };
}

/** When a failed node goes: with the next plan, or after its time; null: it is retried, or holds a job. Undefined: not failed. */
function failedOverSeconds(
  { outlook, keptFailed }: Facts,
  { nodeId, status }: ClusterNode,
): number | null | undefined {
  if (status !== "Failed" || usesFailedNodes(outlook.input.settings)) return undefined;
  const goes = outlook.plan.retire.some((retirement) => retirement.nodeId === nodeId);
  return goes ? outlook.atSeconds : (keptFailed.get(nodeId) ?? null);
}

/** A node that boots for longer than nearly all of its size did. Few boots show nothing. */
function slowBootOf({ history, boots, outlook }: Facts, reported: ClusterNode | null): NodeView["slowBoot"] {
  if (reported === null || reported.targetState !== "Started") return null;
  const row = history.get(reported.nodeId);
  const isBooting = row?.readySeconds === null && row.deletedSeconds === null;
  if (!isBooting || reported.status === "Ready" || reported.status === "Failed") return null;
  const { count, failed, p95Seconds } = boots(reported);
  const forSeconds = outlook.atSeconds - row.createdSeconds;
  if (p95Seconds === null || count - failed < fewestBoots || forSeconds <= p95Seconds) return null;
  return { forSeconds, p95Seconds };
}

/** For a node that is booting or on order: when it began, and how long boots take. */
function expectedReady(
  { bootSeconds, history }: Facts,
  { reported, planned }: NodeSubject,
  operation: Operation | undefined,
): number | null {
  const seconds = bootSeconds(reported?.nodeArray ?? planned?.nodeArray ?? "");
  if (seconds === null) return null;
  if (reported === null)
    return planned?.origin === "pending" && operation !== undefined
      ? operation.createdAtSeconds + seconds
      : null;
  if (reported.targetState !== "Started" || reported.status === "Ready" || reported.status === "Failed")
    return null;
  const row = history.get(reported.nodeId);
  return row === undefined || row.deletedSeconds !== null ? null : row.createdSeconds + seconds;
}
