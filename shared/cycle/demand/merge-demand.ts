import type { DemandMessage } from "../../messages/job-demand.ts";
import type { SourceDemand } from "../../ports/index.ts";

export type Merge =
  | { readonly outcome: "merged"; readonly demand: SourceDemand }
  /** A newer or the same message took effect before; only the count of ignored messages grows. */
  | { readonly outcome: "ignored"; readonly demand: SourceDemand }
  /** A delta whose predecessor has not come yet: queues do not keep order. */
  | { readonly outcome: "early"; readonly have: number | undefined };

/**
 * What a source wants after one more message. A snapshot replaces everything from that source and may skip sequence
 * numbers; a delta changes the message just before it, so it must carry the next number.
 */
export function mergeDemand(
  current: SourceDemand | undefined,
  message: DemandMessage,
  times: { readonly nowSeconds: number; readonly ttlSeconds: number },
): Merge {
  if (current !== undefined && isOld(current, message, times.nowSeconds)) {
    return { outcome: "ignored", demand: { ...current, ignoredMessages: current.ignoredMessages + 1 } };
  }
  const isEarly = current === undefined || message.sequence !== current.sequence + 1;
  if (message.kind === "delta" && isEarly) return { outcome: "early", have: current?.sequence };
  const wanted = message.kind === "delta" && current !== undefined ? applyDelta(current, message) : message;
  const { capabilities = message.kind === "delta" ? current?.capabilities : undefined } = message;
  const demand: SourceDemand = {
    cluster: message.cluster,
    source: message.source,
    sequence: message.sequence,
    receivedAtSeconds: times.nowSeconds,
    sentAtSeconds: Date.parse(message.sentAt) / 1000,
    expiresAtSeconds: times.nowSeconds + times.ttlSeconds,
    jobs: wanted.jobs,
    nodes: wanted.nodes,
    ...(capabilities === undefined ? {} : { capabilities }),
    ignoredMessages: current?.ignoredMessages ?? 0,
  };
  return { outcome: "merged", demand };
}

/** A source that was silent past its time to live may have lost count: its next snapshot is news, whatever its number. */
export function isOld(current: SourceDemand, message: DemandMessage, nowSeconds: number): boolean {
  const mayStartOver = message.kind === "snapshot" && current.expiresAtSeconds <= nowSeconds;
  return message.sequence <= current.sequence && !mayStartOver;
}

function applyDelta(
  current: SourceDemand,
  delta: Extract<DemandMessage, { kind: "delta" }>,
): Pick<SourceDemand, "jobs" | "nodes"> {
  const removed = new Set(delta.remove);
  return {
    jobs: upsert(current.jobs, delta.jobs, (job) => job.name).filter((job) => !removed.has(job.name)),
    nodes: upsert(current.nodes, delta.nodes, (node) => node.hostname),
  };
}

/** Changed ones keep their place, new ones follow: the order of jobs is the order of the queue. */
function upsert<T>(current: readonly T[], changes: readonly T[], keyOf: (value: T) => string): T[] {
  const changed = new Map(changes.map((value) => [keyOf(value), value]));
  const kept = current.map((value) => {
    const change = changed.get(keyOf(value));
    changed.delete(keyOf(value));
    return change ?? value;
  });
  return [...kept, ...changed.values()];
}
