// Turns Vitest's JSON report and the number of failed steps into one closing line and an exit code.
import { readFileSync } from "node:fs";

const [reportFile, failedSteps] = process.argv.slice(2);

function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, "utf8"));
  } catch {
    // No report: the tests did not even start, which the failed step tells already.
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
  }
}

const report = readReport();
// A file that cannot be loaded has no tests to fail: it counts as one failure.
const brokenFiles = report.testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
).length;
const testStepFailed = report.numFailedTests + brokenFiles > 0 ? 1 : 0;
const otherSteps = Math.max(0, Number(failedSteps) - testStepFailed);
const failed = report.numFailedTests + brokenFiles + otherSteps;
const skipped = report.numPendingTests > 0 ? `, ${report.numPendingTests} skipped` : "";
console.log(`${report.numPassedTests} passed, ${failed} failed${skipped}`);
process.exit(failed > 0 || report.numPassedTests === 0 ? 1 : 0);
