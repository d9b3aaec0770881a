#!/usr/bin/env node
import module from "node:module";

const { stdin, stdout, stderr, argv, versions } = process;

// The reader has enough, as in `| head`: nobody is left to tell.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const oldestNode = 22;

if (Number.parseInt(versions.node, 10) < oldestNode) {
  stderr.write(`error: ccscale needs Node.js ${oldestNode} or newer, and this is ${versions.node}\n`);
  process.exitCode = 1;
} else {
  // What was compiled once is kept in the temporary folder: the next start is faster.
  module.enableCompileCache();
  // Only now: an older Node.js could not even load the rest.
  const { run } = await import("./program.ts");
  // Not process.exit: what was written to a pipe has to arrive first.
  process.exitCode = await run(argv.slice(2), { stdin, stdout, stderr });
}
