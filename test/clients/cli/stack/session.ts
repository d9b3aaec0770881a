import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { createProgram, run } from "../../../../clients/cli/program.ts";
import { wordsOf } from "../../../../clients/cli/reference/command-example.ts";
import { builtCcscale, type LocalStack } from "../../../support/local-stack.ts";
import { screen } from "../output/screen.ts";
import { steady } from "./steady.ts";

/** Somebody who types commands, and what they see. */
export interface Session {
  /** Runs a line; the transcript of it, as it would be on any run. */
  ccscale(line: string): Promise<string>;
  /** Has lines name, from now on, this where they say that. */
  means(word: string, real: string): void;
}

/**
 * On a running stack. Lines are typed without what tells where the service is and who asks, which is the same on all.
 * Files that they name are those of the stack's folder.
 */
export function openSession(stack: LocalStack, files: readonly string[]): Session {
  const real = new Map(files.map((name) => [name, join(stack.folder, name)]));
  const argvOf = async (line: string): Promise<readonly string[]> => {
    const words = wordsOf(line);
    const options = await optionsOf(words);
    return [
      ...words.map((word) => real.get(word) ?? word),
      ...(options.has("--local") && !words.some((word) => elsewhere.includes(word))
        ? ["--local", stack.local]
        : []),
      ...(options.has("--by") && words[0] !== "quote" ? ["--by", "ann"] : []),
    ];
  };
  return {
    means: (word, meant) => real.set(word, meant),
    ccscale: async (line) => {
      const terminal = screen();
      const code = await run(await argvOf(line), terminal);
      const inHere = (text: string) => steady(text.replaceAll(`${stack.folder}/`, ""));
      const written = [inHere(terminal.text()), inHere(terminal.errors())];
      return transcriptOf(line, written.join(""), code);
    },
  };
}

/** Options that say themselves where to look. */
const elsewhere: readonly string[] = ["--offline", "--url", "--local"];

function transcriptOf(line: string, shown: string, code: number): string {
  const end = code === 0 ? "" : `[exit code ${code}]\n`;
  return `$ ccscale ${line}\n${shown}${shown === "" || shown.endsWith("\n") ? "" : "\n"}${end}`;
}

/** Options of the command that the words name, by their long names. */
async function optionsOf(words: readonly string[]): Promise<ReadonlySet<string | undefined>> {
  const find = (command: Command, [word, ...rest]: readonly string[]): Command => {
    const child = command.commands.find((each) => each.name() === word);
    return child === undefined ? command : find(child, rest);
  };
  return new Set(find(await createProgram(screen()), words).options.map(({ long }) => long));
}

/** As a shell runs the program: for what writes past the streams that it is given. */
export async function inProcessOfItsOwn(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [builtCcscale, ...wordsOf(line)]);
  return transcriptOf(line, stdout, 0);
}

const shownLines = 6;

/** A transcript that nobody reads to its end: how it begins and ends, and a digest of all of it. */
export function inShort(transcript: string): string {
  const lines = transcript.trimEnd().split("\n");
  const digest = createHash("sha256").update(transcript).digest("hex").slice(0, 16);
  const between = `[… ${lines.length} lines in all, SHA-256 begins with ${digest} …]`;
  return [...lines.slice(0, shownLines), between, ...lines.slice(-2), ""].join("\n");
}
