import { Command, Option } from "commander";
import { withService } from "../connect.ts";
import { rejectionReport } from "../output/rejection-report.ts";
import { localOption, type PlaceFlags, placeOf } from "../place-options.ts";
import { existingRejection } from "../rejection.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends PlaceFlags {
  readonly cluster?: string;
  readonly format: "text" | "json";
}

/** `ccscale rejects show ID`: every problem, and the message. */
export function rejectsShowCommand(terminal: Terminal): Command {
  return new Command("show")
    .description("Shows one rejected message with every problem.")
    .argument("<id>", 'as "rejects list" tells it')
    .option("--cluster <name>", "looks only there, also when the cluster is no longer configured")
    .addOption(new Option("--format <format>", "how to print it").choices(["text", "json"]).default("text"))
    .addOption(localOption())
    .action((rejectionId: string, flags: Flags) =>
      withService(placeOf(flags), async (ports) => {
        const found = await existingRejection(ports, { rejectionId, cluster: flags.cluster });
        const json = () => `${JSON.stringify({ ...found.rejection, message: found.body }, null, 2)}\n`;
        terminal.stdout.write(flags.format === "json" ? json() : rejectionReport(found));
      }),
    );
}
