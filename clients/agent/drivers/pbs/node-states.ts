import { meanings, type StateMeaning } from "../scheduler-words.ts";

/** Names of OpenPBS and PBS Professional, in lower case. */
const states: Readonly<Record<StateMeaning, readonly string[]>> = {
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

const byState = meanings(states);

/** A state of another release is held: nothing is planned there, and nothing is deleted. */
export function stateMeaning(state: string): StateMeaning {
  return byState.get(state) ?? "held";
}

export function isKnownState(state: string): boolean {
  return byState.has(state);
}
