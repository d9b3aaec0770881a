#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { nodeRefusal } from "./node-version.ts";

const { stdin, stdout, stderr, argv, versions, execPath } = process;

// The reader has closed the pipe, as `| head` does: nothing more can be shown.
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
  // Keeps compiled code in the temporary folder: the next start is faster.
  module.enableCompileCache();
  // Imported only now: an older Node.js could not parse the rest.
  const { run } = await import("./program.ts");
  // Not process.exit, which would drop output that is still on its way into a pipe.
  process.exitCode = await run(argv.slice(2), { stdin, stdout, stderr });
}
