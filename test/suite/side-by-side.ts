import { spawn } from "node:child_process";
import { join } from "node:path";

export const vitest = join(import.meta.dirname, "../../node_modules/.bin/vitest");

export interface Program {
  readonly name: string;
  readonly command: readonly [program: string, ...args: readonly string[]];
  /** Prints while it runs; the others print in one piece, when they are over. */
  readonly prints?: "at once" | "when it fails";
}

/** Runs programs at the same time, and gives the exit code: 1 when one of them fails. What failed is printed last. */
export async function sideBySide(programs: readonly Program[]): Promise<number> {
  const begun = performance.now();
  const runs = await Promise.all(programs.map((program) => run(program, begun)));
  const failed = runs.filter(({ code }) => code !== 0);
  // Only where something else was printed after it.
  if (failed.length > 0 && runs.length > 1)
    for (const { output } of failed) console.log(output.split("\n").slice(-linesAgain).join("\n").trimEnd());
  for (const { name, code, seconds } of runs)
    console.log(`${name}: ${code === 0 ? "passed" : "failed"} after ${seconds} s`);
  return failed.length === 0 ? 0 : 1;
}

/** As many as `last-lines.ts` prints. */
const linesAgain = 38;

function run({ name, command: [program, ...args], prints }: Program, begun: number) {
  // Colours, as far as the terminal has them: the program itself sees a pipe.
  const env = process.stdout.isTTY ? { ...process.env, FORCE_COLOR: "1" } : process.env;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env });
  // Who stops us stops them.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output.push(chunk);
      if (prints === "at once") process.stdout.write(chunk);
    });
  return new Promise<{ name: string; code: number | null; seconds: string; output: string }>(
    (done, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        const seconds = ((performance.now() - begun) / 1000).toFixed(1);
        const text = Buffer.concat(output).toString();
        if (prints === undefined || (prints === "when it fails" && code !== 0)) process.stdout.write(text);
        done({ name, code, seconds, output: text });
      });
    },
  );
}
