import type { Socket } from "node:net";
import type { Connection, Sender } from "rhea";

/** What rhea's typings hide of a link on which we send. */
interface SenderInternals {
  credit: number;
  delivery_count: number;
  readonly _draining: boolean;
  _get_drain(): boolean;
  readonly session: {
    readonly outgoing: {
      readonly next_delivery_id: number;
      readonly next_pending_delivery: number;
      available(): number;
    };
  };
}

/**
 * How many messages the client will take now. rhea counts credit down when it writes, not when we send, and a
 * message that is sent without credit blocks its whole session.
 */
export function usableCredit(sender: Sender): number {
  const { credit, session } = sender as unknown as SenderInternals;
  const { next_delivery_id: next, next_pending_delivery: nextToWrite } = session.outgoing;
  return Math.min(credit - (next - nextToWrite), session.outgoing.available());
}

/**
 * Makes rhea answer every drain, also one that finds no credit left, which it would not answer by itself: the
 * SDK then waits for 200 ms and closes the link. Messages that were sent before are written first.
 */
export function answerDrains(sender: Sender): void {
  const internals = sender as unknown as SenderInternals;
  internals._get_drain = () => {
    if (!internals._draining) return false;
    internals.delivery_count += internals.credit;
    internals.credit = 0;
    return true;
  };
  sender.on("sender_draining", () => sender.set_drained(true));
}

/**
 * Answers what rhea read but did not answer with an empty frame. The SDK's sockets wait for the acknowledgement
 * of one small write before the next one (Nagle), and without a frame to carry it the system delays it by 40 ms.
 * Call it before the connection gets the socket, so that this listener is the first one.
 */
export function acknowledgeReads(connection: Connection, socket: Socket): void {
  const internals = connection as unknown as { _write_frame(): void };
  socket.on("data", () => {
    const written = socket.bytesWritten;
    setImmediate(() => {
      const silent = socket.bytesWritten === written && !socket.destroyed;
      if (silent && connection.is_open()) internals._write_frame();
    });
  });
}
