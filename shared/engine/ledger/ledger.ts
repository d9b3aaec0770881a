import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import { availableNodes, charge } from "../limits/charges.ts";
import type { NodeNames } from "../model/names.ts";
import type { BucketName } from "../model/reasons.ts";
import type { Target } from "../model/target.ts";
import type { Availability, Demand } from "./availability.ts";
import { open, vacantColumn } from "./columns.ts";
import { Memory } from "./effort.ts";
import { Journal } from "./journal.ts";
import type { LedgerBucket, LedgerNode, Refusal } from "./ledger-bucket.ts";
import type { LedgerOrigin } from "./ledger-node.ts";
import { NodeIndex } from "./node-index.ts";
import type { Pools } from "./pools.ts";

/** What a slot takes of a node: amounts, and whether it closes the node to others. */
export interface Taking {
  readonly demand: Demand;
  readonly closes: boolean;
}

interface LedgerFields {
  readonly buckets: readonly LedgerBucket[];
  readonly pools: Pools;
  readonly names: NodeNames;
  readonly nameFormat: (bucket: BucketName) => string;
  readonly keepAlive: (nodeArray: string) => boolean;
  /** Whether a bucket is closed to a job that untouched and new nodes alone could not hold (scalelib's way). */
  readonly wantsFreshNodes: boolean;
}

/**
 * The only thing that changes while a plan is made: it is born and dropped within one `plan` call. Steps of an
 * all-or-nothing job are kept in a journal, so that giving up costs as much as trying did and nothing is cloned.
 */
export class Ledger {
  readonly pools: Pools;
  /** Nodes made so far: what was refused for good can only fit again when this grew. */
  created = 0;
  /** Whether a job used a node although an earlier choice of it could have made one: then filling in order would differ. */
  crossed = false;
  readonly memory = new Memory();
  readonly lists = new SharedLists<LedgerBucket>();
  readonly refusals = new SharedLists<Refusal>();
  /** Nodes by what they are called. */
  readonly index: NodeIndex;
  /** Changes of the limits so far: what they leave is worked out once for each. */
  #changes = 0;
  readonly #fields: LedgerFields;
  readonly #opened: LedgerBucket[];
  #sorted: readonly LedgerBucket[] | null = null;
  readonly #nameFormats = new Map<LedgerBucket, string>();
  readonly #journal = new Journal();

  constructor(fields: LedgerFields) {
    this.#opened = [...fields.buckets];
    this.pools = fields.pools;
    this.#fields = fields;
    this.index = new NodeIndex(this.#opened);
  }

  /** Grows with every change of what the limits leave. */
  get changeCount(): number {
    return this.#changes;
  }

  /** The buckets as they are, sorted once. */
  inOrder(sort: (buckets: readonly LedgerBucket[]) => readonly LedgerBucket[]): readonly LedgerBucket[] {
    this.#sorted ??= sort(this.#opened);
    return this.#sorted;
  }

  get buckets(): readonly LedgerBucket[] {
    return this.#opened;
  }

  /** Adds a bucket at the end. Only once all jobs are placed: shapes remember which buckets there are. */
  add(bucket: LedgerBucket): void {
    bucket.index = this.#opened.length;
    this.#opened.push(bucket);
  }

  /** Runs an attempt; when it returns false, everything it did is undone. */
  attempt(steps: () => boolean): boolean {
    this.#journal.open();
    const kept = steps();
    if (kept) this.#journal.close();
    else
      this.#journal.undo({
        created: (node) => this.#remove(node),
        taken: (node, slots, origin, left) => this.#giveBack(node, slots, origin, left),
        drawn: (draw, times) => this.pools.draw(draw, -times),
      });
    return kept;
  }

  /** Nodes have more left than searches knew. */
  forgetSearches(): void {
    for (const { memory } of this.#opened) memory.forget();
  }

  /** Nodes that the limits of a bucket still allow; 0 where no new ones come from. */
  capacityOf(bucket: LedgerBucket): number {
    if (bucket.closed !== null) return 0;
    const { room } = bucket;
    if (room.atChange !== this.#changes) {
      room.nodes = availableNodes(bucket.charges);
      room.atChange = this.#changes;
    }
    return room.nodes;
  }

  /** The same for a target, which also makes nodes of dynamic arrays. */
  roomFor(bucket: LedgerBucket): number {
    return bucket.closed === null || bucket.closed === "dynamic" ? availableNodes(bucket.charges) : 0;
  }

  /** Whether a bucket may be asked for this many nodes. */
  isOpenFor(bucket: LedgerBucket, nodes: number): boolean {
    if (!this.#fields.wantsFreshNodes) return true;
    // Every on-premise host is a bucket of its own there.
    if (bucket.closed === "on-premise") return nodes === 1;
    return this.capacityOf(bucket) + bucket.vacantCount >= nodes;
  }

  /** Whether a node can be used at all now: a deallocated one has to be started within the limits. */
  isUsable(node: LedgerNode): boolean {
    if (node.takesNoJobs) return false;
    if (this.#fields.wantsFreshNodes && node.origin === "on-premise") return node.vacant;
    return node.origin !== "deallocated" || this.capacityOf(node.bucket) >= 1;
  }

  /** A new node; the limits must allow it. */
  create(bucket: LedgerBucket): LedgerNode {
    const { name, index } = this.#fields.names.next(this.#nameFormatOf(bucket));
    const node = bucket.add({
      name,
      origin: "new",
      stock: bucket.example.stock,
      reported: null,
      hostname: null,
      history: null,
      keepAlive: this.#fields.keepAlive(bucket.name.nodeArray),
    });
    this.#charge(bucket, 1);
    node.nameIndex = index;
    this.created++;
    this.index.note(node);
    this.#journal.created(node);
    return node;
  }

  /** Takes back the node that was made last, before anything was put on it. */
  discard(node: LedgerNode): void {
    this.#journal.dropLast();
    this.#remove(node);
  }

  /** Puts slots of a job on a node, which must cover them. */
  take(node: LedgerNode, job: string, slots: number, { demand, closes }: Taking): void {
    const { table } = node.bucket;
    this.#journal.taken(node, slots);
    if (node.origin === "deallocated") this.#start(node);
    takeAmounts(table, node.position, demand, slots);
    this.#assign(node, job, slots);
    if (closes) table.set(node.position, open, 0);
  }

  /** Takes slots of a job off a node again, outside of attempts; a node that was started for it goes back to sleep. */
  release(node: LedgerNode, job: string, slots: number, demand: Demand): void {
    const { bucket, position } = node;
    takeAmounts(bucket.table, position, demand, -slots);
    const at = node.jobs.findLastIndex((entry) => entry.job === job);
    const entry = node.jobs[at];
    if (entry !== undefined && entry.slots > slots) entry.slots -= slots;
    else node.jobs.splice(at, 1);
    if (node.jobs.length > 0) return;
    bucket.restore(node);
    if (node.origin !== "starting") return;
    node.origin = "deallocated";
    bucket.deallocatedCount++;
    this.#charge(bucket, -1);
  }

  /** Takes back nodes that the plan made and on which nothing lies any more. */
  dropMade(nodes: readonly LedgerNode[]): void {
    for (const [bucket, made] of Map.groupBy(nodes, (node) => node.bucket)) {
      bucket.dropMade(new Set(made));
      for (const node of made) {
        this.index.forget(node);
        this.#fields.names.release(this.#nameFormatOf(bucket), node.nameIndex);
      }
      this.#charge(bucket, -made.length);
    }
  }

  /** Counts a node towards a target; a deallocated one is started, which the limits must allow. */
  hold(node: LedgerNode, target: Target): void {
    if (node.origin === "deallocated") this.#start(node);
    if (!node.targets.includes(target)) node.targets = [...node.targets, target];
  }

  /** Puts a job on a node on which it runs already: what it takes is floored at zero, and nothing is started. */
  occupy(node: LedgerNode, job: string, slots: number, { demand, closes }: Taking): void {
    const { table } = node.bucket;
    demand.columns.forEach((column, index) => {
      const left = table.get(node.position, column);
      if (column === vacantColumn || column === open || left < 0) return;
      table.set(node.position, column, Math.max(0, left - (demand.amounts[index] ?? 0) * slots));
    });
    this.#assign(node, job, slots);
    if (closes) table.set(node.position, open, 0);
  }

  /** Draws slots from shared pools. */
  draw(consumables: readonly SharedConsumable[], slots: number, firstSlots: boolean): void {
    for (const { draws } of consumables) {
      for (const draw of draws) {
        const times = draw.once ? (firstSlots ? 1 : 0) : slots;
        this.pools.draw(draw, times);
        this.#journal.drawn(draw, times);
      }
    }
  }

  #assign(node: LedgerNode, job: string, slots: number): void {
    if (node.jobs.length === 0) {
      node.bucket.vacantCount--;
      node.bucket.table.set(node.position, vacantColumn, 0);
    }
    node.put(job, slots);
  }

  #start(node: LedgerNode): void {
    const { bucket } = node;
    node.origin = "starting";
    bucket.deallocatedCount--;
    bucket.lastStarted = Math.max(bucket.lastStarted, node.position);
    this.#charge(bucket, 1);
  }

  #giveBack(node: LedgerNode, slots: number, origin: LedgerOrigin, left: readonly number[]): void {
    for (const [column, amount] of left.entries()) node.bucket.table.set(node.position, column, amount);
    if (node.origin !== origin) {
      node.bucket.deallocatedCount++;
      this.#charge(node.bucket, -1);
    }
    node.origin = origin;
    const last = node.jobs.at(-1);
    if (last !== undefined && last.slots > slots) last.slots -= slots;
    else node.jobs.pop();
    if (node.jobs.length === 0) node.bucket.vacantCount++;
  }

  #nameFormatOf(bucket: LedgerBucket): string {
    const known = this.#nameFormats.get(bucket);
    if (known !== undefined) return known;
    const format = this.#fields.nameFormat(bucket.name);
    this.#nameFormats.set(bucket, format);
    return format;
  }

  #charge(bucket: LedgerBucket, nodes: number): void {
    charge(bucket.charges, nodes);
    this.#changes++;
  }

  #remove(node: LedgerNode): void {
    const { bucket, nameIndex } = node;
    bucket.dropLast();
    this.index.forget(node);
    this.#charge(bucket, -1);
    this.#fields.names.release(this.#nameFormatOf(bucket), nameIndex);
  }
}

/** Takes slots off a row. The two marker columns are demanded, not used up. */
export function takeAmounts(
  table: Availability,
  row: number,
  { columns, amounts }: Demand,
  slots: number,
): void {
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as number;
    if (column !== vacantColumn && column !== open) table.take(row, column, (amounts[i] as number) * slots);
  }
}

/** Lists that many jobs have alike, such as the buckets that refused them: one is kept of those that were made lately. */
class SharedLists<T extends object> {
  readonly #recent: (readonly T[])[] = [];
  #oldest = 0;

  /** The same list if there is one. */
  of(list: readonly T[]): readonly T[] {
    for (const known of this.#recent) if (isSame(known, list)) return known;
    if (this.#recent.length < mostLists) this.#recent.push(list);
    else this.#recent[this.#oldest++ % mostLists] = list;
    return list;
  }
}

/** More would cost more to compare than it saves. */
const mostLists = 16;

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false;
  // From the end: lists of buckets mostly begin alike.
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  return true;
}
