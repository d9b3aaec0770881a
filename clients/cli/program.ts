import { Command, CommanderError } from "commander";
import { pauseCommand } from "./commands/pause.ts";
import { planCommand } from "./commands/plan.ts";
import { rejectsCommand } from "./commands/rejects.ts";
import { replayCommand } from "./commands/replay.ts";
import { resumeCommand } from "./commands/resume.ts";
import { CommandFailure, type ExitCode, exitCode } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";

/** The whole command line over the given streams. Its commands throw; `run` turns that into words and an exit code. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command("ccscale")
    .description("Autoscaling of Azure CycleCloud clusters, from the operator's side.")
    .addHelpText("after", "\nExit codes: 0 fine, 1 something failed, 2 wrong usage.")
    .addCommand(planCommand(terminal))
    .addCommand(replayCommand(terminal))
    .addCommand(rejectsCommand(terminal))
    .addCommand(pauseCommand(terminal))
    .addCommand(resumeCommand(terminal));
  // Commander hands its settings down to commands that it made itself only.
  for (const command of withSubcommands(program))
    command
      .exitOverride()
      .showHelpAfterError(`Run "${nameOf(command)} --help" for the options.`)
      .configureOutput({
        writeOut: (text) => terminal.stdout.write(text),
        writeErr: (text) => terminal.stderr.write(text),
      });
  return program;
}

/** Runs one command line (without `node` and the script) and gives the exit code. Throws only on bugs. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await createProgram(terminal).parseAsync(argv, { from: "user" });
    return exitCode.fine;
  } catch (error) {
    // Commander has told it already; asking for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.fine : exitCode.usage;
    if (!(error instanceof CommandFailure)) throw error;
    terminal.stderr.write(`error: ${error.message}\n${error.next}\n`);
    return exitCode.failed;
  }
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
