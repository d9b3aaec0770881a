import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale ignore`: for nodes that somebody works on. */
export function ignoreCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "ignore",
    description: "Lets the autoscaler leave nodes alone: no jobs, no deletion, no retry.",
    kind: "ignore",
    isDestructive: false,
    canForce: false,
  });
}
