import type { DemandJob, DemandMessage } from "../../messages/index.ts";

export const sourceName = "backtest";

/** A source that always speaks up in time: heartbeats change nothing, so none is sent. */
const ttlSeconds = 10 * 365 * 86_400;

/** The agent beside the scheduler: what changed since its last message, as snapshots and deltas. */
export class DemandSource {
  readonly #cluster: string;
  readonly #changed = new Map<string, DemandJob>();
  readonly #removed = new Set<string>();
  #sequence = 0;
  #namesJobs = false;

  constructor(cluster: string) {
    this.#cluster = cluster;
  }

  get hasNews(): boolean {
    return this.#sequence === 0 || this.#changed.size > 0 || this.#removed.size > 0;
  }

  /** Whether its users give names to jobs, by which run times are learned. */
  get namesJobs(): boolean {
    return this.#namesJobs;
  }

  change(job: DemandJob): void {
    this.#namesJobs ||= job.jobName !== undefined;
    this.#removed.delete(job.name);
    this.#changed.set(job.name, job);
  }

  remove(name: string): void {
    this.#changed.delete(name);
    this.#removed.add(name);
  }

  message(nowSeconds: number): DemandMessage {
    this.#sequence += 1;
    const jobs = [...this.#changed.values()];
    const remove = [...this.#removed];
    this.#changed.clear();
    this.#removed.clear();
    const envelope = {
      version: 1,
      cluster: this.#cluster,
      source: sourceName,
      sequence: this.#sequence,
      ttlSeconds,
      sentAt: new Date(nowSeconds * 1_000).toISOString(),
    } as const;
    return this.#sequence === 1
      ? { ...envelope, kind: "snapshot", jobs, nodes: [] }
      : { ...envelope, kind: "delta", jobs, nodes: [], remove };
  }
}
