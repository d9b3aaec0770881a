import { randomUUID } from "node:crypto";
import {
  lstat,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createTwoFilesPatch, diffLines } from "diff";
import { hasCode } from "../../shared/errors/errors.ts";
import type { SchedulerFile, SchedulerFiles } from "./drivers/driver.ts";

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

/** The files of a folder; undefined: there is none of that name. */
export type PresentFiles = ReadonlyMap<string, string | undefined>;

type Wanted = Pick<SchedulerFiles, "folder" | "names" | "besides" | "heading">;

export async function readPresent({ folder, names, besides = [] }: Wanted): Promise<PresentFiles> {
  const texts = new Map<string, string | undefined>();
  for (const name of [...names, ...besides]) texts.set(name, await readIfThere(join(folder, name)));
  return texts;
}

/** Those that we wrote, and those that are only read. */
export function usableAmong(
  present: PresentFiles,
  { heading, besides = [] }: Wanted,
): readonly SchedulerFile[] {
  return [...present].flatMap(([name, text]) =>
    text !== undefined && (text.startsWith(`${heading}\n`) || besides.includes(name)) ? [{ name, text }] : [],
  );
}

/** What has to be written so that the folder has these files. */
export function changesTo(
  files: readonly SchedulerFile[],
  present: PresentFiles,
  { folder, names, heading }: Wanted,
): readonly FileChange[] {
  const texts = new Map(files.map(({ name, text }) => [name, text]));
  return names.flatMap((name) => {
    const before = present.get(name);
    const isOurs = before?.startsWith(`${heading}\n`) === true;
    const after = texts.get(name) ?? (isOurs ? `${heading}\n` : before);
    if (after === undefined || after === before) return [];
    return [{ path: join(folder, name), name, before, after, isForeign: before !== undefined && !isOurs }];
  });
}

/** Gives `use` a folder that is as the other will be when these files are written. */
export async function inTrialFolder<T>(
  folder: string,
  changes: readonly FileChange[],
  use: (trial: string) => Promise<T>,
): Promise<T> {
  const trial = await mkdtemp(join(tmpdir(), "ccscale-files-"));
  try {
    const changed = new Set(changes.map(({ name }) => name));
    for (const name of await readdir(folder))
      if (!changed.has(name)) await symlink(join(resolve(folder), name), join(trial, name));
    for (const { name, after } of changes) await writeFile(join(trial, name), after);
    return await use(trial);
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

/** For people, as `diff -u` prints it. */
export function differenceIn({ path, before = "", after }: FileChange): string {
  return createTwoFilesPatch(path, path, before, after, "now", "then", { context: 2 });
}

/** Lines that come or go; one that changes does both, and counts once. */
export function linesIn({ before = "", after }: FileChange): number {
  const parts = diffLines(before, after);
  const sum = (of: (part: (typeof parts)[number]) => boolean) =>
    parts.filter(of).reduce((total, { count = 0 }) => total + count, 0);
  return Math.max(
    sum(({ added }) => added === true),
    sum(({ removed }) => removed === true),
  );
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Puts the new file in the place of the old one as a whole, with its owner and its rights. A symbolic link stays: the file
 * that it names is replaced. The old one is kept beside that file, as `<name>.bak`; somebody else's, which only the first
 * write finds, as `<name>.orig`, and nothing ever replaces that. A new file gets the owner of its folder. Throws what the
 * file system says.
 */
export async function writeChange({ path, before, after, isForeign }: FileChange): Promise<void> {
  if (before === undefined) {
    const { uid, gid } = await stat(dirname(path));
    if (await isLink(path)) throw new Error(`"${path}" is a link to a file that is not there`);
    return putWhole(path, after, { uid, gid, mode: 0o644 });
  }
  const target = await realpath(path);
  const owner = await stat(target);
  const old = await readFile(target);
  if (isForeign) await createWhole(`${target}.orig`, old, owner).catch(unlessThere);
  await putWhole(`${target}.bak`, old, owner);
  await putWhole(target, after, owner);
}

/** The draft's name cannot be foreseen, so that nobody can have put a link there. */
async function putWhole(path: string, content: string | Buffer, owner: Owner): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    await createWhole(draft, content, owner);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Refused where there is a file or a link of that name. Until it has its owner nobody else can read it. */
async function createWhole(path: string, content: string | Buffer, owner: Owner): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    const own = await file.stat();
    if (own.uid !== owner.uid || own.gid !== owner.gid) await file.chown(owner.uid, owner.gid);
    await file.chmod(owner.mode & 0o7777);
    await file.writeFile(content);
    // Without it a power cut may leave the new name with nothing in it.
    await file.sync();
  } finally {
    await file.close();
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function unlessThere(error: unknown): void {
  if (!hasCode(error, "EEXIST")) throw error;
}
