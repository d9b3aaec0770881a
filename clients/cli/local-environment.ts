import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { hasCode, messageOf } from "../../shared/errors/errors.ts";
import { parseJson } from "../../shared/json/json.ts";
import { isProcessAlive } from "../../shared/machine/process-alive.ts";
import { CommandFailure } from "./exit-code.ts";

/** The file in which `npm start` writes its addresses while it runs. */
export const localEnvironmentFile = ".local/environment.json";

const whoWrote = z.object({ pid: z.int().positive().optional() });

/** Reads a part of what `npm start` wrote. Throws CommandFailure if nothing runs, even if the file was left behind. */
export async function readLocalEnvironment<T>(file: string, part: z.ZodType<T>): Promise<T> {
  const text = await readFile(file, "utf8").catch((error) => {
    throw notRunning(hasCode(error, "ENOENT") ? `"${file}" is not there` : messageOf(error));
  });
  const written = parsed(text, part);
  if (written === undefined) throw notRunning(`"${file}" is not what "npm start" writes`);
  const { pid, local } = written;
  if (pid !== undefined && !isProcessAlive(pid))
    throw notRunning(`process ${pid}, which wrote "${file}", has ended`);
  return local;
}

function parsed<T>(text: string, part: z.ZodType<T>) {
  try {
    const json: unknown = parseJson(text);
    return { local: part.parse(json), ...whoWrote.parse(json) };
  } catch {
    return undefined;
  }
}

function notRunning(why: string): CommandFailure {
  return new CommandFailure(
    `Cannot find the local environment: ${why}`,
    'Start it with "npm start" in the project folder, then run the command there or with --local FILE.',
  );
}

/** Where a command finds the storage account. `local`: the file that `npm start` writes; undefined: the settings. */
export interface Place {
  readonly local: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What `--local` gives: nothing, the flag alone, or a file. */
export interface PlaceFlags {
  readonly local?: true | string;
}

export function localOption(
  description = `uses the local environment described in ${localEnvironmentFile}; by default, the settings AutoscaleStorage…`,
): Option {
  return new Option("--local [file]", description).argParser(existing);
}

/** `--local` takes the word after it as its file. A word that was meant for the command would otherwise be lost in silence. */
function existing(file: string): string {
  if (existsSync(file)) return file;
  throw new InvalidArgumentError(
    `No such file, expected the one that "npm start" writes. Write the command's own words before --local.`,
  );
}

export function placeOf({ local }: PlaceFlags): Place {
  return { local: local === true ? localEnvironmentFile : local, env: process.env };
}
