import { readFile } from "node:fs/promises";
import type { DefinitionInput } from "./definition.ts";

/** Where the shipped definitions are. */
export const clustersFolder = new URL("./clusters/", import.meta.url);

/** Reads a definition file; the server checks the content when it starts. */
export async function loadDefinition(file: string | URL): Promise<DefinitionInput> {
  return JSON.parse(await readFile(file, "utf8"));
}
