import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { messageOf } from "../../shared/errors/errors.ts";
import { parseJson } from "../../shared/json/json.ts";
import { printable } from "../../shared/text/text.ts";
import { CommandFailure } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";

/** The text of a file, packed by gzip or not; "-" is standard input. Throws CommandFailure. */
export async function readText(file: string, terminal: Terminal): Promise<string> {
  try {
    const bytes = file === "-" ? await bytesOf(terminal.stdin) : await readFile(file);
    // By the first two bytes of every gzip file: what comes through a pipe has no name.
    return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (error) {
    throw new CommandFailure(`Cannot read "${file}": ${messageOf(error)}`, "Check the name of the file.");
  }
}

/** A JSON file of the user. Throws a CommandFailure that names it. */
export async function readJson(
  file: string,
  next = "Check the name of the file, and its JSON.",
): Promise<unknown> {
  try {
    return parseJson(await readFile(file, "utf8"));
  } catch (error) {
    throw new CommandFailure(`Cannot read "${printable(file)}": ${messageOf(error)}`, next);
  }
}

async function bytesOf(stdin: Terminal["stdin"]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
