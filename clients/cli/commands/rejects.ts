import { Command } from "commander";
import type { Terminal } from "../terminal.ts";
import { rejectsListCommand } from "./rejects-list.ts";
import { rejectsReplayCommand } from "./rejects-replay.ts";
import { rejectsShowCommand } from "./rejects-show.ts";

/** `ccscale rejects`: messages that were refused or given up, and how to send them on their way again. */
export function rejectsCommand(terminal: Terminal): Command {
  return new Command("rejects")
    .description("Lists, shows and replays messages that were refused or given up.")
    .addCommand(rejectsListCommand(terminal))
    .addCommand(rejectsShowCommand(terminal))
    .addCommand(rejectsReplayCommand(terminal));
}
