/**
 * Types, lint and the unit tests of some folders, all at once: what to run again and again while working on one part.
 * `node test/suite/check-part.ts test/shared/engine`; ends with 1 when one of them fails.
 */
import { sideBySide, vitest } from "./side-by-side.ts";

const folders = process.argv.slice(2);
if (folders.length === 0)
  throw new Error("Cannot check: no folder given, expected some, such as test/shared/engine");

process.exitCode = await sideBySide([
  { name: "types", command: ["npm", "run", "--silent", "types"], prints: "when it fails" },
  { name: "lint", command: ["npm", "run", "--silent", "lint"], prints: "when it fails" },
  {
    name: "tests",
    command: [
      vitest,
      "run",
      "--project",
      "unit",
      "--reporter=dot",
      "--reporter=./test/suite/last-lines.ts",
      ...folders,
    ],
  },
]);
