import { readFile } from "node:fs/promises";
import { z } from "zod";
import { messageOf } from "../../shared/errors.ts";
import { parseJson } from "../../shared/json.ts";
import { isProcessAlive } from "../../shared/process-alive.ts";
import { CommandFailure } from "./exit-code.ts";

/** Where `npm start` writes what runs where, as long as it runs. */
export const localEnvironmentFile = ".local/environment.json";

const whoWrote = z.object({ pid: z.int().positive().optional() });

/**
 * Reads a part of what `npm start` wrote. Throws CommandFailure where nothing runs, also when it was killed and the file stayed
 * behind.
 */
export async function readLocalEnvironment<T>(file: string, part: z.ZodType<T>): Promise<T> {
  const text = await readFile(file, "utf8").catch((error) => {
    throw notRunning(isMissing(error) ? `"${file}" is not there` : messageOf(error));
  });
  const { pid, local } = parsed(text, part) ?? stranger(file);
  if (pid !== undefined && !isProcessAlive(pid))
    throw notRunning(`process ${pid}, which wrote "${file}", is gone`);
  return local;
}

function parsed<T>(text: string, part: z.ZodType<T>) {
  try {
    const json: unknown = parseJson(text);
    return { local: part.parse(json), ...whoWrote.parse(json) };
  } catch {
    return undefined;
  }
}

function stranger(file: string): never {
  throw notRunning(`"${file}" is not what "npm start" writes`);
}

function notRunning(why: string): CommandFailure {
  return new CommandFailure(
    `Cannot find the local environment: ${why}`,
    'Start it with "npm start" in the folder of the project, and ask from there or with --local FILE.',
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
