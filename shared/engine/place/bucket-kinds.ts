import { open, vacantColumn } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import type { Stock } from "../ledger/stock.ts";
import type { QuotaFigures } from "../limits/quota.ts";
import type { Kind } from "./packing/packing-problem.ts";

/**
 * A column of its own keeps exclusive slots apart from others: they take all of it, the others next to nothing. So the
 * packing needs no rule for them.
 */
export const exclusiveShare = 1;
export const openShare = 1e-9;
export const usedNode = 0.5;

/** A price that nobody knows is above all others: cannot tell is not free. */
export const unknownPrice = 1e6;

/** A kind of the packing with where its nodes come from. */
export interface BucketKind extends Kind {
  readonly bucket: LedgerBucket;
  /** Those that are there; empty: they are started or made. */
  readonly nodes: readonly LedgerNode[];
}

/** The limits as numbers, in the order in which buckets name them. */
export class LimitTable {
  readonly left: number[] = [];
  readonly #byQuota = new Map<QuotaFigures | string, number>();

  of(quota: QuotaFigures | string, left: number): number {
    const known = this.#byQuota.get(quota);
    if (known !== undefined) return known;
    this.#byQuota.set(quota, this.left.length);
    this.left.push(left);
    return this.left.length - 1;
  }
}

/** New nodes of a bucket: those that a reservation pays for come apart. */
export function newKinds(
  bucket: LedgerBucket,
  ofClass: number,
  limits: LimitTable,
  reservedLeft: ReadonlyMap<string, number>,
): readonly BucketKind[] {
  const charges = bucket.charges.map(({ quota, perNode }) => ({
    limit: limits.of(quota, quota.left),
    amount: perNode,
  }));
  const capacity = capacityOf(bucket.exampleRow, true);
  const kind = { class: ofClass, rank: bucket.index, capacity, there: null, bucket, nodes: [], charges };
  const regular = { ...kind, price: priceOf(bucket) ?? unknownPrice };
  const { reservation } = bucket.size ?? {};
  const paid = reservation === undefined ? 0 : (reservedLeft.get(reservation.name) ?? 0);
  if (reservation === undefined || paid < 1) return [regular];
  const limit = limits.of(reservation.name, paid);
  return [{ ...kind, price: 0, charges: [...charges, { limit, amount: 1 }] }, regular];
}

/** Nodes that are there and alike, as they are without the slots that may be moved. */
export function kindsThere(
  rooms: ReadonlyMap<LedgerNode, readonly number[]>,
  classOf: (bucket: LedgerBucket) => number,
): readonly BucketKind[] {
  const stocks = new Map<Stock, number>();
  const byLook = Map.groupBy(rooms, ([{ bucket, stock }, room]) => {
    const known = stocks.get(stock) ?? stocks.size;
    stocks.set(stock, known);
    return `${bucket.index} ${known} ${room.join()}`;
  });
  return [...byLook.values()].map((alike) => {
    const [[node, capacity]] = alike as [[LedgerNode, readonly number[]], ...unknown[]];
    const { bucket } = node;
    return {
      class: classOf(bucket),
      rank: bucket.index,
      capacity,
      price: priceOf(bucket) ?? unknownPrice,
      there: alike.length,
      charges: [],
      bucket,
      nodes: alike.map(([each]) => each),
    };
  });
}

/** Nodes of a bucket that run or are on order, and take jobs. */
export function usableNodes(ledger: Ledger, bucket: LedgerBucket): readonly LedgerNode[] {
  return bucket.nodes.filter((node) => node.origin !== "deallocated" && ledger.isUsable(node));
}

/** A row of a table as the packing has it. */
export function capacityOf(row: readonly number[], isVacant: boolean): readonly number[] {
  return row.map((amount, column) => {
    if (column === vacantColumn) return isVacant ? exclusiveShare : usedNode;
    return column === open ? 0 : amount;
  });
}

/** US dollars for an hour of one more node of a bucket; null: not known, which is not free. */
export function priceOf({ size }: LedgerBucket): number | null {
  return size?.pricePerHourUsd ?? null;
}
