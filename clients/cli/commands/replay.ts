import { Command } from "commander";
import { type Compatibility, compatibilityOption } from "../compatibility.ts";
import { answerJsonLines } from "../output/json-lines.ts";
import { toStepAnswer } from "../output/replay-answer.ts";
import { warn } from "../output/warnings.ts";
import { fromStandardInput } from "../scenario/from-standard-input.ts";
import { replaySequence } from "../scenario/sequence.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale replay`: what would have been matched and timed out in recorded passes. */
export function replayCommand(terminal: Terminal): Command {
  return new Command("replay")
    .description("Plans recorded sequences of passes and tells which nodes were matched and timed out.")
    .requiredOption("--json-lines", "reads one sequence a line from standard input, answers one line each")
    .addOption(compatibilityOption())
    .action(({ compatibility }: { compatibility?: Compatibility }) =>
      answerJsonLines(terminal, async (value) => {
        const { name, plans, warnings } = await replaySequence(value, fromStandardInput(compatibility));
        warn(terminal, name, warnings);
        return { name, steps: plans.map(toStepAnswer) };
      }),
    );
}
