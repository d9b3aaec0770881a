import type { Bucket, BucketLimits, CoreQuota, NodeArray } from "../engine/index.ts";
import type { VmCatalogue } from "../facts/index.ts";
import { readAutoscaleSection } from "./autoscale-section.ts";
import {
  type BucketStatus,
  bucketSchema,
  type NodeArrayStatus,
  nodeArrayStatusSchema,
} from "./status-schema.ts";
import { toVmFacts } from "./vm-facts.ts";
import { type SetAside, subjectOf } from "./wire-value.ts";

/** Stands for a limit that CycleCloud does not state. Finite, because snapshots are stored as JSON. */
export const unlimited = Number.MAX_SAFE_INTEGER;
/** The size of a scale set if neither the bucket nor the template has one: CycleCloud's default. */
const defaultScaleSetSize = 100;

/** One entry of `nodearrays`; undefined when it is set aside. */
export function toNodeArray(
  value: unknown,
  context: { index: number; catalogue: VmCatalogue; setAside: SetAside },
): NodeArray | undefined {
  const { setAside, index } = context;
  const subject = subjectOf("node array", value, { key: "name", index });
  const status = setAside.read(nodeArrayStatusSchema, value, subject);
  if (status === undefined) return undefined;
  const array = status.nodearray;
  const section = readAutoscaleSection(array.Configuration);
  for (const name of section.unusable)
    setAside.add(`resource "${name}" of ${subject}`, "a list or an object, expected a single value");
  return {
    name: status.name,
    location: array.Region,
    ...(array.Credentials !== null && { account: array.Credentials }),
    spot: array.Interruptible ?? false,
    enabled: section.enabled,
    allowsColocation: section.allowsColocation,
    priority: array.Priority,
    placementGroup: array.PlacementGroupId,
    ...(array.EphemeralOSDisk === true && { ephemeralOsDisk: true }),
    // Every bucket's own limits include those of the cluster and of the array, so a missing one is still held.
    maxCount: status.maxCount ?? unlimited,
    maxCoreCount: status.maxCoreCount ?? unlimited,
    resources: section.resources,
    softwareConfiguration: array.Configuration,
    buckets: toBuckets(status, context),
  };
}

function toBuckets(
  array: NodeArrayStatus,
  { catalogue, setAside }: { catalogue: VmCatalogue; setAside: SetAside },
): Bucket[] {
  const seen = new Set<string>();
  return array.buckets.flatMap((value, index) => {
    const subject = `${subjectOf("bucket", value, { key: "bucketId", index })} of node array "${array.name}"`;
    const bucket = setAside.read(bucketSchema, value, subject);
    if (bucket === undefined) return [];
    const vmSize = bucket.definition.machineType;
    if (seen.has(vmSize)) {
      setAside.add(subject, `a second bucket of "${vmSize}", expected one per VM size`);
      return [];
    }
    const vm = toVmFacts({
      vmSize,
      reported: bucket.virtualMachine,
      catalogue,
      arrayMemory: array.nodearray.Memory,
    });
    if (vm === undefined) {
      setAside.add(subject, `cores or memory of "${vmSize}" not known to CycleCloud or the catalogue`);
      return [];
    }
    seen.add(vmSize);
    return [toBucket(bucket, { array, vm })];
  });
}

function toBucket(bucket: BucketStatus, { array, vm }: { array: NodeArrayStatus; vm: Bucket["vm"] }): Bucket {
  const valid = bucket.valid ?? true;
  return {
    bucketId: bucket.bucketId,
    vmSize: bucket.definition.machineType,
    vm,
    valid,
    invalidReason: valid ? null : bucket.invalidReason,
    limits: toLimits(bucket, array),
    placementGroups: (bucket.placementGroups ?? []).map(({ name, activeCount }) => ({ name, activeCount })),
    secondsSinceCapacityFailure: secondsSince(bucket.lastCapacityFailure),
    spotPlacementScore: bucket.spotPlacementScore,
  };
}

function toLimits(bucket: BucketStatus, array: NodeArrayStatus): BucketLimits {
  return {
    maxCount: bucket.maxCount,
    activeCount: bucket.activeCount,
    availableCount: Math.max(0, bucket.availableCount),
    region: quota(bucket.regionalQuotaCoreCount, bucket.regionalConsumedCoreCount),
    // Servers without family figures report the family's under these older names.
    family: quota(
      bucket.familyQuotaCoreCount ?? bucket.quotaCoreCount,
      bucket.familyConsumedCoreCount ?? bucket.consumedCoreCount,
    ),
    maxPlacementGroupSize:
      bucket.maxPlacementGroupSize ?? array.nodearray.Azure.MaxScalesetSize ?? defaultScaleSetSize,
  };
}

function quota(maxCores: number | null, usedCores: number | null): CoreQuota {
  return { maxCores: Math.max(0, maxCores ?? unlimited), usedCores: Math.max(0, usedCores ?? 0) };
}

function secondsSince(lastCapacityFailure: number | null): number | null {
  return lastCapacityFailure === null || lastCapacityFailure < 0 ? null : lastCapacityFailure;
}
