import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale unignore`: the end of ignore. */
export function unignoreCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "unignore",
    description: "Lets the autoscaler take care of ignored nodes again.",
    kind: "unignore",
    isDestructive: false,
    canForce: false,
  });
}
