import { type Allocation, change, emptyHost, findHosts, type Host, type Left } from "./hosts.ts";
import type { JobShape } from "./job-shape.ts";

/** A job that runs, and when it ends according to its request. */
export interface Running {
  readonly place: number;
  readonly allocation: Allocation;
  readonly startSeconds: number;
  readonly estimatedEndSeconds: number;
}

/** A node that boots, and when it usually takes jobs. */
export interface ExpectedHost {
  readonly host: Host;
  readonly atSeconds: number;
}

/** When the first job that waits can start, by the estimates of those that run, and what hosts leave then. */
export class Reservation {
  /** Infinite: it does not fit by anything that is known. */
  readonly atSeconds: number;
  readonly #shape: JobShape;
  readonly #then: ReadonlyMap<string, Left>;

  constructor(
    shape: JobShape,
    now: {
      readonly hosts: Iterable<Left>;
      readonly running: Iterable<Running>;
      readonly expected: readonly ExpectedHost[];
      readonly nowSeconds: number;
    },
  ) {
    const then = new Map<string, Left>();
    for (const left of now.hosts) then.set(left.host.hostname, { ...left });
    const events = [
      ...[...now.running].map(({ estimatedEndSeconds: atSeconds, allocation }) => ({
        atSeconds,
        allocation,
      })),
      ...now.expected.map(({ atSeconds, host }) => ({ atSeconds, host })),
    ].sort((a, b) => a.atSeconds - b.atSeconds);
    this.#shape = shape;
    this.#then = then;
    this.atSeconds = Number.POSITIVE_INFINITY;
    for (const [index, event] of events.entries()) {
      if ("host" in event) then.set(event.host.hostname, emptyHost(event.host));
      else apply(then, event.allocation, -1);
      const isLastOfMoment = events[index + 1]?.atSeconds !== event.atSeconds;
      if (!isLastOfMoment || findHosts(then.values(), shape) === undefined) continue;
      this.atSeconds = Math.max(event.atSeconds, now.nowSeconds);
      return;
    }
  }

  /** Whether a job may start beside the reservation; it then counts for those that are asked after it. */
  allows(allocation: Allocation, estimatedEndSeconds: number): boolean {
    if (estimatedEndSeconds <= this.atSeconds) return true;
    apply(this.#then, allocation, 1);
    if (findHosts(this.#then.values(), this.#shape) !== undefined) return true;
    apply(this.#then, allocation, -1);
    return false;
  }
}

/** The same parts on hosts of another moment. */
function apply(hosts: ReadonlyMap<string, Left>, { shape, parts }: Allocation, sign: 1 | -1): void {
  for (const { left, count } of parts) {
    const then = hosts.get(left.host.hostname);
    if (then !== undefined) change(then, shape.need, sign * count);
  }
}
