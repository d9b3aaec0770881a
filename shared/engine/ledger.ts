import type { Demand } from "./availability.ts";
import type { SharedConsumable } from "./constraint.ts";
import type { LedgerBucket } from "./ledger-bucket.ts";
import type { LedgerNode, LedgerOrigin } from "./ledger-node.ts";
import type { NodeNames } from "./names.ts";
import type { Pools } from "./pools.ts";
import { availableNodes, charge } from "./quota.ts";
import { OPEN, VACANT } from "./stock.ts";

/** What a job takes of a node: amounts per slot, and whether it closes the node to others. */
export interface Taking {
  readonly node: LedgerNode;
  readonly job: string;
  readonly slots: number;
  readonly demands: readonly Demand[];
  readonly closes: boolean;
}

/** How to take one step back. */
type Undo = () => void;

/**
 * The only thing that changes while a plan is made: it is born and dropped within one `plan` call. Steps of an
 * all-or-nothing job are kept in a journal, so that giving up costs as much as trying did and nothing is cloned.
 */
export class Ledger {
  readonly buckets: readonly LedgerBucket[];
  readonly pools: Pools;
  /** Whether a bucket is closed to a job that untouched and new nodes alone could not hold (scalelib's way). */
  readonly wantsFreshNodes: boolean;
  private readonly names: NodeNames;
  private readonly nameFormat: (nodeArray: string) => string;
  private readonly keepAlive: (nodeArray: string) => boolean;
  /** Index in its name format of every new node. */
  readonly nameIndex = new Map<LedgerNode, number>();
  /** Nodes made so far: what was refused for good can only fit again when this grew. */
  created = 0;
  private journal: Undo[] | null = null;

  constructor(fields: {
    readonly buckets: readonly LedgerBucket[];
    readonly pools: Pools;
    readonly wantsFreshNodes: boolean;
    readonly names: NodeNames;
    readonly nameFormat: (nodeArray: string) => string;
    readonly keepAlive: (nodeArray: string) => boolean;
  }) {
    this.buckets = fields.buckets;
    this.pools = fields.pools;
    this.wantsFreshNodes = fields.wantsFreshNodes;
    this.names = fields.names;
    this.nameFormat = fields.nameFormat;
    this.keepAlive = fields.keepAlive;
  }

  /** Runs an attempt; when it returns false, everything it did is undone. */
  attempt(steps: () => boolean): boolean {
    const journal: Undo[] = [];
    this.journal = journal;
    const kept = steps();
    this.journal = null;
    if (!kept) for (const undo of journal.reverse()) undo();
    return kept;
  }

  /** Nodes that the limits of a bucket still allow; 0 where no new ones come from. */
  capacityOf(bucket: LedgerBucket): number {
    return bucket.closed === null ? availableNodes(bucket.charges) : 0;
  }

  /** Whether a bucket may be asked for this many nodes. */
  isOpenFor(bucket: LedgerBucket, nodes: number): boolean {
    if (!this.wantsFreshNodes) return true;
    // Every on-premise host is a bucket of its own there.
    if (bucket.closed === "on-premise") return nodes === 1;
    return this.capacityOf(bucket) + bucket.vacantCount >= nodes;
  }

  /** Whether a node can be used at all now: a deallocated one has to be started within the limits. */
  isUsable(node: LedgerNode): boolean {
    if (this.wantsFreshNodes && node.origin === "on-premise") return node.vacant;
    return node.origin !== "deallocated" || this.capacityOf(node.bucket) >= 1;
  }

  /** A new node; the limits must allow it. */
  create(bucket: LedgerBucket): LedgerNode {
    const format = this.nameFormat(bucket.name.nodeArray);
    const { name, index } = this.names.next(format);
    const node = bucket.add({
      name,
      origin: "new",
      stock: bucket.example.stock,
      reported: null,
      hostname: null,
      history: null,
      keepAlive: this.keepAlive(bucket.name.nodeArray),
    });
    charge(bucket.charges, 1);
    this.nameIndex.set(node, index);
    this.created++;
    this.journal?.push(() => {
      bucket.dropLast();
      charge(bucket.charges, -1);
      this.names.release(format, index);
      this.nameIndex.delete(node);
    });
    return node;
  }

  /** Puts slots of a job on a node, which must cover them. */
  take(taking: Taking): void {
    const { node, slots, demands, closes } = taking;
    if (node.origin === "deallocated") this.start(node);
    for (const demand of demands) this.takeDemand(node, demand, slots);
    this.setColumn(node, VACANT, 0);
    if (closes) this.setColumn(node, OPEN, 0);
    this.assign(node, taking.job, slots);
  }

  /** Puts a job on a node on which it runs already: what it takes is floored at zero, and nothing is started. */
  occupy(taking: Taking): void {
    const { node } = taking;
    const { table } = node.bucket;
    for (const { columns, amounts } of taking.demands) {
      columns.forEach((column, index) => {
        const left = table.get(node.position, column);
        if (column === VACANT || column === OPEN || left < 0) return;
        table.set(node.position, column, Math.max(0, left - (amounts[index] ?? 0) * taking.slots));
      });
    }
    table.set(node.position, VACANT, 0);
    if (taking.closes) table.set(node.position, OPEN, 0);
    this.assign(node, taking.job, taking.slots);
  }

  /** Draws slots from shared pools. */
  draw(consumables: readonly SharedConsumable[], slots: number, firstSlots: boolean): void {
    for (const { draws } of consumables) {
      for (const draw of draws) {
        const times = draw.once ? (firstSlots ? 1 : 0) : slots;
        this.pools.draw(draw, times);
        this.journal?.push(() => this.pools.draw(draw, -times));
      }
    }
  }

  private takeDemand(node: LedgerNode, demand: Demand, slots: number): void {
    const { table } = node.bucket;
    for (let i = 0; i < demand.columns.length; i++) {
      const column = demand.columns[i] ?? 0;
      // The two marker columns are demanded, not used up: `setColumn` says what becomes of them.
      if (column === VACANT || column === OPEN) continue;
      if (this.journal !== null) this.remember(node, column);
      table.take(node.position, column, (demand.amounts[i] ?? 0) * slots);
    }
  }

  private setColumn(node: LedgerNode, column: number, value: number): void {
    if (this.journal !== null) this.remember(node, column);
    node.bucket.table.set(node.position, column, value);
  }

  private remember(node: LedgerNode, column: number): void {
    const { table } = node.bucket;
    const before = table.get(node.position, column);
    this.journal?.push(() => table.set(node.position, column, before));
  }

  private start(node: LedgerNode): void {
    const before: LedgerOrigin = node.origin;
    node.origin = "starting";
    charge(node.bucket.charges, 1);
    this.journal?.push(() => {
      node.origin = before;
      charge(node.bucket.charges, -1);
    });
  }

  private assign(node: LedgerNode, job: string, slots: number): void {
    const last = node.jobs.at(-1);
    if (last?.job === job) {
      last.slots += slots;
      this.journal?.push(() => {
        last.slots -= slots;
      });
      return;
    }
    if (last === undefined) node.bucket.vacantCount--;
    node.jobs.push({ job, slots });
    this.journal?.push(() => {
      node.jobs.pop();
      if (last === undefined) node.bucket.vacantCount++;
    });
  }
}
