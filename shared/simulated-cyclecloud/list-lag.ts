import { createHash } from "node:crypto";
import type { Operation } from "./operation-list.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** How far a cluster's lists lag at most, in seconds; 0: not at all. */
interface Lag {
  /** The nodes of the cluster's status. */
  readonly statusSeconds: number;
  /** The list of nodes, also that of one request or operation. */
  readonly nodesSeconds: number;
  /** What is known of requests and operations. An id that was used is refused at once all the same. */
  readonly requestSeconds: number;
}

export type ListLag = ReturnType<typeof createListLag>;

/**
 * What the lists of one cluster do not show yet. Every node and operation lags for itself, evenly up to the most, and in each list for
 * itself: lists are partial. What was shown once stays. The ids are seeded, so the lags are, and nothing else is drawn differently.
 */
export function createListLag() {
  const lags: { readonly from: number; readonly lag: Lag }[] = [];

  function isOver(
    of: { readonly id: string; readonly madeAt: number; readonly list: keyof Lag },
    at: number,
  ): boolean {
    const { id, madeAt, list } = of;
    const most = lags.findLast(({ from }) => from <= madeAt)?.lag[list] ?? 0;
    const age = at - madeAt;
    return age >= most || age >= most * shareOf(`${list} ${id}`);
  }

  return {
    /** For what is made from `at` on. */
    set: (lag: Lag, at: number) => void lags.push({ from: at, lag }),
    isShown: (list: "status" | "nodes", { nodeId, createdAt }: SimulatedNode, at: number) =>
      isOver({ id: nodeId, madeAt: createdAt, list: `${list}Seconds` }, at),
    isKnown: ({ operationId, startedAt }: Operation, at: number) =>
      isOver({ id: operationId, madeAt: startedAt, list: "requestSeconds" }, at),
  };
}

/** From 0 to 1, the same for the same words. */
function shareOf(words: string): number {
  return createHash("sha256").update(words).digest().readUInt32BE() / 2 ** 32;
}
