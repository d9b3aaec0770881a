import type { QueueModel } from "../queue/queue-model.ts";
import type { Fleet } from "./fleet.ts";
import type { HostCapacity } from "./host-capacity.ts";
import type { Jobs } from "./jobs.ts";
import type { NodePrices } from "./node-prices.ts";
import type { Record } from "./record.ts";

interface Parts {
  readonly fleet: Fleet;
  readonly model: QueueModel;
  readonly jobs: Jobs;
  readonly capacity: HostCapacity;
  readonly prices: NodePrices;
  readonly record: Record;
}

/** Reports to the accounts what each node is used for, when that changes. */
export class NodeSights {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  see(nodeId: string, nowSeconds: number): void {
    const { fleet, model, prices, record } = this.#parts;
    const seen = fleet.seen(nodeId, (id, bucket) => prices.of(id, bucket));
    if (seen === undefined) {
      record.gone(nodeId, nowSeconds);
      return;
    }
    const hostname = fleet.hostnameOf(nodeId);
    const places = hostname === undefined ? [] : [...model.jobsOn(hostname)];
    if (hostname === undefined || places.length === 0) {
      record.see(seen, nowSeconds);
      return;
    }
    const jobs = places.map((place) => ({ key: String(place), share: this.#share(place, hostname, seen) }));
    record.see({ ...seen, use: "jobs", jobs }, nowSeconds);
  }

  #share(
    place: number,
    hostname: string,
    size: { readonly nodeArray: string; readonly vmSize: string },
  ): number {
    const { model, jobs, capacity } = this.#parts;
    const run = model.runOf(place);
    const part = run?.allocation.parts.find(({ left }) => left.host.hostname === hostname);
    const shape = jobs.shape(place);
    return (part?.count ?? 0) * capacity.shareOf(shape, () => jobs.constraints(shape), size);
  }
}
