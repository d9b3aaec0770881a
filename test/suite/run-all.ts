/**
 * `npm test`: the live tests, which mostly wait, beside all others, which compute. In one run Vitest would begin with the live ones, and two
 * cores would wait with them. Arguments go to both: `npm test -- test/clients/cli -u`. TEST_REPORT is the folder for both results, as JSON.
 */
import { join } from "node:path";
import { type Program, sideBySide, vitest } from "./side-by-side.ts";

const folder = process.env.TEST_REPORT;

function part(name: string, options: readonly string[]): Program {
  const report =
    folder === undefined ? [] : ["--reporter=json", `--outputFile.json=${join(folder, `${name}.json`)}`];
  const reporters = ["--reporter=default", "--reporter=./test/suite/last-lines.ts", ...report];
  const given = process.argv.slice(2);
  return {
    name,
    command: [vitest, "run", "--passWithNoTests", ...options, ...reporters, ...given],
    ...(name === "live" ? { prints: "at once" } : {}),
  };
}

process.exitCode = await sideBySide([
  part("live", ["--project", "live", "--project", "alone"]),
  part("unit", ["--project", "unit", "--project", "drawn", "--maxWorkers", "2"]),
]);
