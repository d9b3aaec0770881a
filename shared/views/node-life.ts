import type { NodeLife } from "../api/index.ts";
import { mostIdleTimes, type NodeHistory } from "../engine/index.ts";

type Span = NodeLife["spans"][number];

/** A row of the history of nodes as a life, with what the node did in it. */
export function toLife(row: NodeHistory, nowSeconds: number): NodeLife {
  return {
    nodeId: row.nodeId,
    name: row.name,
    nodeArray: row.nodeArray,
    vmSize: row.vmSize,
    hostname: row.hostname,
    instanceId: row.instanceId,
    firstSeenSeconds: row.createdSeconds,
    readySeconds: row.readySeconds,
    idleSinceSeconds: row.lastMatchSeconds,
    deletedSeconds: row.deletedSeconds,
    failure: row.failure ?? null,
    spans: spansOf(row, row.deletedSeconds ?? nowSeconds),
  };
}

function spansOf(row: NodeHistory, endSeconds: number): Span[] {
  const { createdSeconds, readySeconds, lastMatchSeconds, idle = [] } = row;
  const spans: Span[] = [];
  // Each goes on where the one before ended.
  const until = (use: Span["use"], untilSeconds: number) => {
    const fromSeconds = spans.at(-1)?.untilSeconds ?? createdSeconds;
    const end = Math.min(untilSeconds, endSeconds);
    if (end > fromSeconds) spans.push({ use, fromSeconds, untilSeconds: end });
  };
  until("boot", readySeconds ?? endSeconds);
  if (readySeconds === null) return spans;
  for (const [index, { endedSeconds, seconds }] of idle.entries()) {
    const isForgotten = index === 0 && idle.length === mostIdleTimes;
    until(isForgotten ? "unknown" : "used", endedSeconds - seconds);
    until("idle", endedSeconds);
  }
  until("used", lastMatchSeconds ?? endSeconds);
  until("idle", endSeconds);
  return spans;
}
