import type { NodeHistory, Plan } from "../engine/index.ts";
import type { ScaleAction } from "../messages/index.ts";
import type { Ports, Snapshot } from "../ports/index.ts";

type MeasurePorts = Pick<Ports, "clock" | "telemetry">;

/** A gauge keeps its last value: states without nodes are reported as zero. */
const nodeStates = [
  "Off",
  "Acquiring",
  "Preparing",
  "Ready",
  "Failed",
  "Deallocated",
  "Terminating",
  "Terminated",
];

/** Reasons are computed for this many waiting jobs, the first ones: each job has one reason per bucket. */
const mostReasonsRead = 10_000;

/** Reports how long a plan took and what it decided. */
export function measurePlan(
  ports: MeasurePorts,
  made: {
    readonly cluster: string;
    readonly startedAtSeconds: number;
    readonly plan: Plan;
    readonly before: readonly NodeHistory[];
  },
): void {
  const { telemetry, clock } = ports;
  const { cluster, plan } = made;
  telemetry.record("autoscale.plan.duration", clock.nowSeconds() - made.startedAtSeconds, { cluster });
  const waiting = plan.jobs.filter(({ asked, granted }) => granted < asked);
  telemetry.record("autoscale.jobs", plan.jobs.length - waiting.length, { cluster, state: "placed" });
  telemetry.record("autoscale.jobs", waiting.length, { cluster, state: "waiting" });
  const codes = waiting
    .slice(0, mostReasonsRead)
    .flatMap(({ reasons }) => [...new Set(reasons.map(({ code }) => code))]);
  for (const [code, count] of tally(codes)) telemetry.record("autoscale.reasons", count, { cluster, code });
  for (const seconds of bootSeconds(plan.history, made.before))
    telemetry.record("autoscale.boot.duration", seconds, { cluster });
}

/** Nodes that this plan was the first to see ready. */
function bootSeconds(changed: readonly NodeHistory[], before: readonly NodeHistory[]): number[] {
  const readyBefore = new Map(before.map((row) => [row.nodeId, row.readySeconds]));
  return changed.flatMap(({ nodeId, createdSeconds, readySeconds }) => {
    // A node that was ready when first seen booted unseen: its boot time is not known.
    const isNews = readySeconds !== null && readyBefore.get(nodeId) === null;
    return isNews ? [readySeconds - createdSeconds] : [];
  });
}

/** Reports which nodes a snapshot has, and what they cost. */
export function measureSnapshot(
  { telemetry }: Pick<Ports, "telemetry">,
  { cluster: seen, spending }: Pick<Snapshot, "cluster" | "spending">,
): void {
  const cluster = seen.name;
  const counts = tally(seen.nodes.map(({ status }) => status));
  for (const state of new Set([...nodeStates, ...counts.keys()]))
    telemetry.record("autoscale.nodes", counts.get(state) ?? 0, { cluster, state });
  if (spending !== undefined) telemetry.record("autoscale.cost", spending.total.usdPerHour, { cluster });
}

/** Reports how an action ended, and how long jobs waited for CycleCloud's answer. */
export function measureAction(ports: MeasurePorts, action: ScaleAction, outcome: string): void {
  const { telemetry, clock } = ports;
  const { cluster, kind, askedAtSeconds } = action;
  telemetry.record("autoscale.actions", 1, { cluster, kind, outcome });
  if (kind !== "create-nodes" || outcome !== "accepted" || askedAtSeconds === undefined) return;
  telemetry.record("autoscale.reaction.duration", clock.nowSeconds() - askedAtSeconds, { cluster });
}

function tally<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
