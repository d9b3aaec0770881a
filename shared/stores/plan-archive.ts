import type { ArchivedPlan, PlanRecord } from "../ports/index.ts";

/** The longest JSON text of a packed plan that is kept: whoever looks at it has to hold all of it in memory. */
export const largestPlanCharacters = 64 * 1024 * 1024;

export function planTooLarge(limitCharacters: number): string {
  return `the plan takes more than ${limitCharacters} characters, the most that is archived`;
}

/** The line of the index that leads to an archived plan. */
export function recordOf(plan: ArchivedPlan): PlanRecord {
  return plan.archive === "whole"
    ? { ...plan.summary, archive: "whole" }
    : { ...plan.summary, archive: "summary", archiveReason: plan.archiveReason };
}
