import {
  bootEnds,
  type EngineSettings,
  forNodeArray,
  madeAt,
  type NodeHistory,
  nodesOfArrays,
  type Plan,
} from "../../engine/index.ts";
import type { RequestSet, Snapshot, SourceDemand } from "../../ports/index.ts";
import { earliest } from "../clocks.ts";
import { longestSilenceSeconds } from "../demand/live-demand.ts";
import { doubtsOf } from "../doubts.ts";

/**
 * Jobs and targets that wait for capacity are tried again at this interval, since nothing reports that capacity is
 * back.
 */
const retryWaitingSeconds = 60;

/**
 * When time alone makes another plan due: a node has been idle or booting for too long, a source falls silent,
 * targets expire, a waiting job or an unmet target is worth another try: every minute, and when a back-off ends. Null when
 * nothing waits for the clock.
 */
export function nextDeadlineSeconds(planned: {
  readonly plan: Pick<Plan, "jobs" | "targets" | "keptFailed">;
  readonly snapshot: Snapshot;
  /** The history rows after the plan. */
  readonly history: readonly NodeHistory[];
  readonly demand: readonly SourceDemand[];
  readonly targets: readonly RequestSet[];
  readonly settings: EngineSettings;
  /** What gets no new nodes for a while: buckets, quotas, node arrays. What waits may get some when that is over. */
  readonly refusals: readonly { readonly untilSeconds: number }[];
  readonly nowSeconds: number;
}): number | null {
  const { plan, nowSeconds } = planned;
  const waits = [...plan.jobs, ...plan.targets].some((each) => each.granted < each.asked);
  const deadlines = [
    ...nodeDeadlines(planned.snapshot, planned.history, planned.settings),
    ...planned.demand.flatMap(({ expiresAtSeconds }) => [
      expiresAtSeconds,
      expiresAtSeconds + longestSilenceSeconds,
    ]),
    ...doubtsOf(planned.demand, nowSeconds).map(({ untilSeconds }) => untilSeconds),
    ...planned.targets.map((set) => set.expiresAtSeconds),
    ...(plan.keptFailed ?? []).map(({ untilSeconds }) => untilSeconds),
    ...(waits ? [nowSeconds + retryWaitingSeconds] : []),
    ...(waits ? planned.refusals.map(({ untilSeconds }) => untilSeconds) : []),
    // A time-out takes effect after its deadline, not at it: a plan made in that very second has not acted on it.
  ].filter((deadline) => deadline >= nowSeconds);
  return earliest(deadlines);
}

function nodeDeadlines(
  snapshot: Snapshot,
  history: readonly NodeHistory[],
  settings: EngineSettings,
): number[] {
  // Nothing becomes of others when time passes.
  const nodes = new Map(nodesOfArrays(snapshot.cluster).map((node) => [node.nodeId, node]));
  const bootEndSeconds = bootEnds(history, settings);
  return history.flatMap((row) => {
    const node = nodes.get(row.nodeId);
    if (node === undefined) return [];
    const { nodeArray } = node;
    if (node.targetState === "Deallocated") {
      const kept = settings.deallocate && forNodeArray(settings.deallocate, nodeArray);
      return kept ? [madeAt(row) + kept.maxAgeSeconds] : [];
    }
    if (row.readySeconds === null) {
      const bootOverSeconds = row.createdSeconds + forNodeArray(settings.bootTimeoutSeconds, nodeArray);
      return [bootOverSeconds, bootEndSeconds(row) ?? bootOverSeconds];
    }
    return row.lastMatchSeconds === null
      ? []
      : [row.lastMatchSeconds + forNodeArray(settings.idleTimeoutSeconds, nodeArray)];
  });
}
