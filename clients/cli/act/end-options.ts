import { type Command, Option } from "commander";
import { endOption, lengthOption, type TimeOption, untilSeconds } from "../time-values.ts";

export interface EndFlags {
  readonly for?: number;
  readonly until?: TimeOption;
}

export function endOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--for <length>", "ends by itself after that time, such as 2h or 2d")
        .argParser(lengthOption)
        .conflicts("until"),
    )
    .option(
      "--until <time>",
      'ends by itself then: a time of day ("18:00", "tomorrow 18:00"), a date, or a date and time, local unless it names a zone',
      endOption,
    );
}

/** What the request says of it. A length of time counts from now, whichever option has it. */
export function endOf(
  { for: lengthSeconds, until }: EndFlags,
  nowSeconds: number,
): { untilSeconds?: number } {
  if (lengthSeconds !== undefined) return { untilSeconds: Math.round(nowSeconds + lengthSeconds) };
  if (until === undefined) return {};
  return { untilSeconds: untilSeconds(until, nowSeconds) };
}
