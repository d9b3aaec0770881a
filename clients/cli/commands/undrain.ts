import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale undrain`: the end of drain. */
export function undrainCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "undrain",
    description: "Lets drained nodes take jobs again.",
    kind: "undrain",
    isDestructive: false,
    canForce: false,
  });
}
