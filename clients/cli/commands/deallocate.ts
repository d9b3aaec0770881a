import type { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale deallocate`: rest instead of deletion. */
export function deallocateCommand(terminal: Terminal): Command {
  return nodeActionCommand(terminal, {
    name: "deallocate",
    description:
      "Stops nodes and keeps their disks, so that they start again fast. Keep-alive nodes are refused.",
    kind: "deallocate",
    isDestructive: true,
    canForce: true,
  });
}
