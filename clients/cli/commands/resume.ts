import { Command } from "commander";
import { resumeCluster } from "../../../shared/cycle/pause-cluster.ts";
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

/** `ccscale resume`: ends a pause, and lets a login that was refused be tried once more. */
export function resumeCommand(terminal: Terminal): Command {
  const command = new Command("resume")
    .description("Lets a paused cluster, or one whose login was refused, go on.")
    .addOption(localOption())
    .action((flags: DecisionFlags & PlaceFlags) =>
      withService(placeOf(flags), async (ports) => {
        const decision = decisionOf(flags);
        if (flags.dryRun === true) {
          terminal.stdout.write(await wouldDecide(ports, decision, "resume"));
          return;
        }
        const outcome = refuseUnknownCluster(decision, await resumeCluster(ports, decision));
        terminal.stdout.write(
          outcome.outcome === "not-stopped"
            ? `Nothing to do: cluster "${decision.cluster}" was not stopped.\n`
            : `Resumed cluster "${decision.cluster}" from ${outcome.from.join(" and ")}.\n`,
        );
      }),
    );
  return decisionOptions(command);
}
