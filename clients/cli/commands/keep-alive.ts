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
  const command: Command = new Command("keep-alive");
  return (
    command
      .description(
        "Protects nodes from deletion, or ends that. The service keeps the note: CycleCloud documents no call that changes its own record of a node that exists.",
      )
      .usage("on|off [options]")
      // What follows neither word is no mistake of its own.
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => command.error('error: expected "on" or "off" after keep-alive'))
      .addCommand(
        turn("on", "Keeps nodes alive: they take jobs as ever, and nobody but an operator deletes them."),
      )
      .addCommand(
        turn(
          "off",
          "Ends that: idle nodes go as usual. Nodes that CycleCloud's own record keeps alive stay so; take it off there.",
        ),
      )
  );
}
