import { Command, CommanderError } from "commander";
import { CommandFailure, type ExitCode, exitCode } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

type MakeCommand = (terminal: Terminal) => Command;
type LoadCommand = () => Promise<MakeCommand>;

/** Every command by its name, in the order of the help. Each is loaded when it is asked for: most need little of all there is. */
const groups: readonly (readonly [heading: string, commands: Readonly<Record<string, LoadCommand>>])[] = [
  [
    "Look:",
    {
      status: async () => (await import("./commands/status.ts")).statusCommand,
      nodes: async () => (await import("./commands/nodes.ts")).nodesCommand,
      buckets: async () => (await import("./commands/buckets.ts")).bucketsCommand,
      limits: async () => (await import("./commands/limits.ts")).limitsCommand,
      jobs: async () => (await import("./commands/jobs.ts")).jobsCommand,
      demand: async () => (await import("./commands/demand.ts")).demandCommand,
      plans: async () => (await import("./commands/plans.ts")).plansCommand,
      history: async () => (await import("./commands/history.ts")).historyCommand,
      operations: async () => (await import("./commands/operations.ts")).operationsCommand,
      rejects: async () => (await import("./commands/rejects.ts")).rejectsCommand,
    },
  ],
  [
    "Explain:",
    {
      explain: async () => (await import("./commands/explain.ts")).explainCommand,
      "validate-constraint": async () =>
        (await import("./commands/validate-constraint.ts")).validateConstraintCommand,
      "what-if": async () => (await import("./commands/what-if.ts")).whatIfCommand,
    },
  ],
  [
    "Act:",
    {
      autoscale: async () => (await import("./commands/autoscale.ts")).autoscaleCommand,
      "create-nodes": async () => (await import("./commands/create-nodes.ts")).createNodesCommand,
      "delete-nodes": async () => (await import("./commands/delete-nodes.ts")).deleteNodesCommand,
      "remove-nodes": async () => (await import("./commands/remove-nodes.ts")).removeNodesCommand,
      drain: async () => (await import("./commands/drain.ts")).drainCommand,
      undrain: async () => (await import("./commands/undrain.ts")).undrainCommand,
      start: async () => (await import("./commands/start.ts")).startCommand,
      deallocate: async () => (await import("./commands/deallocate.ts")).deallocateCommand,
      restart: async () => (await import("./commands/restart.ts")).restartCommand,
      reimage: async () => (await import("./commands/reimage.ts")).reimageCommand,
      "retry-failed": async () => (await import("./commands/retry-failed.ts")).retryFailedCommand,
      "keep-alive": async () => (await import("./commands/keep-alive.ts")).keepAliveCommand,
      ignore: async () => (await import("./commands/ignore.ts")).ignoreCommand,
      unignore: async () => (await import("./commands/unignore.ts")).unignoreCommand,
      push: async () => (await import("./commands/push.ts")).pushCommand,
      pause: async () => (await import("./commands/pause.ts")).pauseCommand,
      resume: async () => (await import("./commands/resume.ts")).resumeCommand,
    },
  ],
  [
    "Set up and support:",
    {
      config: async () => (await import("./commands/config.ts")).configCommand,
      "support-archive": async () => (await import("./commands/support-archive.ts")).supportArchiveCommand,
    },
  ],
  [
    "Beside a scheduler:",
    {
      agent: async () => (await import("../agent/command.ts")).agentCommand,
    },
  ],
  [
    "Recorded cases:",
    {
      plan: async () => (await import("./commands/plan.ts")).planCommand,
      replay: async () => (await import("./commands/replay.ts")).replayCommand,
    },
  ],
  [
    "This command line:",
    {
      completion: async () => (await import("./commands/completion.ts")).completionCommand,
    },
  ],
];

/**
 * The command line over the given streams: all of it, or with one command only. Its commands throw; `run` turns that into
 * words and an exit code.
 */
export async function createProgram(terminal: Terminal, only?: string): Promise<Command> {
  const program = new Command("ccscale")
    .description("Autoscaling of Azure CycleCloud clusters, from the operator's side.")
    .version(version)
    .addHelpText("after", "\nExit codes: 0 fine, 1 something failed, 2 wrong usage.");
  for (const [heading, commands] of groups)
    for (const [name, load] of Object.entries(commands))
      if (only === undefined || name === only)
        program.addCommand((await load())(terminal).helpGroup(heading));
  if (only === undefined) {
    const { completeCommand } = await import("./commands/completion.ts");
    program.addCommand(
      completeCommand(() => program),
      { hidden: true },
    );
  }
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
    const program = await createProgram(terminal, commandIn(argv));
    await program.parseAsync(argv, { from: "user" });
    return exitCode.fine;
  } catch (error) {
    // Commander has told it already; asking for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.fine : exitCode.usage;
    if (!(error instanceof CommandFailure)) throw error;
    terminal.stderr.write(`error: ${error.message}\n${error.next}\n`);
    return exitCode.failed;
  }
}

/** The command that a command line begins with; undefined when it does not: then all have to be there to say so. */
function commandIn([first = ""]: readonly string[]): string | undefined {
  return groups.some(([, commands]) => Object.hasOwn(commands, first)) ? first : undefined;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
