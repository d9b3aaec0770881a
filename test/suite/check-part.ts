/**
 * Types, lint and the unit tests of some folders, all at once: what to run again and again while working on one part.
 * `node test/suite/check-part.ts test/shared/engine`; ends with 1 when one of them fails. Linted is what differs from the last commit,
 * because all files take longer than the rest together: `npm run check` reads them all.
 */
import { spawnSync } from "node:child_process";
import { type Program, sideBySide, vitest } from "./side-by-side.ts";

const folders = process.argv.slice(2);
if (folders.length === 0)
  throw new Error("Cannot check: no folder given, expected some, such as test/shared/engine");

/** Files that were changed or added since the last commit; undefined where git does not tell. */
function changedFiles(): readonly string[] | undefined {
  const lists = [
    ["diff", "--name-only", "--diff-filter=d", "HEAD"],
    ["ls-files", "--others", "--exclude-standard"],
  ].map((args) => spawnSync("git", args, { encoding: "utf8" }));
  if (lists.some(({ status }) => status !== 0)) return undefined;
  return lists.flatMap(({ stdout }) => stdout.split("\n").filter((line) => line !== ""));
}

function lint(): readonly Program[] {
  const program = (name: string, ...command: Program["command"]): Program => ({
    name,
    command,
    prints: "when it fails",
  });
  const files = changedFiles();
  if (files === undefined) return [program("lint", "npm", "run", "--silent", "lint")];
  // A new import is in a file that changed; this follows what such a file imports, far enough to see a circle.
  const sources = files.filter((file) => /^(shared|functions|clients|infra|docs|test)\/.*\.tsx?$/.test(file));
  return [
    ...(files.length === 0
      ? []
      : [program("format", "biome", "check", "--no-errors-on-unmatched", ...files)]),
    ...(sources.length === 0
      ? []
      : [program("imports", "depcruise", "--config", ".dependency-cruiser.ts", ...sources)]),
    program("unused", "npm", "run", "--silent", "unused"),
  ];
}

process.exitCode = await sideBySide([
  { name: "types", command: ["npm", "run", "--silent", "types"], prints: "when it fails" },
  ...lint(),
  {
    name: "tests",
    command: [
      vitest,
      "run",
      "--project",
      "unit",
      // Each thread loads and compiles all modules anew: more threads than cores only add to the work.
      "--maxWorkers=100%",
      "--reporter=dot",
      "--reporter=./test/suite/last-lines.ts",
      ...folders,
    ],
  },
]);
