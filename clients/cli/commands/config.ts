import { Command } from "commander";
import type { Terminal } from "../terminal.ts";
import { configInitCommand } from "./config-init.ts";
import { configPushCommand } from "./config-push.ts";
import { configShowCommand } from "./config-show.ts";
import { configValidateCommand } from "./config-validate.ts";

/** `ccscale config`: the `autoscale.json` of a cluster, from the first line to the service. */
export function configCommand(terminal: Terminal): Command {
  return new Command("config")
    .description("Starts, checks, stores and shows the configuration of a cluster.")
    .addCommand(configInitCommand(terminal))
    .addCommand(configValidateCommand(terminal))
    .addCommand(configPushCommand(terminal))
    .addCommand(configShowCommand(terminal));
}
