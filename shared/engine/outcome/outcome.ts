import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { withAmount } from "../ledger/stock.ts";
import type { JobOutcome, NodeOrigin, Placement, PlannedNode } from "../model/plan-result.ts";
import type { Reason } from "../model/reasons.ts";
import type { NodeTarget } from "../model/target.ts";
import type { Allocation } from "../place/allocation.ts";
import type { Resources } from "../values/resources.ts";
import { mainReasons } from "./main-reasons.ts";
import type { ReasonBook } from "./reason-book.ts";

/** A job's outcome over its allocation: lists and reasons are made when they are read, or written as JSON. */
export class AllocationOutcome implements JobOutcome {
  readonly name: string;
  readonly asked: number;
  readonly granted: number;
  readonly #allocation: Allocation;
  readonly #book: ReasonBook;

  constructor(allocation: Allocation, book: ReasonBook) {
    this.name = allocation.job.name;
    this.asked = allocation.asked;
    this.granted = allocation.granted;
    this.#allocation = allocation;
    this.#book = book;
  }

  get allocated(): boolean {
    return this.granted > 0;
  }

  get placements(): readonly Placement[] {
    return this.#allocation.placements.map(({ node, slots }) => ({ node: node.name, slots }));
  }

  get reasons(): readonly Reason[] {
    return this.#book.of(this.#allocation);
  }

  toJSON(): JobOutcome {
    const { name, allocated, asked, granted, placements } = this;
    return { name, allocated, asked, granted, placements, reasons: mainReasons(this.reasons) };
  }
}

/** A node after planning; its resources are written out when they are read. */
export class LedgerPlannedNode implements PlannedNode {
  readonly #node: LedgerNode;

  constructor(node: LedgerNode) {
    this.#node = node;
  }

  get name(): string {
    return this.#node.name;
  }

  get nodeId(): string | null {
    return this.#node.reported?.nodeId ?? null;
  }

  get hostname(): string | null {
    return this.#node.hostname;
  }

  get origin(): NodeOrigin {
    const { origin } = this.#node;
    return origin === "deallocated" ? "existing" : origin;
  }

  get status(): string | null {
    return this.#node.reported?.status ?? null;
  }

  get nodeArray(): string {
    return this.#node.bucket.name.nodeArray;
  }

  get vmSize(): string {
    return this.#node.bucket.name.vmSize;
  }

  get vm(): NonNullable<PlannedNode["vm"]> {
    return this.#node.bucket.vm;
  }

  get placementGroup(): string | null {
    return this.#node.placementGroup;
  }

  get dynamicArray(): string | undefined {
    return this.#node.bucket.name.dynamicArray;
  }

  get targets(): readonly NodeTarget[] {
    return this.#node.targets.map(({ name, requestSet, untilSeconds }) => ({
      name,
      requestSet,
      ...(untilSeconds !== undefined && { untilSeconds }),
    }));
  }

  get keepAlive(): boolean {
    return this.#node.keepAlive;
  }

  get jobs(): PlannedNode["jobs"] {
    return this.#node.jobs;
  }

  get resources(): Resources {
    const node = this.#node;
    const ccnodeid = node.resource("ccnodeid");
    return ccnodeid === undefined ? node.stock.resources : { ...node.stock.resources, ccnodeid };
  }

  get available(): Resources {
    const { bucket, position } = this.#node;
    const left = { ...this.resources };
    for (const [name, column] of bucket.columns.byName) {
      const value = left[name];
      if (value === undefined) continue;
      const amount = bucket.table.get(position, column);
      if (Number.isFinite(amount)) left[name] = withAmount(value, amount);
    }
    return left;
  }

  toJSON(): PlannedNode {
    const { name, nodeId, hostname, origin, status, nodeArray, vmSize } = this;
    const { placementGroup, dynamicArray, keepAlive, jobs, targets, resources, available } = this;
    return {
      name,
      nodeId,
      hostname,
      origin,
      status,
      nodeArray,
      vmSize,
      placementGroup,
      ...(dynamicArray === undefined ? {} : { dynamicArray }),
      keepAlive,
      ...(targets.length === 0 ? {} : { targets }),
      jobs,
      resources,
      available,
    };
  }
}
