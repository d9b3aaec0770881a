import TinyQueue from "tinyqueue";
import { type SimulatedNode, statusOf } from "./simulated-node.ts";

export type Population = ReturnType<typeof createPopulation>;

/**
 * All nodes of one cluster: those with a record, and those that are gone. `forgetsGone`: what is gone leaves no trace, so that a long
 * run takes no more memory than a short one.
 */
export function createPopulation(
  subnet: number,
  { forgetsGone = false }: { readonly forgetsGone?: boolean | undefined } = {},
) {
  const addresses = createAddresses(subnet);
  const living = new Map<string, SimulatedNode>();
  const names = new Set<string>();
  const gone: SimulatedNode[] = [];
  return {
    /** Nodes that have a record, in the order of their making. Call `settle` first. */
    living: (): Iterable<SimulatedNode> => living.values(),
    /** Everything that ever was, for the ledger. */
    *all(): Iterable<SimulatedNode> {
      yield* gone;
      yield* living.values();
    },
    byId: (nodeId: string) => living.get(nodeId),
    hasName: (name: string) => names.has(name),
    takeAddress: () => addresses.take(),
    /** Adds a node, or replaces the one with its id. */
    put(node: SimulatedNode): void {
      living.set(node.nodeId, node);
      names.add(node.name);
    },
    /** Buries the nodes whose time is over, which frees their names and addresses. */
    settle(at: number): void {
      for (const node of living.values()) {
        if (statusOf(node, at) !== "Gone") continue;
        living.delete(node.nodeId);
        names.delete(node.name);
        addresses.giveBack(node.privateIp);
        if (!forgetsGone) gone.push(node);
      }
    },
  };
}

/** Azure keeps the first four addresses of every subnet for itself. */
const firstHost = 4;

/**
 * Private IP addresses of one subnet. Like Azure, it gives the lowest free one, so addresses come back soon. `subnet` numbers the
 * cluster: 10.0.0.0/16, 10.1.0.0/16, …
 */
export function createAddresses(subnet: number) {
  const free = new TinyQueue<number>();
  let next = firstHost;
  return {
    take(): string {
      const host = free.pop() ?? next++;
      return `10.${subnet & 255}.${host >> 8}.${host & 255}`;
    },
    giveBack(address: string): void {
      const [, , high = 0, low = 0] = address.split(".").map(Number);
      free.push(high * 256 + low);
    },
  };
}
