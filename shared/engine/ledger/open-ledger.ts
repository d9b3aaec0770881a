import type { NodeProperty } from "../constraints/node-properties.ts";
import { charge } from "../limits/charges.ts";
import type { Bucket, ClusterNode, NodeArray } from "../model/bucket.ts";
import { runningIn } from "../model/caps.ts";
import type { NodeHistory } from "../model/history.ts";
import { NodeNames, nameFormatOf, shortHostname } from "../model/names.ts";
import type { PendingNodes, SchedulerNode } from "../model/node.ts";
import { placementOf } from "../model/placement.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Warning } from "../model/plan-result.ts";
import { accountName, type BucketName, bucketKey } from "../model/reasons.ts";
import { forNodeArray, usesFailedNodes } from "../model/settings.ts";
import type { Resources } from "../values/resources.ts";
import { type Arrival, addInOrder, namesOnOrder, originOf } from "./arrivals.ts";
import { Limits } from "./cluster-limits.ts";
import { ColumnSets, type WantedResources } from "./columns.ts";
import {
  type DefaultsPolicy,
  equip,
  onlyNodeId,
  type ResourcesByNode,
  resourcesByNode,
} from "./default-resources.ts";
import { KnownResources } from "./known-resources.ts";
import { Ledger } from "./ledger.ts";
import { LedgerBucket, type LedgerNode } from "./ledger-bucket.ts";
import { exampleNode, NodeOf, type PlanContext } from "./ledger-node.ts";
import { isLeftOut, mayRunJobs } from "./left-alone.ts";
import { isNaming } from "./node-index.ts";
import { type CountedNode, inEveryUnit, NodeShapes } from "./node-shapes.ts";
import { namesForHosts, onPremiseBucket, onPremiseName, ownHosts } from "./on-premise.ts";
import { placementGroupsIn, placementGroupsOf } from "./placement-groups.ts";
import type { Pools } from "./pools.ts";
import { type Stock, Stocks } from "./stock.ts";

export interface OpenedLedger {
  readonly ledger: Ledger;
  /** By short host name in lower case. */
  readonly byHostname: ReadonlyMap<string, LedgerNode>;
  readonly warnings: readonly Warning[];
  /** A bucket for new nodes of a target, laid out when it is first asked for; null for an unknown array or VM size. */
  bucketFor(name: BucketName): LedgerBucket | null;
  /** Placement groups that hold a node in any state, or will. */
  readonly usedGroups: ReadonlySet<string>;
  readonly resources: KnownResources;
  readonly byNode: ResourcesByNode;
  /** Hosts of schedulers that are too many to be planned with. */
  readonly hostsLeftOut: readonly string[];
  /** Lays out the tables; nothing can be placed before. */
  open(wanted: WantedResources): void;
}

/**
 * Lays out buckets, limits and nodes for one plan. A failed node is there only while a scheduler runs a job on it, and takes
 * no other; `failedTakeJobs`: it is there like any node.
 */
export function openLedger(
  input: PlanInput,
  pools: Pools,
  overdueNodeIds: ReadonlySet<string>,
  failedTakeJobs = usesFailedNodes(input.settings),
): OpenedLedger {
  return new Layout(input, pools, failedTakeJobs).open(overdueNodeIds);
}

class Layout {
  readonly #input: PlanInput;
  readonly #context: PlanContext;
  readonly #stocks = new Stocks();
  readonly #limits: Limits;
  readonly #defaults: DefaultsPolicy;
  readonly #shapes: NodeShapes;
  readonly #byNode: ResourcesByNode;
  readonly #buckets = new Map<string, LedgerBucket>();
  readonly #byHostname = new Map<string, LedgerNode>();
  readonly #byScheduler: ReadonlyMap<string, SchedulerNode>;
  /** Short host names on which some scheduler starts no more jobs, and ids of such nodes. */
  readonly #closedHosts: ReadonlySet<string>;
  readonly #closedIds: ReadonlySet<string>;
  readonly #history: ReadonlyMap<string, NodeHistory>;
  readonly #pendingNames: ReadonlySet<string>;
  readonly #visibleNames: ReadonlySet<string>;
  readonly #namesForHosts: ReadonlySet<string>;
  readonly #failedTakeJobs: boolean;
  /** Short names of hosts on which schedulers run jobs. Read when the first failed node is met. */
  #busyHosts: ReadonlySet<string> | null = null;
  /** Placement groups of targets: jobs make no nodes there. */
  readonly #targetGroups: ReadonlySet<string>;
  readonly #warnings = new Map<string, Warning>();
  readonly #hostsLeftOut: string[] = [];
  #columnSets: ColumnSets | null = null;

  constructor(input: PlanInput, pools: Pools, failedTakeJobs: boolean) {
    const { settings, cluster } = input;
    this.#input = input;
    this.#failedTakeJobs = failedTakeJobs;
    this.#context = {
      pools,
      nowSeconds: input.nowSeconds,
      bootTimeoutSeconds: (nodeArray) => forNodeArray(settings.bootTimeoutSeconds, nodeArray),
    };
    this.#limits = new Limits(input);
    this.#defaults = {
      entries: settings.defaultResources,
      systemResources: !settings.disableDefaultResources,
    };
    this.#shapes = new NodeShapes(input.nodeShapes ?? [], ({ code, subject, message }) =>
      this.#warn(code, subject, message),
    );
    this.#byNode = resourcesByNode(settings.defaultResources);
    this.#byScheduler = new Map(input.schedulerNodes.map((node) => [shortHostname(node.hostname), node]));
    this.#closedHosts = new Set(
      input.schedulerNodes.flatMap((node) => (node.takesNoJobs ? [shortHostname(node.hostname)] : [])),
    );
    this.#closedIds = new Set(input.closedNodeIds);
    this.#history = new Map(input.history.map((row) => [row.nodeId, row]));
    this.#visibleNames = new Set(cluster.nodes.map((node) => node.name));
    this.#namesForHosts = namesForHosts(input);
    this.#targetGroups = placementGroupsIn(
      [...cluster.nodes, ...input.pending].filter((node) => node.dynamicArray !== undefined),
    );
    this.#pendingNames = new Set(input.pending.flatMap((pending) => pending.names ?? []));
  }

  open(overdueNodeIds: ReadonlySet<string>): OpenedLedger {
    const names = new NodeNames(this.#visibleNames);
    const arrays = this.#input.cluster.nodeArrays.filter(({ enabled }) => enabled);
    for (const array of arrays) this.#addArray(array);
    for (const array of arrays) this.#addLastGroups(array);
    const unfit = new Set([...this.#input.leavingNodeIds, ...overdueNodeIds]);
    const { cluster, settings } = this.#input;
    const inUse = cluster.nodes.filter(({ nodeId }) => !unfit.has(nodeId));
    for (const { name } of inUse.filter(({ targetState }) => targetState === null))
      this.#warn("no-target-state", name, `Node "${name}" has no target state: it is left alone`);
    const arrivals = [
      ...inUse
        .filter((node) => mayRunJobs(node, settings) && !this.#isBeside(node))
        .map((node) => this.#arrivalOf(node)),
      ...this.#input.pending.flatMap((pending) => this.#ordered(pending, names)),
    ];
    addInOrder(arrivals, () => this.#addOnPremise());
    this.#limits.closeCaps(runningIn(cluster, this.#input.pending));
    const buckets = [...this.#buckets.values()];
    for (const [index, bucket] of buckets.entries()) bucket.index = index;
    const ledger = new Ledger({
      buckets,
      pools: this.#context.pools,
      wantsFreshNodes: settings.compatibility === "scalelib",
      names,
      nameFormat: (name) => nameFormatOf(settings, name),
      keepAlive: (array) => forNodeArray(settings.keepAlive, array),
    });
    return {
      ledger,
      byHostname: this.#byHostname,
      warnings: [...this.#warnings.values()],
      bucketFor: (name) => this.#bucketFor(ledger, name),
      usedGroups: placementGroupsIn([...cluster.nodes, ...this.#input.pending]),
      resources: new KnownResources(this.#input, buckets),
      byNode: this.#byNodeIn(buckets),
      hostsLeftOut: this.#hostsLeftOut,
      open: (wanted) => {
        this.#columnSets = new ColumnSets(wanted);
        for (const bucket of buckets) bucket.open(this.#columnSets);
      },
    };
  }

  get #everyNodeDiffers(): boolean {
    return this.#byNode.all.size > onlyNodeId.all.size;
  }

  /** A resource that some array gives to its new nodes is no name there. */
  #byNodeIn(buckets: readonly LedgerBucket[]): ResourcesByNode {
    const isUnknown = (name: string): boolean =>
      buckets.every(({ example }) => (example.resource(name) ?? null) === null);
    return { all: this.#byNode.all, naming: new Set([...this.#byNode.naming].filter(isUnknown)) };
  }

  #warn(code: string, subject: string, message: string): void {
    this.#warnings.set(`${code} ${subject} ${message}`, { code, subject, message });
  }

  #addArray(array: NodeArray): void {
    for (const size of array.buckets) {
      this.#addGroups(array, size, placementGroupsOf(array, size, this.#input.settings).first);
      this.#addBucket(array, size, { placementGroup: null });
    }
  }

  #addLastGroups(array: NodeArray): void {
    for (const size of array.buckets)
      this.#addGroups(array, size, placementGroupsOf(array, size, this.#input.settings).last);
  }

  #addGroups(array: NodeArray, size: Bucket, groups: readonly string[]): void {
    for (const placementGroup of groups)
      if (!this.#targetGroups.has(placementGroup)) this.#addBucket(array, size, { placementGroup });
  }

  #bucketFor(ledger: Ledger, name: BucketName): LedgerBucket | null {
    const array = this.#limits.enabledArray(name.nodeArray);
    const size = array?.buckets.find(({ vmSize }) => vmSize === name.vmSize);
    if (array === null || size === undefined) return null;
    const before = this.#buckets.size;
    const bucket = this.#addBucket(array, size, name);
    if (this.#buckets.size === before) return bucket;
    if (this.#columnSets !== null) bucket.open(this.#columnSets);
    ledger.add(bucket);
    return bucket;
  }

  #addBucket(array: NodeArray, size: Bucket, home: Home): LedgerBucket {
    const { placementGroup, dynamicArray } = home;
    const plain = { nodeArray: array.name, vmSize: size.vmSize, placementGroup };
    const name: BucketName = dynamicArray === undefined ? plain : { ...plain, dynamicArray };
    const known = this.#buckets.get(bucketKey(name));
    if (known !== undefined) return known;
    const open = dynamicArray === undefined ? null : "dynamic";
    const bucket = new LedgerBucket({
      name,
      bucketId: size.bucketId,
      vm: size.vm,
      location: array.location,
      spot: array.spot,
      nodeArray: array,
      size,
      charges: this.#limits.chargesOf(array, size, placementGroup),
      closed: size.valid ? open : "invalid",
      systemResources: this.#defaults.systemResources,
      placement: placementOf(this.#input.settings, array.name),
      context: this.#context,
      counted: this.#shapes.of(array.name, size.vmSize),
    });
    this.#register(bucket, array.resources);
    return bucket;
  }

  #register(bucket: LedgerBucket, reported: Resources): void {
    this.#buckets.set(bucketKey(bucket.name), bucket);
    // The example has to exist before its properties can be asked for; its resources come in a second step.
    bucket.setExample(noStock);
    const { example } = bucket;
    const softwareConfiguration = bucket.nodeArray?.softwareConfiguration ?? {};
    // No new node has the example's name.
    const property = (name: NodeProperty) => (isNaming(name) ? null : example.property(name));
    const newborn = {
      property,
      nodeId: null,
      softwareConfiguration,
      ...withCounted(reported, bucket.counted),
    };
    bucket.setExample(this.#stocks.of(this.#equip(newborn, accountName(bucket.name))));
  }

  #equip(newborn: Parameters<typeof equip>[0], subject: string): Resources {
    return equip(newborn, this.#defaults, (message) => this.#warn("default-resource", subject, message));
  }

  /**
   * Nodes fill in the order of their names. Unless the array is filled in order, deallocated ones come last, since they cost
   * money once started, and those on order among the others: they take the jobs that they were bought for.
   */
  #arrivalOf(node: ClusterNode): Arrival {
    const isInOrder = placementOf(this.#input.settings, node.nodeArray) === "order";
    const isLast = !isInOrder && originOf(node, this.#pendingNames) === "deallocated";
    return { name: node.name, isLast, add: () => this.#addNode(node) };
  }

  #addNode(node: ClusterNode): void {
    const array = this.#limits.enabledArray(node.nodeArray);
    if (array === null || isLeftOut(node, array, this.#input.settings)) return;
    const bucket = this.#bucketOf(array, node);
    if (bucket === null) {
      this.#warn(
        "unknown-vm-size",
        node.vmSize,
        `VM size "${node.vmSize}" of node "${node.name}" is in no bucket of "${array.name}": the node is left alone`,
      );
      return;
    }
    const fields = {
      name: node.name,
      origin: originOf(node, this.#pendingNames),
      stock: bucket.example.stock,
      reported: node,
      hostname: node.hostname,
      history: this.#history.get(node.nodeId) ?? null,
      keepAlive: node.keepAlive,
      takesNoJobs:
        this.#closedIds.has(node.nodeId) ||
        this.#hostsOf(node).some((host) => this.#closedHosts.has(host)) ||
        this.#isLost(node),
    };
    const entry = bucket.add({
      ...fields,
      stock: this.#stockOf(new NodeOf(bucket, exampleNode, fields), node, array),
    });
    if (entry.origin === "pending") charge(bucket.charges, 1);
    for (const host of this.#hostsOf(node)) this.#byHostname.set(host, entry);
  }

  /** What schedulers may call its host. */
  #hostsOf({ name, hostname }: Pick<ClusterNode, "name" | "hostname">): readonly string[] {
    const host = hostname === null ? [] : [shortHostname(hostname)];
    const lower = name.toLowerCase();
    return this.#namesForHosts.has(lower) ? [...host, lower] : host;
  }

  /** Whether it has failed, so that no new job is put on it. */
  #isLost({ status }: ClusterNode): boolean {
    return status === "Failed" && !this.#failedTakeJobs;
  }

  /** Whether it has failed and nothing runs there: then it is no part of the plan. */
  #isBeside(node: ClusterNode): boolean {
    if (!this.#isLost(node)) return false;
    this.#busyHosts ??= new Set(
      this.#input.jobs.flatMap(({ executingHostnames }) => executingHostnames.map(shortHostname)),
    );
    return !this.#hostsOf(node).some((host) => this.#busyHosts?.has(host));
  }

  #bucketOf(array: NodeArray, node: ClusterNode): LedgerBucket | null {
    const size = array.buckets.find((candidate) => candidate.vmSize === node.vmSize);
    return size === undefined ? null : this.#addBucket(array, size, node);
  }

  /** The bucket's own stock, unless the node reports something for itself or a default differs from node to node. */
  #stockOf(entry: LedgerNode, node: ClusterNode, array: NodeArray): Stock {
    const [host = ""] = this.#hostsOf(node).filter((each) => this.#byScheduler.has(each));
    const scheduler = this.#byScheduler.get(host);
    const overriding =
      scheduler === undefined || scheduler.overrideResources === false ? {} : scheduler.resources;
    const { ccnodeid: _, ...own } = overriding;
    // Like scalelib, which takes what is said of memory in one unit for that unit alone.
    const fromScheduler = this.#input.settings.compatibility === "scalelib" ? own : inEveryUnit(own);
    const isLikeExample = Object.keys(node.resources).length === 0 && Object.keys(fromScheduler).length === 0;
    if (!this.#everyNodeDiffers && isLikeExample) return entry.stock;
    const property = entry.property.bind(entry);
    const { softwareConfiguration } = node;
    const counted = withCounted({ ...array.resources, ...node.resources }, entry.bucket.counted);
    const newborn = {
      property,
      nodeId: node.nodeId,
      softwareConfiguration,
      reported: { ...counted.reported, ...fromScheduler },
      absent: counted.absent,
    };
    return this.#stocks.of(this.#equip(newborn, node.nodeArray));
  }

  #addOnPremise(): void {
    const hosts = ownHosts(this.#input, this.#byScheduler.values(), {
      planned: this.#byHostname.keys(),
      names: this.#namesForHosts,
    });
    for (const { code, subject, message } of hosts.warnings) this.#warn(code, subject, message);
    this.#hostsLeftOut.push(...hosts.leftOut);
    for (const { host, resources } of hosts.taken) this.#addHost(host, resources);
  }

  #addHost(host: SchedulerNode, reported: Resources): void {
    const bucket = this.#onPremiseBucket(reported);
    const fields = {
      name: host.hostname,
      origin: "on-premise" as const,
      stock: bucket.example.stock,
      reported: null,
      hostname: host.hostname,
      history: null,
      keepAlive: false,
      takesNoJobs: this.#closedHosts.has(shortHostname(host.hostname)),
    };
    const entry = new NodeOf(bucket, exampleNode, fields);
    const property = entry.property.bind(entry);
    const newborn = { property, nodeId: null, reported, softwareConfiguration: {} };
    const node = bucket.add({ ...fields, stock: this.#stocks.of(this.#equip(newborn, host.hostname)) });
    this.#byHostname.set(shortHostname(host.hostname), node);
  }

  #onPremiseBucket(reported: Resources): LedgerBucket {
    const known = this.#buckets.get(bucketKey(onPremiseName));
    if (known) return known;
    const bucket = onPremiseBucket(this.#context, {
      systemResources: this.#defaults.systemResources,
      placement: placementOf(this.#input.settings, null),
    });
    this.#register(bucket, reported);
    return bucket;
  }

  /** Nodes on order count as if they were there. Those that are started again are in the snapshot already. */
  #ordered(pending: PendingNodes, names: NodeNames): readonly Arrival[] {
    const array = this.#limits.enabledArray(pending.nodeArray);
    const size = array?.buckets.find((bucket) => bucket.vmSize === pending.vmSize);
    for (const name of pending.names ?? []) names.reserve(name);
    if (array === null || size === undefined) return [];
    const isLast = placementOf(this.#input.settings, array.name) === "order";
    const keepAlive = forNodeArray(this.#input.settings.keepAlive, array.name);
    let bucket: LedgerBucket | null = null;
    const add = (name: string): void => {
      // Where its bucket stands depends on when the first of its nodes is laid out.
      bucket ??= this.#addBucket(array, size, pending);
      this.#addPending(name, bucket, keepAlive);
    };
    return namesOnOrder(pending, this.#visibleNames).map((name) => ({ name, isLast, add }));
  }

  #addPending(name: string, bucket: LedgerBucket, keepAlive: boolean): void {
    const hosts = this.#hostsOf({ name, hostname: null });
    const fields = {
      name,
      origin: "pending",
      stock: bucket.example.stock,
      reported: null,
      hostname: null,
      history: null,
      keepAlive,
      takesNoJobs: hosts.some((host) => this.#closedHosts.has(host)),
    } as const;
    const entry = bucket.add(
      this.#everyNodeDiffers
        ? { ...fields, stock: this.#stockOnOrder(new NodeOf(bucket, exampleNode, fields)) }
        : fields,
    );
    for (const host of hosts) this.#byHostname.set(host, entry);
    charge(bucket.charges, 1);
  }

  /** A node on order has a name already. */
  #stockOnOrder(entry: LedgerNode): Stock {
    const { nodeArray } = entry.bucket;
    const property = entry.property.bind(entry);
    const softwareConfiguration = nodeArray?.softwareConfiguration ?? {};
    const counted = withCounted(nodeArray?.resources ?? {}, entry.bucket.counted);
    const newborn = {
      property,
      nodeId: null,
      softwareConfiguration,
      ...counted,
    };
    return this.#stocks.of(this.#equip(newborn, entry.bucket.account));
  }
}

const noStock: Stock = { resources: {} };
const nothingAbsent: ReadonlySet<string> = new Set();

/** What CycleCloud reports of a node, under what its scheduler counts of such nodes. */
function withCounted(
  reported: Resources,
  counted: CountedNode | null,
): { readonly reported: Resources; readonly absent: ReadonlySet<string> } {
  if (counted === null) return { reported, absent: nothingAbsent };
  const { resources, absent } = counted;
  const present = Object.entries(reported).filter(([name]) => !absent.has(name));
  return { reported: { ...Object.fromEntries(present), ...resources }, absent };
}

type Home = Pick<BucketName, "placementGroup" | "dynamicArray">;
