import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale reimage`: for nodes whose disk is spoilt. */
export function reimageCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "reimage",
    description: "Gives nodes a fresh disk from their image.",
    kind: "reimage",
    isDestructive: true,
    canForce: true,
  });
}
