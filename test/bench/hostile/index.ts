import type { HostileCase } from "./case.ts";
import { planDemandCases } from "./plan-demand.ts";

/** Every case of `npm run bench:hostile`; a file of this folder has one, or a table of them. */
export const HOSTILE_CASES: readonly HostileCase[] = [...planDemandCases];
