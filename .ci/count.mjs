// Turns Vitest's JSON reports and the number of failed steps into one closing line and an exit code.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, failedSteps] = process.argv.slice(2);

function readReport(name) {
  try {
    return JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  } catch {
    // No report: the tests did not even start, or one of them hung, which the failed step shows already.
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
  }
}

const reports = ["live", "unit"].map(readReport);
const sumOf = (key) => reports.reduce((sum, report) => sum + report[key], 0);
// A file that cannot be loaded has no tests to fail: it counts as one failure.
const brokenFiles = reports
  .flatMap(({ testResults }) => testResults)
  .filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  ).length;
const testsFailed = sumOf("numFailedTests") + brokenFiles;
const otherSteps = Math.max(0, Number(failedSteps) - (testsFailed > 0 ? 1 : 0));
/** What CONTRIBUTING.md says that `npm test` takes on two quiet cores; half of the speed is allowed for. */
function slowness() {
  const stated = /\| `npm test` \|[^|]*\| (\d+) minutes \|/.exec(
    readFileSync("CONTRIBUTING.md", "utf8"),
  )?.[1];
  if (stated === undefined) return "CONTRIBUTING.md does not say how many minutes npm test takes";
  const ends = reports.flatMap(({ testResults }) => testResults.map(({ endTime }) => endTime));
  const minutes =
    (Math.max(...ends) - Math.min(...reports.map(({ startTime = Infinity }) => startTime))) / 60_000;
  if (!(minutes > 2 * Number(stated))) return undefined;
  return `npm test took ${minutes.toFixed(1)} minutes, expected at most twice the ${stated} of CONTRIBUTING.md`;
}

// A remark and no failure: a machine that is busy with something else is no mistake of the change.
const tooSlow = slowness();
if (tooSlow !== undefined) console.log(`== remark: ${tooSlow}`);
const failed = testsFailed + otherSteps;
const passed = sumOf("numPassedTests");
const skipped = sumOf("numPendingTests") > 0 ? `, ${sumOf("numPendingTests")} skipped` : "";
console.log(`${passed} passed, ${failed} failed${skipped}`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
