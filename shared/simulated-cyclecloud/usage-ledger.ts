import { firstAt, heldSeconds } from "./node-life.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** One node's story, in simulated seconds since 1970; null where it has not happened. */
interface LedgerEntry {
  readonly nodeId: string;
  readonly name: string;
  readonly nodearray: string;
  readonly machineType: string;
  readonly requestId: string | null;
  readonly createdAt: number;
  readonly readyAt: number | null;
  /** When the termination began. */
  readonly terminatingAt: number | null;
  /** When the record was gone. */
  readonly terminatedAt: number | null;
  /** Seconds in which it held cores: booting and terminating count, deallocated does not. */
  readonly nodeSeconds: number;
}

/** What happened in one cluster: the truth that tests and summaries compare with. */
export interface ClusterLedger {
  readonly cluster: string;
  readonly created: number;
  readonly terminated: number;
  readonly nodeSeconds: number;
  readonly coreSeconds: number;
  readonly nodes: readonly LedgerEntry[];
}

/** Nodes that were there from the start, such as the scheduler, are left out. */
export function toLedger(cluster: string, all: Iterable<SimulatedNode>, at: number): ClusterLedger {
  const made = [...all].filter((node) => node.operationId !== undefined);
  const nodes = made.map((node) => toEntry(node, at));
  return {
    cluster,
    created: nodes.length,
    terminated: nodes.filter((entry) => entry.terminatedAt !== null).length,
    nodeSeconds: nodes.reduce((sum, entry) => sum + entry.nodeSeconds, 0),
    coreSeconds: made.reduce(
      (sum, { life, bucket }) => sum + heldSeconds(life, 0, at) * bucket.size.vcpusAvailable,
      0,
    ),
    nodes,
  };
}

function toEntry(
  { nodeId, name, bucket, requestId, createdAt, life }: SimulatedNode,
  at: number,
): LedgerEntry {
  return {
    nodeId,
    name,
    nodearray: bucket.nodearray,
    machineType: bucket.machineType,
    requestId: requestId ?? null,
    createdAt,
    readyAt: firstAt(life, "Ready", at) ?? null,
    terminatingAt: firstAt(life, "Terminating", at) ?? null,
    terminatedAt: firstAt(life, "Gone", at) ?? null,
    nodeSeconds: heldSeconds(life, 0, at),
  };
}
