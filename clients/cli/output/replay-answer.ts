import type { Plan, Retirement } from "../../../shared/engine/index.ts";

/** One step of a replayed sequence in the form of the recorded ones; all names sorted. */
export function toStepAnswer(plan: Plan): object {
  return {
    matchedNodes: plan.matched.toSorted(),
    idleTimedOut: timedOut(plan, "idle-timeout"),
    bootTimedOut: timedOut(plan, "boot-timeout"),
  };
}

function timedOut(plan: Plan, cause: Retirement["cause"]): readonly string[] {
  const nodes = plan.timedOut.filter((retirement) => retirement.cause === cause);
  return nodes.map(({ name }) => name).toSorted();
}
