import TinyQueue from "tinyqueue";
import { type Allocation, emptyHost, findHosts, give, type Host, type Left, take } from "./hosts.ts";
import type { JobShape } from "./job-shape.ts";
import { type ExpectedHost, Reservation, type Running } from "./reservation.ts";
import { firstPlace, type WaitingClass, WaitingClasses } from "./waiting-classes.ts";

/**
 * How a model of a scheduler goes through its queue. `fcfs`: a job that does not fit blocks all behind it. `easy`: jobs behind
 * the blocked one start if that does not delay it. `fill`: whatever fits starts.
 */
export type QueuePolicy = "fcfs" | "easy" | "fill";

export const queuePolicies: readonly QueuePolicy[] = ["fcfs", "easy", "fill"];

/** A job as a scheduler knows it, by its place in the queue. */
export interface QueuedJob {
  readonly shape: JobShape;
  readonly estimateSeconds: number;
}

/**
 * A model of a scheduler on hosts that come and go. It decides which jobs start where; callers report when jobs end. All
 * parts of a job start at once, on the first hosts, in the order in which they came.
 */
export class QueueModel {
  readonly #policy: QueuePolicy;
  readonly #hosts = new Map<string, Left>();
  readonly #waiting = new WaitingClasses();
  readonly #running = new Map<number, Running>();
  readonly #onHost = new Map<string, Set<number>>();
  #turns = 0;

  constructor(policy: QueuePolicy) {
    this.#policy = policy;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** In the order of the queue. */
  waitingPlaces(): readonly number[] {
    return [...this.#waiting.classes()]
      .flatMap(({ places, first }) => places.slice(first))
      .toSorted((a, b) => a - b);
  }

  /** How often a host began to run jobs, or ran none any more. */
  get turns(): number {
    return this.#turns;
  }

  get running(): number {
    return this.#running.size;
  }

  runOf(place: number): Running | undefined {
    return this.#running.get(place);
  }

  /** Places of the jobs that run on a host. */
  jobsOn(hostname: string): ReadonlySet<number> {
    return this.#onHost.get(hostname) ?? none;
  }

  submit(place: number, { shape, estimateSeconds }: QueuedJob): void {
    this.#waiting.add(place, shape, estimateSeconds);
  }

  hostUp(host: Host): void {
    this.#hosts.set(host.hostname, emptyHost(host));
  }

  /** Jobs that ran there are over everywhere; returns their places. */
  hostGone(hostname: string): readonly number[] {
    const lost = [...this.jobsOn(hostname)];
    for (const place of lost) this.end(place);
    this.#hosts.delete(hostname);
    return lost;
  }

  /** Starts nothing there any more, or takes the host back; what runs there goes on. */
  close(hostname: string, isClosed: boolean): void {
    const left = this.#hosts.get(hostname);
    if (left !== undefined) left.isClosed = isClosed;
  }

  end(place: number): void {
    const run = this.#running.get(place);
    if (run === undefined) return;
    this.#running.delete(place);
    give(run.allocation);
    for (const { left } of run.allocation.parts) {
      const own = this.#onHost.get(left.host.hostname);
      own?.delete(place);
      if (own?.size !== 0) continue;
      this.#onHost.delete(left.host.hostname);
      this.#turns += 1;
    }
  }

  /** Starts what may start now; `expected` is asked only when a reservation has to be made. */
  pass(nowSeconds: number, expected: () => readonly ExpectedHost[]): readonly Running[] {
    const started: Running[] = [];
    for (let head = this.#waiting.first(); head !== undefined; head = this.#waiting.first()) {
      const allocation = findHosts(this.#hosts.values(), head.shape);
      if (allocation === undefined) {
        if (this.#policy !== "fcfs") this.#passBehind(head, { nowSeconds, expected, started });
        break;
      }
      started.push(this.#start(head, allocation, nowSeconds));
    }
    return started;
  }

  #passBehind(
    head: WaitingClass,
    pass: {
      readonly nowSeconds: number;
      readonly expected: () => readonly ExpectedHost[];
      readonly started: Running[];
    },
  ): void {
    if (this.#waiting.size < 2 || !this.#hasRoom()) return;
    const { nowSeconds, expected, started } = pass;
    const tooLarge = new Set([head.shape.key]);
    const order = new TinyQueue([...this.#waiting.classes()], (a, b) => firstPlace(a) - firstPlace(b));
    let reservation: Reservation | undefined;
    for (let own = order.pop(); own !== undefined; own = order.pop()) {
      if (tooLarge.has(own.shape.key)) continue;
      const allocation = findHosts(this.#hosts.values(), own.shape);
      if (allocation === undefined) {
        tooLarge.add(own.shape.key);
        continue;
      }
      if (this.#policy === "easy") {
        reservation ??= new Reservation(head.shape, {
          hosts: this.#hosts.values(),
          running: this.#running.values(),
          expected: expected(),
          nowSeconds,
        });
        // Those of its class behind it are estimated alike.
        if (!reservation.allows(allocation, nowSeconds + own.estimateSeconds)) continue;
      }
      started.push(this.#start(own, allocation, nowSeconds));
      if (firstPlace(own) < Number.POSITIVE_INFINITY) order.push(own);
    }
  }

  #hasRoom(): boolean {
    for (const { ncpus, isTaken, isClosed } of this.#hosts.values())
      if (ncpus > 0 && !isTaken && !isClosed) return true;
    return false;
  }

  #start(own: WaitingClass, allocation: Allocation, nowSeconds: number): Running {
    const place = firstPlace(own);
    const run = {
      place,
      allocation,
      startSeconds: nowSeconds,
      estimatedEndSeconds: nowSeconds + own.estimateSeconds,
    };
    this.#waiting.shift(own);
    take(allocation);
    this.#running.set(place, run);
    for (const { left } of allocation.parts) {
      const places = this.#onHost.get(left.host.hostname);
      if (places === undefined) {
        this.#onHost.set(left.host.hostname, new Set([place]));
        this.#turns += 1;
      } else places.add(place);
    }
    return run;
  }
}

const none: ReadonlySet<number> = new Set();
