import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale restart`: the same machine, booted again. */
export function restartCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "restart",
    description: "Restarts the machines of nodes.",
    kind: "restart",
    isDestructive: true,
    canForce: true,
  });
}
