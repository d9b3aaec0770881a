import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { exactDuration } from "../../../shared/text/durations.ts";

const endWithParent = new URL("end-with-parent.ts", import.meta.url).href;
/** A part is up in a second; on a machine that is busy with something else it may take a hundred times as long. */
const startSeconds = 180;
const stopSeconds = 15;
const keptLines = 20;

/** A program of the local environment in a process of its own. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Asks it to stop and waits; after a while it is killed. */
  stop(): Promise<void>;
  /** As a crash would end it: nothing gets a chance to be tidied up. */
  kill(): Promise<void>;
  /** Resolves when it ended by itself or was ended. */
  readonly ended: Promise<void>;
}

export interface ChildOptions {
  readonly name: string;
  /** A script and its arguments. */
  readonly args: readonly string[];
  /** The Node that runs it; the one that runs this when left out. */
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The line of output that reports that it is ready. */
  readonly isReady: (line: string) => boolean;
  /** Everything that it prints goes here. */
  readonly logFile: string;
  /** Gives up starting it; without effect on one that is ready. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts a program and waits until it says that it is ready. Throws an Error with its last lines when it does not. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name } = options;
  const log = createWriteStream(options.logFile, { flags: "a" });
  const child = spawn(options.node ?? process.execPath, ["--import", endWithParent, ...options.args], {
    env: { ...process.env, ...options.env },
    // Its input is never written to: the child detects the end of its parent when it closes.
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C in a terminal goes to the whole process group: out of it, children are stopped by us, in order.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void ended.then(() => log.end());
  await becomesReady(child, options, log);
  return {
    name,
    pid: child.pid ?? -1,
    ended,
    stop: () => end(child, "SIGTERM", ended),
    kill: () => end(child, "SIGKILL", ended),
  };
}

function becomesReady(child: ChildProcess, options: ChildOptions, log: WriteStream): Promise<void> {
  const { signal } = options;
  const lastLines: string[] = [];
  return new Promise((resolve, reject) => {
    const decided = new AbortController();
    const fail = (why: string) => {
      decided.abort();
      child.kill("SIGKILL");
      reject(new Error([`Cannot start ${options.name}: ${why}`, ...lastLines].join("\n")));
    };
    const late = setTimeout(
      () => fail(`not ready after ${exactDuration(startSeconds)}`),
      startSeconds * 1000,
    );
    decided.signal.addEventListener("abort", () => clearTimeout(late));
    signal?.addEventListener("abort", () => fail("stopped"), { signal: decided.signal });
    if (signal?.aborted === true) fail("stopped");
    // Not "exit": what it printed last is still on its way then.
    child.once("close", (code, ending) => fail(`ended with ${ending ?? code}`));
    child.once("error", (error) => fail(error.message));
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        log.write(`${line}\n`);
        lastLines.push(line);
        if (lastLines.length > keptLines) lastLines.shift();
        if (!options.isReady(line)) return;
        decided.abort();
        resolve();
      });
    }
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), stopSeconds * 1000);
  await ended;
  clearTimeout(late);
}
