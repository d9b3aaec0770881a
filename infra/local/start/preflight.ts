import { readFile } from "node:fs/promises";
import { z } from "zod";
import { isProcessAlive } from "../../../shared/process-alive.ts";
import { loadDefinition, parseDefinition } from "../cyclecloud/index.ts";

/** What `npm start` needs to know of a cluster definition. */
export interface Definition {
  readonly name: string;
  readonly hasSpot: boolean;
}

/** Two environments in one folder would write over each other's logs and addresses. */
export async function refuseSecondRun(environmentFile: string): Promise<void> {
  const text = await readFile(environmentFile, "utf8").catch(() => "{}");
  const { pid } = z.object({ pid: z.int().optional() }).parse(JSON.parse(text));
  if (pid === undefined || !isProcessAlive(pid)) return;
  throw new Error(
    `Cannot start the local environment: process ${pid} runs one in this folder already, expected none.\n` +
      `Ctrl-C in its terminal stops it, and so does "kill ${pid}"`,
  );
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
