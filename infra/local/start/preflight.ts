import { mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { isProcessAlive } from "../../../shared/process-alive.ts";
import { loadDefinition, parseDefinition } from "../cyclecloud/index.ts";

/** What `npm start` needs to know of a cluster definition. */
export interface Definition {
  readonly name: string;
  readonly hasSpot: boolean;
}

/** A link to the process that has the folder: made in one step, so that of two starts at once only one gets it. */
const claimName = "start.pid";

/**
 * Empties the folder and takes it for this process, because two environments would write over each other's logs and
 * addresses. The claim of a process that has ended does not count. Throws an Error that names the process that has it.
 */
export async function claimFolder(folder: string): Promise<void> {
  const claim = join(folder, claimName);
  await mkdir(folder, { recursive: true });
  while (!(await isMade(symlink(String(process.pid), claim)))) {
    const pid = Number(await readlink(claim).catch(() => Number.NaN));
    if (pid !== process.pid && isProcessAlive(pid))
      throw new Error(
        `Cannot start the local environment: process ${pid} runs one in this folder already, expected none.\n` +
          `Ctrl-C in its terminal stops it, and so does "kill ${pid}"`,
      );
    await rm(claim, { recursive: true, force: true });
  }
  const old = (await readdir(folder)).filter((name) => name !== claimName);
  await Promise.all(old.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

/** Lets another process take the folder. */
export async function releaseFolder(folder: string): Promise<void> {
  await rm(join(folder, claimName), { force: true });
}

async function isMade(link: Promise<void>): Promise<boolean> {
  try {
    await link;
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
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
