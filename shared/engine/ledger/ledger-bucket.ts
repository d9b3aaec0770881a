import type { SharedProperty } from "../constraints/node-properties.ts";
import type { Charge } from "../limits/quota.ts";
import type { Bucket, NodeArray, VmFacts } from "../model/bucket.ts";
import type { LimitName } from "../model/limits.ts";
import type { PlacementPolicy } from "../model/placement.ts";
import { accountName, type BucketName, type ReasonCode } from "../model/reasons.ts";
import type { Scalar } from "../values/resources.ts";
import { Availability } from "./availability.ts";
import { type ColumnSets, type Columns, rowOf } from "./columns.ts";
import { exampleNode, type NodeFields, NodeOf, type PlanContext } from "./ledger-node.ts";
import type { CountedNode } from "./node-shapes.ts";
import { SearchMemory } from "./search-memory.ts";
import { type BucketFacts, sharedPropertyOf } from "./shared-properties.ts";
import type { Stock } from "./stock.ts";

export interface LedgerBucketFields {
  readonly name: BucketName;
  readonly bucketId: string;
  readonly vm: VmFacts;
  readonly location: string;
  readonly spot: boolean;
  /** Null for on-premise hosts. */
  readonly nodeArray: NodeArray | null;
  readonly size: Bucket | null;
  readonly charges: readonly Charge[];
  /** Why no new node comes from it for a job; null when new nodes do. Targets make those of dynamic arrays. */
  readonly closed: "invalid" | "unknown" | "on-premise" | "dynamic" | null;
  readonly systemResources: boolean;
  /** How its nodes are filled and bought. */
  readonly placement: PlacementPolicy;
  readonly context: PlanContext;
  /** What schedulers count of its nodes that have not joined. Null or absent: they report nothing. */
  readonly counted?: CountedNode | null;
}

export type LedgerNode = NodeOf<LedgerBucket>;

/** A bucket (or a pool) that ran out while a job was planned. Small, shared between jobs, worded only when read. */
export interface Refusal {
  readonly code: ReasonCode;
  /** Null: true of the whole cluster. */
  readonly bucket: LedgerBucket | null;
  readonly limit: LimitName | null;
  readonly left: number;
}

/** A bucket while planning: its nodes in the order in which they fill, what they have left, and its limits. */
export class LedgerBucket implements BucketFacts {
  readonly name: BucketName;
  readonly bucketId: string;
  readonly vm: VmFacts;
  readonly nodeArray: NodeArray | null;
  readonly size: Bucket | null;
  readonly charges: readonly Charge[];
  readonly closed: LedgerBucketFields["closed"];
  readonly systemResources: boolean;
  readonly placement: PlacementPolicy;
  readonly context: PlanContext;
  readonly counted: CountedNode | null;
  readonly nodes: LedgerNode[] = [];
  /** Those of them that take no new jobs because they are drained; one without a VM needs more than to be taken back. */
  readonly closedNodes: LedgerNode[] = [];
  readonly memory = new SearchMemory();
  /** Nodes that would have to be started. Unless the bucket is filled in order, they come after all other first nodes. */
  deallocatedCount = 0;
  /** Position of the last node that the plan started; -1: none. */
  lastStarted = -1;
  /** Nodes that hold no job. */
  vacantCount = 0;
  /** Place in the order of arrival. */
  index = 0;
  /** Why it last had no room; reused while it stays the same. */
  lastRefusal: { readonly refusal: Refusal; readonly atChange: number } | null = null;
  /** The nodes that its limits allowed at the last check, and the number of changes of the ledger at that time. */
  room = { nodes: 0, atChange: -1 };
  readonly location: string;
  readonly spot: boolean;
  #exampleNode: LedgerNode | null = null;
  #opened: Opened | null = null;

  constructor(fields: LedgerBucketFields) {
    this.name = fields.name;
    this.bucketId = fields.bucketId;
    this.vm = fields.vm;
    this.location = fields.location;
    this.spot = fields.spot;
    this.nodeArray = fields.nodeArray;
    this.size = fields.size;
    this.charges = fields.charges;
    this.closed = fields.closed;
    this.systemResources = fields.systemResources;
    this.placement = fields.placement;
    this.context = fields.context;
    this.counted = fields.counted ?? null;
  }

  get placementGroup(): string | null {
    return this.name.placementGroup;
  }

  get secondsSinceCapacityFailure(): number | null {
    return this.size?.secondsSinceCapacityFailure ?? null;
  }

  get maxPlacementGroupSize(): number {
    return this.size?.limits.maxPlacementGroupSize ?? 0;
  }

  /** The node that stands for all new ones. Set once, before planning. */
  get example(): LedgerNode {
    if (this.#exampleNode === null) throw new Error(`Bucket "${this.bucketId}" has no example node yet`);
    return this.#exampleNode;
  }

  /** Amounts that the nodes have left. */
  get table(): Availability {
    return this.#whenOpen.table;
  }

  get columns(): Columns {
    return this.#whenOpen.columns;
  }

  /** Amounts of an unused node, by column. */
  get exampleRow(): readonly number[] {
    return this.#whenOpen.exampleRow;
  }

  /** Nodes that were there before the plan made any. */
  get firstNodes(): number {
    return this.#whenOpen.firstNodes;
  }

  /** One of the first nodes for each stock that they have. */
  get kinds(): readonly LedgerNode[] {
    return this.#whenOpen.kinds;
  }

  get #whenOpen(): Opened {
    if (this.#opened === null) throw new Error(`Bucket "${this.bucketId}" is not open yet`);
    return this.#opened;
  }

  /** Lays out the table, once it is known what jobs want and what the nodes have. */
  open(sets: ColumnSets): void {
    const { stock } = this.example;
    const kinds = new Map(this.nodes.map((node) => [node.stock, node]));
    const columns = sets.of(stock, kinds.keys());
    const exampleRow = rowOf(stock, columns);
    const rows = new Map([[stock, exampleRow]]);
    // Hosts may all differ: rows are remembered only as long as it takes to fill the table.
    const table = new Availability(
      columns.count,
      this.nodes.map((node) => {
        const row = rows.get(node.stock) ?? rowOf(node.stock, columns);
        rows.set(node.stock, row);
        return row;
      }),
    );
    const firstNodes = this.nodes.length;
    this.#opened = { columns, table, exampleRow, firstNodes, kinds: [...kinds.values()] };
  }

  setExample(stock: Stock): void {
    this.#exampleNode = new NodeOf<LedgerBucket>(this, exampleNode, {
      name: `${accountName(this.name)}-0`,
      stock,
      origin: "new",
      reported: null,
      hostname: null,
      history: null,
      keepAlive: false,
    });
  }

  add(fields: NodeFields): LedgerNode {
    const node = new NodeOf<LedgerBucket>(this, this.nodes.length, fields);
    this.nodes.push(node);
    const isUp = node.origin !== "deallocated" && node.reported?.status !== "Failed";
    if (node.takesNoJobs && isUp) this.closedNodes.push(node);
    if (node.origin === "deallocated") this.deallocatedCount++;
    this.vacantCount++;
    this.#opened?.table.append(
      node.stock === this.example.stock ? this.exampleRow : rowOf(node.stock, this.columns),
    );
    return node;
  }

  /** Forgets the node that was added last. */
  dropLast(): void {
    this.nodes.pop();
    this.vacantCount--;
    this.table.pop();
  }

  get account(): string {
    return accountName(this.name);
  }

  get vmSize(): string {
    return this.name.vmSize;
  }

  /** Forgets nodes that the plan made and on which nothing lies; those behind them move up. */
  dropMade(dropped: ReadonlySet<LedgerNode>): void {
    const { table, firstNodes } = this;
    const kept = this.nodes.slice(firstNodes).filter((node) => !dropped.has(node));
    const rows = kept.map(({ position }) => table.row(position));
    this.vacantCount -= this.nodes.length - firstNodes - kept.length;
    while (this.nodes.length > firstNodes) {
      this.nodes.pop();
      table.pop();
    }
    for (const [index, node] of kept.entries()) {
      node.position = this.nodes.length;
      this.nodes.push(node);
      table.append(rows[index] as readonly number[]);
    }
    this.memory.forget();
  }

  /** What a node has before any job comes. */
  rowOf({ stock }: LedgerNode): readonly number[] {
    return stock === this.example.stock ? this.exampleRow : rowOf(stock, this.columns);
  }

  /** Makes a node as it was before any job came: sums of fractions may have left a trace. */
  restore(node: LedgerNode): void {
    for (const [column, amount] of this.rowOf(node).entries()) this.table.set(node.position, column, amount);
    this.vacantCount++;
  }

  /** A property that all nodes of the bucket share. */
  property(name: SharedProperty): Scalar {
    return sharedPropertyOf(this, name);
  }
}

interface Opened {
  readonly columns: Columns;
  readonly table: Availability;
  readonly exampleRow: readonly number[];
  readonly firstNodes: number;
  readonly kinds: readonly LedgerNode[];
}
