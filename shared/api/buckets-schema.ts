import { z } from "zod";
import { limitNames } from "../engine/index.ts";
import { type Answer, aboutCluster, count, resources, scalar, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";
import { selectionQuery } from "./selection-schema.ts";

/** One limit that holds for a bucket, in its own unit. */
const bucketLimit = named("BucketLimit", {
  limit: z.string().describe(`${limitNames.join(", ")}; more kinds may come`),
  unit: z.enum(["nodes", "cores", "usd"]),
  max: orNull(z.number(), "In that unit; null: no such figure is known"),
  used: z.number().nullable(),
  left: z.number().describe("In that unit, now"),
  perNode: z.number().describe("What one node of the bucket costs"),
  nodesLeft: z.number().describe("Nodes of this bucket that it allows now"),
});

/** A node array, a VM size and a placement group (or none): what new nodes come from. */
const bucketView = named("Bucket", {
  nodeArray: z.string(),
  vmSize: z.string(),
  placementGroup: z.string().nullable(),
  bucketId: z.string(),
  location: z.string(),
  spot: z.boolean(),
  enabled: z.boolean().describe("False: the node array is switched off for autoscaling"),
  valid: z.boolean().describe("False: CycleCloud does not make such nodes"),
  invalidReason: z.string().nullable(),
  vm: z.object({
    vcpuCount: count,
    vcpuQuotaCount: count.describe("What quotas charge for one node"),
    pcpuCount: count,
    gpuCount: count,
    memoryBytes: z.number(),
    family: z.string(),
    infiniband: z.boolean(),
  }),
  priority: orNull(z.number(), "Of the node array; larger first"),
  activeCount: count.describe("Nodes of this bucket that exist and are not at rest"),
  availableCount: z.number().describe("New nodes that all limits together allow now"),
  binding: orNull(z.string(), "The limit that allows least; null: nothing can be made here"),
  limits: z.array(bucketLimit),
  leftAfterPlan: orNull(
    z.number(),
    "New nodes that would still be possible after the plan that would be made now; null: none can be made here",
  ),
  backOff: orNull(
    z.object({ untilSeconds: unixSeconds, why: z.string() }),
    "Set: no new nodes are asked for until then",
  ),
  secondsSinceCapacityFailure: z.number().nullable(),
  spotPlacementScore: z.string().nullable(),
  usdPerHour: orNull(z.number(), "What a node costs; null: not known. `prices` says where that comes from"),
  boots: z
    .object({
      count: count.describe("Boots that ended: Ready, failed before, or not Ready within the boot time-out"),
      failed: count,
      p50Seconds: orNull(z.number(), "Until a plan saw the node Ready; null: of none is it known"),
      p95Seconds: z.number().nullable(),
      startP50Seconds: orNull(
        z.number(),
        "Until a deallocated node was Ready again, which is no boot; null: of none is it known",
      ),
    })
    .describe("Of nodes of this array and size that were asked for within the last 7 days"),
  resources: resources.describe("What a new node of this bucket has"),
  counted: list(
    z.object({
      resource: z.string(),
      by: z.string().describe("The source that reports it"),
      amount: scalar.describe("Null: it has none"),
      ofVm: scalar.describe("Null: a VM has no such thing by itself"),
      text: z.string().describe("The same in words: `slurm counts 15000 MB of 16384`"),
    }),
    "What a scheduler counts of a new node that is not what its VM has",
  ),
});

/** Buckets by array and by constraints on a new node of them; with names or host names, the buckets that such nodes are of. */
export const bucketsQuery = z.object(selectionQuery);

/** `GET /api/clusters/{cluster}/buckets`, in the order in which the planner prefers them */
export const bucketsAnswer = named("Buckets", {
  ...aboutCluster,
  snapshotTakenAtSeconds: unixSeconds,
  buckets: z.array(bucketView),
});

/** One limit, whatever buckets draw on it. */
const limitView = named("Limit", {
  limit: z.string().describe("As in a bucket's limits"),
  scope: z
    .string()
    .describe(
      "What it limits: a cluster, `eastus`, `eastus/standardFSv2Family`, a node array, `htc/Standard_F4s`, ...",
    ),
  unit: z.enum(["nodes", "cores", "usd"]),
  max: z.number().nullable(),
  used: z.number().nullable(),
  left: z.number(),
  binds: count.describe("Buckets for which it is the limit that allows least; of those that were selected"),
  boundBy: orNull(
    z.string(),
    "What leaves less of it than `max` − `used`: another limit of the bucket by name and scope, such as `node-array htc`, else `CycleCloud`, which offers no more and does not say why; of a quota `refusal` and how long it counts, or `orders of cluster b`, which shares it and whose nodes its figures do not show yet, or `kept for cluster b`, which waits and has less for its share; of a `back-off` or `budget`, for which the autoscaler itself asks for nothing, how long and why; null: nothing does",
  ),
  waitingJobs: count.describe(
    "Jobs that would have a place if it were higher, or would meet the next limit; of the first 10,000 that wait",
  ),
  waitingCores: count.describe("Cores of what these jobs lack"),
});

/** A quota that clusters of the deployment share, and who has what of it. */
const sharedLimit = named("SharedLimit", {
  limit: z.enum(["family", "region"]),
  scope: z.string().describe("As in the limits"),
  max: orNull(count, "Cores; null: CycleCloud states no maximum"),
  clusters: list(
    z.object({
      cluster: z.string(),
      heldCores: count.describe("Of its nodes, in its newest plan"),
      orderedCores: count.describe("Of nodes that it has ordered and not seen yet"),
      waitingCores: count.describe(
        "That its jobs would take besides; counted while a cluster of the subscription has `shares`",
      ),
      guaranteedCores: z.number().describe("What `shares` guarantees it; 0: nothing"),
      dueCores: z.number().describe("Its guarantee, or its part by weight of those who have some or wait"),
      lendsCores: z.number().describe("Of its guarantee, what it does not want now: others may take it"),
      waitsFor: list(z.string(), "Clusters that have more than is due to them, while it waits"),
      seenAtSeconds: unixSeconds.describe("When the snapshot of that plan was taken"),
    }),
    "Those that have some, the most first",
  ),
  otherCores: orNull(
    count,
    "Used beyond these clusters, by the figures of this cluster's snapshot: somebody else in the subscription has them; null: nothing tells",
  ),
});

/** `GET /api/clusters/{cluster}/limits`: those that hold for a selected bucket, what most cores wait for first */
export const limitsAnswer = named("Limits", {
  ...aboutCluster,
  snapshotTakenAtSeconds: unixSeconds,
  limits: z.array(limitView),
  shared: optional(
    z.array(sharedLimit),
    "Quotas that it shares with other clusters of the deployment; absent: it is alone",
  ),
  unshared: optional(
    z.array(z.string()),
    "Node arrays that share nothing, because CycleCloud does not name their account; absent: none",
  ),
});

export type BucketsQuery = Answer<typeof bucketsQuery>;
export type BucketLimitView = Answer<typeof bucketLimit>;
export type BucketView = Answer<typeof bucketView>;
export type BucketsAnswer = Answer<typeof bucketsAnswer>;
export type LimitView = Answer<typeof limitView>;
export type LimitsAnswer = Answer<typeof limitsAnswer>;
export type SharedLimit = Answer<typeof sharedLimit>;
