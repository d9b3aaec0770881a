#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { nodeRefusal } from "./node-version.ts";

const { stdin, stdout, stderr, argv, versions, execPath } = process;

// The reader has enough, as in `| head`: nobody is left to tell.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

// The same from here and from the build, dist/ccscale.
const brought = fileURLToPath(new URL("../../node_modules/node/bin/node", import.meta.url));
const refusal = nodeRefusal({
  version: versions.node,
  path: execPath,
  brought: existsSync(brought) ? brought : undefined,
});

if (refusal !== undefined) {
  stderr.write(`error: ${refusal}\n`);
  process.exitCode = 1;
} else {
  // What was compiled once is kept in the temporary folder: the next start is faster.
  module.enableCompileCache();
  // Only now: an older Node.js could not even load the rest.
  const { run } = await import("./program.ts");
  // Not process.exit: what was written to a pipe has to arrive first.
  process.exitCode = await run(argv.slice(2), { stdin, stdout, stderr });
}
