import type { Command } from "commander";
import { printable } from "../../../shared/text/text.ts";
import { commandGroups } from "../command-table.ts";
import { examples } from "../reference/examples.ts";
import { readPrinted } from "../reference/read-printed.ts";
import type { Terminal } from "../terminal.ts";
import { commandHelp } from "./command-help.ts";
import { page, pagersOf } from "./pager.ts";
import { type Topic, topics } from "./topics.ts";

/** What is read of what is printed into a file or a pipe. */
const usualColumns = 100;
/** Longer lines are hard to read. */
const mostColumns = 120;

export interface HelpWanted {
  readonly words: readonly string[];
  readonly isPaged: boolean;
}

/** Reads the words after `help`; `--no-pager` may stand anywhere. */
export function helpWanted(argv: readonly string[]): HelpWanted {
  return {
    words: argv.filter((word) => word !== "--no-pager"),
    isPaged: !argv.includes("--no-pager"),
  };
}

export async function showTopic(terminal: Terminal, topic: Topic, isPaged: boolean): Promise<void> {
  // With a parser of Markdown, which pages of commands have no use for.
  const [{ markdownText }, { textOf }] = await Promise.all([
    import("./markdown-text.ts"),
    import("./topic-text.ts"),
  ]);
  const lines = markdownText(textOf(topic), columnsOf(terminal));
  await show(terminal, [...lines, "", `docs/${topic.file}`], isPaged);
}

export function topicOf(name: string): Topic | undefined {
  return topics.find((topic) => topic.name === name);
}

/** Shows the page of a command of the program. False: it has no command of these words, as stderr says. */
export async function showCommand(
  terminal: Terminal,
  program: Command,
  { words, isPaged }: HelpWanted,
): Promise<boolean> {
  const { command, missing } = commandOf(program, words);
  if (missing !== undefined) {
    const names = command.commands.map((each) => each.name()).filter((each) => each !== "help");
    const choice = names.length === 0 ? "" : `, expected one of ${names.join(", ")}`;
    terminal.stderr.write(`error: "${nameOf(command)}" has no command "${printable(missing)}"${choice}\n`);
    return false;
  }
  const row = commandGroups.flatMap(({ commands }) => commands).find(({ name }) => name === words[0]);
  if (row === undefined) throw new RangeError(`No row of the table of commands is "${words[0]}"`);
  const lines = commandHelp({
    command,
    name: nameOf(command),
    summary: nameOf(command) === row.name ? row.summary : null,
    examples: (name) => examples[name] ?? [],
    printed: readPrinted(),
    seeAlso: row.seeAlso,
    columns: columnsOf(terminal),
  });
  await show(terminal, lines, isPaged);
  return true;
}

/** The command of these words; `missing` is the first that leads nowhere. */
function commandOf(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly missing: string | undefined } {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined) return { command, missing: word };
    command = next;
  }
  return { command, missing: undefined };
}

function nameOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}

function columnsOf({ stdout }: Terminal): number {
  return stdout.isTTY === true ? Math.min(stdout.columns ?? 80, mostColumns) : usualColumns;
}

/** Through a pager on the process's own screen; what another stream gets is written there. */
async function show({ stdout }: Terminal, lines: readonly string[], isPaged: boolean): Promise<void> {
  const text = `${lines.join("\n").trimEnd()}\n`;
  const isScreen = stdout.isTTY === true && stdout === process.stdout;
  if (isPaged && isScreen && (await page(text, pagersOf(process.env)))) return;
  stdout.write(text);
}
