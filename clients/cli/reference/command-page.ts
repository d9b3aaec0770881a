import type { Command, Option } from "commander";
import { visible } from "../help/command-help.ts";
import type { Example } from "./command-example.ts";
import { examples } from "./examples.ts";
import type { Printed } from "./read-printed.ts";

/** An option that so many commands share is described once. */
const fewestSharing = 3;

/** The command page in Markdown, made of the program's own definitions and the examples. */
export function commandPage(program: Command, printed: Printed): string {
  const shared = sharedOptions(program);
  const groups = new Map<string, Command[]>();
  for (const command of visible(program)) {
    const heading = command.helpGroup() || "Commands:";
    groups.set(heading, [...(groups.get(heading) ?? []), command]);
  }
  const parts = [...groups].flatMap(([heading, commands]) => [
    `## ${heading.replace(/:$/, "")}`,
    ...commands.flatMap((command) =>
      section(command, { parents: [], shared, printed: shownGroups.includes(heading) ? printed : null }),
    ),
  ]);
  const common = [
    "## Shared options",
    "`ccscale COMMAND --help` names those that a command takes.",
    optionList([...shared.values()]),
  ];
  return `${[introduction, ...parts, ...common].join("\n\n")}\n`;
}

const introduction = [
  "# Commands",
  "",
  "All commands of `ccscale`; [the guide](cli.md) explains how it finds the service, selection of nodes, columns and exit codes. `ccscale help COMMAND` prints the same for one command, with more of what the examples print. Most also take [shared options](#shared-options).",
  "",
  "`npm run commands` writes this page. A test runs every example on a running local environment and compares the output with `clients/cli/reference/printed`; times, ages and ids are placeholders.",
  "",
  "To try the examples with `npm start`, add `--local`, and use its cluster's arrays, htc and memory. `jobs.json` is a list of jobs as in a [demand message](post-demand.md), `fixed.json` such a message,",
  "`autoscale.json` a [configuration](configure.md), `etc-slurm` a folder with azslurm's files, `agent.json` the [agent's settings](agent.md#settings), and `two-sizes.json` a [scenario](cli.md#recorded-cases), such as `test/clients/cli/fixtures/two-sizes.json`.",
].join("\n");

/** By what they are and mean: an option of the same name that means something else is another one. */
function sharedOptions(program: Command): ReadonlyMap<string, Option> {
  const counts = new Map<string, { readonly option: Option; count: number }>();
  const count = (command: Command): void => {
    for (const option of optionsOf(command)) {
      const counted = counts.get(lineOf(option));
      if (counted === undefined) counts.set(lineOf(option), { option, count: 1 });
      else counted.count++;
    }
    for (const child of visible(command)) count(child);
  };
  count(program);
  const common = [...counts].filter(([, each]) => each.count >= fewestSharing);
  return new Map(common.map(([line, { option }]) => [line, option]));
}

interface Around {
  readonly parents: readonly string[];
  readonly shared: ReadonlyMap<string, Option>;
  /** Null: examples are shown without what they print. */
  readonly printed: Printed | null;
}

function section(command: Command, { parents, shared, printed }: Around): readonly string[] {
  const path = [...parents, command.name()];
  const name = path.join(" ");
  const own = optionsOf(command).filter((option) => !shared.has(lineOf(option)));
  return [
    `### ${name}`,
    command.description(),
    // The heading says it already where a command takes options alone.
    ...(command.commands.length > 0 || command.usage() === "[options]"
      ? []
      : [`\`${["ccscale", ...path, command.usage().replace("[options] ", "")].join(" ")}\``]),
    ...(own.length === 0 ? [] : [optionList(own)]),
    ...exampleBlock(examples[name] ?? [], printed),
    ...visible(command).flatMap((child) => section(child, { parents: path, shared, printed })),
  ];
}

function optionsOf(command: Command): readonly Option[] {
  if (command.commands.length > 0) return [];
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => option.long !== "--help");
}

function optionList(options: readonly Option[]): string {
  return options.map(lineOf).join("\n");
}

function lineOf(option: Option): string {
  return `- \`${option.flags}\`: ${meaning(option).replaceAll(/\s+/g, " ")}`;
}

function meaning(option: Option): string {
  const facts = [
    ...(option.mandatory ? ["required"] : []),
    ...(option.argChoices === undefined ? [] : [`one of ${option.argChoices.join(", ")}`]),
    ...(hasDefault(option) ? [`default: ${String(option.defaultValue)}`] : []),
    ...(option.envVar === undefined ? [] : [`or ${option.envVar}`]),
  ];
  return facts.length === 0 ? option.description : `${option.description} (${facts.join("; ")})`;
}

function hasDefault({ defaultValue }: Option): boolean {
  return typeof defaultValue === "string" || typeof defaultValue === "number";
}

/** The first that is shown stands alone, with what it prints; the help of the command shows what the others print. */
function exampleBlock(list: readonly Example[], printed: Printed | null): readonly string[] {
  const shown = printed === null ? undefined : list.find(({ isShown }) => isShown === true);
  const others = list.filter((example) => example !== shown);
  return [
    ...(shown === undefined || printed === null ? [] : [shownBlock(shown, printed)]),
    ...(others.length === 0 ? [] : [block(others.flatMap(list.length === 1 ? asTyped : explained))]),
  ];
}

const mostLines = 3;
/** Where the output is what a command is for. */
const shownGroups: readonly string[] = ["View:", "Explain:"];

function shownBlock(example: Example, printed: Printed): string {
  const output = printed.get(example.line);
  if (output === undefined)
    throw new Error(`Cannot show what "${example.line}" prints: no transcript in reference/printed has it`);
  const lines = output.split("\n");
  const more = lines.length - mostLines;
  const shown = more > 1 ? [...lines.slice(0, mostLines), `… ${more} lines more`] : lines;
  return block([...asTyped(example), "", ...shown]);
}

/** What the command does stands above, or what it prints below. */
function asTyped({ line }: Example): readonly string[] {
  return [`ccscale ${line}`];
}

function explained({ line, does }: Example): readonly string[] {
  return [`# ${does}`, `ccscale ${line}`];
}

function block(lines: readonly string[]): string {
  return ["```", ...lines, "```"].join("\n");
}
