import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale remove-nodes`: for nodes that shall not come back under their name. */
export function removeNodesCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "remove-nodes",
    description: "Removes nodes from the cluster for good, their records too. Keep-alive nodes are refused.",
    kind: "remove",
    isDestructive: true,
    canForce: true,
  });
}
