import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, startChild } from "../../../infra/local/environment/child.ts";
import type { LocalStack } from "../local-stack.ts";

/** Nothing new for so long is a fault on any machine. */
const standstillMilliseconds = 240_000;

/** `ccscale agent` with a driver and its section of the settings, beside a real scheduler. */
export async function startAgent(
  stack: LocalStack,
  driver: string,
  section: object,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const config = join(stack.folder, "agent.json");
  const settings = {
    cluster: stack.cluster,
    source: driver,
    driver,
    interval_seconds: 2,
    state_folder: join(stack.folder, "agent"),
    [driver]: section,
  };
  await writeFile(config, JSON.stringify(settings));
  return startChild({
    name: "agent",
    args: [join(import.meta.dirname, "../../../clients/cli/main.ts"), "agent", "--config", config],
    env: { ...env, AutoscaleStorage: stack.environment.storageConnectionString },
    isReady: (line) => line.includes('"event":"pass"'),
    logFile: join(stack.folder, "agent.log"),
  });
}

/** How many passes it has logged. */
export async function passesOf({ folder }: Pick<LocalStack, "folder">): Promise<number> {
  return (await readFile(join(folder, "agent.log"), "utf8")).split('"event":"pass"').length - 1;
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
