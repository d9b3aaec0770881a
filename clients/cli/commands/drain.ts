import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale drain`: the gentle first half of a deletion. */
export function drainCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "drain",
    description: "Tells the scheduler to give nodes no more jobs; what runs there ends in peace.",
    kind: "drain",
    isDestructive: false,
    canForce: true,
  });
}
