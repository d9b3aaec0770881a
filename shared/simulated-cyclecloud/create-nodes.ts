import { Refusal } from "./api-refusal.ts";
import { availableAt } from "./availability-trace.ts";
import { type Cluster, limitState, newNode, nodeArrayOf } from "./cluster.ts";
import type { BucketDefinition, NodeArrayDefinition, ShutdownPolicy } from "./definition.ts";
import { drawBoot } from "./draw-boot.ts";
import { keyOf, roomsOf, smallest } from "./quota-limits.ts";
import type { NodeSet } from "./request-log.ts";

/** The call that nodes are made for. */
export interface Occasion {
  readonly at: number;
  readonly operationId: string;
  readonly requestId: string | undefined;
}

export interface CreatedNodes {
  readonly nodeIds: readonly string[];
  /** Why there are fewer than asked. */
  readonly message: string | undefined;
}

/** A set whose names have been found in the cluster. */
export interface PlannedSet {
  readonly set: NodeSet;
  readonly array: NodeArrayDefinition;
  readonly bucket: BucketDefinition;
}

/** Throws a Refusal (409) for a node array or a machine type that the cluster does not have. */
export function planSet(cluster: Cluster, set: NodeSet): PlannedSet {
  const array = nodeArrayOf(cluster, set.nodearray);
  if (array === undefined) {
    throw new Refusal(
      409,
      `Cannot create nodes in cluster "${cluster.definition.name}": no node array "${set.nodearray}"`,
    );
  }
  const wanted = set.definition?.machineType;
  // A set without a machine type goes to the first bucket, as the API documents.
  const bucket = array.buckets.find((each) => wanted === undefined || each.machineType === wanted);
  if (bucket === undefined) {
    throw new Refusal(409, `Cannot create nodes in node array "${array.name}": no machine type "${wanted}"`);
  }
  return { set, array, bucket };
}

/** Makes as many nodes as every limit allows, and says which limit stopped it. */
export function createNodes(cluster: Cluster, plan: PlannedSet, occasion: Occasion): CreatedNodes {
  const { set, array, bucket } = plan;
  const placementGroupId = set.placementGroupId ?? array.placementGroupId;
  const obstacle = obstacleTo(cluster, bucket, occasion.at);
  if (obstacle !== undefined) return { nodeIds: [], message: obstacle };
  // Nodes on their way out still hold their place: Azure has not taken them back.
  const state = limitState(cluster, bucket, { at: occasion.at, terminating: true });
  const { limit, count } = smallest(roomsOf(bucket, state, placementGroupId));
  const there = spotLeft(cluster, array, state.usage.array(array.name).nodes, occasion.at);
  if (there < Math.min(set.count, count)) cluster.conditions.noteCapacityFailure(bucket, occasion.at);
  const added = Math.min(set.count, count, there);
  const names = freeNames({
    count: added,
    format: set.nameFormat ?? `${array.name}-%d`,
    offset: set.nameOffset ?? 1,
    isTaken: (name) => cluster.population.hasName(name),
  });
  const nodeIds = names.map((name) => createNode(cluster, { name, plan, placementGroupId, occasion }));
  if (added === set.count) return { nodeIds, message: undefined };
  return {
    nodeIds,
    message:
      there < count
        ? `Added ${added} of ${set.count} nodes to "${keyOf(bucket)}": no capacity in ${bucket.region}`
        : `Added ${added} of ${set.count} nodes to "${keyOf(bucket)}": limited by the ${limit}`,
  };
}

/** Nodes that Azure still has for a spot array with a trace. */
function spotLeft(
  { startedAt }: Cluster,
  { availability }: NodeArrayDefinition,
  used: number,
  at: number,
): number {
  if (availability === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, availableAt(availability, at - startedAt) - used);
}

function obstacleTo({ conditions }: Cluster, bucket: BucketDefinition, at: number): string | undefined {
  if (bucket.invalidReason !== undefined) {
    return `Added no nodes to "${keyOf(bucket)}": the machine type is not valid (${bucket.invalidReason})`;
  }
  if (conditions.of(bucket).drought !== "refuse") return undefined;
  conditions.noteCapacityFailure(bucket, at);
  return `Added no nodes to "${keyOf(bucket)}": no capacity in ${bucket.region}`;
}

function createNode(
  cluster: Cluster,
  options: {
    readonly name: string;
    readonly plan: PlannedSet;
    readonly placementGroupId: string | undefined;
    readonly occasion: Occasion;
  },
): string {
  const { name, plan, placementGroupId, occasion } = options;
  const { bucket, array } = plan;
  const { at, operationId, requestId } = occasion;
  const attributes = plan.set.nodeAttributes ?? {};
  const { KeepAlive, Fixed, ShutdownPolicy } = attributes;
  const nodeId = cluster.random.uuid();
  const life = drawBoot(cluster, { bucket, at, kind: "boot", checksQuota: false });
  cluster.population.put({
    ...newNode({ cluster: cluster.definition.name, name, nodeId, bucket, life, at }),
    privateIp: cluster.population.takeAddress(),
    placementGroupId,
    requestId,
    operationId,
    attributes,
    keepAlive: KeepAlive === true,
    fixed: Fixed === true,
    shutdownPolicy: shutdownPolicyOf(ShutdownPolicy) ?? array.shutdownPolicy,
  });
  return nodeId;
}

function shutdownPolicyOf(wanted: unknown): ShutdownPolicy | undefined {
  const policies: readonly ShutdownPolicy[] = ["Terminate", "Deallocate"];
  return policies.find((policy) => policy.toLowerCase() === String(wanted).toLowerCase());
}

/**
 * Names for new nodes: the smallest free numbers from `offset` on. A name is free again when its node is gone,
 * so a name alone never identifies a node; the node id does.
 */
export function freeNames(options: {
  readonly count: number;
  /** Has one `%d`. */
  readonly format: string;
  readonly offset: number;
  readonly isTaken: (name: string) => boolean;
}): readonly string[] {
  const { count, format, offset, isTaken } = options;
  const names: string[] = [];
  for (let index = offset; names.length < count; index += 1) {
    const name = format.replace("%d", String(index));
    if (!isTaken(name)) names.push(name);
  }
  return names;
}
