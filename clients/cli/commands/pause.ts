import { Command } from "commander";
import { type DecisionFlags, decide, decisionOptions } from "../act/decide.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale pause`: plans go on, nothing is sent. */
export function pauseCommand(terminal: Terminal): Command {
  const command = new Command("pause")
    .description("Stops everything that is sent for a cluster; plans are still made and shown.")
    .action((flags: DecisionFlags) => decide(terminal, flags, "pause"));
  return decisionOptions(command);
}
