import type { Command, Option } from "commander";
import type { SeeAlso } from "../command-table.ts";
import { wrapped, wrappedAfter } from "../output/wrapped.ts";
import type { Example } from "../reference/command-example.ts";
import type { Printed } from "../reference/read-printed.ts";

export interface Described {
  readonly command: Command;
  /** The words after ccscale: `config set`. */
  readonly name: string;
  /** In a line; null: the first sentence of its description. */
  readonly summary: string | null;
  readonly examples: (name: string) => readonly Example[];
  readonly printed: Printed;
  readonly seeAlso: SeeAlso;
  readonly columns: number;
}

const indent = "  ";
/** A page of help is read whole: what is longer is in docs/commands.md. */
const mostPrinted = 24;

/** The page of a command: what it is, how it is typed, its options, how it ends, examples with what they print. */
export function commandHelp(of: Described): readonly string[] {
  const { command, columns } = of;
  const children = visible(command);
  return [
    ...section(
      "NAME",
      paragraph(`ccscale ${of.name} - ${withoutStop(of.summary ?? firstSentence(command))}`, columns),
    ),
    ...section("SYNOPSIS", synopsis(of, children)),
    ...section("DESCRIPTION", paragraph(command.description(), columns)),
    ...section(
      "COMMANDS",
      children.flatMap((child) => term(child.name(), child.description(), columns)),
    ),
    ...section("OPTIONS", children.length > 0 ? [] : options(command, columns)),
    ...section("EXIT CODES", exitCodes(columns)),
    ...section("EXAMPLES", examplesOf(of)),
    ...section("SEE ALSO", seeAlso(of)),
  ];
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [heading, ...lines, ""];
}

/** Without `help`, which commander adds to everything that has commands. */
export function visible(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help");
}

function firstSentence(command: Command): string {
  return /^.*?(?:[.:](?= |$)|$)/.exec(command.description())?.[0] ?? "";
}

function withoutStop(sentence: string): string {
  return sentence.replace(/[.:]$/, "");
}

function synopsis({ name, command }: Described, children: readonly Command[]): readonly string[] {
  if (children.length === 0) return [`${indent}ccscale ${name} ${command.usage()}`];
  return children.map((child) => `${indent}ccscale ${name} ${child.name()} ${child.usage()}`);
}

function options(command: Command, columns: number): readonly string[] {
  const help = command.createHelp();
  const shown = [
    ...help
      .visibleArguments(command)
      .map((argument) => [argument.name(), help.argumentDescription(argument)]),
    ...help
      .visibleOptions(command)
      .map((option: Option) => [option.flags, help.optionDescription(option)] as const),
  ];
  return shown.flatMap(([name = "", text = ""]) => term(name, text, columns));
}

/** The same for every command; the topic says more. */
function exitCodes(columns: number): readonly string[] {
  return [
    ...term("0", "success, also if nothing had to be done or there is nothing to list", columns),
    ...term(
      "1",
      "something failed or was refused, even for one node of several; stderr says what to do next",
      columns,
    ),
    ...term("2", "wrong usage; stderr says what was expected", columns),
  ];
}

/** Its own, and those of its commands. */
function examplesOf(of: Described): readonly string[] {
  const names = [of.name, ...visible(of.command).map((child) => `${of.name} ${child.name()}`)];
  const blocks = names.flatMap((name) => of.examples(name)).map((example) => exampleLines(example, of));
  return blocks.flatMap((block, index) => (index === 0 ? block : ["", ...block]));
}

function exampleLines({ line, does, isShown }: Example, { printed, columns }: Described): readonly string[] {
  const start = [...paragraph(`${does}:`, columns), `${indent}${indent}$ ccscale ${line}`];
  const output = isShown === true ? printed.get(line) : undefined;
  if (output === undefined) return start;
  const lines = output.split("\n");
  const more = lines.length - mostPrinted;
  const shown = more > 1 ? [...lines.slice(0, mostPrinted), `… ${more} lines more`] : lines;
  return [...start, ...shown.flatMap((each) => outputLines(each, columns))];
}

/** A row of a table is cut, as on a screen; a sentence goes on in the next line. */
function outputLines(line: string, columns: number): readonly string[] {
  const inside = `${indent}${indent}${line}`.trimEnd();
  if (inside.length <= columns) return [inside];
  if (/\S {2,}\S/.test(line)) return [`${inside.slice(0, columns - 1)}…`];
  return wrapped(inside, columns).split("\n");
}

function seeAlso({ seeAlso: { commands, pages }, columns }: Described): readonly string[] {
  return [
    ...(commands.length === 0
      ? []
      : paragraph(commands.map((each) => `ccscale help ${each}`).join(", "), columns)),
    ...pages.map((page) => `${indent}docs/${page}`),
    `${indent}docs/commands.md`,
  ];
}

function paragraph(text: string, columns: number): readonly string[] {
  return wrappedAfter(indent, text, { columns, hang: indent.length }).split("\n");
}

function term(name: string, text: string, columns: number): readonly string[] {
  const start = indent.repeat(3);
  return [`${indent}${name}`, ...wrappedAfter(start, text, { columns, hang: start.length }).split("\n")];
}
