import { randomUUID } from "node:crypto";
import type { Delivery as AmqpDelivery, Sender } from "rhea";
import type { Consumer } from "../broker/message.ts";
import type { Queue } from "../broker/queue.ts";
import type { Store } from "../store.ts";
import { answerDrains, usableCredit } from "./flow.ts";
import { tagOfToken, tokenOfTag } from "./lock-token.ts";
import { errorOf, notImplemented } from "./refusals.ts";
import { encodeDelivery } from "./sections.ts";
import { accept, outcomeOf, refuse } from "./settle-delivery.ts";

export interface DispatchOptions {
  readonly queue: Queue;
  readonly store: Store;
}

/** A link on which a client receives, as the broker sees it. */
export function consumerOf(sender: Sender): Consumer {
  const settled = 1;
  return {
    mode: sender.snd_settle_mode === settled ? "receive-and-delete" : "peek-lock",
    credit: () => usableCredit(sender),
    deliver({ message, lockToken = randomUUID(), lockedUntil }) {
      const broker = lockedUntil === undefined ? message : { ...message, lockedUntil };
      sender.send(encodeDelivery(message.payload, broker), tagOfToken(lockToken), 0);
    },
    lost: () => sender.close({ ...errorOf("session-lock-lost") }),
  };
}

/** Delivers when the client gives credit and settles what it settles; `sessionId` for a session's link. */
export function dispatch(sender: Sender, options: DispatchOptions & { readonly sessionId?: string }): void {
  answerDrains(sender);
  // Comes with every credit, and when a session that was full of unsettled messages has room again.
  sender.on("sendable", () => options.queue.pump(options.sessionId));
  for (const kind of ["accepted", "released", "modified", "rejected"] as const) {
    sender.on(kind, ({ delivery }) => {
      if (delivery !== undefined) settle(kind, { delivery, ...options });
    });
  }
}

type Settlement = DispatchOptions & { readonly delivery: AmqpDelivery };

function settle(kind: Parameters<typeof outcomeOf>[0], { delivery, queue, store }: Settlement): void {
  const outcome = outcomeOf(kind, delivery);
  // The lock stays: the message can still be settled in a way that is implemented.
  if (outcome === undefined) {
    refuse(delivery, notImplemented("deferral"));
    return;
  }
  const { tag } = delivery;
  const token = tokenOfTag(typeof tag === "string" ? Buffer.from(tag) : tag);
  const refusal = queue.settle(token, outcome);
  store.whenKept(() => (refusal === undefined ? accept(delivery) : refuse(delivery, errorOf(refusal))));
}
