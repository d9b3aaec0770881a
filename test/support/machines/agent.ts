import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, startChild } from "../../../infra/local/environment/child.ts";
import { builtCcscale, type LocalStack } from "../local-stack.ts";

/** The agent has read its scheduler so often, and nothing has changed. */
const standstillPasses = 30;
/** Nothing new for so long is a fault on any machine. */
const standstillMilliseconds = 240_000;

/** `ccscale agent` with a driver and its section of the settings, beside a real scheduler. */
export async function startAgent(
  stack: LocalStack,
  driver: string,
  section: object,
  env: Readonly<Record<string, string>> = {},
  others: object = {},
  options: readonly string[] = [],
): Promise<Child> {
  const config = join(stack.folder, "agent.json");
  const settings = {
    cluster: stack.cluster,
    source: driver,
    driver,
    interval_seconds: 2,
    state_folder: join(stack.folder, "agent"),
    [driver]: section,
    ...others,
  };
  await writeFile(config, JSON.stringify(settings));
  return startChild({
    name: "agent",
    args: [builtCcscale, "agent", "--config", config, ...options],
    env: { ...env, AutoscaleStorage: stack.environment.storageConnectionString },
    isReady: (line) => line.includes('"event":"pass"'),
    logFile: join(stack.folder, "agent.log"),
  });
}

/** How many passes it has logged. */
export async function passesOf({ folder }: Pick<LocalStack, "folder">): Promise<number> {
  return (await readFile(join(folder, "agent.log"), "utf8")).split('"event":"pass"').length - 1;
}

/** Waits until it has made so many more, each of which may fail. */
export async function morePasses(stack: LocalStack, more: number, watched?: Watched): Promise<void> {
  const before = await passesOf(stack);
  await whileItMoves(
    () => passesOf(stack),
    (count) => count >= before + more,
    watched,
  );
}

/** What is asked when nothing moves any more. */
export interface Watched {
  readonly stack: Pick<LocalStack, "folder">;
  /** For somebody who was not there. */
  readonly whatThereIs: () => Promise<string>;
}

/**
 * Waits as long as something moves. Then the test judges what is there. With `watched`, nothing moves any more when the
 * agent has read its scheduler so often without any change; that is an error, which shows what there is.
 */
export async function whileItMoves<T>(
  read: () => Promise<T>,
  isSo: (value: T) => boolean,
  watched?: Watched,
): Promise<void> {
  let seen = "";
  let movedAt = Date.now();
  let passesThen = 0;
  for (;;) {
    const value = await read();
    if (isSo(value)) return;
    const passes = watched === undefined ? 0 : await passesOf(watched.stack);
    const text = JSON.stringify(value);
    if (text !== seen) {
      seen = text;
      movedAt = Date.now();
      passesThen = passes;
    }
    if (passes - passesThen >= standstillPasses || Date.now() - movedAt > standstillMilliseconds) {
      if (watched === undefined) return;
      throw new Error(`Nothing moves any more: ${text}\n${await watched.whatThereIs()}`);
    }
    await sleep(1000);
  }
}
