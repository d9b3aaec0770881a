import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expandHostlist } from "../../../clients/agent/drivers/slurm/hostlist.ts";
import { type Child, startChild } from "../../../infra/local/environment/child.ts";
import type { LocalStack } from "../local-stack.ts";
import type { Slurm } from "./slurm.ts";

/** Nothing new for so long is a fault on any machine. */
const standstillMilliseconds = 240_000;

/** `ccscale agent --driver slurm` beside the controller. */
export async function startSlurmAgent(slurm: Slurm, stack: LocalStack): Promise<Child> {
  const onHead = (program: string) => slurm.network.entering(slurm.network.headName, program, []);
  const config = join(stack.folder, "agent.json");
  const settings = {
    cluster: stack.cluster,
    source: "slurm",
    driver: "slurm",
    interval_seconds: 2,
    state_folder: join(stack.folder, "agent"),
    slurm: { squeue: onHead("squeue"), scontrol: onHead("scontrol"), sinfo: onHead("sinfo") },
  };
  await writeFile(config, JSON.stringify(settings));
  return startChild({
    name: "agent",
    args: [join(import.meta.dirname, "../../../clients/cli/main.ts"), "agent", "--config", config],
    env: { ...slurm.env, AutoscaleStorage: stack.environment.storageConnectionString },
    isReady: (line) => line.includes('"event":"pass"'),
    logFile: join(stack.folder, "agent.log"),
  });
}

/** How many passes it has logged. */
export async function passesOf({ folder }: Pick<LocalStack, "folder">): Promise<number> {
  return (await readFile(join(folder, "agent.log"), "utf8")).split('"event":"pass"').length - 1;
}

/** Different nodes of each job that runs, of all tasks of an array and all parts of a heterogeneous job. */
export async function usedBy(slurm: Slurm, ids: readonly number[]): Promise<readonly number[]> {
  const format = "--Format=ArrayJobID:20,HetJobID:20,NodeList:500";
  const lines = (await slurm.run("squeue", "--noheader", "--array", "--states=RUNNING", format)).split("\n");
  return ids.map((id) => {
    const own = lines.filter((line) =>
      [line.slice(0, 20), line.slice(20, 40)].some((each) => each.trim() === String(id)),
    );
    return new Set(own.flatMap((line) => expandHostlist(line.slice(40).trim()) ?? [])).size;
  });
}

/** Waits as long as something moves. Then the test judges what is there. */
export async function whileItMoves<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<void> {
  let seen = "";
  let movedAt = Date.now();
  for (;;) {
    const value = await read();
    if (isSo(value)) return;
    const text = JSON.stringify(value);
    if (text !== seen) movedAt = Date.now();
    seen = text;
    if (Date.now() - movedAt > standstillMilliseconds) return;
    await sleep(1000);
  }
}
