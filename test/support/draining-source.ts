import { Drains } from "../../shared/backtest/queue/drains.ts";
import type { SchedulerEvent } from "../../shared/messages/scheduler-event.ts";
import type { World } from "./world.ts";

/** The scheduler `celery` of a world, which can drain: it hears events when a test lets it, and reports what it obeys. */
export class DrainingSource {
  readonly #world: World;
  readonly #drains = new Drains();
  #heard = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Everything that was sent to it. */
  get events(): readonly SchedulerEvent[] {
    return this.#world.ports.schedulerEvents.of("celery");
  }

  /** Takes what has come since; `most`: only so many, oldest first. */
  hear(most = Number.POSITIVE_INFINITY): void {
    const news = this.events.slice(this.#heard, this.#heard + most);
    this.#heard += news.length;
    for (const event of news) this.#drains.obey(event, () => true);
  }

  /** Takes one event again, or late. */
  hearAgain(event: SchedulerEvent): void {
    this.#drains.obey(event, () => true);
  }

  /** Loses what has come since. */
  miss(): void {
    this.#heard = this.events.length;
  }

  takesJobs(hostname: string): boolean {
    return !this.#drains.isOut(hostname);
  }

  /** Its hosts, as a message has them. */
  report(busy: readonly string[] = []): readonly Record<string, unknown>[] {
    const hostnames = this.#world.cycleCloud.nodes.flatMap(({ hostname, status, targetState }) =>
      hostname !== null && status === "Ready" && targetState === "Started" ? [hostname] : [],
    );
    return hostnames.map((hostname) => ({
      hostname,
      ...this.#drains.stateOf(hostname, { isBusy: busy.includes(hostname) }),
    }));
  }

  post(
    jobs: readonly Record<string, unknown>[] = [],
    busy: readonly string[] = [],
  ): ReturnType<World["post"]> {
    return this.#world.post(jobs, { capabilities: ["drain"], nodes: this.report(busy), ttlSeconds: 10_000 });
  }
}
