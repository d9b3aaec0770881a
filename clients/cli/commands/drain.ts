import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale drain`: the gentle first half of a deletion. */
export function drainCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "drain",
    description:
      "Gives nodes no more jobs until undrain; what runs there ends in peace, and then they go when idle.",
    kind: "drain",
    isDestructive: false,
    canForce: true,
  });
}
