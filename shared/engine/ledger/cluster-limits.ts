import type { Bucket, ClusterNode, NodeArray } from "../model/bucket.ts";
import { CapQuotas, isAtRest, type Running } from "../model/caps.ts";
import type { CoreQuota, HoldName } from "../model/limits.ts";
import type { PlanInput, SpotShare } from "../model/plan-input.ts";
import { type Charge, Quota } from "../model/quota.ts";

type LimitsInput = Pick<PlanInput, "cluster" | "settings" | "caps" | "spotShares" | "heldSizes">;

/**
 * The six limits of every bucket, and the operator's caps, as shared counters: a node made in one bucket lowers them
 * for every bucket of the same region, family, array, VM size or placement group. Cores of CycleCloud's own limits
 * (cluster, array) are usable vcpus; Azure's quotas (region, family) charge what Azure charges, which is more for
 * constrained sizes.
 */
export class Limits {
  readonly #arrays: ReadonlyMap<string, NodeArray>;
  readonly #name: string;
  readonly #cluster: Quota;
  readonly #clusterNodes: Quota | null;
  readonly #quotas = new Map<string, Quota>();
  readonly #nodesByGroup = new Map<string, number>();
  readonly #usedByArray = new Map<string, { nodes: number; cores: number }>();
  readonly #vcpus = new Map<string, number>();
  readonly #caps: CapQuotas;
  readonly #spotShares: SpotShares;
  readonly #holds: ReadonlyMap<string, HoldName>;

  constructor({ cluster, settings, caps, spotShares = [], heldSizes = [] }: LimitsInput) {
    this.#holds = new Map(heldSizes.map(({ nodeArray, vmSize, hold }) => [key(nodeArray, vmSize), hold]));
    this.#caps = new CapQuotas(caps ?? null);
    this.#arrays = new Map(cluster.nodeArrays.map((array) => [array.name, array]));
    for (const array of cluster.nodeArrays)
      for (const bucket of array.buckets)
        this.#vcpus.set(key(array.name, bucket.vmSize), bucket.vm.vcpuCount);
    let cores = 0;
    for (const node of cluster.nodes) {
      const nodeCores = this.#vcpus.get(key(node.nodeArray, node.vmSize)) ?? 0;
      cores += nodeCores;
      this.#count(node, nodeCores);
    }
    this.#spotShares = new SpotShares(spotShares, (name) => this.#usedByArray.get(name)?.cores ?? 0);
    this.#name = cluster.name;
    this.#cluster = new Quota(cluster.maxCoreCount, cores);
    // Head nodes belong to no array, and CycleCloud's maximum is that of nodes that can be added.
    const active = cluster.nodes.filter((node) => this.#arrays.has(node.nodeArray) && !isAtRest(node));
    // scalelib reads the most nodes of a cluster and never counts them.
    this.#clusterNodes =
      settings.compatibility !== "scalelib" ? new Quota(cluster.maxCount, active.length) : null;
  }

  /** The array of that name unless it is switched off or unknown. */
  enabledArray(name: string): NodeArray | null {
    const array = this.#arrays.get(name);
    return array?.enabled ? array : null;
  }

  chargesOf(array: NodeArray, bucket: Bucket, placementGroup: string | null): readonly Charge[] {
    const { limits, vm } = bucket;
    const used = this.#usedByArray.get(array.name) ?? { nodes: 0, cores: 0 };
    const region = this.#coreQuota(key("region", array.location, String(array.spot)), limits.region);
    const charges: Charge[] = [
      {
        limit: "bucket",
        scope: `${array.name}/${bucket.vmSize}`,
        unit: "nodes",
        quota: this.#quota(key("bucket", array.name, bucket.vmSize), limits.availableCount, 0),
        perNode: 1,
      },
      {
        limit: "region",
        scope: array.spot ? `${array.location} spot` : array.location,
        unit: "cores",
        quota: region,
        perNode: vm.vcpuQuotaCount,
      },
      { limit: "cluster", scope: this.#name, unit: "cores", quota: this.#cluster, perNode: vm.vcpuCount },
      ...this.#countCharge(),
      {
        limit: "node-array",
        scope: array.name,
        unit: "cores",
        quota: this.#quota(key("array-cores", array.name), array.maxCoreCount, used.cores),
        perNode: vm.vcpuCount,
      },
      {
        limit: "node-array",
        scope: array.name,
        unit: "nodes",
        quota: this.#quota(key("array-nodes", array.name), array.maxCount, used.nodes),
        perNode: 1,
      },
    ];
    // CycleCloud reports no family quota for spot arrays: there the region's spot limit stands for it.
    if (!array.spot)
      charges.push({
        limit: "family",
        scope: `${array.location}/${vm.family}`,
        unit: "cores",
        quota: this.#coreQuota(key("family", array.location, vm.family), limits.family),
        perNode: vm.vcpuQuotaCount,
      });
    if (placementGroup !== null) charges.push(this.#groupCharge(array, bucket, placementGroup));
    return [
      ...charges,
      ...this.#spotShares.chargesOf(array, bucket),
      ...this.#caps.chargesOf(bucket),
      ...this.#holdCharge(array, bucket),
    ];
  }

  #holdCharge({ name }: NodeArray, { vmSize }: Bucket): readonly Charge[] {
    const hold = this.#holds.get(key(name, vmSize));
    if (hold === undefined) return [];
    const quota = this.#quota(key("hold", name, vmSize), 0, 0);
    return [{ limit: hold, scope: `${name}/${vmSize}`, unit: "nodes", quota, perNode: 1 }];
  }

  /** Sets what the caps allow: after the nodes on order, which are no new ones, and before anything is planned. */
  closeCaps(running: Running): void {
    this.#caps.close(running);
  }

  #countCharge(): readonly Charge[] {
    const quota = this.#clusterNodes;
    return quota === null ? [] : [{ limit: "cluster", scope: this.#name, unit: "nodes", quota, perNode: 1 }];
  }

  #groupCharge(array: NodeArray, bucket: Bucket, group: string): Charge {
    const reported = bucket.placementGroups.find((known) => known.name === group)?.activeCount ?? 0;
    const seen = this.#nodesByGroup.get(key(array.name, bucket.vmSize, group)) ?? 0;
    const name = key("group", array.name, bucket.vmSize, group);
    const quota = this.#quota(name, bucket.limits.maxPlacementGroupSize, Math.max(reported, seen));
    const scope = `${array.name}/${bucket.vmSize}/${group}`;
    return { limit: "placement-group", scope, unit: "nodes", quota, perNode: 1 };
  }

  #coreQuota(name: string, { maxCores, usedCores, mostLeftCores }: CoreQuota): Quota {
    const quota = this.#quota(name, maxCores, usedCores);
    if (mostLeftCores !== undefined) quota.cutTo(mostLeftCores);
    return quota;
  }

  /** One counter per name; buckets that report different figures for it get the stricter ones. */
  #quota(name: string, max: number, used: number): Quota {
    const known = this.#quotas.get(name);
    if (known !== undefined) {
      known.atMost(max, used);
      return known;
    }
    const quota = new Quota(max, used);
    this.#quotas.set(name, quota);
    return quota;
  }

  #count(node: ClusterNode, cores: number): void {
    if (isAtRest(node)) return;
    const used = this.#usedByArray.get(node.nodeArray) ?? { nodes: 0, cores: 0 };
    this.#usedByArray.set(node.nodeArray, { nodes: used.nodes + 1, cores: used.cores + cores });
    if (node.placementGroup === null) return;
    const group = key(node.nodeArray, node.vmSize, node.placementGroup);
    this.#nodesByGroup.set(group, (this.#nodesByGroup.get(group) ?? 0) + 1);
  }
}

function key(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

const whole = 1_000;

/**
 * How much of a pair's cores may be spot, as a counter: a new regular node gives room for spot nodes, and a new spot node
 * takes it. Of a share of 800 thousandths, 4 regular cores give room for 16 spot cores.
 */
class SpotShares {
  readonly #shares: readonly SpotShare[];
  readonly #quotas: ReadonlyMap<SpotShare, Quota>;

  constructor(shares: readonly SpotShare[], coresOf: (nodeArray: string) => number) {
    this.#shares = shares;
    this.#quotas = new Map(
      shares.map((share) => {
        const quota = new Quota(0, 0);
        // Below zero where more is spot than may be: regular nodes make up for that first.
        quota.left = share.perMille * coresOf(share.regular) - (whole - share.perMille) * coresOf(share.spot);
        return [share, quota];
      }),
    );
  }

  chargesOf({ name }: NodeArray, { vm }: Bucket): readonly Charge[] {
    return this.#shares.flatMap((share) => {
      const quota = this.#quotas.get(share);
      if (quota === undefined || (name !== share.spot && name !== share.regular)) return [];
      const perCore = name === share.spot ? whole - share.perMille : -share.perMille;
      const scope = `${share.spot} and ${share.regular}`;
      return [{ limit: "spot-share", scope, unit: "cores", quota, perNode: perCore * vm.vcpuCount }];
    });
  }
}
