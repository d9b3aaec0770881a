import type { Sender } from "rhea";
import types from "rhea/lib/types.js";
import type { Consumer, Refusal } from "../broker/message.ts";
import type { SessionLease, Sessions } from "../broker/session.ts";
import { acceptLink, holdAttach, refuseLink } from "./attach.ts";
import { type DispatchOptions, dispatch } from "./dispatch.ts";
import { ticksOf } from "./lock-token.ts";
import { errorOf } from "./refusals.ts";

const filterKey = "com.microsoft:session-filter";

/** How long the service lets a client wait for the next session when it does not say; its own default. */
const defaultWaitMs = 60_000;

export interface SessionLinkOptions extends DispatchOptions {
  readonly sessions: Sessions;
  readonly consumer: Consumer;
  readonly granted: (lease: SessionLease) => void;
}

/** The session a receiver asks for: an id, null for "the next free one", undefined when it asks for none. */
export function sessionFilterOf(sender: Sender): string | null | undefined {
  const filter = sender.source?.filter;
  if (filter === undefined || filter === null || !(filterKey in filter)) return undefined;
  const wanted: unknown = filter[filterKey];
  return typeof wanted === "string" ? wanted : null;
}

/**
 * Attaches a receiver to the session it wants, or refuses it. "The next one" holds the answer back until there is
 * one or the client's patience is over. Returns what must be done when the link goes away.
 */
export function openSession(sender: Sender, wanted: string | null, options: SessionLinkOptions): () => void {
  const { sessions, consumer } = options;
  let lease: SessionLease | undefined;
  let giveUp = () => {};
  const answer = (accepted: SessionLease | Refusal | undefined) => {
    if (accepted === undefined) refuseLink(sender, noSession);
    else if (typeof accepted === "string") refuseLink(sender, errorOf(accepted));
    else {
      lease = accepted;
      grant(sender, accepted, options);
    }
  };
  if (wanted !== null) answer(sessions.accept(wanted, consumer));
  else {
    const release = holdAttach(sender);
    giveUp = sessions.acceptNext(consumer, {
      waitMs: waitMsOf(sender),
      answer: (accepted) => {
        answer(accepted);
        release();
      },
    });
    sender.once("sender_close", release);
  }
  return () => {
    giveUp();
    lease?.release();
  };
}

function grant(sender: Sender, lease: SessionLease, options: SessionLinkOptions): void {
  acceptLink(sender, {
    filter: { [filterKey]: lease.sessionId },
    properties: { "com.microsoft:locked-until-utc": types.wrap_long(ticksOf(lease.lockedUntil)) },
  });
  dispatch(sender, { ...options, sessionId: lease.sessionId });
  options.granted(lease);
}

function waitMsOf(sender: Sender): number {
  const asked: unknown = sender.properties?.["com.microsoft:timeout"];
  return typeof asked === "number" ? asked : defaultWaitMs;
}

const noSession = {
  condition: "com.microsoft:timeout",
  description: "No session with messages became free in time.",
};
