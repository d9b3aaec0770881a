/**
 * Types, lint and the unit tests of some folders, all at once: what to run again and again while working on one part.
 * `node test/suite/check-part.ts test/shared/engine`; ends with 1 when one of them fails.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";

const bin = join(import.meta.dirname, "../../node_modules/.bin");
const folders = process.argv.slice(2);
if (folders.length === 0)
  throw new Error("Cannot check: no folder given, expected some, such as test/shared/engine");

const begun = performance.now();
const failed = await Promise.all([
  run("types", "npm", ["run", "--silent", "types"]),
  run("lint", "npm", ["run", "--silent", "lint"]),
  run("tests", join(bin, "vitest"), ["run", "--project", "unit", "--reporter", "dot", ...folders]),
]);
process.exitCode = failed.includes(true) ? 1 : 0;

/** Whether it failed. Its output comes in one piece, when it is over. */
function run(name: string, program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  return new Promise((done, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      if (name === "tests" || code !== 0) process.stdout.write(Buffer.concat(output));
      console.log(`${name}: ${code === 0 ? "passed" : "failed"} after ${seconds} s`);
      done(code !== 0);
    });
  });
}
