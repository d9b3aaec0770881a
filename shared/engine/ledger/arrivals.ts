import type { ClusterNode } from "../model/bucket.ts";
import { sortByNodeName } from "../model/names.ts";
import type { PendingNodes } from "../model/node.ts";
import type { LedgerOrigin } from "./ledger-node.ts";

/** A node that is there or on order, before it is laid out. */
export interface Arrival {
  readonly name: string;
  /** Comes after all others. */
  readonly isLast: boolean;
  readonly add: (name: string) => void;
}

/** Lays nodes out by name, the last ones after `between`. */
export function addInOrder(arrivals: readonly Arrival[], between: () => void): void {
  const byName = sortByNodeName(arrivals, ({ name }) => name);
  for (const { name, isLast, add } of byName) if (!isLast) add(name);
  between();
  for (const { name, isLast, add } of byName) if (isLast) add(name);
}

/** Names of nodes on order that no snapshot shows; those that have no name yet get one for this plan. */
export function namesOnOrder(pending: PendingNodes, visible: ReadonlySet<string>): readonly string[] {
  const wanted = pending.names ?? [];
  const names = Array.from(
    { length: pending.count },
    (_, index) => wanted[index] ?? `${pending.actionId}#${index}`,
  );
  return names.filter((name) => !visible.has(name));
}

/** A deallocated node whose name is on order is being started again. */
export function originOf(node: ClusterNode, pendingNames: ReadonlySet<string>): LedgerOrigin {
  if (node.targetState === "Started") return "existing";
  return pendingNames.has(node.name) ? "pending" : "deallocated";
}
