import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { CommandFailure } from "../exit-code.ts";
import { packagedFile } from "../version.ts";

const folder = "examples/scenarios";

/** The file of an example scenario that comes with this package. Throws CommandFailure with the names that there are. */
export async function exampleFile(name: string): Promise<string> {
  const path = packagedFile(folder);
  const files = path === undefined ? [] : await readdir(path).catch(() => []);
  const names = files.filter((file) => file.endsWith(".json")).map((file) => basename(file, ".json"));
  if (path !== undefined && names.includes(name)) return join(path, `${name}.json`);
  throw new CommandFailure(
    `There is no example "${name}"`,
    names.length === 0 ? "No examples are installed." : `Examples: ${names.toSorted().join(", ")}.`,
  );
}
