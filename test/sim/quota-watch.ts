import type { Bucket, NodeArray } from "../../shared/engine/index.ts";
import type { Operation, Snapshot } from "../../shared/ports/index.ts";
import type { BucketDefinition } from "../../shared/simulated-cyclecloud/definition.ts";
import { stepAt } from "../../shared/simulated-cyclecloud/node-life.ts";
import { occupies, type SimulatedNode } from "../../shared/simulated-cyclecloud/simulated-node.ts";
import type { Cloud } from "./cloud.ts";
import type { MadeSet } from "./cloud-client.ts";
import type { Run } from "./fleet.ts";

/** The limits that CycleCloud reports with figures; the rest of its refusals is about capacity. */
const known = /limited by the (.*)$/;
/** As `capacity_failure_backoff` is where no scenario sets it. */
const factSeconds = 300;

/** A create was refused by a quota: what the cluster held of it then, and the size that did not fit. */
interface Refused {
  readonly actionId: string;
  readonly quota: string;
  readonly perNode: number;
  readonly heldCores: number;
  readonly atSeconds: number;
}

interface Asked {
  readonly run: Run;
  readonly actionId: string;
  readonly sets: readonly MadeSet[];
  readonly nodeIds: readonly string[];
}

/**
 * No create is sent that a known limit refuses: the newest snapshot that was stored before the executor's run began has
 * the figures, and what the cluster itself holds is known in any case. Nor one that a plan sends although it has seen
 * the same quota refuse the same size moments ago.
 */
export class QuotaWatch {
  readonly #cluster: string;
  readonly #cloud: Cloud;
  readonly #now: () => number;
  readonly #ownsQuotas: boolean;
  readonly #report: (violation: string) => void;
  readonly #snapshots: { readonly storedAtSeconds: number; readonly snapshot: Snapshot }[] = [];
  readonly #refused: Refused[] = [];
  /** Ids of actions whose refusal each planned action's plan had read. */
  readonly #seenBy = new Map<string, ReadonlySet<string>>();
  /** The run that asked first: a later one cannot tell what became of that, and asks for the same again. */
  readonly #firstRun = new Map<string, Run>();
  refusals = 0;

  constructor(parts: {
    readonly cluster: string;
    readonly cloud: Cloud;
    readonly now: () => number;
    /** Only clusters of the deployment draw on its quotas. */
    readonly ownsQuotas: boolean;
    readonly report: (violation: string) => void;
  }) {
    this.#cluster = parts.cluster;
    this.#cloud = parts.cloud;
    this.#now = parts.now;
    this.#ownsQuotas = parts.ownsQuotas;
    this.#report = parts.report;
  }

  onSnapshot(snapshot: Snapshot): void {
    this.#snapshots.push({ storedAtSeconds: this.#now(), snapshot });
    if (this.#snapshots.length > 20) this.#snapshots.shift();
  }

  onPlanned(run: Run, { actionId }: Operation): void {
    const recent = (run.saw.get("operations.recent") ?? []) as readonly Operation[];
    const short = recent.filter(({ shortfalls = [] }) => shortfalls.length > 0);
    this.#seenBy.set(actionId, new Set(short.map((each) => each.actionId)));
  }

  onSent(run: Run, { actionId, asked }: Operation): void {
    if (asked === true && !this.#firstRun.has(actionId)) this.#firstRun.set(actionId, run);
  }

  onCreate({ run, actionId, sets, nodeIds }: Asked): void {
    const made = new Set(nodeIds);
    for (const set of sets) {
      const limit = set.message === undefined ? undefined : known.exec(set.message)?.[1];
      if (limit === undefined) continue;
      this.refusals += 1;
      const isRepeated = this.#firstRun.get(actionId) !== run;
      if (!isRepeated) this.#check({ run, actionId, set, limit, made });
      this.#note({ actionId, set, limit, made });
    }
  }

  #check(asked: {
    readonly run: Run;
    readonly actionId: string;
    readonly set: MadeSet;
    readonly limit: string;
    readonly made: ReadonlySet<string>;
  }): void {
    const { run, actionId, set, limit, made } = asked;
    if (this.#ownsQuotas && limit.endsWith("quota"))
      this.#report(
        `${actionId} asked for ${set.asked} nodes of ${set.nodeArray}/${set.machineType}, though clusters of the deployment have what the ${limit} gives: ${set.added} were added`,
      );
    const seen = this.#snapshots.findLast(({ storedAtSeconds }) => storedAtSeconds <= run.startedAtSeconds);
    const left = seen === undefined ? null : this.#nodesLeft(seen.snapshot, set, limit, made);
    if (left !== null && left < set.asked)
      this.#report(
        `${actionId} asked for ${set.asked} nodes of ${set.nodeArray}/${set.machineType}, though the ${limit} was known to leave ${left}`,
      );
    const bucket = this.#bucketOf(set);
    const quota = quotaOf(bucket, limit);
    const perNode = bucket.size.vcpus;
    const held = this.#held(bucket, limit, made);
    for (const past of this.#refused) {
      const isSeen = this.#seenBy.get(actionId)?.has(past.actionId) === true;
      const isSame = past.quota === quota && perNode >= past.perNode && held >= past.heldCores;
      if (isSeen && isSame && this.#now() < past.atSeconds + factSeconds)
        this.#report(
          `${actionId} asked for ${set.nodeArray}/${set.machineType}, though its plan knew that the ${limit} had refused ${past.actionId}`,
        );
    }
  }

  #note(asked: {
    readonly actionId: string;
    readonly set: MadeSet;
    readonly limit: string;
    readonly made: ReadonlySet<string>;
  }): void {
    const { actionId, set, limit } = asked;
    const bucket = this.#bucketOf(set);
    const quota = quotaOf(bucket, limit);
    if (quota === null) return;
    const heldCores = this.#held(bucket, limit, new Set());
    this.#refused.push({ actionId, quota, perNode: bucket.size.vcpus, heldCores, atSeconds: this.#now() });
  }

  /** What the limit was known to leave; null: the snapshot cannot tell. */
  #nodesLeft({ cluster }: Snapshot, set: MadeSet, limit: string, made: ReadonlySet<string>): number | null {
    const array = cluster.nodeArrays.find(({ name }) => name === set.nodeArray);
    const bucket = array?.buckets.find(({ vmSize }) => vmSize === set.machineType);
    if (array === undefined || bucket === undefined) return null;
    const figures = figuresOf(limit, array, bucket, cluster);
    if (figures === null) return null;
    const { max, used, perNode } = figures;
    const own = this.#held(this.#bucketOf(set), limit, made);
    return Math.max(0, Math.floor((max - Math.max(used, own)) / perNode));
  }

  /** What the nodes of the cluster really hold of a limit, without those just made. */
  #held(bucket: BucketDefinition, limit: string, made: ReadonlySet<string>): number {
    const { cluster, at } = this.#cloud.site.clusterNow(this.#cluster);
    let held = 0;
    for (const node of cluster.population.living())
      if (!made.has(node.nodeId) && !node.fixed) held += amountOf(node, { bucket, limit, at });
    return held;
  }

  #bucketOf({ nodeArray, machineType }: MadeSet): BucketDefinition {
    const { definition } = this.#cloud.site.clusterNow(this.#cluster).cluster;
    const array = definition.nodearrays.find(({ name }) => name === nodeArray);
    const bucket = array?.buckets.find((each) => each.machineType === machineType);
    if (bucket === undefined) throw new RangeError(`Cannot find bucket ${nodeArray}/${machineType}`);
    return bucket;
  }
}

function amountOf(
  node: SimulatedNode,
  of: { readonly bucket: BucketDefinition; readonly limit: string; readonly at: number },
): number {
  const { bucket, limit, at } = of;
  const { size, spot, region, nodearray } = node.bucket;
  const isHeld = stepAt(node.life, at).holdsCores && region === bucket.region && spot === bucket.spot;
  switch (limit) {
    case "regional quota":
    case "regional spot quota":
      return isHeld ? size.vcpus : 0;
    case "family quota":
      return isHeld && size.family === bucket.size.family ? size.vcpus : 0;
    case "node array node count":
      return occupies(node, at) && nodearray === bucket.nodearray ? 1 : 0;
    case "node array core count":
      return occupies(node, at) && nodearray === bucket.nodearray ? size.vcpusAvailable : 0;
    case "cluster node count":
      return occupies(node, at) ? 1 : 0;
    case "cluster core count":
      return occupies(node, at) ? size.vcpusAvailable : 0;
  }
  return 0;
}

interface Figures {
  readonly max: number;
  readonly used: number;
  readonly perNode: number;
}

function figuresOf(
  limit: string,
  array: NodeArray,
  { limits, vm }: Bucket,
  cluster: Snapshot["cluster"],
): Figures | null {
  switch (limit) {
    case "regional quota":
    case "regional spot quota":
      return { max: limits.region.maxCores, used: limits.region.usedCores, perNode: vm.vcpuQuotaCount };
    case "family quota":
      return { max: limits.family.maxCores, used: limits.family.usedCores, perNode: vm.vcpuQuotaCount };
    case "node array node count":
      return { max: array.maxCount, used: 0, perNode: 1 };
    case "node array core count":
      return { max: array.maxCoreCount, used: 0, perNode: vm.vcpuCount };
    case "cluster node count":
      return { max: cluster.maxCount, used: 0, perNode: 1 };
    case "cluster core count":
      return { max: cluster.maxCoreCount, used: 0, perNode: vm.vcpuCount };
  }
  return null;
}

/** Which quota of Azure's it was; null: a limit of the template. */
function quotaOf({ region, size }: BucketDefinition, limit: string): string | null {
  if (limit === "family quota") return `${region}/${size.family}`;
  return limit.startsWith("regional") ? `${region} ${limit}` : null;
}
