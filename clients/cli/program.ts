import { Command, CommanderError } from "commander";
import { agentCommand } from "../agent/command.ts";
import { autoscaleCommand } from "./commands/autoscale.ts";
import { bucketsCommand } from "./commands/buckets.ts";
import { completeCommand, completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { createNodesCommand } from "./commands/create-nodes.ts";
import { deallocateCommand } from "./commands/deallocate.ts";
import { deleteNodesCommand } from "./commands/delete-nodes.ts";
import { demandCommand } from "./commands/demand.ts";
import { drainCommand } from "./commands/drain.ts";
import { explainCommand } from "./commands/explain.ts";
import { historyCommand } from "./commands/history.ts";
import { ignoreCommand } from "./commands/ignore.ts";
import { jobsCommand } from "./commands/jobs.ts";
import { keepAliveCommand } from "./commands/keep-alive.ts";
import { limitsCommand } from "./commands/limits.ts";
import { nodesCommand } from "./commands/nodes.ts";
import { operationsCommand } from "./commands/operations.ts";
import { pauseCommand } from "./commands/pause.ts";
import { planCommand } from "./commands/plan.ts";
import { plansCommand } from "./commands/plans.ts";
import { pushCommand } from "./commands/push.ts";
import { reimageCommand } from "./commands/reimage.ts";
import { rejectsCommand } from "./commands/rejects.ts";
import { removeNodesCommand } from "./commands/remove-nodes.ts";
import { replayCommand } from "./commands/replay.ts";
import { restartCommand } from "./commands/restart.ts";
import { resumeCommand } from "./commands/resume.ts";
import { retryFailedCommand } from "./commands/retry-failed.ts";
import { startCommand } from "./commands/start.ts";
import { statusCommand } from "./commands/status.ts";
import { supportArchiveCommand } from "./commands/support-archive.ts";
import { undrainCommand } from "./commands/undrain.ts";
import { unignoreCommand } from "./commands/unignore.ts";
import { validateConstraintCommand } from "./commands/validate-constraint.ts";
import { whatIfCommand } from "./commands/what-if.ts";
import { CommandFailure, type ExitCode, exitCode } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

type MakeCommand = (terminal: Terminal) => Command;

/** Every command, in the order of the help. */
const groups: readonly (readonly [heading: string, commands: readonly MakeCommand[]])[] = [
  [
    "Look:",
    [
      statusCommand,
      nodesCommand,
      bucketsCommand,
      limitsCommand,
      jobsCommand,
      demandCommand,
      plansCommand,
      historyCommand,
      operationsCommand,
      rejectsCommand,
    ],
  ],
  ["Explain:", [explainCommand, validateConstraintCommand, whatIfCommand]],
  [
    "Act:",
    [
      autoscaleCommand,
      createNodesCommand,
      deleteNodesCommand,
      removeNodesCommand,
      drainCommand,
      undrainCommand,
      startCommand,
      deallocateCommand,
      restartCommand,
      reimageCommand,
      retryFailedCommand,
      keepAliveCommand,
      ignoreCommand,
      unignoreCommand,
      pushCommand,
      pauseCommand,
      resumeCommand,
    ],
  ],
  ["Set up and support:", [configCommand, supportArchiveCommand]],
  ["Beside a scheduler:", [agentCommand]],
  ["Recorded cases:", [planCommand, replayCommand]],
  ["This command line:", [completionCommand]],
];

/** The whole command line over the given streams. Its commands throw; `run` turns that into words and an exit code. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command("ccscale")
    .description("Autoscaling of Azure CycleCloud clusters, from the operator's side.")
    .version(version)
    .addHelpText("after", "\nExit codes: 0 fine, 1 something failed, 2 wrong usage.");
  for (const [heading, commands] of groups)
    for (const make of commands) program.addCommand(make(terminal).helpGroup(heading));
  program.addCommand(
    completeCommand(() => program),
    { hidden: true },
  );
  // Commander hands its settings down to commands that it made itself only.
  for (const command of withSubcommands(program))
    command
      .exitOverride()
      .showHelpAfterError(`Run "${nameOf(command)} --help" for the options.`)
      .configureOutput({
        writeOut: (text) => terminal.stdout.write(text),
        writeErr: (text) => terminal.stderr.write(text),
        getOutHelpWidth: () => terminal.stdout.columns ?? 120,
        getErrHelpWidth: () => terminal.stderr.columns ?? 120,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
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
