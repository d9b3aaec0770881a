import { type HostState, SimulatedScheduler } from "../../infra/local/scheduler/scheduler.ts";
import { type PostedJob, toDemand } from "../../infra/local/scheduler/to-demand.ts";
import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import type { SchedulerEvent } from "../../shared/messages/scheduler-event.ts";
import type { Chance } from "./chance.ts";
import type { Cloud } from "./cloud.ts";
import { EventQueue } from "./event-queue.ts";
import type { FaultSource } from "./faults.ts";
import type { Timeline } from "./timeline.ts";

export interface SourceParts {
  readonly timeline: Timeline;
  readonly faults: FaultSource;
  readonly chance: Chance;
  readonly cloud: Cloud;
  /** Whether the scheduler can drain nodes, and says so. */
  readonly canDrain: boolean;
  /** Puts a message onto the demand queue; `onDone` is called each time that it was done with, poison included. */
  readonly put: (body: unknown, onDone?: () => void) => void;
  /** Puts something onto the demand queue that is refused whole. */
  readonly putMangled: (body: unknown, onDone?: () => void) => void;
  /** All of a message was put onto the queue that tells of these hosts that something runs there. */
  readonly onPut: (posted: Posted) => void;
  /** The same message was done with. */
  readonly onPosted: (posted: Posted) => void;
}

/** What a message says of hosts, whether or not it can be read. */
export interface Posted {
  readonly kind: "snapshot" | "delta";
  readonly sequence: number;
  readonly hostnames: readonly string[];
}

export type Body = Readonly<Record<string, unknown>>;

/** What becomes of a message before it is sent, by somebody's mistake. */
export interface Spoilt {
  readonly body: Body;
  /** Nothing of it can be read. */
  readonly isRefused: boolean;
}

const tickSeconds = 5;
const leastGapSeconds = 3;
const heartbeatSeconds = 60;
const sourceName = "batch";

/** What a message is about, by name. */
interface Wanted {
  readonly jobs: ReadonlyMap<string, PostedJob>;
  readonly hosts: ReadonlyMap<string, HostState>;
}

/** What those who watch a simulation see of a scheduler. */
export interface WatchedSource {
  readonly cluster: string;
  readonly canDrain: boolean;
  readonly scheduler: Pick<SimulatedScheduler, "progress" | "runningTasks" | "waitingJobs" | "hostStates">;
  /** Hostnames on which something runs at this moment. */
  readonly busyHostnames: ReadonlySet<string>;
  /** Starts to live; `onTick` is called now and then. */
  live(onTick: () => void): void;
  /** Puts an event onto the queue of this source. */
  tell(event: SchedulerEvent): void;
}

/** A scheduler and its agent: runs jobs on nodes that are up, and posts what it wants as snapshots, parts and deltas. */
export class Source implements WatchedSource {
  readonly scheduler: SimulatedScheduler;
  readonly cluster: string;
  readonly #parts: SourceParts;
  readonly #startSeconds: number;
  readonly #events: EventQueue;
  #sequence = 0;
  #postedAtSeconds = Number.NEGATIVE_INFINITY;
  #isUnposted = true;
  /** What the receiver has when it got everything; undefined when the next message must be a snapshot. */
  #posted: Wanted | undefined;
  /** A silent one runs its jobs, tells nobody, and listens to nobody. */
  isSilent = false;
  /** Set: every message passes through it. */
  spoil: ((body: Body) => Spoilt) | undefined;
  /** A deaf one leaves its events on the queue. */
  isDeaf = false;

  constructor(parts: SourceParts, cluster: string, jobs: readonly WorkloadJob[]) {
    this.#parts = parts;
    this.cluster = cluster;
    this.#events = new EventQueue(parts);
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

  get canDrain(): boolean {
    return this.#parts.canDrain;
  }

  /** Puts an event onto the queue of this source. */
  tell(event: SchedulerEvent): void {
    if (this.#parts.canDrain) this.#events.put(event);
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
    if (!this.isSilent && !this.isDeaf)
      for (const event of this.#events.take())
        this.#isUnposted = this.scheduler.obey(event) || this.#isUnposted;
    const gap = this.#isUnposted ? leastGapSeconds : heartbeatSeconds;
    if (this.isSilent || now - this.#postedAtSeconds < gap) return;
    this.#postedAtSeconds = now;
    this.#isUnposted = false;
    const hosts = this.#parts.canDrain ? this.scheduler.hostStates : [];
    this.#post({
      jobs: new Map(toDemand(this.scheduler).map((job) => [job.name, job])),
      hosts: new Map(hosts.map((host) => [host.hostname, host])),
    });
  }

  #post(wanted: Wanted): void {
    const fault = this.#parts.faults.at("post demand", ["not-sent", "half-sent", "mangled"]);
    this.#sequence += 1;
    const before = this.#posted;
    const isDelta = this.#parts.chance.happens(0.2) && before !== undefined && losesNoHost(before, wanted);
    const bodies = isDelta ? [this.#delta(before, wanted)] : this.#snapshot(wanted);
    this.#posted = wanted;
    if (fault?.kind === "mangled") this.#parts.putMangled(JSON.stringify(bodies[0]).slice(0, 60));
    // The agent does not learn that it was not sent: the queue's answer was lost on the way.
    if (fault?.kind === "not-sent") return;
    const sent = fault?.kind === "half-sent" ? bodies.slice(0, Math.floor(bodies.length / 2)) : bodies;
    const { jobs } = wanted;
    const hostnames = [...jobs.values()].flatMap(({ executingHostnames = [] }) => executingHostnames);
    const posted: Posted = { kind: isDelta ? "delta" : "snapshot", sequence: this.#sequence, hostnames };
    const open = new Set(bodies);
    for (const body of sent) {
      const { body: spoilt, isRefused } = this.spoil?.(body) ?? { body, isRefused: false };
      const onDone = () => {
        open.delete(body);
        if (open.size === 0) this.#parts.onPosted(posted);
      };
      if (isRefused) this.#parts.putMangled(spoilt, onDone);
      else this.#parts.put(spoilt, onDone);
    }
    if (sent.length === bodies.length) this.#parts.onPut(posted);
  }

  #snapshot({ jobs, hosts }: Wanted): readonly Body[] {
    const list = [...jobs.values()];
    const nodes = [...hosts.values()];
    const isCut = list.length > 1 && this.#parts.chance.happens(0.25);
    if (!isCut) return [{ ...this.#envelope("snapshot"), jobs: list, nodes }];
    const count = this.#parts.chance.whole(2, Math.min(4, list.length));
    const size = Math.ceil(list.length / count);
    return Array.from({ length: count }, (_, index) => ({
      ...this.#envelope("snapshot"),
      part: { index, count },
      jobs: list.slice(index * size, (index + 1) * size),
      nodes: nodes.filter((_node, place) => place % count === index),
    }));
  }

  #delta(before: Wanted, now: Wanted): Body {
    return {
      ...this.#envelope("delta"),
      jobs: changed(before.jobs, now.jobs),
      nodes: changed(before.hosts, now.hosts),
      remove: [...before.jobs.keys()].filter((name) => !now.jobs.has(name)),
    };
  }

  #envelope(kind: "snapshot" | "delta") {
    const sentAt = new Date(this.#parts.timeline.nowSeconds * 1000).toISOString();
    const capabilities = this.#parts.canDrain ? ["drain"] : [];
    const whose = { cluster: this.cluster, source: sourceName, capabilities };
    return { version: 1, kind, ...whose, sequence: this.#sequence, sentAt };
  }
}

function changed<T>(before: ReadonlyMap<string, T>, now: ReadonlyMap<string, T>): readonly T[] {
  return [...now].flatMap(([name, value]) =>
    JSON.stringify(before.get(name)) === JSON.stringify(value) ? [] : [value],
  );
}

/** A delta cannot take a host off the list. */
function losesNoHost(before: Wanted, now: Wanted): boolean {
  return [...before.hosts.keys()].every((hostname) => now.hosts.has(hostname));
}
