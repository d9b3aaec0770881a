import type { Ports } from "../ports/index.ts";
import { counted } from "../text/text.ts";

/**
 * How long unread messages keep nodes up. The Functions host hides a message for ten minutes when it takes it, and gives up
 * after five tries: whatever lay on the queue when the wait began has been read by then, or was moved to the poison queue and
 * recorded as refused, which keeps idle nodes for a while of its own.
 */
export const longestUnreadSeconds = 3_600;

export interface Unread {
  /** On the demand queue and its poison queue, of all clusters. */
  readonly messages: number;
  /** The wait is over. */
  readonly isOver: boolean;
}

/**
 * What lies unread on the demand queue and may name one of the cluster's nodes as busy; undefined: nothing. Whoever reads the
 * demand after this has every message that was posted before it. Hidden messages show nothing, so those of all clusters count.
 *
 * The wait ends, except while a message that can be seen names this cluster: a message that nobody can handle is moved away, so
 * one that can be seen for so long means that nobody reads the queue. Throws UpstreamError when the queue does not answer.
 */
export async function lookForUnread(
  { unreadDemand }: Pick<Ports, "unreadDemand">,
  asked: {
    readonly cluster: string;
    /** Since when unread messages have kept nodes up; undefined: since now. Called when there are some. */
    readonly since: () => Promise<number | undefined>;
    readonly nowSeconds: number;
  },
): Promise<Unread | undefined> {
  const { cluster, since, nowSeconds } = asked;
  const messages = await unreadDemand.count();
  if (messages === 0) return undefined;
  const sinceSeconds = await since();
  const isLong = sinceSeconds !== undefined && nowSeconds - sinceSeconds > longestUnreadSeconds;
  return { messages, isOver: isLong && !(await unreadDemand.showsAnyOf(cluster)) };
}

/** What waits, as a sentence without a full stop. Null: the queue did not answer. */
export function unreadInWords(messages: number | null): string {
  if (messages === null) return "the demand queue does not answer";
  return `${counted(messages, "messages")} on the demand queue ${messages === 1 ? "waits" : "wait"} to be read`;
}
