import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const root = join(import.meta.dirname, "../../../..");

interface ChildOptions {
  /** Script below the project folder, and its arguments. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The child counts as started when it prints a line that this accepts. */
  readonly isReady: (line: string) => boolean;
}

/** A running child process of a test. */
export interface Child {
  readonly lines: string[];
  /** The line that said it was ready. */
  readonly ready: string;
  readonly exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a script with the Node that runs the tests. @throws Error with its output when it ends before it is ready. */
export async function startChild({ args, env = {}, isReady }: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, [...args], { cwd: root, env: { ...process.env, ...env } });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const lines: string[] = [];
  const ready = await new Promise<string>((resolve, reject) => {
    onLine(child, (line) => {
      lines.push(line);
      if (isReady(line)) resolve(line);
    });
    void exited.then((code) => reject(new Error(`Ended with ${code}:\n${lines.join("\n")}`)));
  });
  const kill = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return { lines, ready, exited, kill };
}

function onLine(child: ChildProcess, callback: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on("line", callback);
  }
}
