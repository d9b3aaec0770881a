import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

/** What Azure remembers of a timer: its last run, the run that was due next, when this was written. ISO times. */
export interface TimerStatus {
  readonly Last: string;
  readonly Next: string;
  readonly LastUpdated: string;
}

/** Keeps the status of timers over restarts. */
export interface TimerStatusStore {
  load(functionName: string): Promise<TimerStatus | undefined>;
  save(functionName: string, status: TimerStatus): Promise<void>;
}

const schema = z.object({ Last: z.iso.datetime(), Next: z.iso.datetime(), LastUpdated: z.iso.datetime() });

/** One small file per timer; replaced in one step, so that a kill leaves the old or the new one. */
export function timerStatusFiles(directory: string): TimerStatusStore {
  const pathOf = (name: string): string => join(directory, `${encodeURIComponent(name)}.json`);
  return {
    async load(functionName) {
      const text = await readFile(pathOf(functionName), "utf8").catch(() => undefined);
      return text === undefined ? undefined : parseStatus(text);
    },
    async save(functionName, status) {
      const path = pathOf(functionName);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.new`, JSON.stringify(status));
      await rename(`${path}.new`, path);
    },
  };
}

/** A file that is damaged counts as none: the timer starts anew. */
function parseStatus(text: string): TimerStatus | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
