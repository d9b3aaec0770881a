import { Command } from "commander";
import { nodeActionCommand } from "../act/node-action.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale keep-alive on|off`: whether anybody but the operator may delete nodes. */
export function keepAliveCommand(terminal: Terminal): Command {
  const turn = (name: "on" | "off", description: string) =>
    nodeActionCommand(terminal, {
      name,
      description,
      kind: "keep-alive",
      isDestructive: false,
      canForce: false,
      more: { on: name === "on" },
    });
  return new Command("keep-alive")
    .description(
      "Protects nodes from deletion, or ends that. CycleCloud documents no such call for nodes that exist, so the service refuses it and says what to do instead.",
    )
    .addCommand(turn("on", "Asks that nobody but the operator may delete these nodes."))
    .addCommand(turn("off", "Asks that these nodes may be deleted when they are idle."));
}
