import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale delete-nodes`: what the planner does to idle nodes, now. */
export function deleteNodesCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "delete-nodes",
    description:
      "Deletes nodes: they are drained where their scheduler can, and then shut down. Keep-alive nodes are refused.",
    kind: "delete",
    isDestructive: true,
    canForce: true,
  });
}
