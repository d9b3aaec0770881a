import type { NodeRecord } from "./slurm-records.ts";

/** What a state of a node, or a flag beside it, means for its host: Slurm's names of releases 22.05 to 26.05. */
type Meaning =
  /** It may take work. */
  | "up"
  /** There is no host, or none that Slurm would use. */
  | "no-host"
  /** Somebody takes it out of service: no new work, and it goes when it is idle. */
  | "out"
  /** It takes no work at the moment, or only that of a reservation. */
  | "held";

const states: Readonly<Record<Meaning, readonly string[]>> = {
  up: [
    "ALLOCATED",
    "CANCEL_REBOOT",
    "CLOUD",
    "COMPLETING",
    "DYNAMIC_NORM",
    "IDLE",
    "MIXED",
    "PLANNED",
    "POWER_UP",
    "REBOOT_CANCELED",
    "REBOOT_REQUESTED",
    "RESUME",
    "UNDRAIN",
  ],
  "no-host": [
    "DOWN",
    "DYNAMIC_FUTURE",
    "ERROR",
    "EXTERNAL",
    "FUTURE",
    "INVALID_REG",
    "NOT_RESPONDING",
    "POWERED_DOWN",
    "POWERING_DOWN",
    "POWERING_UP",
    "UNKNOWN",
  ],
  out: ["DRAIN", "FAIL", "POWER_DOWN", "POWER_DRAIN"],
  held: ["BLOCKED", "MAINTENANCE", "REBOOT_ISSUED", "RESERVED"],
};

const byState = new Map<string, Meaning>(
  Object.entries(states).flatMap(([meaning, list]) =>
    list.map((name) => [name, meaning as Meaning] as const),
  ),
);

/** The states of a node that have one meaning. */
export function statesMeaning({ flags }: NodeRecord, meaning: Meaning): readonly string[] {
  return [...flags].filter((flag) => byState.get(flag) === meaning);
}

/** States of a release that is newer than this table; a node is taken for what its other states say. */
export function unknownStates({ flags }: NodeRecord): readonly string[] {
  return [...flags].filter((flag) => !byState.has(flag));
}
