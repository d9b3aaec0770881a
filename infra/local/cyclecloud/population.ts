import { type Addresses, createAddresses } from "./addresses.ts";
import { type SimulatedNode, statusOf } from "./simulated-node.ts";

/** All nodes of one cluster: those with a record, and those that are gone. */
export interface Population {
  /** Nodes that have a record, in the order of their making. Call `settle` first. */
  living(): Iterable<SimulatedNode>;
  /** Everything that ever was, for the ledger. */
  all(): Iterable<SimulatedNode>;
  byId(nodeId: string): SimulatedNode | undefined;
  hasName(name: string): boolean;
  takeAddress(): string;
  /** Adds a node, or replaces the one with its id. */
  put(node: SimulatedNode): void;
  /** Buries the nodes whose time is over, which frees their names and addresses. */
  settle(at: number): void;
}

export function createPopulation(subnet: number): Population {
  const addresses: Addresses = createAddresses(subnet);
  const living = new Map<string, SimulatedNode>();
  const names = new Set<string>();
  const gone: SimulatedNode[] = [];
  return {
    living: () => living.values(),
    *all() {
      yield* gone;
      yield* living.values();
    },
    byId: (nodeId) => living.get(nodeId),
    hasName: (name) => names.has(name),
    takeAddress: () => addresses.take(),
    put(node) {
      living.set(node.nodeId, node);
      names.add(node.name);
    },
    settle(at) {
      for (const node of living.values()) {
        if (statusOf(node, at) !== "Gone") continue;
        living.delete(node.nodeId);
        names.delete(node.name);
        addresses.giveBack(node.privateIp);
        gone.push(node);
      }
    },
  };
}
