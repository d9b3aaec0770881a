import { chmod, chown, copyFile, open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import type { DrawnUpFiles } from "./drivers/driver.ts";

/** A file that is not as it should be. */
export interface FileChange {
  readonly path: string;
  readonly name: string;
  /** Undefined: there is none. */
  readonly before: string | undefined;
  readonly after: string;
  /** There is one, and it was written by somebody else. */
  readonly isForeign: boolean;
}

type Wanted = Pick<DrawnUpFiles, "files" | "names" | "heading">;

/** What has to be written so that the folder has these files. */
export async function changesIn(folder: string, wanted: Wanted): Promise<readonly FileChange[]> {
  const texts = new Map(wanted.files.map(({ name, text }) => [name, text]));
  const changes: FileChange[] = [];
  for (const name of wanted.names) {
    const path = join(folder, name);
    const before = await readIfThere(path);
    const isOurs = before?.startsWith(`${wanted.heading}\n`) === true;
    const after = texts.get(name) ?? (isOurs ? `${wanted.heading}\n` : before);
    if (after === undefined || after === before) continue;
    changes.push({ path, name, before, after, isForeign: before !== undefined && !isOurs });
  }
  return changes;
}

/** For people, as `diff -u` prints it. */
export function differenceIn({ path, before = "", after }: FileChange): string {
  return createTwoFilesPatch(path, path, before, after, "now", "then", { context: 2 });
}

/**
 * Keeps the file that was there as `<name>.bak`, and puts the new one in its place as a whole, with its owner and its rights.
 * A new file gets the owner of its folder. Throws what the file system says.
 */
export async function writeChange({ path, before, after }: FileChange, folder: string): Promise<void> {
  const { uid, gid, mode } =
    before === undefined ? { ...(await stat(folder)), mode: 0o644 } : await stat(path);
  if (before !== undefined) await copyFile(path, `${path}.bak`);
  const draft = `${path}.new`;
  const file = await open(draft, "w", mode);
  try {
    await file.writeFile(after);
    // Without it a power cut may leave the new name with nothing in it.
    await file.sync();
  } finally {
    await file.close();
  }
  const own = await stat(draft);
  if (own.uid !== uid || own.gid !== gid) await chown(draft, uid, gid);
  await chmod(draft, mode & 0o7777);
  await rename(draft, path);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
