import { type Cluster, nodeArrayOf } from "./cluster.ts";
import type { BucketDefinition, NodeArrayDefinition } from "./definition.ts";
import { type BootDraw, type BootOutcome, boot, type Life } from "./node-life.ts";
import { quotaRooms, smallest } from "./quota-limits.ts";

/** A first boot takes the array's `boot` time, starting a deallocated node its `start` time. */
export interface BootRequest {
  readonly bucket: BucketDefinition;
  readonly at: number;
  readonly kind: "boot" | "start";
  /** Azure checks the quota when it is asked for a VM; a create has been cut down to the quota before. */
  readonly checksQuota: boolean;
}

export function drawBoot(cluster: Cluster, request: BootRequest): Life {
  const { bucket, at, kind } = request;
  const { random, definition } = cluster;
  const times = nodeArrayOf(cluster, bucket.nodearray)?.times ?? definition.times;
  // Drawn in one order whatever comes of it, so that one fault does not change the fate of every later node.
  const draw: BootDraw = {
    bootSeconds:
      (kind === "boot" ? bootSeconds(cluster, bucket) : random.seconds(times[kind])) *
      (cluster.conditions.of(bucket).bootFactor ?? 1),
    acquireShare: 0.3 + 0.2 * random.share(),
    outcome: outcomeOf(cluster, request, { luck: random.share(), failShare: random.share() }),
  };
  const evictionsPerHour = nodeArrayOf(cluster, bucket.nodearray)?.evictionsPerHour ?? 0;
  const afterSeconds = random.untilNext(bucket.spot ? evictionsPerHour : 0);
  const terminateSeconds = random.seconds(times.terminate);
  const isEvicted = Number.isFinite(afterSeconds);
  return boot(at, isEvicted ? { ...draw, eviction: { afterSeconds, terminateSeconds } } : draw);
}

function bootSeconds(cluster: Cluster, bucket: BucketDefinition): number {
  const { random, definition } = cluster;
  const array = nodeArrayOf(cluster, bucket.nodearray);
  const recorded = array?.recordedBoots[bucket.machineType]?.seconds;
  if (recorded === undefined) return random.seconds((array?.times ?? definition.times).boot);
  return recorded[Math.floor(random.share() * recorded.length)] ?? 0;
}

/** Half of all boots of a size take no longer. */
export function medianBootSeconds(
  { times, recordedBoots }: Pick<NodeArrayDefinition, "times" | "recordedBoots">,
  machineType: string,
): number {
  const recorded = recordedBoots[machineType]?.seconds?.toSorted((a, b) => a - b);
  return recorded?.[Math.ceil(recorded.length / 2) - 1] ?? times.boot.medianSeconds;
}

function outcomeOf(
  cluster: Cluster,
  { bucket, at, checksQuota }: BootRequest,
  { luck, failShare }: { readonly luck: number; readonly failShare: number },
): BootOutcome {
  const { conditions } = cluster;
  const shortQuota = checksQuota ? shortage(cluster, bucket, at) : undefined;
  if (shortQuota !== undefined) {
    const message = `OperationNotAllowed: the ${shortQuota} of ${bucket.region} is used up`;
    return { kind: "no-vm", message, capacityFailure: false, charged: false };
  }
  const { drought, stuck } = conditions.of(bucket);
  if (drought !== undefined) {
    const message = `AllocationFailed: no capacity for ${bucket.machineType} in ${bucket.region}`;
    return { kind: "no-vm", message, capacityFailure: true, charged: true };
  }
  if (stuck !== undefined) return { kind: "stuck", status: stuck };
  const message = conditions.failBoot(bucket, luck);
  if (message !== undefined) return { kind: "fails", share: failShare, message };
  const array = nodeArrayOf(cluster, bucket.nodearray);
  const failureRate = array?.recordedBoots[bucket.machineType]?.failureRate ?? array?.bootFailureRate ?? 0;
  return luck < failureRate ? { kind: "fails", share: failShare } : { kind: "ready" };
}

/** The quota that leaves no room for one more node, if any. */
function shortage(
  { quotas, definition, consumption }: Cluster,
  bucket: BucketDefinition,
  at: number,
): string | undefined {
  const quota = quotas.of(definition.subscription, bucket.region);
  const room = smallest(quotaRooms(bucket, { quota, consumption: consumption(bucket.region, at) }));
  return room.count === 0 ? room.limit : undefined;
}
