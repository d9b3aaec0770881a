import type { SeenNode } from "../../accounting/index.ts";
import type { QueueModel } from "../queue/queue-model.ts";
import type { Running } from "../queue/reservation.ts";
import type { Fleet } from "./fleet.ts";
import type { HostCapacity } from "./host-capacity.ts";
import type { Jobs } from "./jobs.ts";
import type { NodePrices } from "./node-prices.ts";
import type { RunRecord } from "./record.ts";

interface Parts {
  readonly fleet: Fleet;
  readonly model: QueueModel;
  readonly jobs: Jobs;
  readonly capacity: HostCapacity;
  readonly prices: NodePrices;
  readonly record: RunRecord;
}

type SeenShare = SeenNode["jobs"][number];

/** Reports to the accounts what each node is used for, when that changes. */
export class NodeSights {
  readonly #parts: Parts;
  /** What each job takes of a node that runs jobs. */
  readonly #shares = new Map<string, ReadonlyMap<Running, SeenShare>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  see(nodeId: string, nowSeconds: number): void {
    const { fleet, model, prices, record } = this.#parts;
    const seen = fleet.seen(nodeId, (id, bucket) => prices.of(id, bucket));
    if (seen === undefined) {
      this.#shares.delete(nodeId);
      record.gone(nodeId, nowSeconds);
      return;
    }
    const hostname = fleet.hostnameOf(nodeId);
    const places = hostname === undefined ? undefined : model.jobsOn(hostname);
    if (hostname === undefined || places === undefined || places.size === 0) {
      this.#shares.delete(nodeId);
      record.see(seen, nowSeconds);
      return;
    }
    record.see(
      { ...seen, use: "jobs", jobs: this.#sharesOn(nodeId, places, { hostname, seen }) },
      nowSeconds,
    );
  }

  /** The share of each job on a node. Jobs that ran there before keep their share. */
  #sharesOn(
    nodeId: string,
    places: ReadonlySet<number>,
    { hostname, seen }: { readonly hostname: string; readonly seen: SeenNode },
  ): SeenNode["jobs"] {
    const { model, jobs, capacity } = this.#parts;
    const before = this.#shares.get(nodeId);
    const shares = new Map<Running, SeenShare>();
    for (const place of places) {
      const run = model.runOf(place);
      if (run === undefined) continue;
      const shareBefore = before?.get(run);
      if (shareBefore !== undefined) {
        shares.set(run, shareBefore);
        continue;
      }
      const part = run.allocation.parts.find(({ left }) => left.host.hostname === hostname);
      const shape = jobs.shape(place);
      const share =
        shape.need.exclusive === "job"
          ? 1
          : (part?.count ?? 0) * capacity.shareOf(shape, () => jobs.constraints(shape), seen);
      shares.set(run, { key: String(place), share });
    }
    this.#shares.set(nodeId, shares);
    return [...shares.values()];
  }
}
