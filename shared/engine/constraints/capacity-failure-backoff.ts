import { kindOf } from "./kind.ts";
import type { Subject } from "./subject.ts";

/** Skips a bucket whose last capacity failure is younger than this. */
export interface CapacityFailureBackoff {
  readonly kind: "capacity-failure-backoff";
  readonly seconds: number;
}

export const capacityFailureBackoff = kindOf<CapacityFailureBackoff>()({
  keys: ["capacity-failure-backoff"],
  schema: { type: "number", minimum: 0 },
  example: { "capacity-failure-backoff": 300 },
  read({ value, path }, reader) {
    if (typeof value === "number" && Number.isFinite(value) && value >= 0)
      return [{ kind: "capacity-failure-backoff", seconds: value } as CapacityFailureBackoff];
    reader.refuseValue(path, value, "a number of seconds");
    return [];
  },
  refusing: (constraint, subject) => (backsOff(constraint, subject) ? constraint : null),
  figures: ({ seconds }, subject) => ({
    code: "CapacityFailureBackoff",
    asked: seconds,
    left: subject.secondsSinceCapacityFailure,
  }),
  looksAt: () => "situation",
  preference: {
    mayReorder: () => true,
    reweigh: (constraint, example, weight) => (backsOff(constraint, example) ? 0 : weight),
  },
});

function backsOff({ seconds }: CapacityFailureBackoff, subject: Subject): boolean {
  const age = subject.secondsSinceCapacityFailure;
  return age !== null && age < seconds;
}
