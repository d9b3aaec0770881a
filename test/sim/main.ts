import Table from "cli-table3";
import { Command, InvalidArgumentError } from "commander";
import { runClusters } from "./clusters.ts";
import { type RunReport, runSeed } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import { scenarioOf, scenarios } from "./scenarios/index.ts";
import { shrink } from "./shrink.ts";
import { tally } from "./tally.ts";

interface Options {
  readonly seeds: number;
  readonly seed: number;
  readonly scenario?: Scenario;
  readonly trace?: true;
  readonly clusters?: number;
}

const mostFailuresShown = 3;
const longestTrace = 120;
const plain = { head: [], border: [] };

const program = new Command("sim")
  .description(
    "Runs the cycle in simulated worlds with seeded faults; exits with 1 when a promise is broken.",
  )
  .option("--seeds <n>", "how many seeds", wholeNumber, 200)
  .option("--seed <s>", "the first seed", wholeNumber, 1)
  .option("--scenario <name>", `one of ${scenarios.map(({ name }) => name).join(", ")}`, scenarioNamed)
  .option("--trace", "print everything that happens in each run")
  .option("--clusters <n>", "instead: the rhythm of so many clusters in one deployment", wholeNumber)
  .action(main);

await program.parseAsync();

async function main({ seeds, seed: first, scenario, trace, clusters }: Options): Promise<void> {
  if (clusters !== undefined) return showClusters(clusters);
  const startedAt = performance.now();
  const reports: RunReport[] = [];
  for (let seed = first; seed < first + seeds; seed += 1) {
    const options = { scenario: scenario ?? scenarioOf(seed), seed };
    const report = await runSeed(
      trace === undefined ? options : { ...options, trace: (line) => console.log(line) },
    );
    reports.push(report);
    // At once: a long run may be ended before it is over.
    if (report.violations.length > 0)
      console.log(`Seed ${seed} (${report.scenario}) breaks a promise: ${report.violations[0]}`);
  }
  const realSeconds = (performance.now() - startedAt) / 1000;
  const { failed } = printTally(reports, realSeconds);
  for (const report of failed.slice(0, mostFailuresShown)) await explainFailure(report);
  if (failed.length > 0) process.exitCode = 1;
}

function printTally(reports: readonly RunReport[], realSeconds: number) {
  const total = tally(reports);
  const injected = [...total.faults.values()].reduce((sum, count) => sum + count, 0);
  const figures = new Table({ style: plain });
  figures.push(
    { "seeds tried": `${total.runs} in ${realSeconds.toFixed(0)} s` },
    { "simulated hours": total.simulatedHours.toFixed(0) },
    { "nodes created": total.nodesCreated },
    { "nodes that no snapshot saw": total.nodesNeverSeen },
    { "faults injected": injected },
    { violations: total.failed.length },
    { "time to converge, median": `${total.medianSeconds.toFixed(0)} s (simulated)` },
    {
      "time to converge, worst": `${total.worst.seconds.toFixed(0)} s (seed ${total.worst.seed}, ${total.worst.scenario})`,
    },
    { "nodes drained before they went": total.drained },
    { "nodes whose drain timed out": total.drainTimedOut },
    { "windows whose nodes were up at their start": `${total.windows.met} of ${total.windows.begun}` },
    { "nodes deallocated instead of deleted": total.deallocated },
    { "jobs that raced a deletion, undrained": total.raced },
  );
  console.log(figures.toString());
  const kinds = new Table({ head: ["fault", "times"], style: plain });
  kinds.push(...[...total.faults].map(([kind, times]) => [kind, times]));
  console.log(kinds.toString());
  return total;
}

async function showClusters(clusters: number): Promise<void> {
  const report = await runClusters(clusters);
  const figures = new Table({ style: plain });
  figures.push(
    { "clusters, of them with jobs": `${report.clusters}, ${report.busy}` },
    { readings: report.readings },
    { "longest between two readings, at rest": `${report.longestAtRestSeconds.toFixed(0)} s (simulated)` },
    { "longest between two readings, with nodes": `${report.longestAtWorkSeconds.toFixed(0)} s (simulated)` },
    { "most readings that began within a second": report.mostAtOnce },
    { "skipped as late": report.late.join(", ") || "none" },
    { "broken promises": report.violations.length },
    { "processor time": `${(process.cpuUsage().user / 1e6).toFixed(0)} s` },
  );
  console.log(figures.toString());
  for (const violation of report.violations.slice(0, mostFailuresShown)) console.log(violation);
  if (report.violations.length > 0) process.exitCode = 1;
}

async function explainFailure(report: RunReport): Promise<void> {
  const { seed } = report;
  const scenario = scenarioNamed(report.scenario);
  console.log(`\nSeed ${seed} (${scenario.name}) breaks a promise: ${report.violations.join("; ")}`);
  console.log(`Again: npm run sim -- --seeds 1 --seed ${seed} --scenario ${scenario.name} --trace`);
  const small = await shrink(report, { scenario, seed });
  console.log(`Smallest found in ${small.runs} runs: ${small.report.violations.join("; ")}`);
  console.log(`Jobs ${small.jobs.join(", ") || "none"}; faults:`);
  for (const { kind, place, nth, seconds } of small.faults)
    console.log(`  ${kind} at ${place}, time ${nth} (${seconds.toFixed(1)} s)`);
  const lines: string[] = [];
  await runSeed({
    scenario,
    seed,
    faults: small.faults,
    jobs: small.jobs,
    trace: (line) => lines.push(line),
  });
  if (lines.length > longestTrace) console.log(`  … ${lines.length - longestTrace} lines before`);
  for (const line of lines.slice(-longestTrace)) console.log(line);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(`"${text}", expected a whole number, 1 or more.`);
}

function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new InvalidArgumentError(
    `"${name}", expected one of ${scenarios.map((each) => each.name).join(", ")}.`,
  );
}
