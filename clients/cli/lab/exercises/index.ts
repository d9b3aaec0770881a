import { bootsFail } from "./boots-fail.ts";
import type { Exercise } from "./exercise.ts";
import { noCapacity } from "./no-capacity.ts";
import { silentSource } from "./silent-source.ts";
import { spotEvictions } from "./spot-evictions.ts";
import { twoLimits } from "./two-limits.ts";

/** In the order of docs/lab.md; the first is number 1. */
export const exercises: readonly Exercise[] = [noCapacity, bootsFail, silentSource, spotEvictions, twoLimits];
