import { existsSync } from "node:fs";
import { InvalidArgumentError, Option } from "commander";
import type { Place } from "./connect-storage.ts";
import { localEnvironmentFile } from "./local-environment.ts";

/** What `--local` gives: nothing, the flag alone, or a file. */
export interface PlaceFlags {
  readonly local?: true | string;
}

export function localOption(
  description = `uses the local environment as ${localEnvironmentFile} tells; otherwise the settings AutoscaleStorage…`,
): Option {
  return new Option("--local [file]", description).argParser(existing);
}

/** A word that was meant for the command and follows `--local` is taken for the file: it is not to be missed where it belongs. */
function existing(file: string): string {
  if (existsSync(file)) return file;
  throw new InvalidArgumentError(
    `No such file, expected the one that "npm start" writes; a word for the command stands before --local.`,
  );
}

export function placeOf({ local }: PlaceFlags): Place {
  return { local: local === true ? localEnvironmentFile : local, env: process.env };
}
