import {
  type Bucket,
  type Cluster,
  type ClusterNode,
  type Constraint,
  defaultSettings,
  defineJob,
  type EngineSettings,
  type Job,
  type NodeArray,
  type NodeHistory,
  type PendingNodes,
  type Plan,
  type PlanInput,
  type PlannedNode,
  parseConstraints,
} from "../../../shared/engine/index.ts";

/** Small worlds for tests: everything has a harmless default, each test states only what it is about. */

const quota = { maxCores: 100_000, usedCores: 0 };

export interface BucketSpec {
  readonly vmSize?: string;
  readonly vcpus?: number;
  readonly memoryGiB?: number;
  readonly gpus?: number;
  readonly available?: number;
  readonly fields?: Partial<Bucket>;
  readonly limits?: Partial<Bucket["limits"]>;
  readonly vm?: Partial<Bucket["vm"]>;
}

/** A bucket of Standard_F4 (4 cpus, 8 GiB) with room for 10 nodes. */
export function bucket(spec: BucketSpec = {}): Bucket {
  const vcpus = spec.vcpus ?? 4;
  const vmSize = spec.vmSize ?? `Standard_F${vcpus}`;
  return {
    bucketId: `id-${vmSize}`,
    vmSize,
    vm: {
      vcpuCount: vcpus,
      vcpuQuotaCount: vcpus,
      pcpuCount: vcpus,
      gpuCount: spec.gpus ?? 0,
      coresPerSocket: 1,
      memoryBytes: (spec.memoryGiB ?? vcpus * 2) * 1024 ** 3,
      family: vmSize,
      infiniband: false,
      ...spec.vm,
    },
    valid: true,
    invalidReason: null,
    limits: {
      maxCount: 100,
      activeCount: 0,
      availableCount: spec.available ?? 10,
      region: quota,
      family: quota,
      maxPlacementGroupSize: 100,
      ...spec.limits,
    },
    placementGroups: [],
    secondsSinceCapacityFailure: null,
    spotPlacementScore: null,
    ...spec.fields,
  };
}

/** An array "htc" of one bucket. */
export function array(fields: Partial<NodeArray> = {}): NodeArray {
  return {
    name: "htc",
    location: "westeurope",
    spot: false,
    enabled: true,
    allowsColocation: true,
    priority: null,
    placementGroup: null,
    maxCount: 1000,
    maxCoreCount: 100_000,
    resources: {},
    softwareConfiguration: {},
    buckets: [bucket()],
    ...fields,
  };
}

/** A Ready node of the array "htc"; its id and host name follow from its name. */
export function node(name: string, fields: Partial<ClusterNode> = {}): ClusterNode {
  return {
    nodeId: `id-${name}`,
    name,
    nodeArray: "htc",
    vmSize: "Standard_F4",
    placementGroup: null,
    hostname: `host-${name}`,
    fqdn: null,
    privateIp: null,
    instanceId: `vm-${name}`,
    status: "Ready",
    targetState: "Started",
    location: "westeurope",
    spot: false,
    keepAlive: false,
    resources: {},
    softwareConfiguration: {},
    ...fields,
  };
}

/** Nodes of that kind which an earlier plan has ordered. */
export function onOrder(count: number, fields: Partial<PendingNodes> = {}): PendingNodes {
  return { actionId: "a", nodeArray: "htc", vmSize: "Standard_F4", placementGroup: null, count, ...fields };
}

export const deallocated = { status: "Deallocated", targetState: "Deallocated" } as const;

export function cluster(fields: Partial<Cluster> = {}): Cluster {
  return { name: "c1", maxCount: 1000, maxCoreCount: 100_000, nodeArrays: [array()], nodes: [], ...fields };
}

export const nowSeconds = 1_800_000_000;

export function input(
  fields: Partial<Omit<PlanInput, "settings">> & { settings?: Partial<EngineSettings> },
): PlanInput {
  return {
    nowSeconds,
    cluster: cluster(),
    jobs: [],
    schedulerNodes: [],
    pending: [],
    leavingNodeIds: [],
    history: [],
    lastPassSeconds: null,
    ...fields,
    settings: { ...defaultSettings, ...fields.settings },
  };
}

/** A node that was created a while ago, by the name of `node`. */
export function historyRow(name: string, fields: Partial<NodeHistory> = {}): NodeHistory {
  return {
    nodeId: `id-${name}`,
    name,
    hostname: `host-${name}`,
    instanceId: `vm-${name}`,
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    createdSeconds: nowSeconds - 5000,
    readySeconds: nowSeconds - 4000,
    lastMatchSeconds: null,
    deletedSeconds: null,
    ...fields,
  };
}

/** Constraints as people write them; throws where `parseConstraints` refuses. */
export function constraints(json: unknown): readonly Constraint[] {
  const parsed = parseConstraints(json);
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => problem.message).join("; "));
  return parsed.constraints;
}

/** A job by its JSON constraints. */
export function job(name: string, json: unknown, fields: Partial<Job> = {}): Job {
  return defineJob({ ...fields, name, constraints: constraints(json) });
}

export function nodesOf(result: Plan, jobName: string): readonly string[] {
  return result.jobs.find((outcome) => outcome.name === jobName)?.placements.map((p) => p.node) ?? [];
}

export function plannedNode(result: Plan, name: string): PlannedNode {
  const found = result.nodes.find((planned) => planned.name === name);
  if (found === undefined) throw new Error(`No node "${name}" in the plan`);
  return found;
}

export function createdNames(result: Plan): readonly string[] {
  return result.create.flatMap((set) => set.names);
}

export function codes(result: Plan, jobName: string): readonly string[] {
  return result.jobs.find((outcome) => outcome.name === jobName)?.reasons.map((reason) => reason.code) ?? [];
}
