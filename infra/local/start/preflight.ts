import { mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../../shared/errors/errors.ts";
import { isProcessAlive } from "../../../shared/machine/process-alive.ts";
import { loadDefinition, parseDefinition } from "../cyclecloud/index.ts";

/** What `npm start` needs to know of a cluster definition. */
export interface Definition {
  readonly name: string;
  readonly hasSpot: boolean;
}

/**
 * Claims are numbered links to the process that has the folder, or to `free`; the highest number counts. A new claim is the next
 * number, made in one step, so that of two starts at once only one gets it. The highest is never deleted: whoever looked
 * before another's claim, and takes its number later, finds a higher one.
 */
const claimName = "start.pid.";
const free = "free";

/**
 * Empties the folder and takes it for this process, because two environments would write over each other's logs and
 * addresses. The claim of a process that has ended does not count. Throws an Error that names the process that has it.
 */
export async function claimFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const own = await madeClaim(folder, String(process.pid));
  const old = (await readdir(folder)).filter((name) => name !== own);
  await Promise.all(old.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

/** Lets another process take the folder. */
export async function releaseFolder(folder: string): Promise<void> {
  const own = await madeClaim(folder, free);
  const old = (await readdir(folder)).filter((name) => name.startsWith(claimName) && name !== own);
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}

/** The name of the new claim. */
async function madeClaim(folder: string, holder: string): Promise<string> {
  for (;;) {
    const last = await highestClaim(folder);
    const pid = Number(await readlink(join(folder, `${claimName}${last}`)).catch(() => free));
    if (pid !== process.pid && isProcessAlive(pid))
      throw new Error(
        `Cannot start the local environment: process ${pid} runs one in this folder already, expected none.\n` +
          `Ctrl-C in its terminal stops it, and so does "kill ${pid}"`,
      );
    const name = `${claimName}${last + 1}`;
    if (!(await isMade(symlink(holder, join(folder, name))))) continue;
    if ((await highestClaim(folder)) === last + 1) return name;
    await rm(join(folder, name), { force: true });
  }
}

/** 0: there is none. */
async function highestClaim(folder: string): Promise<number> {
  const claims = (await readdir(folder)).filter((name) => name.startsWith(claimName));
  return Math.max(0, ...claims.map((name) => Number(name.slice(claimName.length))).filter(Number.isInteger));
}

async function isMade(link: Promise<void>): Promise<boolean> {
  try {
    await link;
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Reads a definition as the simulator will, so that a broken one ends here. Throws an Error that names the file. */
export async function readDefinition(file: string): Promise<Definition> {
  try {
    const { name, nodearrays } = parseDefinition(await loadDefinition(file));
    return { name, hasSpot: nodearrays.some((array) => array.interruptible) };
  } catch (error) {
    throw new Error(`Cannot read the cluster definition "${file}": ${(error as Error).message}`);
  }
}
