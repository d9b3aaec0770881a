import fc from "fast-check";
import type { ConstraintKind, ConstraintOf } from "../../../shared/engine/constraints/constraint-kinds.ts";
import type {
  Bucket,
  Cluster,
  ClusterNode,
  Constraint,
  Job,
  NodeArray,
  NodeProperty,
  PlanInput,
  Scalar,
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
const someArrays = fc.subarray([...arrayNames]);

type Combining = "and" | "or" | "xor" | "not";
type Leaf = Exclude<ConstraintKind, Combining>;

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
  .tuple(
    arrayOf("htc"),
    arrayOf("hpc"),
    fc.oneof(fc.constant(10_000), fc.nat(80)),
    fc.oneof(fc.constant(1000), fc.nat(12)),
    quota,
  )
  .chain(([first, second, maxCoreCount, maxCount, region]) => {
    const nodeArrays = [first, second].map((array) => ({
      ...array,
      buckets: array.buckets.map((b) => ({
        ...b,
        limits: { ...b.limits, region, family: familyOf(b, first, second) },
      })),
    }));
    return nodesOf(nodeArrays).map((nodes) => ({
      name: "c",
      maxCount,
      maxCoreCount,
      nodeArrays,
      nodes,
    }));
  });

function familyOf(b: Bucket, ...arrays: readonly NodeArray[]): Bucket["limits"]["family"] {
  const same = arrays.flatMap((array) => array.buckets).find((other) => other.vmSize === b.vmSize);
  return same?.limits.family ?? b.limits.family;
}

const amountOf = (resource: string, amounts: fc.Arbitrary<number>) =>
  amounts.map((amount) => ({ kind: "minimum-resource", resource, amount }) as const);

const optionsOf = (property: NodeProperty, options: fc.Arbitrary<readonly Scalar[]>) =>
  options.map((drawn) => ({ kind: "property-options", property, options: drawn }) as const);

const anySize = fc.shuffledSubarray(
  sizes.map(({ vmSize }) => vmSize),
  { minLength: 1 },
);

type Arbitraries<K extends ConstraintKind> = { readonly [Kind in K]: fc.Arbitrary<ConstraintOf<Kind>> };

/** Each kind that stands by itself. */
const leaves: Arbitraries<Leaf> = {
  "minimum-resource": fc.oneof(
    amountOf("ncpus", fc.nat(9)),
    amountOf("memgb", fc.integer({ min: 1, max: 20 })),
    amountOf("ngpus", fc.integer({ min: 0, max: 1 })),
    amountOf("licences", fc.constant(1)),
  ),
  "resource-options": fc
    .shuffledSubarray([0, 1, 2, 3], { minLength: 1 })
    .map((options) => ({ kind: "resource-options", resource: "licences", options })),
  "property-options": fc.oneof(
    optionsOf(
      "nodearray",
      fc.constantFrom(...arrayNames).map((name) => [name]),
    ),
    optionsOf("vm_size", anySize),
    optionsOf(
      "placement_group",
      fc.constantFrom(null, ...groupNames).map((group) => [group]),
    ),
    optionsOf(
      "gpu_count",
      fc.constantFrom(0, 1).map((count) => [count]),
    ),
    optionsOf(
      "hostname",
      fc.shuffledSubarray(["host-0", "host-1", "HOST-2", "host-[3-5]"], { minLength: 1 }),
    ),
  ),
  exclusive: fc.constantFrom("iteration", "task").map((scope) => ({ kind: "exclusive", scope })),
  "in-a-placement-group": fc.boolean().map((wanted) => ({ kind: "in-a-placement-group", wanted })),
  never: fc.constant({ kind: "never", message: "drawn" }),
  "shared-consumable": fc
    .record({ amount: fc.integer({ min: 1, max: 2 }), once: fc.boolean() })
    .map((drawn) => ({
      kind: "shared-consumable",
      draws: [{ ...drawn, pool: "pool", source: null, initial: 5, current: 5 }],
    })),
  "shared-value": fc
    .record({ current: fc.nat(1), target: fc.constant(1) })
    .map((drawn) => ({ ...drawn, kind: "shared-value", name: "version", source: null })),
  "capacity-failure-backoff": fc.constant({ kind: "capacity-failure-backoff", seconds: 300 }),
  "array-choice": fc.record({ first: someArrays, nodeArrays: someArrays }).map(({ first, nodeArrays }) => ({
    kind: "array-choice",
    first,
    off: [{ nodeArrays, code: "SpotPatienceOver", bound: 300 }],
  })),
};

/** How often each is drawn: as an amount of every job, as one of its choices, or now and then beside them. */
const drawnAs: Readonly<
  Record<Leaf, { readonly as: "amount" | "choice" | "extra"; readonly weight: number }>
> = {
  "minimum-resource": { as: "amount", weight: 1 },
  "property-options": { as: "choice", weight: 4 },
  "resource-options": { as: "choice", weight: 1 },
  "in-a-placement-group": { as: "choice", weight: 2 },
  "capacity-failure-backoff": { as: "choice", weight: 2 },
  "array-choice": { as: "choice", weight: 1 },
  exclusive: { as: "extra", weight: 8 },
  "shared-consumable": { as: "extra", weight: 4 },
  "shared-value": { as: "extra", weight: 1 },
  never: { as: "extra", weight: 1 },
};

const leavesDrawnAs = (as: "choice" | "extra") =>
  (Object.keys(drawnAs) as Leaf[])
    .filter((kind) => drawnAs[kind].as === as)
    .map((kind) => ({ weight: drawnAs[kind].weight, arbitrary: leaves[kind] as fc.Arbitrary<Constraint> }));

const amount = leaves["minimum-resource"];

const choice: fc.Arbitrary<Constraint> = fc.oneof(...leavesDrawnAs("choice"));

/** Each kind that combines others. */
const combinations = (child: fc.Arbitrary<Constraint>, mostChoices: number): Arbitraries<Combining> => {
  const several = fc.array(child, { minLength: 2, maxLength: mostChoices });
  return {
    and: fc.tuple(amount, choice).map((all) => ({ kind: "and", all })),
    or: several.map((any) => ({ kind: "or", any })),
    xor: several.map((oneOf) => ({ kind: "xor", oneOf })),
    not: child.map((negated) => ({ kind: "not", child: negated })),
  };
};

const ofChoices = combinations(choice, 3);
const combined: fc.Arbitrary<Constraint> = fc.oneof(
  { weight: 6, arbitrary: choice },
  ...Object.values<fc.Arbitrary<Constraint>>(ofChoices).map((arbitrary) => ({ weight: 1, arbitrary })),
);

/** Alternatives with amounts in them: what they take depends on what is left of the node. */
const ofAmounts = combinations(fc.oneof<fc.Arbitrary<Constraint>[]>(amount, ofChoices.and), 2);
const alternatives: fc.Arbitrary<Constraint> = fc.oneof(ofAmounts.or, ofAmounts.xor, ofAmounts.not);

const extra: fc.Arbitrary<Constraint> = fc.oneof(
  { weight: 8, arbitrary: alternatives },
  ...leavesDrawnAs("extra"),
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
      .record({ gangSize: fc.integer({ min: 2, max: 5 }), iterations: fc.integer({ min: 1, max: 12 }) })
      .map((lots): Partial<Job> => lots),
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

/** Parts of two jobs, among jobs that are none. */
const gangs: fc.Arbitrary<Partial<Job>> = fc.constantFrom(
  {},
  {},
  {},
  { gang: "a" },
  { gang: "b" },
  { gang: "b", gangApart: true },
  { gang: "b", mayDivide: false },
);

/** Few shapes shared by many jobs: what the fast path remembers of a shape has to be right. */
const jobs: fc.Arbitrary<Job[]> = fc
  .array(fc.tuple(constraints, kind), { minLength: 1, maxLength: 4 })
  .chain((shapes) =>
    fc
      .array(fc.tuple(fc.constantFrom(...shapes), gangs), { minLength: 1, maxLength: 10 })
      .map((drawn) =>
        drawn.map(([[asked, fields], gang], index) =>
          defineJob({ ...fields, ...gang, name: `j${index}`, constraints: asked }),
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
      fc.nat(6).map((count) => ({ kind: "gpus" as const, count })),
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

const spareTarget: fc.Arbitrary<Target> = fc
  .record({
    target,
    wish: fc.record({ count: fc.nat(3), perCent: fc.constantFrom(0, 0, 50) }),
    ncpus: fc.option(fc.integer({ min: 1, max: 3 })),
    mostUsdPerHour: fc.option(fc.constantFrom(0, 0.5, 2), { nil: undefined }),
  })
  .map(({ target: drawn, wish: amounts, ncpus, mostUsdPerHour }) => ({
    amounts: { ...amounts, ...(mostUsdPerHour !== undefined && { mostUsdPerHour }) },
    drawn,
    ncpus,
  }))
  .map(({ amounts, drawn, ncpus }) => ({
    wish:
      ncpus === null
        ? { kind: "spares" as const, ...amounts }
        : { kind: "slots" as const, slot: { ncpus }, ...amounts },
    drawn,
  }))
  .map(({ drawn, wish }) => ({
    ...drawn,
    name: `${drawn.nodeArray}:spare`,
    dynamicArray: null,
    wish,
    requestSet: "spare",
  }));

/** The same, with spare nodes asked for before, between or after the other targets. */
export const spareInputs: fc.Arbitrary<PlanInput> = fc
  .record({
    base: targetInputs,
    spares: fc.array(spareTarget, { minLength: 1, maxLength: 3 }),
    at: fc.nat(4),
    prices: fc.array(fc.constantFrom(null, 0.25, 1), { minLength: 4, maxLength: 4 }),
  })
  .map(({ base, spares, at, prices }) => ({
    ...base,
    cluster: {
      ...base.cluster,
      nodeArrays: base.cluster.nodeArrays.map((array) => ({
        ...array,
        buckets: array.buckets.map((bucket, index) => ({
          ...bucket,
          pricePerHourUsd: prices[index % prices.length] ?? null,
        })),
      })),
    },
    targets: [...(base.targets ?? []).slice(0, at), ...spares, ...(base.targets ?? []).slice(at)],
  }));
