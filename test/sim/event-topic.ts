import { nodeEvents, stepsBegun } from "../../infra/local/cyclecloud/node-events.ts";
import type { Cloud } from "./cloud.ts";
import type { FaultSource } from "./faults.ts";
import type { Fleet, Outcome, Run } from "./fleet.ts";
import type { Timeline } from "./timeline.ts";

const lookEverySeconds = 2;
const retryAfterSeconds = 30;
const mostAttempts = 5;

export interface TopicParts {
  readonly timeline: Timeline;
  readonly fleet: Fleet;
  readonly faults: FaultSource;
  readonly cloud: Cloud;
  readonly receive: (run: Run, event: unknown) => Promise<unknown>;
}

/** Event Grid between CycleCloud and the function: what happened to nodes comes at its end, late, twice or not at all. */
export class EventTopic {
  readonly #parts: TopicParts;
  readonly #told = new Map<string, number>();

  constructor(parts: TopicParts) {
    this.#parts = parts;
    this.#look();
  }

  #look(): void {
    const { timeline, cloud } = this.#parts;
    for (const name of cloud.site.clusterNames) {
      const { cluster, at } = cloud.site.clusterNow(name);
      for (const node of cluster.population.all()) {
        const from = this.#told.get(node.nodeId) ?? 0;
        this.#told.set(node.nodeId, stepsBegun(node, at));
        for (const event of nodeEvents(node, { from, at, subscription: "sim" })) this.#publish(event);
      }
    }
    timeline.after(lookEverySeconds, () => this.#look());
  }

  #publish(event: unknown): void {
    const { faults, timeline } = this.#parts;
    const fault = faults.at("event delivery", ["lost", "late", "twice"]);
    if (fault?.kind === "lost") return;
    const delay = 0.5 + (fault?.kind === "late" ? fault.seconds : 0);
    timeline.after(delay, () => this.#deliver(event, 1));
    if (fault?.kind === "twice") timeline.after(delay + fault.seconds, () => this.#deliver(event, 1));
  }

  #deliver(event: unknown, attempt: number): void {
    const { fleet, timeline, receive } = this.#parts;
    const end = ({ error }: Outcome) => {
      if (error === undefined || attempt === mostAttempts) return;
      timeline.after(retryAfterSeconds, () => this.#deliver(event, attempt + 1));
    };
    fleet.start("node-events", (run) => receive(run, event), end);
  }
}
