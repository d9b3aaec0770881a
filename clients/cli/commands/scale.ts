import { Command, Option } from "commander";
import { duration } from "../../../shared/text/durations.ts";
import { dryRunOption } from "../act/act-options.ts";
import { wholeNumber } from "../option-values.ts";
import { reportOption } from "../output/output-options.ts";
import { serviceOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { wholeSecondsOption } from "../time-values.ts";
import { type RequestFlags, requestArrays } from "./autoscale.ts";

interface Flags extends Omit<RequestFlags, "requestSet"> {
  readonly nodes?: number;
  readonly cores?: number;
}

/** An hour: CycleCloud's own call keeps nothing up, and its nodes would go for being idle. */
const usualSeconds = 3_600;

/**
 * `ccscale scale`: what CycleCloud's `POST /clusters/{c}/scale/{nodearray}` does, as a target. CycleCloud's call is made
 * once and forgotten; a target is kept up, counts nodes that jobs have anyway, and ends by itself.
 */
export function scaleCommand(terminal: Terminal): Command {
  const command: Command = new Command("scale")
    .description(
      'Sets how many nodes or cores of one node array there should be for a while, whatever jobs need: a target of the request set "scale <array>". 0 ends it.',
    )
    .argument("<array>", "the node array")
    .addOption(
      new Option("--nodes <number>", "that many nodes of it").argParser(wholeNumber(0)).conflicts("cores"),
    )
    .option("--cores <number>", "that many cores of it", wholeNumber(0))
    .addOption(
      new Option("--expiration-interval <length>", "how long it holds")
        .argParser(wholeSecondsOption(1))
        .default(usualSeconds, duration(usualSeconds)),
    )
    .option("--by <name>", "who asks, for the service's log (default: your login name)")
    .addOption(dryRunOption())
    .addOption(reportOption())
    .action((array: string, flags: Flags) => {
      const { nodes, cores } = flags;
      if (nodes === undefined && cores === undefined)
        return command.error("error: expected --nodes or --cores");
      const wanted = nodes === undefined ? { TargetCoreCount: cores } : { TargetCount: nodes };
      const isEnded = (nodes ?? cores) === 0;
      return requestArrays(terminal, {
        flags: { ...flags, requestSet: `scale ${array}` },
        command: "scale",
        body: isEnded ? [] : [{ Name: array, ...wanted }],
      });
    });
  return serviceOptions(command);
}
