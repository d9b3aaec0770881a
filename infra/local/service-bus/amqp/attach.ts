import type { link as Link, Session } from "rhea";
import type { AmqpError } from "./settle-delivery.ts";

/** What rhea's typings hide of a link. */
interface LinkInternals {
  readonly local: {
    readonly attach: { snd_settle_mode?: number; rcv_settle_mode?: number; properties?: object };
  };
  readonly connection: { _register(): void };
  _process?: () => void;
}

interface TransferFrame {
  readonly performative: { message_format: number | undefined };
}

/** Any format but 0 stops rhea from decoding a message; batches come with one of their own. */
const rawFormat = 1;

/**
 * Makes every message of this session arrive as the bytes that were sent. rhea would decode them, and encoding
 * them again would change their types.
 */
export function takeRawPayloads(session: Session): void {
  const internals = session as unknown as { on_transfer(frame: TransferFrame): void };
  const onTransfer = internals.on_transfer;
  internals.on_transfer = (frame) => {
    frame.performative.message_format ||= rawFormat;
    onTransfer.call(session, frame);
  };
}

/** Accepts a link as the client described it, on both ends. `filter` and `properties` describe a session. */
export function acceptLink(
  link: Link,
  extra: { readonly filter?: object; readonly properties?: object } = {},
): void {
  const { attach } = (link as unknown as LinkInternals).local;
  link.set_source({ ...link.source, ...(extra.filter === undefined ? {} : { filter: { ...extra.filter } }) });
  link.set_target({ ...link.target });
  attach.snd_settle_mode = link.snd_settle_mode;
  attach.rcv_settle_mode = link.rcv_settle_mode;
  if (extra.properties !== undefined) attach.properties = extra.properties;
}

/** Lets a link send settled messages only: nothing of them is kept for an answer. */
export function sendSettled(link: Link): void {
  (link as unknown as LinkInternals).local.attach.snd_settle_mode = 1;
}

/** Refuses a link: an attach without source and target, then a detach with the reason. */
export function refuseLink(link: Link, error: AmqpError): void {
  link.close({ ...error });
}

/**
 * Holds back our answer to an attach, which rhea gives on the next tick, until the returned function is called.
 * That is how a client waits for the next session.
 */
export function holdAttach(link: Link): () => void {
  const internals = link as unknown as LinkInternals;
  internals._process = () => {};
  return () => {
    // The prototype's own method shows again.
    delete internals._process;
    internals.connection._register();
  };
}
