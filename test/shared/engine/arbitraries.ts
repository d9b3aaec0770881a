import fc from "fast-check";
import type {
  Bucket,
  Cluster,
  ClusterNode,
  Constraint,
  Job,
  NodeArray,
  PlanInput,
  Target,
} from "../../../shared/engine/index.ts";
import { defineJob } from "../../../shared/engine/index.ts";
import { bucket, input } from "./tiny.ts";

/** Random small clusters and demand: few kinds of everything, so that jobs meet on nodes and limits bite. */

const sizes = [
  { vmSize: "Standard_F2", vcpus: 2, memoryGiB: 4, gpus: 0 },
  { vmSize: "Standard_F8", vcpus: 8, memoryGiB: 16, gpus: 0 },
  { vmSize: "Standard_NC6", vcpus: 6, memoryGiB: 56, gpus: 1 },
] as const;
const groupNames = ["pg0", "pg1"] as const;
const arrayNames = ["htc", "hpc"] as const;

const quota = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ maxCores: 10_000, usedCores: 0 }) },
  { weight: 1, arbitrary: fc.record({ maxCores: fc.nat(40), usedCores: fc.nat(30) }) },
);

const bucketOf = (size: (typeof sizes)[number]): fc.Arbitrary<Bucket> =>
  fc
    .record({
      available: fc.nat(6),
      region: fc.constant({ maxCores: 10_000, usedCores: 0 }),
      family: quota,
      maxPlacementGroupSize: fc.integer({ min: 1, max: 4 }),
      groups: fc.subarray([...groupNames]),
      valid: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
      failure: fc.option(fc.nat(1000)),
      constrained: fc.boolean(),
    })
    .map(({ available, region, family, maxPlacementGroupSize, groups, valid, failure, constrained }) =>
      bucket({
        ...size,
        available,
        vm: { vcpuQuotaCount: constrained ? size.vcpus * 2 : size.vcpus },
        limits: { region, family, maxPlacementGroupSize },
        fields: {
          valid,
          placementGroups: groups.map((name) => ({ name, activeCount: 0 })),
          secondsSinceCapacityFailure: failure,
        },
      }),
    );

const arrayOf = (name: string): fc.Arbitrary<NodeArray> =>
  fc
    .record({
      buckets: fc.tuple(...sizes.map(bucketOf)),
      keep: fc.subarray([0, 1, 2], { minLength: 1 }),
      maxCount: fc.oneof(fc.constant(1000), fc.nat(6)),
      maxCoreCount: fc.oneof(fc.constant(10_000), fc.nat(50)),
      priority: fc.option(fc.integer({ min: 1, max: 3 })),
      spot: fc.boolean(),
      licences: fc.option(fc.nat(3)),
    })
    .map(({ buckets, keep, licences, ...fields }) => ({
      ...fields,
      name,
      location: "westeurope",
      enabled: true,
      allowsColocation: true,
      placementGroup: null,
      resources: licences === null ? {} : { licences },
      softwareConfiguration: {},
      buckets: keep.map((index) => buckets[index] as Bucket),
    }));

const states = [
  ["Ready", "Started"],
  ["Ready", "Started"],
  ["Preparing", "Started"],
  ["Deallocated", "Deallocated"],
  ["Terminating", "Terminated"],
] as const;

/** Nodes only where the array has their size and group: others are left alone, which has tests of its own. */
function nodesOf(arrays: readonly NodeArray[]): fc.Arbitrary<ClusterNode[]> {
  const homes = arrays.flatMap((array) =>
    array.buckets.flatMap((b) =>
      [null, ...b.placementGroups.map(({ name }) => name)].map((group) => ({ array, b, group })),
    ),
  );
  const one = fc.record({ home: fc.constantFrom(...homes), state: fc.constantFrom(...states) });
  return fc.array(one, { maxLength: 8 }).map((drawn) =>
    drawn.map(({ home, state: [status, targetState] }, index) => ({
      nodeId: `id-${index}`,
      name: `${home.array.name}-${index + 1}`,
      nodeArray: home.array.name,
      vmSize: home.b.vmSize,
      placementGroup: home.group,
      hostname: `host-${index}`,
      fqdn: null,
      privateIp: null,
      instanceId: `vm-${index}`,
      status,
      targetState,
      location: "westeurope",
      spot: home.array.spot,
      keepAlive: false,
      resources: {},
      softwareConfiguration: {},
    })),
  );
}

/** Buckets of a region report the same regional figures, as CycleCloud does. */
const cluster: fc.Arbitrary<Cluster> = fc
  .tuple(arrayOf("htc"), arrayOf("hpc"), fc.oneof(fc.constant(10_000), fc.nat(80)), quota)
  .chain(([first, second, maxCoreCount, region]) => {
    const nodeArrays = [first, second].map((array) => ({
      ...array,
      buckets: array.buckets.map((b) => ({
        ...b,
        limits: { ...b.limits, region, family: familyOf(b, first, second) },
      })),
    }));
    return nodesOf(nodeArrays).map((nodes) => ({
      name: "c",
      maxCount: 1000,
      maxCoreCount,
      nodeArrays,
      nodes,
    }));
  });

function familyOf(b: Bucket, ...arrays: readonly NodeArray[]): Bucket["limits"]["family"] {
  const same = arrays.flatMap((array) => array.buckets).find((other) => other.vmSize === b.vmSize);
  return same?.limits.family ?? b.limits.family;
}

const amount: fc.Arbitrary<Constraint> = fc.oneof(
  fc.nat(9).map((n): Constraint => ({ kind: "minimum-resource", resource: "ncpus", amount: n })),
  fc
    .integer({ min: 1, max: 20 })
    .map((n): Constraint => ({ kind: "minimum-resource", resource: "memgb", amount: n })),
  fc
    .integer({ min: 0, max: 1 })
    .map((n): Constraint => ({ kind: "minimum-resource", resource: "ngpus", amount: n })),
  fc.constant<Constraint>({ kind: "minimum-resource", resource: "licences", amount: 1 }),
);

const choice: fc.Arbitrary<Constraint> = fc.oneof(
  fc
    .constantFrom(...arrayNames)
    .map((name): Constraint => ({ kind: "property-options", property: "nodearray", options: [name] })),
  fc
    .shuffledSubarray(
      sizes.map(({ vmSize }) => vmSize),
      { minLength: 1 },
    )
    .map((options): Constraint => ({ kind: "property-options", property: "vm_size", options })),
  fc
    .constantFrom(null, ...groupNames)
    .map(
      (group): Constraint => ({ kind: "property-options", property: "placement_group", options: [group] }),
    ),
  fc
    .constantFrom(0, 1)
    .map((count): Constraint => ({ kind: "property-options", property: "gpu_count", options: [count] })),
  fc.boolean().map((wanted): Constraint => ({ kind: "in-a-placement-group", wanted })),
  fc.constant<Constraint>({ kind: "capacity-failure-backoff", seconds: 300 }),
);

const combined: fc.Arbitrary<Constraint> = fc.oneof(
  { weight: 6, arbitrary: choice },
  {
    weight: 1,
    arbitrary: fc
      .array(choice, { minLength: 2, maxLength: 3 })
      .map((any): Constraint => ({ kind: "or", any })),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(choice, { minLength: 2, maxLength: 3 })
      .map((oneOf): Constraint => ({ kind: "xor", oneOf })),
  },
  { weight: 1, arbitrary: choice.map((child): Constraint => ({ kind: "not", child })) },
  { weight: 1, arbitrary: fc.tuple(amount, choice).map((all): Constraint => ({ kind: "and", all })) },
);

/** Alternatives with amounts in them: what they take depends on what is left of the node. */
const withAmount = fc.oneof(
  amount,
  fc.tuple(amount, choice).map((all): Constraint => ({ kind: "and", all })),
);
const alternatives: fc.Arbitrary<Constraint> = fc.oneof(
  fc.array(withAmount, { minLength: 2, maxLength: 3 }).map((any): Constraint => ({ kind: "or", any })),
  fc.array(withAmount, { minLength: 2, maxLength: 2 }).map((oneOf): Constraint => ({ kind: "xor", oneOf })),
  withAmount.map((child): Constraint => ({ kind: "not", child })),
);

const extra: fc.Arbitrary<Constraint> = fc.oneof(
  { weight: 2, arbitrary: alternatives },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Constraint>(
      { kind: "exclusive", scope: "iteration" },
      { kind: "exclusive", scope: "task" },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ amount: fc.integer({ min: 1, max: 2 }), once: fc.boolean() }).map(
      ({ amount: drawn, once }): Constraint => ({
        kind: "shared-consumable",
        draws: [{ pool: "pool", source: null, amount: drawn, once, initial: 5, current: 5 }],
      }),
    ),
  },
);

/** At least one amount, so that no job fits a node without end; then choices, now and then something exclusive or shared. */
const constraints = fc
  .tuple(
    fc.integer({ min: 1, max: 6 }),
    fc.array(amount, { maxLength: 2 }),
    fc.array(combined, { maxLength: 2 }),
    fc.option(extra, { freq: 2 }),
  )
  .map(([ncpus, amounts, choices, more]): Constraint[] => [
    { kind: "minimum-resource", resource: "ncpus", amount: ncpus },
    ...amounts,
    ...choices,
    ...(more === null ? [] : [more]),
  ]);

const kind = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((iterations): Partial<Job> => ({ iterations })),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 4 })
      .map((nodeCount): Partial<Job> => ({ nodeCount, packingStrategy: "scatter" })),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 4 })
      .map((nodeCount): Partial<Job> => ({ nodeCount, packingStrategy: "scatter", colocated: true })),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 8 })
      .map((iterations): Partial<Job> => ({ iterations, colocated: true })),
  },
);

/** Few shapes shared by many jobs: what the fast path remembers of a shape has to be right. */
const jobs: fc.Arbitrary<Job[]> = fc
  .array(fc.tuple(constraints, kind), { minLength: 1, maxLength: 4 })
  .chain((shapes) =>
    fc
      .array(fc.constantFrom(...shapes), { minLength: 1, maxLength: 10 })
      .map((drawn) =>
        drawn.map(([asked, fields], index) =>
          defineJob({ ...fields, name: `j${index}`, constraints: asked }),
        ),
      ),
  );

export const planInputs: fc.Arbitrary<PlanInput> = fc
  .record({ cluster, jobs })
  .map(({ cluster: drawn, jobs: demand }) => input({ cluster: drawn, jobs: demand }));

const groupSize = fc.oneof(
  fc.integer({ min: 1, max: 4 }).map((count) => ({ kind: "nodes" as const, count })),
  fc.integer({ min: 1, max: 20 }).map((count) => ({ kind: "cores" as const, count })),
);

const target: fc.Arbitrary<Target> = fc
  .record({
    nodeArray: fc.constantFrom(...arrayNames, ...arrayNames, "nowhere"),
    dynamicArray: fc.constantFrom(null, null, "dynamic"),
    wish: fc.oneof(
      fc.nat(8).map((count) => ({ kind: "nodes" as const, count })),
      fc.nat(40).map((count) => ({ kind: "cores" as const, count })),
      fc.record({ kind: fc.constant("groups" as const), count: fc.nat(3), size: groupSize }),
    ),
    vmSizes: fc.shuffledSubarray([...sizes.map(({ vmSize }) => vmSize), "Standard_Nowhere"]),
    coresPerNode: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 5 }),
  })
  .map(({ dynamicArray, ...drawn }) => {
    const plain = dynamicArray ?? drawn.nodeArray;
    const { wish } = drawn;
    const name = wish.kind === "groups" ? `${plain}:${wish.size.kind}-${wish.size.count}` : plain;
    return {
      ...drawn,
      name,
      dynamicArray: wish.kind === "groups" ? name : dynamicArray,
      nodeAttributes: { Configuration: { of: name } },
      requestSet: "standard",
    };
  });

/** The same, with floors under arrays, dynamic arrays and groups, some of them over nodes that are there. */
export const targetInputs: fc.Arbitrary<PlanInput> = fc
  .record({
    base: planInputs,
    targets: fc.array(target, { minLength: 1, maxLength: 4 }),
    dynamic: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    hasJobs: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  })
  .map(({ base, targets, dynamic, hasJobs }) => {
    const nodes = base.cluster.nodes.map((node, index) => {
      const [home] = targets.filter(
        (each) => each.nodeArray === node.nodeArray && each.dynamicArray !== null,
      );
      return dynamic[index] && home?.dynamicArray ? { ...node, dynamicArray: home.dynamicArray } : node;
    });
    return { ...base, targets, jobs: hasJobs ? base.jobs : [], cluster: { ...base.cluster, nodes } };
  });
