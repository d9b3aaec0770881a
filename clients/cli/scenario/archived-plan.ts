import type { PlanArchiveAnswer, PlanRecordView } from "../../../shared/api/index.ts";
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
  return { plan: unpacked(archive), secretsRemoved };
}

const plansAtOnce = 1_000;

/** The plans of so many seconds until now, whole or not, the oldest first, and when that was. */
export async function plansOf(
  service: Service,
  spanSeconds: number,
): Promise<{ readonly plans: readonly PlanRecordView[]; readonly atSeconds: number }> {
  const plans: PlanRecordView[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await service.ask("plans", { query: { limit: plansAtOnce, cursor } });
    const inTime = page.plans.filter(({ atSeconds }) => atSeconds >= page.atSeconds - spanSeconds);
    plans.push(...inTime);
    if (page.next === null || inTime.length < page.plans.length)
      return { plans: plans.reverse(), atSeconds: page.atSeconds };
    cursor = page.next;
  }
}

/** Undefined: it was not archived whole. */
export async function wholePlan(service: Service, planId: string): Promise<WholePlan | undefined> {
  const { archive } = await service.ask("plan-archive", { params: { planId } });
  return archive === null ? undefined : unpacked(archive);
}

/** The planner wrote it; only the version that made it knows more about its form. */
function unpacked(archive: NonNullable<PlanArchiveAnswer["archive"]>): WholePlan {
  return unpackPlan({ ...archive, archive: "whole" } as unknown as PackedPlan);
}
