import { Command } from "commander";
import { type DecisionFlags, decide, decisionOptions } from "../act/decide.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale resume`: ends a pause, and lets a login that was refused be tried once more. */
export function resumeCommand(terminal: Terminal): Command {
  const command = new Command("resume")
    .description("Lets a paused cluster, or one whose login was refused, go on.")
    .action((flags: DecisionFlags) => decide(terminal, flags, "resume"));
  return decisionOptions(command);
}
