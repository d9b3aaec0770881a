import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale retry-failed`: what is Failed. */
export function retryFailedCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "retry-failed",
    description: "Boots failed nodes once more. CycleCloud retries every failed node of the cluster.",
    kind: "retry-failed",
    isDestructive: false,
    canForce: false,
  });
}
