/** What somebody decided, or what a node went through, and no other record keeps: of events that can be read later. */
export interface NotedEvent {
  /** With its time the key: the same event again overwrites itself. */
  readonly eventId: string;
  readonly atSeconds: number;
  readonly kind: NotedKind;
  /** Who: a person, or the autoscaler; null: nobody says. */
  readonly by: string | null;
  /** The source that it came from or went to; null: none. */
  readonly source: string | null;
  /** Null: it is about no node. */
  readonly node: { readonly nodeId: string; readonly name: string; readonly hostname: string | null } | null;
  /** Why, in somebody's words, cut. */
  readonly reason: string;
}

const notedKinds = [
  "drain",
  "undrain",
  "keep-alive",
  "release",
  "ignore",
  "unignore",
  "pause",
  "resume",
  "config",
  "targets",
  "jobs-stalled",
  "jobs-unstalled",
  "node-unhealthy",
  "node-replaced",
] as const;

export type NotedKind = (typeof notedKinds)[number];

/** Times in whole or part; both ends belong to it. */
export interface EventPeriod {
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  readonly limit: number;
}

/**
 * What somebody decided, and what nodes went through, for `ccscale events`.
 *
 * - Called by: whoever decides, after the decision is saved.
 * - Twice: yes: time and id are the key.
 * - Gone: events are dropped by age.
 * - Retries: the SDK. What cannot be noted is logged, and stops nothing.
 */
export interface EventStore {
  /** Writing an event again changes nothing but what it says. */
  note(cluster: string, events: readonly NotedEvent[]): Promise<void>;
  /** Newest first; of one time by their ids. */
  list(cluster: string, period: EventPeriod): Promise<readonly NotedEvent[]>;
}
