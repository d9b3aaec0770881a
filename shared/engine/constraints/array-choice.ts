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
  /** Absent: every size of them. */
  readonly vmSizes?: readonly string[];
  /** `NotStarted`: its scheduler did not start it on such nodes, which were up and had room. */
  readonly code: SpotOffCode | "NotStarted";
  /** The setting that it is beyond, or what its scheduler says; the job's own figure would make a shape of every job. */
  readonly bound: number | boolean | string;
}

/** Why a job stays off spot arrays. */
export type SpotOffCode =
  | "SpotNotInterruptible"
  | "SpotRunTimeTooLong"
  | "SpotEvictedTooOften"
  | "SpotPatienceOver";

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
  const [nodeArray, vmSize] = [subject.property("nodearray"), subject.property("vm_size")];
  return off.find(
    ({ nodeArrays, vmSizes }) =>
      nodeArrays.some((name) => name === nodeArray) &&
      (vmSizes === undefined || vmSizes.some((name) => name === vmSize)),
  );
}
