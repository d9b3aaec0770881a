export type Labels = Readonly<Record<string, string>>;

/** A gauge with its series. Every figure is read anew at each scrape, so there are no counters. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly series: readonly { readonly labels: Labels; readonly value: number }[];
}

const prefix = "cyclecloud_autoscale_";

/** Every metric there is. Names follow the conventions of Prometheus: base units, spelled out, at the end. */
export const metricHelp = {
  up: "1: the cluster could be read and planned; 0: see its status",
  paused: "1: an operator paused the cluster",
  problems: "Problems that the status shows, by gravity",
  snapshot_age_seconds: "Age of the newest snapshot of CycleCloud",
  demand_age_seconds: "Age of the newest message of a source",
  demand_silent: "1: the source is silent past its time to live, and its jobs do not count",
  plan_age_seconds: "Age of the newest plan",
  plan_duration_seconds: "How long the newest plan took to work out",
  nodes: "Nodes by node array and state, as CycleCloud calls it",
  jobs: "Jobs by state",
  longest_wait_seconds:
    "How long the job that waits longest has waited; missing where nobody says when jobs were submitted",
  waiting_jobs: "Jobs that wait, by the code of the first reason",
  limit_used: "What is used of a limit, in its unit",
  limit_max: "A limit, in its unit",
  limit_left: "What is left of a limit, in its unit",
  actions_last_hour: "Actions created within the last hour, by kind and outcome",
  cost_dollars_per_hour: "What the nodes cost for an hour, by list and configured prices",
  month_cost_dollars: "What the nodes have cost this month (UTC)",
  month_budget_dollars: "The budget of the month",
  unpriced_nodes: "Nodes whose price is not known: costs leave them out",
} as const;

export type MetricName = keyof typeof metricHelp;

export class MetricSet {
  readonly #series = new Map<MetricName, Map<string, { readonly labels: Labels; value: number }>>();

  /** Sets a series; a second value for the same labels replaces the first. */
  add(name: MetricName, labels: Labels, value: number): void {
    this.#of(name).set(keyOf(labels), { labels, value });
  }

  /** Adds one to a series. */
  count(name: MetricName, labels: Labels): void {
    const key = keyOf(labels);
    const metric = this.#of(name).get(key);
    if (metric === undefined) this.#of(name).set(key, { labels, value: 1 });
    else metric.value += 1;
  }

  all(): readonly Metric[] {
    return [...this.#series].map(([name, series]) => ({
      name: `${prefix}${name}`,
      help: metricHelp[name],
      series: [...series.values()],
    }));
  }

  #of(name: MetricName): Map<string, { readonly labels: Labels; value: number }> {
    const series = this.#series.get(name) ?? new Map();
    this.#series.set(name, series);
    return series;
  }
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.values(labels));
}
