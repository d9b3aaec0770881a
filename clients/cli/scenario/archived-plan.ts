import { type PackedPlan, unpackPlan, type WholePlan } from "../../../shared/ports/index.ts";
import { CommandFailure } from "../exit-code.ts";
import type { Service } from "../service/service.ts";
import { planIds, withWholeId } from "../whole-id.ts";

/** A plan with its input, as it was archived; `secretsRemoved`: something in it is `***`. */
export interface Archived {
  readonly plan: WholePlan;
  readonly secretsRemoved: boolean;
}

/** Throws CommandFailure for a plan that was not archived whole. `what` says what the command cannot do with it. */
export async function archivedPlan(service: Service, planId: string, what: string): Promise<Archived> {
  const { archive, archiveReason, secretsRemoved } = await withWholeId(
    planId,
    (whole) => service.ask("plan-archive", { params: { planId: whole } }),
    () => planIds(service),
  );
  if (archive === null)
    throw new CommandFailure(
      `Cannot ${what}: it was not archived whole: ${archiveReason}`,
      "`ccscale plans ID` shows what is kept of it.",
    );
  // The planner wrote it; only the version that made it knows more about its form.
  return { plan: unpackPlan({ ...archive, archive: "whole" } as unknown as PackedPlan), secretsRemoved };
}
