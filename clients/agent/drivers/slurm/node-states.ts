import { meanings, type StateMeaning } from "../scheduler-words.ts";
import type { NodeRecord } from "./slurm-records.ts";

/** States, and flags beside them: Slurm's names of releases 22.05 to 26.05. */
const states: Readonly<Record<StateMeaning, readonly string[]>> = {
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

const byState = meanings(states);

/** The states of a node that have one meaning. */
export function statesMeaning({ flags }: NodeRecord, meaning: StateMeaning): readonly string[] {
  return [...flags].filter((flag) => byState.get(flag) === meaning);
}

/** States of a release that is newer than this table; a node is taken for what its other states say. */
export function unknownStates({ flags }: NodeRecord): readonly string[] {
  return [...flags].filter((flag) => !byState.has(flag));
}
