import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale start`: those that are at rest. */
export function startCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "start",
    description: "Starts nodes that are deallocated.",
    kind: "start",
    isDestructive: false,
    canForce: false,
  });
}
