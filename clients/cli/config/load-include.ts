import { readFile } from "node:fs/promises";
import { parseJson } from "../../../shared/json.ts";

/** A configuration file of this machine; undefined when there is none. Throws for one that is no JSON. */
export async function loadInclude(path: string): Promise<unknown> {
  try {
    return parseJson(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
