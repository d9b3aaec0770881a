import type { DemandMessage, SetAside } from "../../messages/index.ts";
import type { RefusedWord, SourceDemand } from "../../ports/index.ts";
import { isAhead } from "../clocks.ts";
import { withPast } from "./job-past.ts";
import { asideAfter, keptAside, withoutUnread } from "./merge-set-aside.ts";
import { endedRuns, withRuns } from "./run-times.ts";
import { sendersAfter } from "./senders.ts";

export type Merge =
  | {
      readonly outcome: "merged";
      readonly demand: SourceDemand;
      /** Undefined: it is the first message of its source. */
      readonly before: SourceDemand | undefined;
    }
  /** A newer or the same message took effect before; only the count of ignored messages grows. */
  | { readonly outcome: "ignored"; readonly demand: SourceDemand }
  /** A delta whose predecessor has not arrived: queues do not keep order. */
  | { readonly outcome: "early"; readonly have: number | undefined };

/**
 * The demand of a source after one more message. A snapshot replaces everything from that source and may skip sequence
 * numbers. A delta changes the message just before it, so it must carry the next number.
 */
export function mergeDemand(
  current: SourceDemand | undefined,
  message: DemandMessage,
  {
    setAside = [],
    keepsPast,
    ...times
  }: {
    readonly nowSeconds: number;
    readonly ttlSeconds: number;
    /** The items of the message that could not be read. */
    readonly setAside?: readonly SetAside[];
    /** Whether it is kept since when jobs wait, and where they were interrupted. */
    readonly keepsPast?: boolean;
  },
): Merge {
  const effect = effectOf(current, message, times.nowSeconds);
  const senders = sendersAfter(current?.senders, message, times);
  if (current !== undefined && effect === "ignored") {
    const ignoredMessages = current.ignoredMessages + 1;
    return {
      outcome: "ignored",
      demand: { ...current, ...(senders !== undefined && { senders }), ignoredMessages },
    };
  }
  if (effect === "early") return { outcome: "early", have: current?.sequence };
  const isDelta = message.kind === "delta" && current !== undefined;
  const wanted = isDelta ? applyDelta(current, message) : message;
  const read = isDelta ? withoutUnread(wanted.jobs, setAside) : { jobs: wanted.jobs, setAside };
  const aside = isDelta ? asideAfter(current.setAside, message, read.setAside) : keptAside(read.setAside);
  const refused = stillRefused(current, message);
  const { capabilities = message.kind === "delta" ? current?.capabilities : undefined } = message;
  const { notices = (message.kind === "delta" ? current?.notices : undefined) ?? [] } = message;
  const { nodeShapes = message.kind === "delta" ? current?.nodeShapes : undefined } = message;
  const now = {
    receivedAtSeconds: times.nowSeconds,
    sentAtSeconds: Date.parse(message.sentAt) / 1000,
    jobs: keepsPast === true ? withPast(read.jobs, current?.jobs ?? [], times.nowSeconds) : read.jobs,
  };
  const unread = [...setAside, ...(aside?.items ?? [])];
  const ended = current === undefined ? [] : endedRuns(current, now, unread);
  const runTimes = withRuns(current?.runTimes ?? [], ended);
  const demand: SourceDemand = {
    cluster: message.cluster,
    source: message.source,
    sequence: message.sequence,
    ...now,
    expiresAtSeconds: times.nowSeconds + times.ttlSeconds,
    nodes: wanted.nodes,
    ...(nodeShapes === undefined ? {} : { nodeShapes }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(notices.length === 0 ? {} : { notices }),
    ...(aside === undefined ? {} : { setAside: aside }),
    ...(refused === undefined ? {} : { refused }),
    ...(runTimes.length === 0 ? {} : { runTimes }),
    ...(senders === undefined ? {} : { senders }),
    ignoredMessages: current?.ignoredMessages ?? 0,
  };
  return { outcome: "merged", demand, before: current };
}

/** What is known of the newest message of a source, without its jobs. */
type Newest = Pick<SourceDemand, "sequence" | "sentAtSeconds" | "receivedAtSeconds" | "expiresAtSeconds">;

/** What becomes of a message after `current`, the newest of its source that took effect. */
export function effectOf(
  current: Newest | undefined,
  message: Pick<DemandMessage, "kind" | "sequence" | "sentAt">,
  nowSeconds: number,
): Merge["outcome"] {
  if (current !== undefined && isOld(current, message, nowSeconds)) return "ignored";
  const follows = current !== undefined && message.sequence === current.sequence + 1;
  return message.kind === "delta" && !follows ? "early" : "merged";
}

/**
 * A source that was silent past its time to live may have lost its count: its next snapshot is accepted with any
 * number, unless it was sent earlier and a queue delivers it late.
 */
export function isOld(
  current: Newest,
  message: Pick<DemandMessage, "kind" | "sequence" | "sentAt">,
  nowSeconds: number,
): boolean {
  return message.sequence <= current.sequence && !startsOver(current, message, nowSeconds);
}

function startsOver(
  current: Newest,
  { kind, sentAt }: Pick<DemandMessage, "kind" | "sentAt">,
  nowSeconds: number,
): boolean {
  if (kind !== "snapshot" || current.expiresAtSeconds > nowSeconds) return false;
  return isSentLater(current, Date.parse(sentAt) / 1000, nowSeconds);
}

/**
 * By the clock of the sender, but not after the receipt. With a sender's clock that was ahead and is right again, later
 * messages would otherwise be ignored until the earlier time has passed.
 */
function isSentLater(
  { sentAtSeconds, receivedAtSeconds }: Newest,
  sentSeconds: number,
  nowSeconds: number,
): boolean {
  if (sentAtSeconds === undefined) return true;
  const wasAhead = isAhead(sentAtSeconds, receivedAtSeconds);
  return sentSeconds > (wasAhead && !isAhead(sentSeconds, nowSeconds) ? receivedAtSeconds : sentAtSeconds);
}

/** Queues do not keep order: a refused message may be newer than the good one that comes after it. */
function stillRefused(current: SourceDemand | undefined, message: DemandMessage): RefusedWord | undefined {
  const refused = current?.refused;
  if (current === undefined || refused === undefined || refused.sequence === null) return undefined;
  const isNewest = message.sequence >= refused.sequence || message.sequence <= current.sequence;
  return isNewest ? undefined : refused;
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
