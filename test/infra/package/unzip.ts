import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { openPromise } from "yauzl";

/** Unpacks an archive into a folder; returns the names in it. */
export async function unzip(path: string, folder: string): Promise<string[]> {
  const archive = await openPromise(path);
  const names: string[] = [];
  for await (const entry of archive.eachEntry()) {
    names.push(entry.fileName);
    const target = join(folder, entry.fileName);
    await mkdir(dirname(target), { recursive: true });
    await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(target));
  }
  return names;
}
