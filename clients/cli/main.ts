import { run } from "./program.ts";

const { stdin, stdout, stderr, argv } = process;

// The reader has enough, as in `| head`: nobody is left to tell.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
// Not process.exit: what was written to a pipe has to arrive first.
process.exitCode = await run(argv.slice(2), { stdin, stdout, stderr });
