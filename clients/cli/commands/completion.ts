import { RootCommand, script } from "@bomb.sh/tab";
import { Argument, Command } from "commander";
import { topics } from "../help/topics.ts";

const shells = ["bash", "zsh", "fish"] as const;

export function completionCommand(): Command {
  return new Command("completion")
    .description("Prints the completion of a shell, for its start file: source <(ccscale completion bash)")
    .addArgument(new Argument("<shell>").choices(shells))
    .action((shell: string) => script(shell, "ccscale", "ccscale"));
}

/** `ccscale complete -- WORDS`: the script above runs it on each TAB. */
export function printCompletions(program: Command, words: readonly string[]): void {
  completionsOf(program).parse(words[0] === "--" ? words.slice(1) : [...words]);
}

type Described = ReturnType<RootCommand["command"]>;

/** Every command, option and choice that the program defines, in the completion library's terms. */
function completionsOf(program: Command): RootCommand {
  const root = new RootCommand();
  const add = (command: Command, path: readonly string[]): void => {
    const described: Described =
      path.length === 0 ? root : root.command(path.join(" "), command.description());
    // Its own argument takes any word.
    if (path.length === 1 && command.name() === "help")
      described.argument(
        "topic",
        offering([...program.commands.map((each) => each.name()), ...topics.map(({ name }) => name)]),
      );
    else describe(described, command);
    for (const child of command.createHelp().visibleCommands(command)) add(child, [...path, child.name()]);
  };
  add(program, []);
  return root;
}

function describe(described: Described, command: Command): void {
  for (const option of command.createHelp().visibleOptions(command)) {
    const name = option.long?.slice(2);
    const takesValue = option.required || option.optional;
    if (name === undefined) continue;
    const short = option.short?.slice(1);
    if (takesValue) described.option(name, option.description, offering(option.argChoices), short);
    else described.option(name, option.description, short);
  }
  for (const argument of command.registeredArguments)
    described.argument(argument.name(), offering(argument.argChoices), argument.variadic);
}

function offering(choices: readonly string[] = []) {
  return (complete: (value: string, description: string) => void): void => {
    for (const choice of choices) complete(choice, "");
  };
}
