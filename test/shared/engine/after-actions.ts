import type { ClusterNode, Plan, PlanInput } from "../../../shared/engine/index.ts";

/** The world when CycleCloud did what the plan asked for: the nodes are there, and the figures count them. */
export function afterActions(input: PlanInput, result: Plan): PlanInput {
  const started = new Set(result.start.map(({ nodeId }) => nodeId));
  const nodes = input.cluster.nodes.map(
    (node): ClusterNode =>
      started.has(node.nodeId) ? { ...node, status: "Preparing", targetState: "Started" } : node,
  );
  for (const set of result.create)
    for (const name of set.names)
      nodes.push({
        ...made(name),
        nodeArray: set.nodeArray,
        vmSize: set.vmSize,
        placementGroup: set.placementGroup,
        ...(set.dynamicArray === undefined ? {} : { dynamicArray: set.dynamicArray }),
      });
  const used = new Map(result.buckets.map((use) => [`${use.nodeArray} ${use.vmSize}`, 0]));
  for (const node of result.nodes)
    if (node.origin === "new" || node.origin === "starting") {
      const key = `${node.nodeArray} ${node.vmSize}`;
      used.set(key, (used.get(key) ?? 0) + 1);
    }
  const nodeArrays = input.cluster.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => ({
      ...bucket,
      limits: limitsAfter(input, used, array.name, bucket),
    })),
  }));
  return { ...input, cluster: { ...input.cluster, nodes, nodeArrays } };
}

function made(name: string): ClusterNode {
  return {
    nodeId: `id-${name}`,
    name,
    nodeArray: "",
    vmSize: "",
    placementGroup: null,
    hostname: null,
    fqdn: null,
    privateIp: null,
    instanceId: null,
    status: "Preparing",
    targetState: "Started",
    location: "westeurope",
    spot: false,
    keepAlive: false,
    resources: {},
    softwareConfiguration: {},
  };
}

type Bucket = PlanInput["cluster"]["nodeArrays"][number]["buckets"][number];

function limitsAfter(
  input: PlanInput,
  used: ReadonlyMap<string, number>,
  arrayName: string,
  bucket: Bucket,
): Bucket["limits"] {
  const spot = input.cluster.nodeArrays.find(({ name }) => name === arrayName)?.spot;
  const cores = (matches: (array: string, size: string) => boolean) =>
    input.cluster.nodeArrays
      .filter((array) => array.spot === spot)
      .flatMap((array) =>
        array.buckets
          .filter((b) => matches(array.name, b.vmSize))
          .map((b) => (used.get(`${array.name} ${b.vmSize}`) ?? 0) * b.vm.vcpuQuotaCount),
      )
      .reduce((sum, n) => sum + n, 0);
  const { limits, vmSize } = bucket;
  const region = { ...limits.region, usedCores: limits.region.usedCores + cores(() => true) };
  const family = {
    ...limits.family,
    usedCores: limits.family.usedCores + cores((_, size) => size === vmSize),
  };
  return {
    ...limits,
    region,
    family,
    availableCount: limits.availableCount - (used.get(`${arrayName} ${vmSize}`) ?? 0),
  };
}
