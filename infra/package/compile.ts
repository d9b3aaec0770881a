/** Compiles the functions, the shared code and the clients into `dist`. */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { glob } from "tinyglobby";
import { refuseReadOnly } from "./refuse-read-only.ts";

const root = resolve(import.meta.dirname, "../..");
const compiler = join(root, "node_modules/typescript/bin/tsc");
const parts = ["functions", "shared", "clients"];

/**
 * Compiles what has changed since the last time, and removes what has no source any more: the Functions host would still
 * load it. Throws an Error with the compiler's output.
 */
export async function compile(folder: string, signal?: AbortSignal): Promise<void> {
  const dist = join(folder, "dist");
  await refuseReadOnly(dist);
  const state = join(dist, ".tsbuildinfo");
  const expected = (await filesIn(folder)).filter(isSource).map((path) => path.replace(/\.ts$/, ".js"));
  const files = await filesIn(dist);
  const wanted = new Set(expected);
  const leftover = files.filter(
    (path) => /\.js(\.map)?$/.test(path) && !wanted.has(path.replace(/\.map$/, "")),
  );
  await Promise.all(leftover.map((path) => rm(join(dist, path))));
  // The compiler trusts its notes, not the folder: without them it writes everything again.
  const present = new Set(files);
  if (expected.some((path) => !present.has(path))) await rm(state, { force: true });
  await runCompiler(
    ["-p", join(folder, "tsconfig.build.json"), "--incremental", "--tsBuildInfoFile", state],
    signal,
  );
}

const isSource = (path: string): boolean => path.endsWith(".ts") && !path.endsWith(".d.ts");

/** Every file of the parts under a folder, as a path from there. The dashboard is bundled, not compiled. */
const filesIn = (folder: string): Promise<readonly string[]> =>
  glob(
    parts.map((part) => `${part}/**`),
    { cwd: folder, ignore: "clients/dashboard/**" },
  );

/** Runs tsc. Throws an Error with its output when it reports a problem. */
export function runCompiler(args: readonly string[], signal?: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [compiler, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    ...(signal === undefined ? {} : { signal }),
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  return new Promise((done, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) done();
      else reject(new Error(`Cannot compile: tsc ended with ${code}\n${Buffer.concat(output)}`));
    });
  });
}

if (import.meta.main) {
  await compile(root).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
