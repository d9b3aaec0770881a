import { Command, CommanderError } from "commander";
import { commandGroups, commandNames } from "./command-table.ts";
import { CommandFailure, type ExitCode, exitCode } from "./exit-code.ts";
import { topics } from "./help/topics.ts";
import { addExamples, asksForHelp, dailyHelp } from "./help-texts.ts";
import { addPeerSpellings, fromPeers } from "./peer-spellings.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

/** The commands to load: all, or the one of this name alone; null: none, the program lists them and runs none. */
export type Loaded = "all" | { readonly only: string } | null;

/** The command line over the given streams. Its commands throw; `run` turns that into words and an exit code. */
export async function createProgram(terminal: Terminal, loaded: Loaded = "all"): Promise<Command> {
  const program = new Command("ccscale")
    .description("Autoscaling of Azure CycleCloud clusters, from the operator's side.")
    .version(version)
    .addHelpText("before", () => dailyHelp(process.env))
    .addHelpText("after", moreHelp);
  for (const { heading, commands } of commandGroups)
    for (const row of commands) {
      if (loaded !== null && loaded !== "all" && loaded.only !== row.name) continue;
      // A command as the list of all shows it, and as a mistyped name is compared with.
      const command =
        loaded === null ? new Command(row.name).description(row.summary) : await row.load(terminal);
      program.addCommand(command.helpGroup(heading));
    }
  // The list of all commands has no choices, and loads nothing for them.
  const choices = loaded === null ? undefined : await import("./choices.ts");
  // Commander hands its settings down to commands that it made itself only.
  for (const command of withSubcommands(program)) {
    command.usage(usageOf(command));
    addPeerSpellings(command);
    choices?.suggestChoices(command);
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
  }
  return program;
}

/** Names the options that are required: a person would otherwise learn of them from a refusal. */
function usageOf(command: Command): string {
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  return [...required, command.usage()].join(" ");
}

/** Runs one command line (without `node` and the script) and gives the exit code. Throws only on bugs. */
export async function run(given: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const argv = fromPeers(given);
    if ("text" in argv) {
      (argv.isFine ? terminal.stdout : terminal.stderr).write(`${argv.text}\n`);
      return argv.isFine ? exitCode.fine : exitCode.usage;
    }
    // The completion script of a shell runs this on each TAB. It is not a command for people, so no help lists it.
    if (argv[0] === "complete") {
      const { printCompletions } = await import("./commands/completion.ts");
      printCompletions(await createProgram(terminal), argv.slice(1));
      return exitCode.fine;
    }
    if (argv[0] === "help") {
      const isShown = await shownPage(terminal, argv.slice(1));
      if (isShown !== undefined) return isShown ? exitCode.fine : exitCode.usage;
    }
    const program = await createProgram(terminal, loadedFor(argv));
    if (asksForHelp(argv)) await addExamples(program);
    await program.parseAsync(argv, { from: "user" });
    return exitCode.fine;
  } catch (error) {
    // Commander has printed it already. A request for help is not a mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.fine : exitCode.usage;
    if (!(error instanceof CommandFailure)) throw error;
    const { note } = await import("./output/note.ts");
    note(terminal, `error: ${error.message}\n${error.next}`);
    return exitCode.failed;
  }
}

/** Shows the page of a command or a topic. False: there is none, as stderr says; undefined: the list of all is wanted. */
async function shownPage(terminal: Terminal, argv: readonly string[]): Promise<boolean | undefined> {
  const { helpWanted, showCommand, showTopic, topicOf } = await import("./help/show-help.ts");
  const wanted = helpWanted(argv);
  const [first] = wanted.words;
  if (first === undefined) return undefined;
  const topic = topicOf(first);
  if (topic !== undefined) {
    await showTopic(terminal, topic, wanted.isPaged);
    return true;
  }
  const words = fromPeers(wanted.words);
  const name = "text" in words ? first : (words[0] ?? first);
  if ("text" in words || !commandNames.has(name)) {
    // Commander knows the name that was probably meant, and throws.
    await (await createProgram(terminal, null)).parseAsync([name], { from: "user" });
    return false;
  }
  return showCommand(terminal, await createProgram(terminal, { only: name }), { ...wanted, words });
}

const widestTopic = Math.max(...topics.map(({ name }) => name.length));

const moreHelp = [
  "",
  "A page of a command, with what its examples print: ccscale help <command>",
  "A page about something else:",
  ...topics.map(({ name, summary }) => `  ccscale help ${name.padEnd(widestTopic)}  ${summary}`),
  "",
  "Exit codes: 0 fine, 1 something failed, 2 wrong usage.",
].join("\n");

/** The command that a command line names; null if it names none: the list of all commands is enough to report that. */
function loadedFor([first = "", second = ""]: readonly string[]): Loaded {
  const name = first === "help" ? second : first;
  return commandNames.has(name) ? { only: name } : null;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
