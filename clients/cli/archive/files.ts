import { strFromU8, unzipSync } from "fflate";
import { messageOf } from "../../../shared/errors/errors.ts";
import { parseJson } from "../../../shared/json/json.ts";
import type { JsonFiles } from "../../archive/pack.ts";
import { CommandFailure } from "../exit-code.ts";

const mostFiles = 10_000;
const mostBytes = 2 * 1024 ** 3;

/** The JSON files in a zip. Throws CommandFailure for anything else, and for one that would fill the memory. */
export function fromZip(name: string, bytes: Uint8Array): JsonFiles {
  let total = 0;
  let count = 0;
  const entries = unzipped(name, bytes, (size) => {
    total += size;
    count++;
    return count <= mostFiles && total <= mostBytes;
  });
  if (count > mostFiles || total > mostBytes)
    throw new CommandFailure(
      `Cannot read "${name}": ${count} files, ${total} bytes unpacked, expected at most ${mostFiles} and ${mostBytes}`,
      "Unpack it and name the files that you need.",
    );
  return Object.fromEntries(
    Object.entries(entries).map(([file, content]) => [file, jsonOf(`${name}/${file}`, strFromU8(content))]),
  );
}

export function jsonOf(name: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new CommandFailure(`Cannot read "${name}": ${messageOf(error)}`, "Check that it is a JSON file.");
  }
}

function unzipped(
  name: string,
  bytes: Uint8Array,
  fits: (size: number) => boolean,
): Readonly<Record<string, Uint8Array>> {
  try {
    return unzipSync(bytes, {
      filter: ({ name: file, originalSize }) => file.endsWith(".json") && fits(originalSize),
    });
  } catch (error) {
    throw new CommandFailure(`Cannot read "${name}": ${messageOf(error)}`, "Check that it is a zip file.");
  }
}
