import type {
  Bucket,
  Constraint,
  Job,
  NodeArray,
  NodeProperty,
  PlanInput,
  Scalar,
} from "../../../shared/engine/index.ts";

/**
 * The model at its plainest, to hold the planner against: one slot at a time, every node asked again every time, every
 * limit counted anew from all nodes, attempts made on copies. Knows deallocated nodes, limits, preference and pools;
 * not history, pending nodes, scheduler nodes or configured resources. Slow on purpose, sharing no code with the planner.
 */
export function planNaively(input: PlanInput): NaiveResult {
  let world: World = { nodes: existingNodes(input), pools: new Map() };
  const nodesOf = new Map<Job, readonly string[]>();
  for (const job of input.jobs) {
    if (nodesOf.has(job)) continue;
    const parts = job.gang === undefined ? [job] : input.jobs.filter(({ gang }) => gang === job.gang);
    const before = world;
    for (const group of groupsFor(input, world, parts)) {
      world = before;
      for (const part of parts) {
        const placed = placeJob(input, world, part, isUnited(part) ? group : null);
        world = placed.world;
        nodesOf.set(part, placed.nodes);
      }
      if (parts.every((part) => nodesOf.get(part)?.length === slotsOf(part))) break;
    }
    if (job.gang === undefined || parts.every((part) => nodesOf.get(part)?.length === slotsOf(part)))
      continue;
    world = before;
    for (const part of parts) nodesOf.set(part, []);
  }
  const jobs = input.jobs.map((job) => ({ name: job.name, nodes: nodesOf.get(job) ?? [] }));
  const created = world.nodes.filter((node) => node.origin === "new").map((node) => node.name);
  const started = world.nodes.filter((node) => node.origin === "deallocated" && node.jobs.length > 0);
  return { jobs, created, started: started.map((node) => node.name) };
}

export interface NaiveResult {
  /** Names of nodes, one per slot. */
  readonly jobs: readonly { readonly name: string; readonly nodes: readonly string[] }[];
  readonly created: readonly string[];
  readonly started: readonly string[];
}

interface Place {
  readonly array: NodeArray;
  readonly bucket: Bucket;
  readonly group: string | null;
}

interface NaiveNode {
  readonly name: string;
  readonly origin: "existing" | "deallocated" | "new";
  readonly place: Place;
  readonly left: Readonly<Record<string, number>>;
  readonly jobs: readonly string[];
  readonly exclusive: boolean;
}

interface World {
  readonly nodes: readonly NaiveNode[];
  readonly pools: ReadonlyMap<string, number>;
}

const memoryUnits = { memb: 1, memkb: 1024, memmb: 1024 ** 2, memgb: 1024 ** 3, memtb: 1024 ** 4 } as const;

function born({ array, bucket }: Place): Record<string, number> {
  const memory = Object.fromEntries(Object.keys(memoryUnits).map((name) => [name, bucket.vm.memoryBytes]));
  const own = Object.entries(array.resources).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  return {
    ncpus: bucket.vm.vcpuCount,
    pcpus: bucket.vm.pcpuCount,
    ngpus: bucket.vm.gpuCount,
    ...memory,
    ...Object.fromEntries(own),
  };
}

function existingNodes(input: PlanInput): NaiveNode[] {
  const found = input.cluster.nodes.flatMap((node): NaiveNode[] => {
    const array = input.cluster.nodeArrays.find((a) => a.name === node.nodeArray);
    const bucket = array?.buckets.find((b) => b.vmSize === node.vmSize);
    const asleep = node.status === "Deallocated" && node.targetState === "Deallocated";
    if (array === undefined || bucket === undefined || !array.enabled) return [];
    if (!asleep && node.targetState !== "Started") return [];
    const place = { array, bucket, group: node.placementGroup };
    const origin = asleep ? "deallocated" : "existing";
    return [{ name: node.name, origin, place, left: born(place), jobs: [], exclusive: false }];
  });
  return found.sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
}

function places(input: PlanInput): Place[] {
  const all: Place[] = [];
  for (const array of input.cluster.nodeArrays) {
    if (!array.enabled) continue;
    for (const bucket of array.buckets) {
      for (const { name } of bucket.placementGroups) all.push({ array, bucket, group: name });
      all.push({ array, bucket, group: null });
    }
  }
  return all;
}

/** What is asked of: a node, or the example of a place. */
interface Asked {
  readonly place: Place;
  readonly left: Readonly<Record<string, number>>;
  readonly pools: ReadonlyMap<string, number>;
  /** Whether the job has drawn already what it draws only once. */
  readonly drawnOnce: boolean;
}

function holds(constraint: Constraint, asked: Asked): boolean {
  switch (constraint.kind) {
    case "minimum-resource":
      return (asked.left[constraint.resource] ?? -1) >= wanted(constraint);
    case "property-options":
      return constraint.options.includes(propertyOf(asked.place, constraint.property));
    case "resource-options":
      return constraint.options.includes(
        asked.place.array.resources[constraint.resource] ?? "nothing like it",
      );
    case "in-a-placement-group":
      return constraint.wanted === (asked.place.group !== null);
    case "and":
      return constraint.all.every((child) => holds(child, asked));
    case "or":
      return constraint.any.some((child) => holds(child, asked));
    case "xor":
      return constraint.oneOf.filter((child) => holds(child, asked)).length === 1;
    case "not":
      return !holds(constraint.child, asked);
    case "never":
      return false;
    case "array-choice":
      return !constraint.off.some(({ nodeArrays }) => nodeArrays.includes(asked.place.array.name));
    case "capacity-failure-backoff":
      return (
        (asked.place.bucket.secondsSinceCapacityFailure ?? Number.POSITIVE_INFINITY) >= constraint.seconds
      );
    case "shared-consumable":
      return constraint.draws.every(
        (draw) => (draw.once && asked.drawnOnce) || (asked.pools.get(draw.pool) ?? -1) >= draw.amount,
      );
    case "shared-value":
      return constraint.current === constraint.target;
    // Who is on the node decides, see mayTake.
    case "exclusive":
      return true;
    default:
      return constraint satisfies never;
  }
}

function wanted(constraint: Extract<Constraint, { kind: "minimum-resource" }>): number {
  if (typeof constraint.amount !== "number") return constraint.amount.bytes;
  const unit = (memoryUnits as Readonly<Record<string, number>>)[constraint.resource] ?? 1;
  return constraint.amount * unit;
}

function propertyOf({ array, bucket, group }: Place, property: NodeProperty): Scalar {
  const values: Partial<Record<NodeProperty, Scalar>> = {
    nodearray: array.name,
    vm_size: bucket.vmSize,
    placement_group: group,
    gpu_count: bucket.vm.gpuCount,
    spot: array.spot,
  };
  return values[property] ?? null;
}

/** All constraints of a job with nested "and"s opened, "exclusive" apart. */
function opened(constraints: readonly Constraint[]): Constraint[] {
  return constraints.flatMap((constraint) =>
    constraint.kind === "and" ? opened(constraint.all) : [constraint],
  );
}

/** What is asked twice of one resource is asked for together. */
function summed(all: readonly Constraint[]): Constraint[] {
  const amounts = all.filter((constraint) => constraint.kind === "minimum-resource");
  const resources = [...new Set(amounts.map(({ resource }) => resource))];
  const totals = resources.map((resource): Constraint => {
    const same = amounts.filter((constraint) => constraint.resource === resource);
    const bytes = same.reduce((sum, constraint) => sum + wanted(constraint), 0);
    return { kind: "minimum-resource", resource, amount: { bytes, magnitude: "b" } };
  });
  return [...totals, ...all.filter((constraint) => constraint.kind !== "minimum-resource")];
}

function ranked(input: PlanInput, world: World, constraints: readonly Constraint[]): Place[] {
  const all = places(input);
  const weighed = all.map((place, index) => {
    const example = { place, left: born(place), pools: world.pools, drawnOnce: false };
    let weight = all.length - index;
    for (const constraint of constraints) weight = reweighed(constraint, example, weight);
    return {
      place,
      weight,
      index,
      priority: place.array.priority ?? 1,
      fits: constraints.every((c) => holds(c, example)),
    };
  });
  return weighed
    .filter(({ fits }) => fits)
    .sort((a, b) => b.priority - a.priority || b.weight - a.weight || a.index - b.index)
    .map(({ place }) => place);
}

function reweighed(constraint: Constraint, example: Asked, weight: number): number {
  const children = choices(constraint);
  if (constraint.kind === "capacity-failure-backoff") return holds(constraint, example) ? weight : 0;
  if (constraint.kind === "array-choice")
    return constraint.first.includes(example.place.array.name) ? weight + 1e9 : weight;
  if (children === null) return weight;
  const first = children.findIndex((child) => holds(child, example));
  return first < 0 ? 0 : weight + 100 * (children.length - first);
}

function choices(constraint: Constraint): readonly Constraint[] | null {
  if (constraint.kind === "or") return constraint.any;
  if (constraint.kind !== "property-options" && constraint.kind !== "resource-options") return null;
  return constraint.options.map((option) => ({ ...constraint, options: [option] }));
}

interface Placed {
  readonly world: World;
  readonly nodes: readonly string[];
}

function slotsOf({ packingStrategy, nodeCount, iterations }: Job): number {
  return packingStrategy === "scatter" ? nodeCount : iterations;
}

/** The placement groups in one of which all colocated parts of a gang are that are one there; null: any. */
function groupsFor(input: PlanInput, world: World, parts: readonly Job[]): readonly (string | null)[] {
  const [first, second] = parts.filter(isUnited);
  if (first === undefined || second === undefined) return [null];
  return [...new Set(candidatesOf(input, world, first).candidates.flatMap(({ group }) => group ?? []))];
}

function isUnited({ colocated, mayDivide }: Job): boolean {
  return colocated && mayDivide !== undefined;
}

function candidatesOf(input: PlanInput, before: World, job: Job) {
  const asked: readonly Constraint[] = job.exclusive
    ? [...job.constraints, { kind: "exclusive", scope: "iteration" }]
    : job.constraints;
  const constraints = summed(opened(asked));
  const world = withPools(before, constraints);
  const candidates = ranked(
    input,
    world,
    constraints.filter((constraint) => constraint.kind !== "exclusive"),
  );
  return { constraints, world, candidates };
}

function placeJob(input: PlanInput, before: World, job: Job, inGroup: string | null): Placed {
  const { constraints, world, candidates } = candidatesOf(input, before, job);
  const scattered = job.packingStrategy === "scatter";
  const slots = slotsOf(job);
  if (!job.colocated && (!scattered || job.gangApart === true)) {
    const most = fill({ input, job, constraints, places: candidates, slots, buys: true }, world);
    const { gangSize = 1 } = job;
    if (most.nodes.length === slots) return most;
    const whole = most.nodes.length - (most.nodes.length % gangSize);
    return fill({ input, job, constraints, places: candidates, slots: whole, buys: true }, world);
  }
  for (const turn of turnsOf(input, candidates)) {
    const ways = turn.isShared ? [false, true] : [true];
    for (const buys of ways) {
      for (const place of turn.places) {
        if (job.colocated && (place.group === null || (inGroup ?? place.group) !== place.group)) continue;
        const placed = fill({ input, job, constraints, places: [place], slots, buys }, world);
        const size = place.bucket.limits.maxPlacementGroupSize;
        const fits = !job.colocated || new Set(placed.nodes).size <= size;
        if (placed.nodes.length === slots && fits) return placed;
      }
    }
  }
  return { world, nodes: [] };
}

interface Turn {
  readonly places: Place[];
  /** Whether the nodes of all its places come before any new one. */
  readonly isShared: boolean;
}

/** Places side by side that are not filled in order take their turn together. */
function turnsOf({ settings }: PlanInput, candidates: readonly Place[]): readonly Turn[] {
  const { default: all, byNodeArray } = settings.placement;
  const turns: Turn[] = [];
  for (const place of candidates) {
    const isShared =
      settings.compatibility !== "scalelib" && (byNodeArray[place.array.name] ?? all) !== "order";
    const last = turns.at(-1);
    if (isShared && last?.isShared) last.places.push(place);
    else turns.push({ places: [place], isShared });
  }
  return turns;
}

function withPools(world: World, constraints: readonly Constraint[]): World {
  const pools = new Map(world.pools);
  for (const constraint of constraints)
    if (constraint.kind === "shared-consumable")
      for (const draw of constraint.draws) if (!pools.has(draw.pool)) pools.set(draw.pool, draw.current ?? 0);
  return { ...world, pools };
}

interface Filling {
  readonly input: PlanInput;
  readonly job: Job;
  readonly constraints: readonly Constraint[];
  readonly places: readonly Place[];
  readonly slots: number;
  /** Whether nodes may be made and started. */
  readonly buys: boolean;
}

function fill(filling: Filling, before: World): Placed {
  let world = before;
  const nodes: string[] = [];
  while (nodes.length < filling.slots) {
    const next = placeSlot(filling, world, nodes);
    if (next === null) break;
    world = next.world;
    nodes.push(next.node);
  }
  return { world, nodes };
}

function placeSlot(
  filling: Filling,
  world: World,
  used: readonly string[],
): { world: World; node: string } | null {
  const find = (place: Place, accepts: (node: NaiveNode) => boolean) =>
    world.nodes.find((node) => isAt(node, place) && accepts(node) && mayTake(filling, world, node, used));
  for (const { places, isShared } of turnsOf(filling.input, filling.places)) {
    for (const place of isShared ? places : []) {
      const node = find(place, (candidate) => !isAsleep(candidate));
      if (node !== undefined) return take(filling, world, node, used);
    }
    for (const place of filling.buys ? places : []) {
      const node = find(place, () => true);
      if (node !== undefined) return take(filling, world, node, used);
      if (room(filling.input, world, place) < 1) continue;
      const fresh = newNode(filling.input, world, place);
      const grown = { ...world, nodes: [...world.nodes, fresh] };
      if (mayTake(filling, world, fresh, used)) return take(filling, grown, fresh, used);
    }
  }
  return null;
}

function isAsleep({ origin, jobs }: NaiveNode): boolean {
  return origin === "deallocated" && jobs.length === 0;
}

function isAt(node: NaiveNode, place: Place): boolean {
  return (
    node.place.array === place.array && node.place.bucket === place.bucket && node.place.group === place.group
  );
}

function mayTake(
  { input, job, constraints }: Filling,
  world: World,
  node: NaiveNode,
  used: readonly string[],
): boolean {
  const scope = exclusiveScope(constraints);
  if (job.packingStrategy === "scatter" && used.includes(node.name)) return false;
  if (input.jobs.some((other) => isApartFrom(job, other) && node.jobs.includes(other.name))) return false;
  if (scope === "iteration" && node.jobs.length > 0) return false;
  if (scope === "task" && node.jobs.some((name) => name !== job.name)) return false;
  if (scope === null && node.exclusive) return false;
  if (node.origin === "deallocated" && node.jobs.length === 0 && room(input, world, node.place) < 1)
    return false;
  const asked = { place: node.place, left: node.left, pools: world.pools, drawnOnce: used.length > 0 };
  if (!constraints.every((constraint) => holds(constraint, asked))) return false;
  return hasRoom(takenBy(constraints, asked), asked);
}

/** What the alternatives add comes on top of what is asked anyway. */
function hasRoom(taken: readonly Constraint[], asked: Asked): boolean {
  return summed(taken).every((constraint) => holds(constraint, asked));
}

/** What a slot takes: of each list of alternatives the first that holds with the rest, else the first that holds. */
function takenBy(
  constraints: readonly Constraint[],
  asked: Asked,
  before: readonly Constraint[] = [],
): readonly Constraint[] {
  const taken: Constraint[] = [];
  for (const constraint of constraints) taken.push(...leaves(constraint, asked, before.concat(taken)));
  return taken;
}

function isApartFrom(job: Job, other: Job): boolean {
  const isOther = other !== job && job.gang !== undefined && other.gang === job.gang;
  return isOther && job.gangApart === true && other.gangApart === true;
}

function exclusiveScope(constraints: readonly Constraint[]): "iteration" | "task" | null {
  const scopes = constraints.flatMap((constraint) =>
    constraint.kind === "exclusive" ? [constraint.scope] : [],
  );
  return scopes.includes("iteration") ? "iteration" : (scopes[0] ?? null);
}

/** The parts of a constraint that a slot takes something for, beside those of other constraints. */
function leaves(constraint: Constraint, asked: Asked, before: readonly Constraint[]): readonly Constraint[] {
  if (constraint.kind === "not") return [];
  if (constraint.kind === "and") return takenBy(constraint.all, asked, before);
  if (constraint.kind === "xor") {
    const only = constraint.oneOf.filter((child) => holds(child, asked));
    return takenBy(only, asked, before);
  }
  if (constraint.kind !== "or") return [constraint];
  const ways = constraint.any
    .filter((child) => holds(child, asked))
    .map((child) => leaves(child, asked, before));
  return ways.find((taken) => hasRoom([...before, ...taken], asked)) ?? ways[0] ?? [];
}

function take(
  { job, constraints }: Filling,
  world: World,
  node: NaiveNode,
  used: readonly string[],
): { world: World; node: string } {
  const left = { ...node.left };
  const pools = new Map(world.pools);
  const asked = { place: node.place, left: node.left, pools: world.pools, drawnOnce: used.length > 0 };
  for (const constraint of takenBy(constraints, asked)) {
    if (constraint.kind === "minimum-resource")
      left[constraint.resource] = (left[constraint.resource] ?? 0) - wanted(constraint);
    if (constraint.kind !== "shared-consumable") continue;
    for (const draw of constraint.draws)
      if (!draw.once || used.length === 0) pools.set(draw.pool, (pools.get(draw.pool) ?? 0) - draw.amount);
  }
  const exclusive = node.exclusive || exclusiveScope(constraints) !== null;
  const changed: NaiveNode = { ...node, left, exclusive, jobs: [...node.jobs, job.name] };
  const nodes = world.nodes.map((other) => (other.name === node.name ? changed : other));
  return { world: { nodes, pools }, node: node.name };
}

function newNode(input: PlanInput, world: World, place: Place): NaiveNode {
  const names = new Set([
    ...input.cluster.nodes.map((node) => node.name),
    ...world.nodes.map((node) => node.name),
  ]);
  let index = 1;
  while (names.has(`${place.array.name}-${index}`)) index++;
  const name = `${place.array.name}-${index}`;
  return { name, origin: "new", place, left: born(place), jobs: [], exclusive: false };
}

/** Nodes that all limits of a place still allow, counted from every node there is. */
function room(input: PlanInput, world: World, place: Place): number {
  const { cluster } = input;
  const { array, bucket, group } = place;
  if (!bucket.valid) return 0;
  const added = world.nodes.filter(
    (node) => node.origin === "new" || (node.origin === "deallocated" && node.jobs.length > 0),
  );
  const cores = (nodes: readonly NaiveNode[], of: (vm: Bucket["vm"]) => number) =>
    nodes.reduce((sum, node) => sum + of(node.place.bucket.vm), 0);
  const vcpus = (vm: Bucket["vm"]) => vm.vcpuCount;
  const quota = (vm: Bucket["vm"]) => vm.vcpuQuotaCount;
  const inArray = added.filter((node) => node.place.array === array);
  const inBucket = inArray.filter((node) => node.place.bucket === bucket);
  const inRegion = added.filter(
    (node) => node.place.array.location === array.location && node.place.array.spot === array.spot,
  );
  const inFamily = inRegion.filter((node) => node.place.bucket.vm.family === bucket.vm.family);
  const { limits, vm } = bucket;
  const before = usedBefore(input, place);
  const left = [
    limits.availableCount - inBucket.length,
    (Math.max(0, limits.region.maxCores - limits.region.usedCores) - cores(inRegion, quota)) /
      vm.vcpuQuotaCount,
    (Math.max(0, cluster.maxCoreCount - before.clusterCores) - cores(added, vcpus)) / vm.vcpuCount,
    Math.max(0, cluster.maxCount - before.clusterNodes) - added.length,
    (Math.max(0, array.maxCoreCount - before.arrayCores) - cores(inArray, vcpus)) / vm.vcpuCount,
    Math.max(0, array.maxCount - before.arrayNodes) - inArray.length,
  ];
  if (!array.spot)
    left.push(
      (Math.max(0, limits.family.maxCores - limits.family.usedCores) - cores(inFamily, quota)) /
        vm.vcpuQuotaCount,
    );
  if (group !== null) {
    const inGroup = inBucket.filter((node) => node.place.group === group).length;
    left.push(Math.max(0, limits.maxPlacementGroupSize - before.groupNodes) - inGroup);
  }
  left.push(...underCaps(input, added, bucket));
  return Math.floor(Math.min(...left));
}

/** Nodes of a bucket that the operator's caps still allow, of every node that is there, on order, or added. */
function underCaps(
  { caps, cluster, pending }: PlanInput,
  added: readonly NaiveNode[],
  bucket: Bucket,
): number[] {
  if (caps === undefined) return [];
  const there = cluster.nodes.filter(
    (node) => node.status !== node.targetState || node.targetState === "Started",
  );
  const ordered = pending.flatMap((order) => Array.from({ length: order.count }, () => order));
  const sizes = [...there, ...ordered].map(({ nodeArray, vmSize }) =>
    cluster.nodeArrays.find(({ name }) => name === nodeArray)?.buckets.find((size) => size.vmSize === vmSize),
  );
  const all = [...sizes, ...added.map((node) => node.place.bucket)];
  const cores = all.reduce((sum, size) => sum + (size?.vm.vcpuCount ?? 0), 0);
  const micros = (usd: number | null | undefined) => Math.round((usd ?? 0) * 1e6);
  const spending = all.reduce((sum, size) => sum + micros(size?.pricePerHourUsd), 0);
  const left: number[] = [];
  if (caps.maxNodesPerPlan !== null) left.push(caps.maxNodesPerPlan - added.length);
  if (caps.maxCores !== null) left.push(Math.max(0, caps.maxCores - cores) / bucket.vm.vcpuCount);
  if (caps.budget === null) return left;
  const { maxUsd, spentUsd } = caps.budget;
  const price = bucket.pricePerHourUsd ?? null;
  const micro = micros(maxUsd) - Math.ceil(spentUsd * 1e6) - spending;
  left.push(price === null ? 0 : Math.max(0, micro) / micros(price));
  return left;
}

function usedBefore({ cluster }: PlanInput, { array, bucket, group }: Place) {
  const vcpus = (name: string, size: string) =>
    cluster.nodeArrays.find((a) => a.name === name)?.buckets.find((b) => b.vmSize === size)?.vm.vcpuCount ??
    0;
  const active = cluster.nodes.filter(
    (node) => node.status !== node.targetState || node.targetState === "Started",
  );
  const mine = active.filter((node) => node.nodeArray === array.name);
  const inGroup = mine.filter((node) => node.vmSize === bucket.vmSize && node.placementGroup === group);
  const reported = bucket.placementGroups.find(({ name }) => name === group)?.activeCount ?? 0;
  return {
    clusterCores: cluster.nodes.reduce((sum, node) => sum + vcpus(node.nodeArray, node.vmSize), 0),
    clusterNodes: active.filter((node) => cluster.nodeArrays.some(({ name }) => name === node.nodeArray))
      .length,
    arrayCores: mine.reduce((sum, node) => sum + vcpus(node.nodeArray, node.vmSize), 0),
    arrayNodes: mine.length,
    groupNodes: Math.max(reported, inGroup.length),
  };
}
