import { z } from "zod";
import { nodeArrayRecordSchema } from "./node-schema.ts";
import { maybeFlag, maybeNumber, maybeText, text } from "./wire-value.ts";

/** `GET /clusters/{c}/status`: the outside only, so that one bad array or node does not spoil the rest. */
export const clusterStatusSchema = z.object({
  state: z.string().nullish(),
  targetState: z.string().nullish(),
  maxCount: z.number().nullish(),
  maxCoreCount: z.number().nullish(),
  nodearrays: z.array(z.unknown()),
  /** With `nodes=true` only. */
  nodes: z.array(z.unknown()).nullish(),
});

export type ClusterStatus = z.output<typeof clusterStatusSchema>;

export const nodeArrayStatusSchema = z.object({
  name: text,
  maxCount: maybeNumber,
  maxCoreCount: maybeNumber,
  nodearray: nodeArrayRecordSchema,
  buckets: z.array(z.unknown()),
});

export type NodeArrayStatus = z.output<typeof nodeArrayStatusSchema>;

const virtualMachineSchema = z.object({
  vcpuCount: maybeNumber,
  pcpuCount: maybeNumber,
  gpuCount: maybeNumber,
  /** GB, by which CycleCloud means GiB. */
  memory: maybeNumber,
  infiniband: maybeFlag,
  vcpuQuotaCount: maybeNumber,
});

export type VirtualMachine = z.output<typeof virtualMachineSchema>;

/** Family figures are 0 for spot arrays, and older servers leave them and the regional ones out. */
export const bucketSchema = z.object({
  /** Stable for the cluster's life. */
  bucketId: text,
  definition: z.object({ machineType: text }),
  valid: maybeFlag,
  /** "NotActivated" or "DisabledMachineType" when not valid. */
  invalidReason: maybeText,
  maxCount: z.number(),
  /** Includes nodes that are still acquiring a VM. */
  activeCount: z.number(),
  /** May be below max - active, and leaves out nodes that are terminating. */
  availableCount: z.number(),
  quotaCoreCount: maybeNumber,
  consumedCoreCount: maybeNumber,
  familyQuotaCoreCount: maybeNumber,
  familyConsumedCoreCount: maybeNumber,
  regionalQuotaCoreCount: maybeNumber,
  regionalConsumedCoreCount: maybeNumber,
  maxPlacementGroupSize: maybeNumber,
  placementGroups: z.array(z.object({ name: text, activeCount: z.number() })).nullish(),
  /** Seconds since the last one; negative: never. */
  lastCapacityFailure: maybeNumber,
  /** "High", "Medium", "Low" or "". */
  spotPlacementScore: maybeText,
  virtualMachine: virtualMachineSchema.nullish(),
});

export type BucketStatus = z.output<typeof bucketSchema>;
