import { Option } from "commander";
import type { Place } from "./connect.ts";
import { localEnvironmentFile } from "./local-environment.ts";

/** What `--local` gives: nothing, the flag alone, or a file. */
export interface PlaceFlags {
  readonly local?: true | string;
}

export function localOption(): Option {
  return new Option(
    "--local [file]",
    `uses the local environment as ${localEnvironmentFile} tells; otherwise the settings AutoscaleStorage…`,
  );
}

export function placeOf({ local }: PlaceFlags): Place {
  return { local: local === true ? localEnvironmentFile : local, env: process.env };
}
