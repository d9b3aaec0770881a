import type {
  Bucket,
  Constraint,
  NodeArray,
  Plan,
  PlanInput,
  PlannedNode,
  Scalar,
  SpareWish,
  Target,
  TargetOutcome,
} from "../../../shared/engine/index.ts";

/**
 * What is wrong with a plan, in sentences; empty when it is valid. Written from the rules and without any part of the
 * planner, so that a mistake cannot hide in both. Assumes distinct job and node names.
 */
export function violationsOf(input: PlanInput, result: Plan): readonly string[] {
  return [
    ...limitViolations(input, result),
    ...capViolations(input, result),
    ...ownerViolations(input, result),
    ...nodeViolations(result),
    ...jobViolations(input, result),
    ...apartViolations(input, result),
    ...gangGroupViolations(input, result),
    ...retirementViolations(result),
    ...failedViolations(input, result),
    ...targetViolations(input, result),
  ];
}

function isNew(node: PlannedNode): boolean {
  return node.origin === "new" || node.origin === "starting";
}

/** Everything that is created or started, charged to every limit that it falls under. */
function limitViolations(input: PlanInput, result: Plan): string[] {
  const spent = new Map<string, number>();
  const room = new Map<string, number>();
  const charge = (limit: string, amount: number, left: number) => {
    spent.set(limit, (spent.get(limit) ?? 0) + amount);
    room.set(limit, Math.min(room.get(limit) ?? Number.POSITIVE_INFINITY, Math.max(0, left)));
  };
  const usage = new Usage(input);
  for (const node of result.nodes) {
    if (!isNew(node)) continue;
    const array = input.cluster.nodeArrays.find((a) => a.name === node.nodeArray);
    const bucket = array?.buckets.find((b) => b.vmSize === node.vmSize);
    if (array === undefined || bucket === undefined) return [`node ${node.name} comes from no bucket`];
    if (!bucket.valid) return [`node ${node.name} comes from an invalid bucket`];
    if (!array.enabled) return [`node ${node.name} comes from a disabled array`];
    const { heldSizes = [] } = input;
    if (heldSizes.some((held) => held.nodeArray === array.name && held.vmSize === bucket.vmSize))
      return [`node ${node.name} comes from a size that is asked for nothing`];
    chargeNode({ array, bucket, node, usage, input, charge });
  }
  return [...spent].flatMap(([limit, amount]) => {
    const left = room.get(limit) ?? 0;
    return amount > left ? [`limit ${limit} exceeded: ${amount} of ${left}`] : [];
  });
}

/** Everything that is there, on order, or new, held against the operator's caps. */
function capViolations({ caps, cluster, pending }: PlanInput, result: Plan): string[] {
  if (caps === undefined) return [];
  const sizeOf = (nodeArray: string, vmSize: string) =>
    cluster.nodeArrays.find((a) => a.name === nodeArray)?.buckets.find((b) => b.vmSize === vmSize);
  const made = result.nodes.filter(isNew);
  const there = cluster.nodes.filter(
    ({ status, targetState }) => targetState === "Started" || status !== targetState,
  );
  const shown = new Set(there.map(({ name }) => name));
  const ordered = pending.flatMap((order) =>
    Array.from({ length: order.count }, (_, index) => ({ ...order, name: order.names?.[index] ?? "" })),
  );
  const all = [...made, ...there, ...ordered.filter(({ name }) => !shown.has(name))].map((node) =>
    sizeOf(node.nodeArray, node.vmSize),
  );
  const cores = all.reduce((sum, size) => sum + (size?.vm.vcpuCount ?? 0), 0);
  const usdPerHour = all.reduce((sum, size) => sum + (size?.pricePerHourUsd ?? 0), 0);
  const found: string[] = [];
  if (made.length > (caps.maxNodesPerPlan ?? made.length)) found.push(`${made.length} nodes in one plan`);
  if (made.length === 0) return found;
  if (cores > (caps.maxCores ?? cores)) found.push(`${cores} cores, allowed ${caps.maxCores}`);
  if (caps.budget === null) return found;
  const { maxUsd, spentUsd } = caps.budget;
  if (spentUsd + usdPerHour > maxUsd + 1e-9) found.push(`${spentUsd + usdPerHour} USD, allowed ${maxUsd}`);
  if (made.some((node) => (sizeOf(node.nodeArray, node.vmSize)?.pricePerHourUsd ?? null) === null))
    found.push("a node without a known price");
  return found;
}

/** What jobs got, at the least that it can count as, held against the limits of their owners; what runs is given. */
function ownerViolations({ jobs, cluster }: PlanInput, result: Plan): string[] {
  const nodes = new Map(result.nodes.map((planned) => [planned.name, planned]));
  const outcomes = new Map(result.jobs.map((outcome) => [outcome.name, outcome]));
  const taken = new Map<string, { cores: number; isNew: boolean; readonly max: number }>();
  for (const { name, constraints, exclusive, executingHostnames, ownerLimits = [] } of jobs) {
    const hasNode = exclusive || constraints.some(({ kind }) => kind === "exclusive");
    const asked = constraints.reduce(
      (sum, each) =>
        each.kind === "minimum-resource" && each.resource === "ncpus" && typeof each.amount === "number"
          ? sum + each.amount
          : sum,
      0,
    );
    const { placements = [], granted = 0 } = outcomes.get(name) ?? {};
    const cores = placements.reduce((sum, { node, slots }) => {
      const { nodeArray, vmSize } = nodes.get(node) ?? { nodeArray: "", vmSize: "" };
      const size = cluster.nodeArrays
        .find((each) => each.name === nodeArray)
        ?.buckets.find((each) => each.vmSize === vmSize);
      return sum + (hasNode ? (size?.vm.vcpuCount ?? 0) : slots * (asked || 1));
    }, 0);
    for (const { cap, owner, maxCores } of ownerLimits) {
      const known = taken.get(`${cap} ${owner}`) ?? { cores: 0, isNew: false, max: maxCores };
      known.cores += cores;
      known.isNew ||= granted > executingHostnames.length;
      taken.set(`${cap} ${owner}`, known);
    }
  }
  return [...taken].flatMap(([owner, { cores, isNew, max }]) =>
    isNew && cores > max + 1e-6 ? [`${owner} has ${cores} cores, allowed ${max}`] : [],
  );
}

class Usage {
  readonly #cores = new Map<string, number>();
  readonly #nodes = new Map<string, number>();
  clusterCores = 0;
  clusterNodes = 0;

  constructor({ cluster }: PlanInput) {
    for (const node of cluster.nodes) {
      const bucket = cluster.nodeArrays
        .find((a) => a.name === node.nodeArray)
        ?.buckets.find((b) => b.vmSize === node.vmSize);
      const vcpus = bucket?.vm.vcpuCount ?? 0;
      this.clusterCores += vcpus;
      if (node.status === node.targetState && node.targetState !== "Started") continue;
      if (cluster.nodeArrays.some((a) => a.name === node.nodeArray)) this.clusterNodes += 1;
      this.#count(node.nodeArray, vcpus);
      if (node.placementGroup !== null)
        this.#count(`${node.nodeArray}/${node.vmSize}/${node.placementGroup}`, vcpus);
    }
  }

  #count(key: string, vcpus: number): void {
    this.#nodes.set(key, (this.#nodes.get(key) ?? 0) + 1);
    this.#cores.set(key, (this.#cores.get(key) ?? 0) + vcpus);
  }

  nodesOf(key: string): number {
    return this.#nodes.get(key) ?? 0;
  }

  coresOf(key: string): number {
    return this.#cores.get(key) ?? 0;
  }
}

function chargeNode(at: {
  array: NodeArray;
  bucket: Bucket;
  node: PlannedNode;
  usage: Usage;
  input: PlanInput;
  charge: (limit: string, amount: number, left: number) => void;
}): void {
  const { array, bucket, node, usage, input, charge } = at;
  const { vm, limits } = bucket;
  charge(`bucket ${array.name} ${bucket.vmSize}`, 1, limits.availableCount);
  charge(
    `region ${array.location} ${array.spot}`,
    vm.vcpuQuotaCount,
    limits.region.maxCores - limits.region.usedCores,
  );
  charge("cluster", vm.vcpuCount, input.cluster.maxCoreCount - usage.clusterCores);
  if (input.settings.compatibility !== "scalelib")
    charge("cluster nodes", 1, input.cluster.maxCount - usage.clusterNodes);
  charge(`array cores ${array.name}`, vm.vcpuCount, array.maxCoreCount - usage.coresOf(array.name));
  charge(`array nodes ${array.name}`, 1, array.maxCount - usage.nodesOf(array.name));
  if (!array.spot)
    charge(
      `family ${array.location} ${vm.family}`,
      vm.vcpuQuotaCount,
      limits.family.maxCores - limits.family.usedCores,
    );
  if (node.placementGroup !== null) {
    const group = `${array.name}/${bucket.vmSize}/${node.placementGroup}`;
    charge(`group ${group}`, 1, limits.maxPlacementGroupSize - usage.nodesOf(group));
  }
}

function amount(value: Scalar | undefined): number | null {
  if (typeof value === "number") return value;
  return typeof value === "object" && value !== null ? value.bytes : null;
}

function nodeViolations(result: Plan): string[] {
  const names = new Set<string>();
  const found: string[] = [];
  for (const node of result.nodes) {
    if (names.has(node.name)) found.push(`two nodes are named ${node.name}`);
    names.add(node.name);
    if (node.jobs.length === 0) continue;
    for (const [resource, value] of Object.entries(node.available))
      if ((amount(value) ?? 0) < 0) found.push(`${node.name} has ${amount(value)} ${resource} left`);
  }
  const created = result.create.flatMap((set) => set.names);
  const planned = result.nodes.filter((node) => node.origin === "new").map((node) => node.name);
  if ([...created].sort().join() !== [...planned].sort().join())
    found.push("the create request does not name the new nodes");
  return found;
}

function isGangComplete({ jobs }: PlanInput, result: Plan, gang: string): boolean {
  return result.jobs.every(({ asked, granted }, index) => jobs[index]?.gang !== gang || granted === asked);
}

/** Colocated parts of one gang that must not be divided are in one placement group. */
function gangGroupViolations({ jobs }: PlanInput, result: Plan): string[] {
  const groups = jobs.flatMap(({ gang, colocated, mayDivide }, index) =>
    gang === undefined || !colocated || mayDivide !== false
      ? []
      : (result.jobs[index]?.placements ?? []).map(({ node: name }) => ({
          gang,
          group: result.nodes.find((node) => node.name === name)?.placementGroup,
        })),
  );
  return [...Map.groupBy(groups, ({ gang }) => gang)].flatMap(([gang, own]) =>
    new Set(own.map(({ group }) => group)).size > 1 ? [`gang ${gang} is in several placement groups`] : [],
  );
}

function apartViolations({ jobs }: PlanInput, result: Plan): string[] {
  const lying = jobs.flatMap(({ gang, gangApart }, index) => {
    const { name, placements } = result.jobs[index] ?? { name: "", placements: [] };
    return gang !== undefined && gangApart === true
      ? placements.map(({ node }) => ({ name, place: `${gang} on ${node}` }))
      : [];
  });
  return [...Map.groupBy(lying, ({ place }) => place)].flatMap(([place, parts]) =>
    new Set(parts.map(({ name }) => name)).size > 1 ? [`parts of gang ${place} do not lie apart`] : [],
  );
}

function jobViolations(input: PlanInput, result: Plan): string[] {
  const nodes = new Map(result.nodes.map((node) => [node.name, node]));
  const taken = new Map<string, Map<string, number>>();
  const found: string[] = [];
  for (const [index, job] of input.jobs.entries()) {
    const outcome = result.jobs[index];
    if (outcome === undefined || outcome.name !== job.name) {
      found.push(`job ${job.name} has no outcome`);
      continue;
    }
    const slots = outcome.placements.reduce((sum, placement) => sum + placement.slots, 0);
    const names = new Set(outcome.placements.map((placement) => placement.node));
    if (job.executingHostnames.length > 0) continue;
    if (slots !== outcome.granted)
      found.push(`${job.name} was granted ${outcome.granted} but holds ${slots} slots`);
    if (outcome.allocated !== outcome.granted > 0) found.push(`${job.name} is and is not allocated`);
    if (outcome.granted > outcome.asked) found.push(`${job.name} got more than it asked for`);
    if (
      job.packingStrategy === "scatter" &&
      slots > 0 &&
      (names.size !== outcome.asked || slots !== names.size)
    )
      found.push(`${job.name} is scattered over ${names.size} of ${outcome.asked} nodes`);
    if (job.gang !== undefined && slots > 0 && !isGangComplete(input, result, job.gang))
      found.push(`${job.name} has ${slots} slots, and its gang "${job.gang}" is not complete`);
    if (!job.colocated && slots < outcome.asked && slots % (job.gangSize ?? 1) !== 0)
      found.push(`${job.name} has ${slots} slots, which are no lots of ${job.gangSize}`);
    if (job.colocated && slots > 0)
      found.push(
        ...colocationViolations(
          input,
          job.name,
          [...names].flatMap((name) => nodes.get(name) ?? []),
        ),
      );
    for (const placement of outcome.placements) {
      const node = nodes.get(placement.node);
      if (node === undefined) found.push(`${job.name} is on unknown node ${placement.node}`);
      else
        found.push(
          ...placementViolations({
            job: job.name,
            constraints: job.constraints,
            exclusive: job.exclusive,
            node,
            slots: placement.slots,
            taken,
            strict:
              input.settings.compatibility !== "scalelib" && input.settings.exclusiveScope === "iteration",
          }),
        );
    }
  }
  const outcomes = new Map(result.jobs.map((outcome) => [outcome.name, outcome]));
  for (const node of result.nodes) {
    for (const { job } of node.jobs) {
      const outcome = outcomes.get(job);
      if (outcome !== undefined && !outcome.allocated)
        found.push(`${job} is not allocated but sits on ${node.name}`);
    }
    for (const [resource, used] of taken.get(node.name) ?? []) {
      const born = amount(node.resources[resource]);
      if (born === null || used > born * (1 + 1e-6))
        found.push(`${node.name}: ${used} of ${born} ${resource} are taken`);
    }
  }
  return found;
}

function colocationViolations(input: PlanInput, job: string, nodes: readonly PlannedNode[]): string[] {
  const groups = new Set(nodes.map((node) => node.placementGroup));
  const [first] = nodes;
  if (groups.size !== 1 || first === undefined || first.placementGroup === null)
    return [`${job} is not in one placement group`];
  const bucket = input.cluster.nodeArrays
    .find((a) => a.name === first.nodeArray)
    ?.buckets.find((b) => b.vmSize === first.vmSize);
  const size = bucket?.limits.maxPlacementGroupSize ?? 0;
  return nodes.length > size ? [`${job} has ${nodes.length} nodes in a group of ${size}`] : [];
}

/** The constraints that need no judgement: plain amounts, options of shared properties, exclusiveness. */
function placementViolations(at: {
  job: string;
  constraints: readonly Constraint[];
  exclusive: boolean;
  node: PlannedNode;
  slots: number;
  taken: Map<string, Map<string, number>>;
  strict: boolean;
}): string[] {
  const { job, node, slots } = at;
  const found: string[] = [];
  const used = at.taken.get(node.name) ?? new Map<string, number>();
  at.taken.set(node.name, used);
  const look = (constraint: Constraint): void => {
    if (constraint.kind === "and") for (const child of constraint.all) look(child);
    if (constraint.kind === "never") found.push(`${job} may be on no node, but is on ${node.name}`);
    if (constraint.kind === "minimum-resource") {
      const value = node.resources[constraint.resource];
      const unit = typeof value === "object" && value !== null ? unitBytes(value.magnitude) : 1;
      const each = typeof constraint.amount === "number" ? constraint.amount * unit : constraint.amount.bytes;
      used.set(constraint.resource, (used.get(constraint.resource) ?? 0) + each * slots);
    }
    if (constraint.kind === "property-options")
      found.push(...propertyViolations(job, constraint.property, constraint.options, node));
    if (constraint.kind === "in-a-placement-group" && constraint.wanted !== (node.placementGroup !== null))
      found.push(`${job} is on ${node.name} in group ${node.placementGroup}`);
    if (constraint.kind === "exclusive")
      found.push(
        ...exclusiveViolations(job, node, constraint.scope === "iteration" && at.strict ? slots : 1),
      );
  };
  for (const constraint of at.constraints) look(constraint);
  if (at.exclusive) found.push(...exclusiveViolations(job, node, at.strict ? slots : 1));
  return found;
}

function exclusiveViolations(job: string, node: PlannedNode, slots: number): string[] {
  const others = node.jobs.filter((entry) => entry.job !== job);
  if (others.length > 0)
    return [`exclusive ${job} shares ${node.name} with ${others.map((o) => o.job).join()}`];
  return slots > 1 ? [`exclusive ${job} has ${slots} slots on ${node.name}`] : [];
}

function propertyViolations(
  job: string,
  property: string,
  options: readonly Scalar[],
  node: PlannedNode,
): string[] {
  const values: Readonly<Record<string, Scalar>> = {
    nodearray: node.dynamicArray ?? node.nodeArray,
    vm_size: node.vmSize,
    placement_group: node.placementGroup,
  };
  if (!(property in values)) return [];
  const value = values[property] ?? null;
  const matches = options.some(
    (option) =>
      option === value || (typeof option === "string" && typeof value === "string" && like(option, value)),
  );
  return matches
    ? []
    : [`${job} wants ${property} ${JSON.stringify(options)}, but is on ${node.name} with ${value}`];
}

/** Wildcards by the platform's regular expressions; fine for the short patterns of tests. */
function like(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${source}$`).test(text);
}

function unitBytes(magnitude: string): number {
  const power = "bkmgtp".indexOf(magnitude);
  return power >= 0 ? 1024 ** power : 1000 ** ("KMGTP".indexOf(magnitude) + 1);
}

function retirementViolations(result: Plan): string[] {
  const busy = new Set(result.nodes.filter((node) => isNeeded(node)).map((node) => node.nodeId));
  return result.retire
    .filter(({ nodeId }) => busy.has(nodeId))
    .map(({ name }) => `${name} is deleted with work on it`);
}

/**
 * A failed node holds only what a scheduler runs there, and serves no target. Each is on its way out or retried, but for a few that
 * are kept for a look.
 */
function failedViolations(input: PlanInput, result: Plan): string[] {
  const { jobs, settings, cluster, leavingNodeIds } = input;
  if (settings.compatibility === "scalelib") return [];
  const runs = new Set(
    jobs.flatMap(({ name, executingHostnames }) =>
      executingHostnames.map((host) => `${name} ${shortName(host)}`),
    ),
  );
  const misplaced = result.nodes
    .filter(({ status }) => status === "Failed")
    .flatMap((node) => [
      ...node.jobs
        .filter(({ job }) => !runs.has(`${job} ${shortName(node.hostname ?? "")}`))
        .map(({ job }) => `${job} is planned on ${node.name}, which has failed`),
      ...(node.targets ?? []).map(({ name }) => `target ${name} counts ${node.name}, which has failed`),
    ]);
  const kept = result.keptFailed ?? [];
  const mostKept = settings.failedNodes === "keep" ? (settings.keptFailedNodes?.most ?? 3) : 0;
  const decided = new Set(
    [...result.retire, ...result.retry, ...kept, ...result.nodes.filter(isNeeded)].map(
      ({ nodeId }) => nodeId,
    ),
  );
  const switchedOn = new Set(cluster.nodeArrays.filter(({ enabled }) => enabled).map(({ name }) => name));
  const forgotten = cluster.nodes.filter(
    ({ nodeId, nodeArray, status, targetState, keepAlive }) =>
      status === "Failed" &&
      targetState === "Started" &&
      !keepAlive &&
      switchedOn.has(nodeArray) &&
      settings.ignoredNodes.length === 0 &&
      !leavingNodeIds.includes(nodeId) &&
      !decided.has(nodeId),
  );
  return [
    ...misplaced,
    ...forgotten.map(({ name }) => `${name} has failed, and nothing is done about it`),
    ...(kept.length > mostKept ? [`${kept.length} failed nodes are kept, expected at most ${mostKept}`] : []),
  ];
}

function shortName(hostname: string): string {
  return (hostname.split(".")[0] ?? hostname).toLowerCase();
}

function isNeeded(node: PlannedNode): boolean {
  return node.jobs.length > 0 || node.keepAlive || (node.targets ?? []).length > 0;
}

/** Every target got what it is said to have got, in nodes that are its own; and no node was made for nothing. */
function targetViolations(input: PlanInput, result: Plan): string[] {
  const found = result.nodes
    .filter((node) => isNew(node) && !isNeeded(node))
    .map((node) => `${node.name} is made for nobody`);
  for (const [index, target] of (input.targets ?? []).entries()) {
    const outcome = result.targets[index];
    const own = result.nodes.filter(
      (node) => node.nodeArray === target.nodeArray && (node.dynamicArray ?? null) === target.dynamicArray,
    );
    const held = own.filter((node) => node.targets?.some(({ name }) => name === target.name));
    const vmOf = (node: PlannedNode) =>
      input.cluster.nodeArrays
        .find((array) => array.name === node.nodeArray)
        ?.buckets.find((bucket) => bucket.vmSize === node.vmSize)?.vm;
    const cores = (node: PlannedNode) => target.coresPerNode ?? vmOf(node)?.vcpuCount ?? 0;
    const gpus = (node: PlannedNode) => vmOf(node)?.gpuCount ?? 0;
    if (target.wish.kind === "spares" || target.wish.kind === "slots") {
      found.push(...spareViolations(input, { own, held, target, wish: target.wish, outcome }));
      continue;
    }
    const amounts = {
      nodes: held.length,
      cores: held.reduce((sum, node) => sum + cores(node), 0),
      gpus: held.reduce((sum, node) => sum + gpus(node), 0),
      groups: groupsAmong(target, held, cores),
    };
    const { kind, count } = target.wish;
    const granted = Math.min(count, amounts[kind]);
    if (outcome?.granted !== granted)
      found.push(`target ${target.name} is said to have ${outcome?.granted} ${kind}, but has ${granted}`);
    if (outcome !== undefined && outcome.reasons.length > 0 !== granted < count)
      found.push(`target ${target.name} has ${granted} of ${count} and ${outcome.reasons.length} reasons`);
    const isOnly = result.targets.every((other) => other === outcome || other.name !== target.name);
    const most = { cores: Math.max(0, ...held.map(cores)), gpus: Math.max(0, ...held.map(gpus)) };
    if (isOnly && (kind === "cores" || kind === "gpus") && held.length > 0)
      if (amounts[kind] >= count + most[kind])
        found.push(`target ${target.name} holds ${amounts[kind]} ${kind} for ${count}`);
    if (isOnly && kind === "gpus" && held.some((node) => gpus(node) === 0))
      found.push(`target ${target.name} holds nodes without GPUs`);
    if (isOnly && kind === "nodes" && held.length > count)
      found.push(`target ${target.name} holds ${held.length} nodes for ${count}`);
    // What others hold of the same array counts first: only then is a node made.
    const surplus = own.filter((node) => isNeeded(node) && !held.includes(node));
    const isAlone = !result.targets.some(
      (other) => other !== outcome && other.nodeArray === target.nodeArray,
    );
    if (
      isAlone &&
      kind === "nodes" &&
      surplus.length > 0 &&
      held.some((node) => isNew(node) && node.jobs.length === 0)
    )
      found.push(`target ${target.name} makes nodes although jobs need more of its array`);
  }
  return found;
}

/** No node with jobs is held as a spare one, none costs more than it may, and no slot is there that is not. */
function spareViolations(
  input: PlanInput,
  {
    own,
    held,
    target,
    wish,
    outcome,
  }: {
    readonly target: Target;
    readonly own: readonly PlannedNode[];
    readonly held: readonly PlannedNode[];
    readonly wish: SpareWish;
    readonly outcome: TargetOutcome | undefined;
  },
): string[] {
  const found: string[] = [];
  const { asked = 0, granted = 0, kept, reasons = [] } = outcome ?? {};
  if (asked < wish.count) found.push(`${asked} ${wish.kind} are asked for, wanted at least ${wish.count}`);
  if (granted < asked && reasons.length === 0)
    found.push(`${granted} of ${asked} ${wish.kind} without a reason`);
  if (held.some(({ jobs }) => jobs.length > 0)) found.push("a node with jobs is taken for spare");
  const priceOf = ({ nodeArray, vmSize }: PlannedNode) =>
    input.cluster.nodeArrays
      .find(({ name }) => name === nodeArray)
      ?.buckets.find((bucket) => bucket.vmSize === vmSize)?.pricePerHourUsd ?? null;
  // Nobody sees here which of two with one name keeps a node.
  const isOne = input.targets?.filter(({ name }) => name === target.name).length === 1;
  const only = held.filter(({ keepAlive, targets = [] }) => !keepAlive && targets.length === 1 && isOne);
  const prices = only.map(priceOf);
  const most = wish.mostUsdPerHour;
  if (most !== undefined && prices.some((price) => price === null))
    found.push("a spare node is kept whose price is not known");
  const usd = prices.reduce<number>((sum, price) => sum + (price ?? 0), 0);
  if (most !== undefined && usd > most + 1e-6) found.push(`spare nodes cost ${usd} USD an hour of ${most}`);
  if (kept !== undefined && kept.nodes < only.length)
    found.push(`${only.length} spare nodes are kept, and ${kept.nodes} are counted`);
  if (wish.kind === "spares" && isOne && granted !== Math.min(asked, held.length))
    found.push(`target ${target.name} is said to have ${granted} spare nodes, but has ${held.length}`);
  const slotsOn = ({ available }: PlannedNode) =>
    wish.kind === "slots" ? Math.floor(Number(available.ncpus ?? 0) / (wish.slot.ncpus ?? 1) + 1e-9) : 1;
  const slots = only.map(slotsOn);
  if (only.length > 0 && slots.reduce((sum, each) => sum + each, 0) - Math.max(...slots) >= asked)
    found.push(`${only.length} spare nodes are kept for ${asked} ${wish.kind}`);
  if (wish.kind === "slots") {
    const free = [...held, ...own.filter(({ jobs }) => jobs.length > 0)].reduce(
      (sum, node) => sum + slotsOn(node),
      0,
    );
    if (granted > free) found.push(`${granted} spare slots are said to be there, and ${free} are`);
  }
  return found;
}

function groupsAmong(
  { wish }: NonNullable<PlanInput["targets"]>[number],
  held: readonly PlannedNode[],
  cores: (node: PlannedNode) => number,
): number {
  if (wish.kind !== "groups") return 0;
  const groups = new Map<string, PlannedNode[]>();
  for (const node of held) {
    const key = `${node.placementGroup} ${node.vmSize}`;
    groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  const { size } = wish;
  const amountOf = (nodes: readonly PlannedNode[]) =>
    size.kind === "nodes" ? nodes.length : nodes.reduce((sum, node) => sum + cores(node), 0);
  return [...groups.values()].filter(
    (nodes) => nodes[0]?.placementGroup !== null && amountOf(nodes) >= size.count,
  ).length;
}
