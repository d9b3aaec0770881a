import { Command } from "commander";
import { pauseCluster } from "../../../shared/cycle/pause-cluster.ts";
import { withService } from "../connect.ts";
import {
  type DecisionFlags,
  decisionOf,
  decisionOptions,
  refuseUnknownCluster,
  wouldDecide,
} from "../decision.ts";
import { localOption, type PlaceFlags, placeOf } from "../place-options.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale pause`: plans go on, nothing is sent. */
export function pauseCommand(terminal: Terminal): Command {
  const command = new Command("pause")
    .description("Stops everything that is sent for a cluster; plans are still made and shown.")
    .addOption(localOption())
    .action((flags: DecisionFlags & PlaceFlags) =>
      withService(placeOf(flags), async (ports) => {
        const decision = decisionOf(flags);
        if (flags.dryRun === true) {
          terminal.stdout.write(await wouldDecide(ports, decision, "pause"));
          return;
        }
        refuseUnknownCluster(decision, await pauseCluster(ports, decision));
        terminal.stdout.write(`Paused cluster "${decision.cluster}" until "ccscale resume".\n`);
      }),
    );
  return decisionOptions(command);
}
