import { kindOf } from "./kind.ts";
import type { Subject } from "./subject.ts";

/** Which node arrays the cycle lets a job use, and which come first. Nobody can ask for it in JSON. */
export interface ArrayChoice {
  readonly kind: "array-choice";
  /** Preferred to all others of the same priority. */
  readonly first: readonly string[];
  /** The first of these that names a node's array refuses it. */
  readonly off: readonly ArraysOff[];
}

/** Why a job stays off some node arrays. */
export interface ArraysOff {
  readonly nodeArrays: readonly string[];
  readonly code: (typeof arraysOffCodes)[number];
  /** The setting that it is beyond; the job's own figure would make a shape of every job. */
  readonly bound: number | boolean;
}

/** Why a job stays off spot arrays. */
export const arraysOffCodes = [
  "SpotNotInterruptible",
  "SpotRunTimeTooLong",
  "SpotEvictedTooOften",
  "SpotPatienceOver",
] as const;

/** More than there are buckets, and than lists of options add. */
const firstArrays = 1e9;

export const arrayChoice = kindOf<ArrayChoice>()({
  keys: [],
  schema: {},
  example: null,
  read: () => [],
  refusing: (constraint, subject) => (turnedOff(constraint, subject) === undefined ? null : constraint),
  figures(constraint, subject) {
    const off = turnedOff(constraint, subject);
    // Only refusals are asked for their figures.
    return { code: off?.code ?? "SpotNotInterruptible", asked: off?.bound ?? false, left: null };
  },
  looksAt: () => "situation",
  preference: {
    mayReorder: ({ first }) => first.length > 0,
    reweigh: ({ first }, example, weight) =>
      first.some((name) => name === example.property("nodearray")) ? weight + firstArrays : weight,
  },
});

function turnedOff({ off }: ArrayChoice, subject: Subject): ArraysOff | undefined {
  const nodeArray = subject.property("nodearray");
  return off.find(({ nodeArrays }) => nodeArrays.some((name) => name === nodeArray));
}
