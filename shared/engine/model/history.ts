import type { ClusterNode } from "./bucket.ts";

/**
 * What the planner remembers of a node between passes. A row is written only when something changed: a
 * node that stays matched for a day costs no write, because `lastMatchSeconds` stays null until it stops being matched.
 */
export interface NodeHistory {
  readonly nodeId: string;
  readonly name: string;
  readonly hostname: string | null;
  readonly instanceId: string | null;
  readonly nodeArray: string;
  readonly vmSize: string;
  /** Unix seconds of the pass that first saw the node (or saw it start again). */
  readonly createdSeconds: number;
  /** When a node that was deallocated and has started again was first seen. Absent: it has not. */
  readonly madeSeconds?: number;
  /** Unix seconds of the first pass that saw it Ready; null before. */
  readonly readySeconds: number | null;
  /**
   * Null: matched in the last pass, or not Ready yet and not one of `boughtNodeIds` that nothing needs. Else Unix seconds of the
   * last pass in which it was.
   */
  readonly lastMatchSeconds: number | null;
  /** Unix seconds of the pass that no longer saw it; null while it exists. */
  readonly deletedSeconds: number | null;
  /** How long it was idle until it was matched again, at least a minute each; the newest 32, the latest last. Absent: never. */
  readonly idle?: readonly IdleTime[];
  /** Since the node started, a scheduler has reported a job there. Absent: it never has. */
  readonly ranJob?: true;
  /** The last time that the node was seen to have failed, in this life. Absent: never. */
  readonly failure?: NodeFailure;
}

/** A time for which a node was Ready and nothing needed it, until something did. */
interface IdleTime {
  readonly endedSeconds: number;
  readonly seconds: number;
}

/** Shorter ones are remembered of no node: no idle time-out that is set by itself is shorter. */
export const leastIdleSeconds = 60;

/** How many of a node are remembered: what a row takes stays small. */
export const mostIdleTimes = 32;

/** When a pass first saw the node Failed, and what CycleCloud said of that; null: nothing. */
interface NodeFailure {
  readonly atSeconds: number;
  readonly message: string | null;
}

/** Rows of nodes that are gone are kept this long, those of deallocated nodes as long as these exist. */
export const retentionSeconds = 7 * 24 * 60 * 60;

/** The nodes as one pass saw them. */
export interface Observation {
  readonly nowSeconds: number;
  readonly nodes: readonly ClusterNode[];
  /** Nodes on which a scheduler runs jobs. They are up, even if CycleCloud reports another state. */
  readonly busyNodeIds: ReadonlySet<string>;
}

/**
 * The rows after a pass saw the nodes: new ones appear, Ready ones are noted, vanished ones are marked deleted. Returns
 * changed rows only. A deallocated node counts as gone: when it is started again it starts a new life, created now.
 */
export function observeNodes(
  rows: readonly NodeHistory[],
  { nowSeconds, nodes, busyNodeIds }: Observation,
): readonly NodeHistory[] {
  const known = new Map(rows.map((row) => [row.nodeId, row]));
  const changed: NodeHistory[] = [];
  const seen = new Set<string>();
  for (const node of nodes) {
    if (!counts(node)) continue;
    seen.add(node.nodeId);
    const row = known.get(node.nodeId);
    const next = observed(row, node, nowSeconds, busyNodeIds.has(node.nodeId));
    if (next !== row) changed.push(next);
  }
  for (const row of rows)
    if (row.deletedSeconds === null && !seen.has(row.nodeId))
      changed.push({ ...row, deletedSeconds: nowSeconds });
  return changed;
}

/** Nodes that are up or on their way. Terminating and deallocated ones have no VM to keep an eye on. */
function counts(node: ClusterNode): boolean {
  return node.targetState === null || node.targetState === "Started";
}

function observed(row: NodeHistory | undefined, node: ClusterNode, now: number, busy: boolean): NodeHistory {
  const { nodeId, name, hostname, instanceId, nodeArray, vmSize } = node;
  const ready = node.status === "Ready" || busy;
  const born = { createdSeconds: now, readySeconds: null, lastMatchSeconds: now, deletedSeconds: null };
  const before: NodeHistory =
    row === undefined || row.deletedSeconds !== null
      ? {
          nodeId,
          name,
          hostname,
          instanceId,
          nodeArray,
          vmSize,
          ...born,
          ...(row && { madeSeconds: madeAt(row) }),
        }
      : row;
  const readySeconds = before.readySeconds ?? (ready ? now : null);
  const failure = failureOf(before, node, now);
  const isFirstJob = busy && before.ranJob === undefined;
  const same =
    before.name === name &&
    before.hostname === hostname &&
    before.instanceId === instanceId &&
    before.readySeconds === readySeconds &&
    before.failure === failure &&
    !isFirstJob;
  if (same) return before;
  const ran = isFirstJob ? ({ ranJob: true } as const) : {};
  const failed = failure === undefined ? {} : { failure };
  return { ...before, name, hostname, instanceId, readySeconds, ...ran, ...failed };
}

/** When a node was made, whether it was deallocated since or not. */
export function madeAt({ createdSeconds, madeSeconds = createdSeconds }: NodeHistory): number {
  return madeSeconds;
}

/** The same failure keeps its time; a later one replaces it, and a message that comes late is added. */
function failureOf(
  { failure }: Pick<NodeHistory, "failure">,
  { status, statusMessage }: ClusterNode,
  now: number,
): NodeFailure | undefined {
  if (status !== "Failed") return failure;
  if (failure === undefined) return { atSeconds: now, message: statusMessage ?? null };
  return statusMessage === undefined || failure.message === statusMessage
    ? failure
    : { atSeconds: failure.message === null ? failure.atSeconds : now, message: statusMessage };
}

/** Whether a node is past its boot time-out: asked to start, never Ready since, for longer than that. */
export function isOverdue(row: NodeHistory, nowSeconds: number, bootTimeoutSeconds: number): boolean {
  return row.readySeconds === null && row.createdSeconds < nowSeconds - bootTimeoutSeconds;
}

/** Which nodes a pass matched, and when the pass before it was. */
export interface Matching {
  readonly nowSeconds: number;
  readonly lastPassSeconds: number | null;
  /** Matched, or not Ready yet and not unneeded. */
  readonly matchedNodeIds: ReadonlySet<string>;
}

/**
 * Notes matches without a write per node and pass: a matched row holds null, and only when it stops being matched it
 * gets the time of the last pass that still matched it. Returns changed rows only.
 */
export function recordMatches(
  rows: readonly NodeHistory[],
  { nowSeconds, lastPassSeconds, matchedNodeIds }: Matching,
): readonly NodeHistory[] {
  return rows.flatMap((row) => {
    if (row.deletedSeconds !== null) return [];
    const matched = matchedNodeIds.has(row.nodeId);
    if (matched === (row.lastMatchSeconds === null)) return [];
    return [
      matched
        ? { ...row, ...idleTimes(row, nowSeconds), lastMatchSeconds: null }
        : { ...row, lastMatchSeconds: lastPassSeconds ?? nowSeconds },
    ];
  });
}

/** With the one that ends now. */
function idleTimes(
  { idle = [], readySeconds, lastMatchSeconds }: NodeHistory,
  endedSeconds: number,
): Pick<NodeHistory, "idle"> {
  if (readySeconds === null || lastMatchSeconds === null) return {};
  const seconds = endedSeconds - lastMatchSeconds;
  return seconds < leastIdleSeconds
    ? {}
    : { idle: [...idle, { endedSeconds, seconds }].slice(-mostIdleTimes) };
}

/** Ids of rows whose node has been gone for longer than the retention. */
export function expiredRows(
  rows: readonly NodeHistory[],
  nowSeconds: number,
  nodes: readonly Pick<ClusterNode, "nodeId">[],
): readonly string[] {
  const isOld = ({ deletedSeconds }: NodeHistory) =>
    deletedSeconds !== null && deletedSeconds < nowSeconds - retentionSeconds;
  const old = rows.filter(isOld).map(({ nodeId }) => nodeId);
  if (old.length === 0) return old;
  const there = new Set(nodes.map(({ nodeId }) => nodeId));
  return old.filter((nodeId) => !there.has(nodeId));
}
