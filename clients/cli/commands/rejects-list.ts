import { Command, Option } from "commander";
import type { ReplayPorts } from "../../../shared/cycle/replay-rejection.ts";
import type { Rejection } from "../../../shared/ports.ts";
import { withService } from "../connect.ts";
import { rejectionTable } from "../output/rejection-report.ts";
import { localOption, type PlaceFlags, placeOf } from "../place-options.ts";
import { positive } from "../positive.ts";
import type { Terminal } from "../terminal.ts";

const usualLimit = 50;

interface Flags extends PlaceFlags {
  readonly cluster?: string;
  readonly limit: number;
  readonly format: "table" | "json";
}

/** `ccscale rejects list`: newest first; those that name no configured cluster too, unless one was asked for. */
export function rejectsListCommand(terminal: Terminal): Command {
  return new Command("list")
    .description("Lists messages that were refused or given up, newest first.")
    .option("--cluster <name>", "only those of this cluster")
    .option("--limit <number>", "at most so many", positive, usualLimit)
    .addOption(
      new Option("--format <format>", "how to print them").choices(["table", "json"]).default("table"),
    )
    .addOption(localOption())
    .action((flags: Flags) =>
      withService(placeOf(flags), async (ports) => {
        const rejections = await newest(ports, flags);
        const json = () => `${JSON.stringify(rejections, null, 2)}\n`;
        terminal.stdout.write(flags.format === "json" ? json() : rejectionTable(rejections));
      }),
    );
}

async function newest(ports: ReplayPorts, { cluster, limit }: Flags): Promise<readonly Rejection[]> {
  const clusters = cluster === undefined ? [undefined, ...(await ports.configs.clusters())] : [cluster];
  const lists = await Promise.all(clusters.map((each) => ports.rejections.list(each, limit)));
  return lists
    .flat()
    .sort((a, b) => b.receivedAtSeconds - a.receivedAtSeconds)
    .slice(0, limit);
}
