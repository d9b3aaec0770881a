import type { ClusterStatus, LimitView } from "../api/index.ts";
import { isOpen, type Ports } from "../ports/index.ts";
import { clusterStatus } from "./cluster-status.ts";
import { noJobs, outlookJobs, stateOf, waits } from "./job-states.ts";
import { listLimits } from "./list-buckets.ts";
import type { Metric } from "./metric.ts";
import { MetricSet } from "./metric.ts";
import { ifPlannable, type Outlook } from "./outlook.ts";

/** Actions that ended or began within this time are counted. */
const actionSeconds = 3_600;
const mostActions = 1_000;
/** Of each cluster, so that odd names cannot make series without end. */
const mostSources = 50;
const mostLimits = 200;

export type MetricPorts = Parameters<typeof clusterStatus>[0] & {
  lookAhead(cluster: string): Promise<Outlook | undefined>;
};

/** Every cluster in figures. One that cannot be read has `up` 0 and no more: what is not known is missing, never zero. */
export async function drawUpMetrics(ports: MetricPorts): Promise<readonly Metric[]> {
  const metrics = new MetricSet();
  const clusters = await ports.configs.clusters();
  for (const cluster of clusters) {
    const status = await clusterStatus(ports, cluster);
    const outlook = await ifPlannable(() => ports.lookAhead(cluster));
    metrics.add("up", { cluster }, outlook === undefined ? 0 : 1);
    if (status !== undefined) addStatus(metrics, status);
    if (outlook !== undefined) addOutlook(metrics, outlook);
    await addActions(metrics, ports, cluster);
  }
  return metrics.all();
}

function addStatus(metrics: MetricSet, status: ClusterStatus): void {
  const { cluster, atSeconds, snapshot, spending, plans, demand } = status;
  metrics.add("paused", { cluster }, status.paused === null ? 0 : 1);
  for (const gravity of ["stopped", "degraded", "notice"] as const) {
    const count = status.problems.filter((problem) => problem.gravity === gravity).length;
    metrics.add("problems", { cluster, gravity }, count);
  }
  if (snapshot !== null)
    metrics.add("snapshot_age_seconds", { cluster }, Math.max(0, atSeconds - snapshot.takenAtSeconds));
  for (const { source, receivedAtSeconds, expired } of demand.slice(0, mostSources)) {
    metrics.add("demand_age_seconds", { cluster, source }, Math.max(0, atSeconds - receivedAtSeconds));
    metrics.add("demand_silent", { cluster, source }, expired ? 1 : 0);
  }
  const [newest] = plans;
  if (newest !== undefined) {
    metrics.add("plan_age_seconds", { cluster }, Math.max(0, atSeconds - newest.atSeconds));
    metrics.add("plan_duration_seconds", { cluster }, newest.planSeconds);
  }
  if (spending !== null) {
    metrics.add("cost_dollars_per_hour", { cluster }, spending.usdPerHour);
    metrics.add("month_cost_dollars", { cluster }, spending.monthUsd);
    metrics.add("unpriced_nodes", { cluster }, spending.unpricedNodes);
    const budget = spending.budgets.find(({ of }) => of === null);
    if (budget !== undefined) metrics.add("month_budget_dollars", { cluster }, budget.limitUsd);
  }
}

function addOutlook(metrics: MetricSet, outlook: Outlook): void {
  const { cluster, snapshot } = outlook;
  for (const { nodeArray, status } of snapshot.cluster.nodes)
    metrics.count("nodes", { cluster, nodearray: nodeArray, state: status });
  // Added up here: labels are compared as texts, which takes long for each of 100,000 jobs.
  const states = noJobs();
  const reasons = new Map<string, number>();
  let firstSeconds = Number.POSITIVE_INFINITY;
  for (const job of outlookJobs(outlook)) {
    states[stateOf(job, outlook.nodesByName)] += 1;
    const { outcome } = job;
    if (!waits(outcome)) continue;
    firstSeconds = Math.min(firstSeconds, job.job.submittedAtSeconds ?? firstSeconds);
    const code = outcome.reasons[0]?.code ?? "None";
    reasons.set(code, (reasons.get(code) ?? 0) + 1);
  }
  for (const [state, jobs] of Object.entries(states)) metrics.add("jobs", { cluster, state }, jobs);
  const longest = reasons.size === 0 ? 0 : outlook.atSeconds - firstSeconds;
  if (Number.isFinite(longest)) metrics.add("longest_wait_seconds", { cluster }, Math.max(0, longest));
  for (const [reason, jobs] of reasons) metrics.add("waiting_jobs", { cluster, reason }, jobs);
  const limits = listLimits(outlook, {});
  if (limits.ok)
    for (const limit of limits.answer.limits.slice(0, mostLimits)) addLimit(metrics, cluster, limit);
}

function addLimit(
  metrics: MetricSet,
  cluster: string,
  { limit, scope, unit, used, max, left }: LimitView,
): void {
  const labels = { cluster, limit, scope, unit };
  if (used !== null) metrics.add("limit_used", labels, used);
  // Nothing limits there.
  if (max === null) return;
  metrics.add("limit_max", labels, max);
  metrics.add("limit_left", labels, left);
}

async function addActions(
  metrics: MetricSet,
  { operations, clock }: Pick<Ports, "operations" | "clock">,
  cluster: string,
): Promise<void> {
  const since = clock.nowSeconds() - actionSeconds;
  for (const operation of await operations.recent(cluster, mostActions, since)) {
    const outcome = isOpen(operation) ? "open" : operation.state;
    metrics.count("actions_last_hour", { cluster, kind: operation.action.kind, outcome });
  }
}
