import { type Cluster, paidNodes } from "../../engine/index.ts";
import type { ClusterConfig } from "../../ports/index.ts";
import { priceCluster } from "../../prices/index.ts";
import type { SimulatedNode } from "../../simulated-cyclecloud/index.ts";

/** Hourly price of each node, computed as in the service. */
export class NodePrices {
  readonly #bySize = new Map<string, number | null>();
  /** Whether nodes may be paid by a reservation: then a price depends on what other nodes there are. */
  readonly hasReservations: boolean;
  readonly #sources: Parameters<typeof priceCluster>[1];
  #byNode: ReadonlyMap<string, number | null> = new Map();

  constructor(empty: Cluster, { facts, priceRules: rules }: Pick<ClusterConfig, "facts" | "priceRules">) {
    this.#sources = { facts, rules };
    const { nodeArrays } = priceCluster(empty, this.#sources);
    const buckets = nodeArrays.flatMap(({ name, buckets: own }) => own.map((bucket) => ({ name, bucket })));
    for (const { name, bucket } of buckets)
      this.#bySize.set(`${name}/${bucket.vmSize}`, bucket.pricePerHourUsd ?? null);
    this.hasReservations = buckets.some(({ bucket }) => bucket.reservation !== undefined);
  }

  /** Nodes have come, gone or changed. Returns the cluster with its prices. */
  renew(cluster: Cluster): Cluster {
    const priced = priceCluster(cluster, this.#sources);
    this.#byNode = new Map(paidNodes(priced).map(({ node, usdPerHour }) => [node.nodeId, usdPerHour]));
    return priced;
  }

  /** US dollars; null: not known. */
  of(nodeId: string, { nodearray, machineType }: SimulatedNode["bucket"]): number | null {
    if (this.hasReservations) return this.#byNode.get(nodeId) ?? null;
    return this.#bySize.get(`${nodearray}/${machineType}`) ?? null;
  }
}
