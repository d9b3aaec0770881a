import { demandCapKey, type Warning } from "../../engine/index.ts";
import type { PlanHead, PlanSummary, PlanWarnings, Ports } from "../../ports/index.ts";
import type { MadePlan } from "./make-plan.ts";

const mostSubjects = 5;

/** Logs the results of a plan. Entries that the plan before had as well are not logged again. */
export function reportPlan(
  ports: Pick<Ports, "log">,
  planned: MadePlan & { readonly summary: PlanSummary; readonly before: PlanHead | undefined },
): void {
  const { summary, plan, before } = planned;
  const { clipped, heldBack, ...counts } = summary;
  const { cluster, planId } = counts;
  ports.log.info("plan", counts);
  for (const cap of clipped?.by ?? []) {
    const { asked, granted } = clipped ?? {};
    ports.log.warn("plan-clipped", { cluster, planId, asked, granted, ...cap });
  }
  for (const { cap, ...held } of news(heldBack, before?.heldBack))
    ports.log.warn("demand-held-back", { cluster, planId, cap: demandCapKey(cap), ...held });
  for (const { kind, source, nodes, atSeconds } of planned.drainEvents)
    ports.log.info(kind, { cluster, source, nodes: nodes.length, atSeconds });
  const timedOut = planned.decided.retire.filter(({ drain }) => drain?.isTimedOut === true);
  if (timedOut.length > 0) ports.log.warn("drain-timed-out", { cluster, nodes: timedOut.length });
  for (const failing of planned.bootsFailing) {
    const { nodeArray, vmSize, failures, boots, untilSeconds } = failing;
    const failingBefore = before?.bootsFailing.find(
      (each) => each.nodeArray === nodeArray && each.vmSize === vmSize,
    );
    if (failingBefore?.failures !== failures)
      ports.log.error("boots-failing", { cluster, nodeArray, vmSize, failures, boots, untilSeconds });
  }
  for (const { source, jobs, nodes, reason, untilSeconds } of planned.stallNews.began) {
    const [first] = jobs;
    const stalled = { source, job: first?.name, jobs: jobs.length, nodes: nodes.join(", "), reason };
    ports.log.warn("jobs-stalled", { cluster, planId, ...stalled, untilSeconds });
  }
  for (const { subjects, ...warning } of news(warningsOf(plan.warnings), before?.warnings))
    ports.log.warn("plan-warning", { cluster, planId, ...warning, subjects: subjects.join(", ") });
}

/** One entry for each kind of warning: a message may bring hundreds of one kind, and every plan has them again. */
export function warningsOf(warnings: readonly Warning[]): readonly PlanWarnings[] {
  const byCode = Map.groupBy(warnings, ({ code }) => code);
  return [...byCode].map(([code, alike]) => ({
    code,
    count: alike.length,
    subjects: alike.slice(0, mostSubjects).map(({ subject }) => subject),
    message: alike[0]?.message ?? "",
  }));
}

/** Entries that differ from the plan before. */
function news<T>(now: readonly T[] = [], before: readonly T[] = []): readonly T[] {
  const entriesBefore = new Set(before.map((entry) => JSON.stringify(entry)));
  return now.filter((entry) => !entriesBefore.has(JSON.stringify(entry)));
}
