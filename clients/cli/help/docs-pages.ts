import { readdirSync, readFileSync } from "node:fs";
import { hasCode } from "../../../shared/errors/errors.ts";

/** Beside the build, dist/ccscale, and beside the sources. */
const places = ["../../docs/", "../../../docs/"].map((path) => new URL(path, import.meta.url));

/** The pages of docs that came with this program, as `slurm.md`. Throws an Error where there are none. */
export function docsPages(): readonly string[] {
  return inDocs(".", (place) => readdirSync(place).filter((name) => name.endsWith(".md")));
}

export function readPage(file: string): string {
  return inDocs(file, (place) => readFileSync(place, "utf8"));
}

function inDocs<T>(file: string, read: (place: URL) => T): T {
  for (const place of places) {
    try {
      return read(new URL(file, place));
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }
  throw new Error(`Cannot find docs/${file} beside this program`);
}
