/** Fixed keys that logs and queries share: `cluster`, `planId`, `actionId`, `source`, `reason` and counts. No secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Logs are events. `info`: one line per run of a use case. `warn`: something was set aside, refused or late, and the
 * rest went on. `error`: an operator should look now.
 */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** Every metric, its unit, and what a value says. docs/operate.md has the same table. */
export const metrics = {
  "autoscale.plan.duration": {
    unit: "s",
    kind: "histogram",
    says: "how long a run of the planner took, until its actions were sent",
  },
  "autoscale.jobs": {
    unit: "{job}",
    kind: "gauge",
    says: "jobs of the newest plan",
  },
  "autoscale.reasons": {
    unit: "{job}",
    kind: "counter",
    says: "waiting jobs (the first 10,000 of a plan) that have this reason, added up over plans",
  },
  "autoscale.snapshots.late": {
    unit: "{snapshot}",
    kind: "counter",
    says: "snapshots that were skipped because the one before was still being taken",
  },
  "autoscale.nodes": {
    unit: "{node}",
    kind: "gauge",
    says: "nodes of the newest snapshot by CycleCloud's state",
  },
  "autoscale.cost": {
    unit: "USD/h",
    kind: "gauge",
    says: "what the nodes of the newest snapshot cost an hour",
  },
  "autoscale.actions": { unit: "{action}", kind: "counter", says: "actions that were carried out or not" },
  "autoscale.reaction.duration": {
    unit: "s",
    kind: "histogram",
    says: "from the request of a plan to CycleCloud's word that it creates nodes",
  },
  "autoscale.boot.duration": {
    unit: "s",
    kind: "histogram",
    says: "from the first plan that saw a node to the first that saw it ready",
  },
} as const satisfies Readonly<Record<string, { unit: string; kind: MetricKind; says: string }>>;

export type Metric = keyof typeof metrics;
export type MetricKind = "counter" | "gauge" | "histogram";

/** `cluster` and what the metric is divided by: few values each, and never a name that a user makes up per job. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Spans and metrics of a run, in addition to its log. Never throws; does nothing if telemetry is off. */
export interface Telemetry {
  /** The run's place in its trace (W3C trace context), to be carried by messages; undefined when it is not traced. */
  readonly traceparent: string | undefined;
  /** One value: added to a counter, taken over by a gauge, counted into a histogram. */
  record(metric: Metric, value: number, attributes: Attributes): void;
  /** Runs `work` as a part of this run that shows under its own name in the trace. */
  part<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
}
