import type { Attributes, Metric, Telemetry } from "../../shared/ports/index.ts";

export interface Recorded {
  readonly metric: Metric;
  readonly value: number;
  readonly attributes: Attributes;
}

/** Keeps what was told, for tests. */
export class MemoryTelemetry implements Telemetry {
  traceparent: string | undefined;
  readonly recorded: Recorded[] = [];
  readonly parts: string[] = [];

  record(metric: Metric, value: number, attributes: Attributes): void {
    this.recorded.push({ metric, value, attributes });
  }

  part<T>(name: string, _attributes: Attributes, work: () => Promise<T>): Promise<T> {
    this.parts.push(name);
    return work();
  }

  /** Values of one metric, in the order of recording. */
  of(metric: Metric): readonly Omit<Recorded, "metric">[] {
    return this.recorded
      .filter((each) => each.metric === metric)
      .map(({ value, attributes }) => ({ value, attributes }));
  }
}
