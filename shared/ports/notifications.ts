import type { IfMatch, Stored } from "./stored.ts";

/** What can be notified of, as the configuration names it. */
export const notificationKinds = [
  "budget",
  "boots-failing",
  "login-refused",
  "long-wait",
  "source-silent",
  "stuck",
] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** How a receiver wants its messages. */
export const notificationFormats = ["teams", "slack", "json"] as const;

export type NotificationFormat = (typeof notificationFormats)[number];

/** A webhook. Its address is a secret: `urlSetting` names the app setting that holds it, and stands for it everywhere. */
export interface Destination {
  readonly urlSetting: string;
  readonly format: NotificationFormat;
  readonly kinds: readonly NotificationKind[];
}

/** What is wrong, in words that fit a message: printable, cut, without secrets. */
export interface IncidentWords {
  readonly kind: NotificationKind;
  /** Of the problem in the status, such as `stale-snapshot`. */
  readonly problem: string;
  /** The node array or source that it is about; null: the cluster. */
  readonly subject: string | null;
  readonly text: string;
  /** What to do, and the command that helps. */
  readonly next: string;
  readonly command: string;
}

/** Something that is wrong now, or was until a moment ago. */
export interface Incident extends IncidentWords {
  /** Problem and subject: one of each is open at a time. */
  readonly key: string;
  readonly id: string;
  readonly sinceSeconds: number;
  /** Since when it is not seen any more; null: it is. */
  readonly unseenSinceSeconds: number | null;
  /** Destinations that receive its beginning, and so its end: by their settings. */
  readonly tellTo: readonly string[];
}

/** Something that is wrong only if it lasts, and has not lasted long enough yet. */
export interface Candidate {
  readonly key: string;
  /** With another state it begins anew. */
  readonly state: string;
  readonly sinceSeconds: number;
}

/** One message for one destination. */
export interface Notice extends IncidentWords {
  /** The same each time that it is sent, so that a receiver can drop a repeat. */
  readonly id: string;
  readonly incident: string;
  readonly phase: "begun" | "over";
  readonly to: string;
  readonly cluster: string;
  /** When the incident began. */
  readonly sinceSeconds: number;
  /** When it began, or was over. */
  readonly atSeconds: number;
}

/** How it goes with a destination that has something to be told. */
export interface Delivery {
  readonly to: string;
  /** Until then nobody sends: somebody does, or it failed. */
  readonly notBeforeSeconds: number;
  readonly failures: number;
  /** Null: the last message arrived. */
  readonly failingSinceSeconds: number | null;
  /** Why the last one did not arrive: without the address. */
  readonly why: string | null;
}

/** What is known to be wrong with a cluster, and the messages that are not sent yet. */
export interface NotificationRecord {
  readonly cluster: string;
  /** Of the newest configuration that could be read: one that cannot be read is an incident itself. */
  readonly destinations: readonly Destination[];
  readonly incidents: readonly Incident[];
  readonly candidates: readonly Candidate[];
  /** In the order in which each destination gets them. */
  readonly outbox: readonly Notice[];
  readonly deliveries: readonly Delivery[];
}

/**
 * What is wrong with a cluster, and the messages that are not sent yet.
 *
 * - Called by: the notifying part of each snapshot.
 * - Twice: yes: `save` under its ETag.
 * - Gone: `load` gives undefined.
 * - Retries: the SDK; on ConflictError the next snapshot looks again.
 */
export interface NotificationStore {
  /** Undefined when the cluster never had an incident. */
  load(cluster: string): Promise<Stored<NotificationRecord> | undefined>;
  /** Throws ConflictError when it was saved by somebody else since `ifMatch` was read. Returns the new ETag. */
  save(record: NotificationRecord, ifMatch: IfMatch): Promise<string>;
}

/** A refusal to take a message; `why` never holds the address. */
export type Sent = { readonly ok: true } | { readonly ok: false; readonly why: string };

/**
 * Sends to webhooks. Never throws, and takes no longer than a few seconds.
 *
 * - Called by: the notifying part of each snapshot, after the outbox was saved.
 * - Twice: it can happen: `id` is the same, so that a receiver can drop a repeat.
 * - Gone: `ok: false` says why; the address may be gone for good.
 * - Retries: the next snapshots, with growing pauses.
 */
export interface Notifier {
  send(destination: Destination, notice: Notice): Promise<Sent>;
}
