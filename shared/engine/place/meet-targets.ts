/**
 * Targets are floors under the nodes of an array, met once all jobs are placed: nodes that jobs need count first, so
 * that nothing is counted twice; then other nodes that are there are held, then deallocated ones started, then new ones
 * made, size by size, as far as the limits allow. Every target counts the nodes that earlier ones hold, so that two
 * targets on one array come to the larger, not to the sum. Spare nodes come last: those that no job uses count, whoever
 * holds them, and none is held or made under a limit at which something else waits.
 */

import { open } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import { exampleNode } from "../ledger/ledger-node.ts";
import type { OpenedLedger } from "../ledger/open-ledger.ts";
import { bindingCharge, nodesLeft } from "../limits/charges.ts";
import type { NodeArray } from "../model/bucket.ts";
import { plainName } from "../model/dynamic-array.ts";
import { sortByNodeName } from "../model/names.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { BucketName, TargetReason, TargetReasonCode } from "../model/reasons.ts";
import type { GroupSize, KeptNodes, SpareWish, Target, TargetGroup, TargetOutcome } from "../model/target.ts";
import { timesInto, unitOf } from "../values/amounts.ts";
import { priceOf } from "./bucket-kinds.ts";
import type { RoomWanted } from "./room-wanted.ts";

/** Meets the targets one after the other, as far as that goes; spare nodes where nobody else wants the room. */
export function meetTargets(
  opened: OpenedLedger,
  { cluster, targets = [] }: Pick<PlanInput, "cluster" | "targets">,
  isRoomWanted: RoomWanted = () => false,
): readonly TargetOutcome[] {
  const arrays = new Map(cluster.nodeArrays.map((array) => [array.name, array]));
  const accounts = new Accounts(opened);
  const meet = (target: Target): TargetOutcome => {
    const array = arrays.get(target.nodeArray);
    const pass = new Pass(opened, accounts, target);
    if (array === undefined) return pass.refused("UnknownNodeArray");
    if (arrays.has(target.dynamicArray ?? "")) return pass.refused("NameOfANodeArray");
    if (!array.enabled) return pass.refused("NodeArrayDisabled");
    const { wish } = target;
    switch (wish.kind) {
      case "groups":
        return pass.meetGroups(array, wish);
      case "spares":
      case "slots":
        return pass.meetSpares(array, wish, isRoomWanted);
      case "nodes":
      case "cores":
      case "gpus":
        return pass.meetCount(array, wish);
    }
  };
  const met = targets.map((target) => ({ target, outcome: meet(target) }));
  // What a later target made may be all that an earlier one lacked.
  return met.map(({ target, outcome }) => (outcome.granted < outcome.asked ? meet(target) : outcome));
}

/**
 * Nodes by whom they are accounted to, sorted by name once: many targets may be on one array. Without those that take no
 * jobs: a floor of them would be no use to anybody.
 */
class Accounts {
  /** Placement groups that hold nodes. */
  readonly groups: GroupIds;
  readonly #buckets: ReadonlyMap<string, readonly LedgerBucket[]>;
  readonly #nodes = new Map<string, LedgerNode[]>();

  /** Lists of existing nodes and nodes that jobs need; nodes that targets make are added. */
  constructor({ ledger, usedGroups }: OpenedLedger) {
    this.groups = new GroupIds(usedGroups);
    for (const { nodes, placementGroup } of ledger.buckets)
      if (nodes.length > 0) this.groups.take(placementGroup);
    this.#buckets = Map.groupBy(ledger.buckets, ({ name }) =>
      accountKey(name.nodeArray, name.dynamicArray ?? null),
    );
  }

  of({ nodeArray, dynamicArray }: Pick<Target, "nodeArray" | "dynamicArray">): LedgerNode[] {
    const key = accountKey(nodeArray, dynamicArray);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const own = this.#buckets.get(key) ?? [];
    const named = [
      ...sortByNodeName(
        own.flatMap((bucket) => bucket.nodes.filter((node) => !node.takesNoJobs)),
        ({ name }) => name,
      ),
    ];
    this.#nodes.set(key, named);
    return named;
  }
}

function accountKey(nodeArray: string, dynamicArray: string | null): string {
  return JSON.stringify([nodeArray, dynamicArray]);
}

/** Names of new groups. There may be thousands, so a taken name is not tried twice. */
class GroupIds {
  readonly #taken: Set<string | null>;
  readonly #smallest = new Map<string, number>();

  constructor(taken: ReadonlySet<string>) {
    this.#taken = new Set(taken);
  }

  take(group: string | null): void {
    this.#taken.add(group);
  }

  /** The prefix with the smallest number that no node's placement group has. */
  free(prefix: string): string {
    let index = this.#smallest.get(prefix) ?? 1;
    while (this.#taken.has(`${prefix}${index}`)) index++;
    this.#smallest.set(prefix, index);
    return `${prefix}${index}`;
  }
}

/** How many more slots a node holds: none if a job has it for itself, or if it lacks a resource. */
function slotsLeft(node: LedgerNode, slot: Readonly<Record<string, number>>): number {
  const { bucket, position } = node;
  if (position !== exampleNode && bucket.table.get(position, open) <= 0) return 0;
  const times = Object.entries(slot).map(([name, amount]) =>
    timesInto(node.left(name), amount * unitOf(node.resource(name))),
  );
  return Math.max(0, Math.min(...times));
}

function withOne({ nodes, usdPerHour }: KeptNodes, price: number | null): KeptNodes {
  return { nodes: nodes + 1, usdPerHour: usdPerHour === null || price === null ? null : usdPerHour + price };
}

/** One target being met. */
class Pass {
  readonly #opened: OpenedLedger;
  readonly #ledger: Ledger;
  readonly #target: Target;
  /** Those accounted to the target. */
  readonly #own: LedgerNode[];
  readonly #groupIds: GroupIds;
  readonly #reasons: TargetReason[] = [];
  readonly #groups: TargetGroup[] = [];
  #asked: number;
  #nodes = 0;
  /** Null: what it keeps is not counted. */
  #kept: KeptNodes | null = null;
  #mostUsdPerHour: number | null = null;

  constructor(opened: OpenedLedger, accounts: Accounts, target: Target) {
    this.#opened = opened;
    this.#own = accounts.of(target);
    this.#groupIds = accounts.groups;
    this.#ledger = opened.ledger;
    this.#target = target;
    this.#asked = target.wish.count;
  }

  refused(code: TargetReasonCode): TargetOutcome {
    if (this.#asked > 0) this.#refuse(code, null, this.#asked);
    return this.#outcome(0);
  }

  meetCount(array: NodeArray, { kind }: { readonly kind: "nodes" | "cores" | "gpus" }): TargetOutcome {
    const weightOf = ({ bucket }: LedgerNode): number => {
      if (kind === "gpus") return bucket.vm.gpuCount;
      return kind === "nodes" ? 1 : this.#coresOf(bucket);
    };
    const nodes = this.#own.filter((node) => weightOf(node) > 0);
    return this.#meet(array, { have: 0, nodes }, weightOf, () => true);
  }

  meetSpares(array: NodeArray, wish: SpareWish, isRoomWanted: RoomWanted): TargetOutcome {
    const { perCent, mostUsdPerHour = null } = wish;
    const used = this.#own.filter(({ jobs }) => jobs.length > 0);
    const free = this.#own.filter(({ jobs }) => jobs.length === 0);
    const roomOf = (node: LedgerNode) => (wish.kind === "spares" ? 1 : slotsLeft(node, wish.slot));
    const inUse =
      wish.kind === "spares"
        ? used.length
        : used.reduce((sum, node) => sum + slotsLeft(node.emptied(), wish.slot) - roomOf(node), 0);
    this.#asked = Math.max(this.#asked, Math.ceil((inUse * perCent) / 100));
    const besideJobs = wish.kind === "spares" ? 0 : used.reduce((sum, node) => sum + roomOf(node), 0);
    this.#mostUsdPerHour = mostUsdPerHour;
    this.#kept = { nodes: 0, usdPerHour: 0 };
    return this.#meet(
      array,
      { have: besideJobs, nodes: free.filter((node) => roomOf(node) > 0) },
      roomOf,
      ({ name }) => !isRoomWanted(name),
    );
  }

  /** Holds nodes that are there, and makes others where that may be. */
  #meet(
    array: NodeArray,
    there: { readonly have: number; readonly nodes: readonly LedgerNode[] },
    weightOf: (node: LedgerNode) => number,
    mayHave: (bucket: LedgerBucket) => boolean,
  ): TargetOutcome {
    const asked = this.#asked;
    let { have } = there;
    for (const node of have < asked ? inOrder(there.nodes) : []) {
      if (have >= asked) break;
      if (mayHave(node.bucket) && this.#hold(node)) have += weightOf(node);
    }
    for (const vmSize of this.#sizes(array)) {
      if (have >= asked) break;
      const last = this.#bucketOf(vmSize, array.placementGroup);
      if (last === null) continue;
      const weight = weightOf(last.example);
      if (weight <= 0) {
        this.#refuseSize(last, asked - have);
        continue;
      }
      const buckets = this.#bucketsInTurn(last);
      for (const bucket of buckets.filter(mayHave)) {
        const wanted = Math.ceil((asked - have) / weight);
        const made = Math.max(0, Math.min(wanted, this.#ledger.roomFor(bucket), this.#affordable(bucket)));
        for (let k = 0; k < made; k++) this.#make(bucket);
        have += made * weight;
      }
      const missing = Math.ceil((asked - have) / weight);
      if (missing > 0) this.#refuseMore(last, missing, buckets.every(mayHave));
    }
    return this.#outcome(have);
  }

  meetGroups(
    array: NodeArray,
    { count: asked, size }: { readonly count: number; readonly size: GroupSize },
  ): TargetOutcome {
    const byBucket = Map.groupBy(this.#own, ({ bucket }) => bucket);
    const candidates = [...byBucket]
      .filter(([bucket]) => bucket.placementGroup !== null)
      .map(([bucket, nodes]) => groupOf(bucket, nodes, this.#nodesOf(bucket, size)));
    for (const group of bestFirst(candidates)) {
      if (this.#groups.length >= asked) break;
      this.#complete(group);
    }
    while (this.#groups.length < asked && this.#makeGroup(array, size));
    return this.#outcome(this.#groups.length);
  }

  /** Brings a group that is there to its full size, or leaves it alone. */
  #complete({ bucket, size, started, deallocated }: Group): void {
    const missing = Math.max(0, size - started.length);
    if (missing > this.#ledger.roomFor(bucket)) {
      this.#refuseRoom(bucket, missing);
      return;
    }
    for (const node of [...started, ...deallocated].slice(0, size)) this.#hold(node);
    for (let k = started.length + deallocated.length; k < size; k++) this.#make(bucket);
    this.#noteGroup(bucket, size);
  }

  /** A new group, whole, of the first size that has room for it. Each size gives one reason. */
  #makeGroup(array: NodeArray, size: GroupSize): boolean {
    this.#reasons.length = 0;
    const id = this.#groupIds.free(`${plainName(this.#target.name)}-group`);
    for (const vmSize of this.#sizes(array)) {
      const bucket = this.#bucketOf(vmSize, id);
      if (bucket === null) continue;
      const wanted = this.#nodesOf(bucket, size);
      const most = bucket.maxPlacementGroupSize;
      if (wanted > most) {
        this.#refuse("PlacementGroupTooSmall", bucket.name, wanted, { left: most });
        continue;
      }
      if (wanted > this.#ledger.roomFor(bucket)) {
        this.#refuseRoom(bucket, wanted);
        continue;
      }
      for (let k = 0; k < wanted; k++) this.#make(bucket);
      this.#noteGroup(bucket, wanted);
      this.#reasons.length = 0;
      return true;
    }
    return false;
  }

  #noteGroup({ placementGroup, name }: LedgerBucket, nodes: number): void {
    this.#groups.push({ id: placementGroup ?? "", vmSize: name.vmSize, nodes });
  }

  /** Whether no job needs the node, and no other target kept it before: it would go without this one. */
  #paysFor({ jobs, keepAlive, targets: [first = this.#target] }: LedgerNode): boolean {
    return jobs.length === 0 && !keepAlive && first === this.#target;
  }

  /** Nodes of a bucket that it may keep for what an hour of them may cost: none whose price is not known. */
  #affordable(bucket: LedgerBucket): number {
    if (this.#mostUsdPerHour === null) return Number.POSITIVE_INFINITY;
    const price = priceOf(bucket);
    const { usdPerHour = 0 } = this.#kept ?? {};
    return price === null || usdPerHour === null
      ? 0
      : Math.max(0, timesInto(this.#mostUsdPerHour - usdPerHour, price));
  }

  /** False for a node that costs too much, and for a deallocated one that the limits do not let start. */
  #hold(node: LedgerNode): boolean {
    if (node.origin === "deallocated" && this.#ledger.roomFor(node.bucket) < 1) return false;
    const pays = this.#paysFor(node);
    if (pays && this.#affordable(node.bucket) < 1) return false;
    if (pays && this.#kept !== null) this.#kept = withOne(this.#kept, priceOf(node.bucket));
    this.#ledger.hold(node, this.#target);
    this.#nodes++;
    return true;
  }

  #make(bucket: LedgerBucket): void {
    const node = this.#ledger.create(bucket);
    this.#groupIds.take(bucket.placementGroup);
    this.#own.push(node);
    this.#hold(node);
  }

  #sizes(array: NodeArray): readonly string[] {
    const { vmSizes } = this.#target;
    return vmSizes.length > 0 ? [...new Set(vmSizes)] : array.buckets.map(({ vmSize }) => vmSize);
  }

  #bucketOf(vmSize: string, placementGroup: string | null): LedgerBucket | null {
    const { nodeArray, dynamicArray } = this.#target;
    const plain = { nodeArray, vmSize, placementGroup };
    const bucket = this.#opened.bucketFor(dynamicArray === null ? plain : { ...plain, dynamicArray });
    if (bucket === null) this.#refuse("UnknownVmSize", plain, this.#asked);
    return bucket;
  }

  /**
   * Plain nodes are made where jobs that name their array search first, which is in placement groups when the array has
   * any: nodes elsewhere would stand by while those jobs buy others. No job searches new nodes of a dynamic array.
   */
  #bucketsInTurn(last: LedgerBucket): readonly LedgerBucket[] {
    if (last.name.dynamicArray !== undefined) return [last];
    return this.#ledger.buckets.filter(
      ({ name }) =>
        name.nodeArray === last.name.nodeArray &&
        name.vmSize === last.name.vmSize &&
        name.dynamicArray === undefined,
    );
  }

  #coresOf(bucket: LedgerBucket): number {
    return this.#target.coresPerNode ?? Math.max(1, bucket.vm.vcpuCount);
  }

  #nodesOf(bucket: LedgerBucket, size: GroupSize): number {
    return size.kind === "nodes" ? size.count : Math.ceil(size.count / this.#coresOf(bucket));
  }

  #refuseMore(bucket: LedgerBucket, missing: number, mayHave: boolean): void {
    if (!mayHave) this.#refuse("LeftToOthers", bucket.name, missing);
    else if (this.#affordable(bucket) < 1) this.#refuseCost(bucket, missing);
    else this.#refuseRoom(bucket, missing);
  }

  /** A node of that size would count for nothing. */
  #refuseSize({ name, vm }: LedgerBucket, asked: number): void {
    if (this.#target.wish.kind === "gpus")
      this.#refuse("NoGpus", name, asked, { left: vm.gpuCountIsUnknown === true ? null : 0 });
    else this.#refuse("SlotTooLarge", name, asked);
  }

  #refuseCost(bucket: LedgerBucket, missing: number): void {
    const price = priceOf(bucket);
    const asked = price === null ? null : (this.#kept?.usdPerHour ?? 0) + missing * price;
    this.#refuse("SpareCost", bucket.name, asked, { left: this.#mostUsdPerHour });
  }

  #refuseRoom(bucket: LedgerBucket, asked: number): void {
    if (bucket.closed === "invalid") {
      this.#refuse("InvalidBucket", bucket.name, asked);
      return;
    }
    const binding = bindingCharge(bucket.charges);
    const limit = binding?.limit ?? null;
    const closed = bucket.closedNodes.length;
    // They are there, and count as soon as they are taken back.
    if (closed > 0 && closed + this.#ledger.roomFor(bucket) >= asked)
      this.#refuse("NodesTakeNoJobs", bucket.name, asked, { limit, left: closed });
    else
      this.#refuse("NoCapacity", bucket.name, asked, {
        limit,
        left: binding === null ? 0 : nodesLeft(binding),
      });
  }

  #refuse(
    code: TargetReasonCode,
    bucket: BucketName | null,
    asked: TargetReason["asked"],
    { left = 0, limit = null }: Partial<Pick<TargetReason, "left" | "limit">> = {},
  ): void {
    this.#reasons.push({ code, bucket, constraint: null, limit, asked, left });
  }

  #outcome(have: number): TargetOutcome {
    const { name, nodeArray, dynamicArray, requestSet, wish } = this.#target;
    const asked = this.#asked;
    const granted = Math.min(have, asked);
    return {
      name,
      nodeArray,
      dynamicArray,
      requestSet,
      unit: wish.kind,
      asked,
      granted,
      nodes: this.#nodes,
      groups: this.#groups,
      ...(this.#kept !== null && { kept: this.#kept }),
      reasons: granted < asked ? this.#reasons : [],
    };
  }
}

/** A group that is there: its nodes in the order in which they are kept. */
interface Group {
  readonly bucket: LedgerBucket;
  /** Nodes that make it complete. */
  readonly size: number;
  readonly started: readonly LedgerNode[];
  readonly deallocated: readonly LedgerNode[];
}

function groupOf(bucket: LedgerBucket, nodes: readonly LedgerNode[], size: number): Group {
  const ordered = inOrder(nodes);
  return {
    bucket,
    size,
    started: ordered.filter(({ origin }) => origin !== "deallocated"),
    deallocated: ordered.filter(({ origin }) => origin === "deallocated"),
  };
}

/** Those that are needed anyway, then those that lack least. */
function bestFirst(groups: readonly Group[]): readonly Group[] {
  const named = sortByNodeName(groups, ({ bucket }) => bucket.placementGroup ?? "");
  const missing = ({ size, started }: Group): number => Math.max(0, size - started.length);
  const isIdle = ({ started }: Group): number => (started.some(({ matched }) => matched) ? 0 : 1);
  return named.toSorted((a, b) => isIdle(a) - isIdle(b) || missing(a) - missing(b));
}

/** Nodes that are needed anyway, then those that are ready, then those that come, then those to start; by name. */
function inOrder(named: readonly LedgerNode[]): readonly LedgerNode[] {
  return named.toSorted((a, b) => rank(a) - rank(b));
}

function rank(node: LedgerNode): number {
  if (node.matched) return 0;
  if (node.origin === "deallocated") return 3;
  return node.reported?.status === "Ready" ? 1 : 2;
}
