import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rm, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { z } from "zod";
import { ConfigurationError, hasCode, messageOf } from "../../shared/errors/errors.ts";
import { jsonOr } from "../../shared/json/json.ts";
import { isProcessAlive } from "../../shared/machine/process-alive.ts";

/** How often an agent that runs renews its lock. */
const renewSeconds = 10;
/** A lock that was not renewed for so long is nobody's: its process is gone, and another may have its pid by now. */
const staleSeconds = 60;

const contentSchema = z.object({ id: z.string(), pid: z.int().positive(), host: z.string() });
type Content = z.infer<typeof contentSchema>;

export interface HeldLock {
  /** Aborted when another agent has the lock: this one has to stop. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Takes the lock of an agent's files, which says which process has them. A lock of a process that is gone is taken over.
 * Throws ConfigurationError while another process has it: two agents of one source take back what the other reports.
 */
export async function takeLock(path: string, { source }: { readonly source: string }): Promise<HeldLock> {
  const own: Content = { id: randomUUID(), pid: process.pid, host: hostname() };
  for (let tries = 0; !(await create(path, own)); tries++) {
    const holder = await readLock(path);
    if (holder === undefined) continue;
    if (tries > 1 || isHeld(holder)) throw refusal(path, source, holder);
    await rm(path, { force: true });
  }
  const lost = new AbortController();
  const renewal = setInterval(() => void renew(path, own, lost), renewSeconds * 1000);
  renewal.unref();
  return {
    lost: lost.signal,
    release: async () => {
      clearInterval(renewal);
      if ((await readLock(path))?.id === own.id) await rm(path, { force: true });
    },
  };
}

async function create(path: string, own: Content): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(own));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw new ConfigurationError(`state folder "${dirname(path)}"`, [messageOf(error)]);
  }
}

/** A lock as it is found. What cannot be read was written by who died on the way, or is being written: its age decides. */
interface FoundLock extends Partial<Content> {
  readonly ageSeconds: number;
}

async function readLock(path: string): Promise<FoundLock | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const ageSeconds = (Date.now() - (await file.stat()).mtimeMs) / 1000;
      return { ...contentOf(await file.readFile("utf8")), ageSeconds };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new ConfigurationError(`state folder "${dirname(path)}"`, [messageOf(error)]);
  }
}

function contentOf(text: string): Content | undefined {
  return contentSchema.safeParse(jsonOr(text)).data;
}

/** Processes of another machine cannot be asked, and one with our own pid is a former life of a container. */
function isHeld({ pid, host, ageSeconds }: FoundLock): boolean {
  if (ageSeconds > staleSeconds) return false;
  if (pid === undefined || host !== hostname()) return true;
  return pid !== process.pid && isProcessAlive(pid);
}

function refusal(path: string, source: string, { pid, host }: FoundLock): ConfigurationError {
  const isHere = host === undefined || host === hostname();
  const who = `${pid === undefined ? "another process" : `process ${pid}`}${isHere ? "" : ` of machine "${host}"`}`;
  const next = `Stop it first, or give this one another --state-folder and another --source`;
  return new ConfigurationError(`state folder "${dirname(path)}"`, [
    `an agent of source "${source}" already runs there, ${who}. ${next}`,
  ]);
}

async function renew(path: string, own: Content, lost: AbortController): Promise<void> {
  try {
    const text = await readFile(path, "utf8");
    if (contentOf(text)?.id !== own.id) return lost.abort();
    const now = new Date();
    await utimes(path, now, now);
  } catch (error) {
    // A disk that does not answer takes nothing from us; a lock that was removed is taken again by whoever comes first.
    if (hasCode(error, "ENOENT") && !(await create(path, own).catch(() => true))) lost.abort();
  }
}
