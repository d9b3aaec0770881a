/** What a state of a node means for its host: names of OpenPBS and PBS Professional, in lower case. */
export type Meaning =
  /** It may take work. */
  | "up"
  /** There is no host, or none that answers. */
  | "no-host"
  /** Somebody takes it out of service: no new work, and it goes when it is idle. */
  | "out"
  /** It takes no work at the moment, or only that of a reservation. */
  | "held";

const states: Readonly<Record<Meaning, readonly string[]>> = {
  up: ["free", "job-busy", "job-exclusive", "job-sharing"],
  "no-host": ["down", "state-unknown", "unknown", "stale", "unresolvable", "need-addrs", "deleted"],
  out: ["offline"],
  held: [
    "busy",
    "initializing",
    "maintenance",
    "provisioning",
    "resv-exclusive",
    "sleep",
    "suspended",
    "wait-provisioning",
    "wait-provision",
    "in-use-by-others",
  ],
};

const byState = new Map<string, Meaning>(
  Object.entries(states).flatMap(([meaning, list]) =>
    list.map((name) => [name, meaning as Meaning] as const),
  ),
);

/** A state of another release is held: nothing is planned there, and nothing is deleted. */
export function stateMeaning(state: string): Meaning {
  return byState.get(state) ?? "held";
}

export function isKnownState(state: string): boolean {
  return byState.has(state);
}
