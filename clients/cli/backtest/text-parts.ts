import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { hasCode, messageOf } from "../../../shared/errors/errors.ts";
import { printable } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/** The text of a file (gzip or not, "-": standard input), in parts: a long trace is never in memory as a whole. Throws CommandFailure. */
export async function* textParts(file: string, terminal: Terminal): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  try {
    const source = file === "-" ? terminal.stdin : createReadStream(file);
    for await (const bytes of await unpacked(source)) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (hasCode(error, "Z_BUF_ERROR"))
      throw new CommandFailure(
        `Cannot read "${printable(file)}": it is packed by gzip, and its end is missing`,
        "Copy or download it again.",
      );
    throw new CommandFailure(
      `Cannot read "${printable(file)}": ${messageOf(error)}`,
      "Check the name of the file.",
    );
  }
  return undefined;
}

/** By the first two bytes of every gzip file: what comes through a pipe has no name. */
async function unpacked(source: AsyncIterable<Buffer | string>): Promise<AsyncIterable<Buffer>> {
  const parts = buffersOf(source);
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const { value, done } = await parts.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  const all = withHead(head, parts);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return all;
  // An error of either stream ends the other, and is thrown to the reader.
  return pipeline(Readable.from(all), createGunzip(), () => {});
}

async function* buffersOf(source: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer, undefined> {
  for await (const part of source) yield Buffer.from(part as Buffer);
  return undefined;
}

/** What was read already, before the rest. */
export async function* withHead<Part>(
  head: Part,
  rest: AsyncIterable<Part>,
): AsyncGenerator<Part, undefined> {
  yield head;
  yield* rest;
  return undefined;
}
