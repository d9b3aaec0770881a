import { kindOf, messageOf } from "../../errors/errors.ts";
import type {
  ArchiveOutcome,
  PlanHead,
  PlanOutline,
  PlanRecord,
  PlanSummary,
  Ports,
  WholePlan,
} from "../../ports/index.ts";
import { redactText } from "../../text/redact.ts";

const mostListed = 1_000;
const longestReason = 300;

type ArchivePorts = Pick<Ports, "clock" | "log" | "plans">;

/** The archived record: the plan, and from its head what is shown first. */
export interface ToArchive extends Omit<WholePlan, "archive"> {
  readonly head: Pick<PlanHead, "waiting">;
}

/**
 * Archives a plan whole, or else in summary, or else records why it is not archived. Never throws: its actions are sent
 * by then, and an error here would only repeat the run.
 */
export async function archivePlan(ports: ArchivePorts, made: ToArchive): Promise<void> {
  const { head: _, ...plan } = made;
  const whole = await tried(() => ports.plans.archive({ archive: "whole", ...plan }));
  if (whole === undefined) return;
  const { cluster, planId } = plan.summary;
  // A store that does not answer would not take a summary either.
  const outline = whole.isUpstream
    ? whole
    : await tried(() => ports.plans.archive(outlineOf(made, whole.reason)));
  if (outline === undefined) {
    ports.log.warn("plan-archived-in-summary", { cluster, planId, reason: whole.reason });
    return;
  }
  const record = failed(plan.summary, outline.reason);
  ports.log.error("plan-not-archived", { cluster, planId, reason: outline.reason });
  await tried(() => noted(ports, record));
}

/** Writes a line for the newest plan, when its run ended before it could. */
export async function noteUnarchived(ports: ArchivePorts, before: PlanHead): Promise<void> {
  await tried(async () => {
    const [newest] = await ports.plans.list(before.cluster, 1, before.atSeconds);
    return newest?.planId === before.planId
      ? { outcome: "archived" }
      : noted(ports, failed(before, "its run ended before it was archived"));
  });
}

async function noted(ports: ArchivePorts, record: PlanRecord): Promise<ArchiveOutcome> {
  await ports.plans.recordFailed(record);
  return { outcome: "archived" };
}

/** Undefined when it went well. */
async function tried(
  archive: () => Promise<ArchiveOutcome>,
): Promise<{ readonly reason: string; readonly isUpstream: boolean } | undefined> {
  try {
    const archived = await archive();
    return archived.outcome === "archived" ? undefined : { reason: archived.reason, isUpstream: false };
  } catch (error) {
    const reason = redactText(messageOf(error)).slice(0, longestReason);
    return { reason, isUpstream: kindOf(error) === "upstream" };
  }
}

function outlineOf({ summary, plan, actions, head }: ToArchive, archiveReason: string): PlanOutline {
  const first = <T>(list: readonly T[]) => list.slice(0, mostListed);
  return {
    archive: "summary",
    archiveReason,
    summary,
    create: first(plan.create),
    start: first(plan.start),
    retire: first(plan.retire),
    retry: first(plan.retry),
    waiting: head.waiting,
    waitingCount: plan.jobs.filter(({ asked, granted }) => granted < asked).length,
    warnings: first(plan.warnings),
    actionIds: first(actions).map(({ actionId }) => actionId),
  };
}

/** Reduces a head to its summary. */
function failed(summary: PlanSummary, archiveReason: string): PlanRecord {
  const { cluster, planId, atSeconds, reason, jobs, placedJobs, create, start, retire, readOnly } = summary;
  const { planSeconds, held, clipped, heldBack } = summary;
  return {
    cluster,
    planId,
    atSeconds,
    reason,
    jobs,
    placedJobs,
    create,
    start,
    retire,
    planSeconds,
    readOnly,
    ...(held === undefined ? {} : { held }),
    ...(clipped === undefined ? {} : { clipped }),
    ...(heldBack === undefined ? {} : { heldBack }),
    archive: "failed",
    archiveReason,
  };
}
