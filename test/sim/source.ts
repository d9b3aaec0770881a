import { SimulatedScheduler } from "../../infra/local/scheduler/scheduler.ts";
import { type PostedJob, toDemand } from "../../infra/local/scheduler/to-demand.ts";
import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import type { Chance } from "./chance.ts";
import type { Cloud } from "./cloud.ts";
import type { FaultSource } from "./faults.ts";
import type { Timeline } from "./timeline.ts";

export interface SourceParts {
  readonly timeline: Timeline;
  readonly faults: FaultSource;
  readonly chance: Chance;
  readonly cloud: Cloud;
  /** Puts a message onto the demand queue. */
  readonly put: (body: unknown) => void;
  /** Puts something onto the demand queue that no parser takes. */
  readonly putMangled: (body: string) => void;
}

const tickSeconds = 5;
const leastGapSeconds = 3;
const heartbeatSeconds = 60;
export const sourceName = "batch";

type Jobs = ReadonlyMap<string, PostedJob>;

/** A scheduler and its agent: runs jobs on nodes that are up, and posts what it wants as snapshots, parts and deltas. */
export class Source {
  readonly scheduler: SimulatedScheduler;
  readonly cluster: string;
  readonly #parts: SourceParts;
  readonly #startSeconds: number;
  #sequence = 0;
  #postedAtSeconds = Number.NEGATIVE_INFINITY;
  #isUnposted = true;
  /** What the receiver has when it got everything; undefined when the next message must be a snapshot. */
  #posted: Jobs | undefined;
  /** A silent one runs its jobs and tells nobody. */
  isSilent = false;

  constructor(parts: SourceParts, cluster: string, jobs: readonly WorkloadJob[]) {
    this.#parts = parts;
    this.cluster = cluster;
    this.scheduler = new SimulatedScheduler(jobs);
    this.#startSeconds = parts.timeline.nowSeconds;
  }

  /** Starts to live; `onTick` is called after each look at the nodes. */
  live(onTick: () => void): void {
    const tick = () => {
      this.#tick();
      onTick();
      this.#parts.timeline.after(tickSeconds, tick);
    };
    this.#parts.timeline.after(this.#parts.chance.between(0, tickSeconds), tick);
  }

  /** Hostnames on which something runs at this moment. */
  get busyHostnames(): ReadonlySet<string> {
    return new Set(this.scheduler.runningTasks.flatMap((task) => task.hostnames));
  }

  #tick(): void {
    const { timeline, cloud } = this.#parts;
    const now = timeline.nowSeconds;
    const { changed } = this.scheduler.step(now - this.#startSeconds, cloud.hosts(this.cluster));
    this.#isUnposted ||= changed;
    const gap = this.#isUnposted ? leastGapSeconds : heartbeatSeconds;
    if (this.isSilent || now - this.#postedAtSeconds < gap) return;
    this.#postedAtSeconds = now;
    this.#isUnposted = false;
    this.#post(new Map(toDemand(this.scheduler).map((job) => [job.name, job])));
  }

  #post(jobs: Jobs): void {
    const fault = this.#parts.faults.at("post demand", ["not-sent", "half-sent", "mangled"]);
    this.#sequence += 1;
    const isDelta = this.#posted !== undefined && this.#parts.chance.happens(0.2);
    const bodies =
      isDelta && this.#posted !== undefined ? [this.#delta(this.#posted, jobs)] : this.#snapshot(jobs);
    this.#posted = jobs;
    if (fault?.kind === "mangled") this.#parts.putMangled(JSON.stringify(bodies[0]).slice(0, 60));
    // The agent does not learn that it was not sent: the queue's answer was lost on the way.
    if (fault?.kind === "not-sent") return;
    const sent = fault?.kind === "half-sent" ? bodies.slice(0, Math.floor(bodies.length / 2)) : bodies;
    for (const body of sent) this.#parts.put(body);
  }

  #snapshot(jobs: Jobs): readonly unknown[] {
    const list = [...jobs.values()];
    const isCut = list.length > 1 && this.#parts.chance.happens(0.25);
    if (!isCut) return [{ ...this.#envelope("snapshot"), jobs: list }];
    const count = this.#parts.chance.whole(2, Math.min(4, list.length));
    const size = Math.ceil(list.length / count);
    return Array.from({ length: count }, (_, index) => ({
      ...this.#envelope("snapshot"),
      part: { index, count },
      jobs: list.slice(index * size, (index + 1) * size),
    }));
  }

  #delta(before: Jobs, now: Jobs): unknown {
    const isNew = (job: PostedJob) => JSON.stringify(before.get(job.name)) !== JSON.stringify(job);
    return {
      ...this.#envelope("delta"),
      jobs: [...now.values()].filter(isNew),
      remove: [...before.keys()].filter((name) => !now.has(name)),
    };
  }

  #envelope(kind: "snapshot" | "delta") {
    const sentAt = new Date(this.#parts.timeline.nowSeconds * 1000).toISOString();
    return { version: 1, kind, cluster: this.cluster, source: sourceName, sequence: this.#sequence, sentAt };
  }
}
