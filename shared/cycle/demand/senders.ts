import type { DemandMessage } from "../../messages/index.ts";
import type { Senders } from "../../ports/index.ts";

/** Senders that are remembered. Few suffice: two senders that take turns return soon. */
const mostKnown = 4;

/**
 * Who sends a source's messages, after one more message. A sender that starts anew has a new id, so an id that comes back after another
 * one means that both still run. Only by `sentAt`: a queue may deliver the last message of a sender behind the first of its successor.
 */
export function sendersAfter(
  before: Senders | undefined,
  { sender: id, sentAt }: Pick<DemandMessage, "sender" | "sentAt">,
  { nowSeconds, ttlSeconds }: { readonly nowSeconds: number; readonly ttlSeconds: number },
): Senders | undefined {
  if (id === undefined) return before;
  const sentAtSeconds = Date.parse(sentAt) / 1000;
  const sendersBefore = before?.known ?? [];
  const [newest] = sendersBefore;
  if (newest !== undefined && sentAtSeconds < newest.sentAtSeconds) return before;
  const isTurn = newest !== undefined && newest.id !== id && sendersBefore.some((each) => each.id === id);
  const others = sendersBefore.filter((each) => each.id !== id).slice(0, mostKnown - 1);
  const running =
    before?.turns !== undefined && before.turns.untilSeconds > nowSeconds ? before.turns : undefined;
  const count = (running?.count ?? 0) + 1;
  const sinceSeconds = running?.sinceSeconds ?? nowSeconds;
  const turns = isTurn ? { count, sinceSeconds, untilSeconds: nowSeconds + ttlSeconds } : running;
  return { known: [{ id, sentAtSeconds }, ...others], ...(turns !== undefined && { turns }) };
}
