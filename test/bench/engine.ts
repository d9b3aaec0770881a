/**
 * How fast a plan is made, as a ratio to reading its input (JSON.parse and a schema check): ratios travel between machines,
 * milliseconds do not. Beside it: reading as the service does, the first plan of a process, and writing the plan. Every plan
 * is checked before it is timed. Not counted: the network. Run it with
 * `npm run bench -- engine [--json] [--quick] [--only "one shape"] [--placement cost] [--trace FILE] [--check | --write-baseline]`; `--trace` plans the first
 * 1,000, 2,000 and 5,000 jobs of a recorded workload (`.swf`, `.swf.gz`, `.json`) at once, on an empty cluster.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { loadWorkload } from "../../infra/local/scheduler/workload.ts";
import { benchCases } from "./cases.ts";
import { type Measurement, measurementSchema, type Order, orderSchema } from "./measurement.ts";

/** Ratios of a run on two shared cores; `--write-baseline` renews them. */
const baselineFile = new URL("baseline.json", import.meta.url);
const run = promisify(execFile);

async function measure(order: Order): Promise<Measurement> {
  const program = join(import.meta.dirname, "measure-plan.ts");
  const { stdout } = await run(process.execPath, [program, JSON.stringify(order)]);
  return measurementSchema.parse(JSON.parse(stdout));
}

function ordersOf({ quick, only }: { quick: boolean; only: string | undefined }): readonly Order[] {
  const jobCounts = quick ? [1000, 10_000] : [1000, 10_000, 100_000];
  const nodeCounts = quick ? [1000] : [1000, 10_000];
  return benchCases
    .filter(({ name }) => only === undefined || name === only)
    .flatMap(({ name, most = Number.POSITIVE_INFINITY }) =>
      nodeCounts.flatMap((nodes) =>
        jobCounts.filter((jobs) => jobs <= most).map((jobs) => ({ name, jobs, nodes })),
      ),
    );
}

async function ordersOfTrace(trace: string): Promise<readonly Order[]> {
  const { length } = await loadWorkload(trace, 5000);
  return [1000, 2000, 5000]
    .filter((jobs) => jobs <= length)
    .map((jobs) => ({ name: "recorded backlog", jobs, nodes: 0, trace }));
}

/** How planning time grows with the jobs: 1 is linear. Compared between a size and ten times as many. */
function exponents(
  measurements: readonly Measurement[],
): readonly { name: string; nodes: number; from: number; exponent: number }[] {
  return measurements.flatMap((small) => {
    const large = measurements.find(
      (m) => m.name === small.name && m.nodes === small.nodes && m.jobs === small.jobs * 10,
    );
    if (large === undefined) return [];
    return [
      {
        name: small.name,
        nodes: small.nodes,
        from: small.jobs,
        exponent: Math.log10(large.planMs / small.planMs),
      },
    ];
  });
}

function show(m: Measurement): string {
  const ms = (value: number) => `${value.toFixed(1).padStart(7)} ms`;
  return [
    `${m.name.padEnd(18)} ${String(m.jobs).padStart(7)} jobs x ${String(m.nodes).padStart(6)} nodes:`,
    `plan ${ms(m.planMs)}, ratio ${m.ratio.toFixed(2)}, cold ${ms(m.coldMs)}, read ${ms(m.serviceReadMs)},`,
    `write ${ms(m.writeMs)} (${m.archiveKb} KB), placed ${m.placed}, peak ${m.peakRssMb} MB`,
  ].join(" ");
}

/**
 * Whether the ratio of a case worsened by more than half against the committed baseline. On shared cores one run in a few is
 * off by as much for no reason of ours, so a case that looks worse is measured again, and counts only when it stays so.
 */
async function worsened(
  first: Measurement,
  baseline: Readonly<Record<string, number>>,
): Promise<readonly string[]> {
  const before = baseline[keyOf(first)];
  if (before === undefined) return [];
  const most = before * 1.5;
  let best = first;
  for (let again = 0; again < 3 && isWorse(best, most); again += 1) {
    const { name, jobs, nodes } = first;
    const next = await measure({ name, jobs, nodes });
    if (next.ratio < best.ratio) best = next;
  }
  if (!isWorse(best, most)) return [];
  return [`${keyOf(best)}: ratio ${best.ratio.toFixed(2)}, expected at most ${most.toFixed(2)}`];
}

/** Below 20 ms a ratio tells more about the garbage collector than about the planner. */
function isWorse({ planMs, ratio }: Measurement, most: number): boolean {
  return planMs >= 20 && ratio > most;
}

function readBaseline(): Readonly<Record<string, number>> {
  return existsSync(baselineFile) ? JSON.parse(readFileSync(baselineFile, "utf8")) : {};
}

function keyOf({ name, jobs, nodes }: Measurement): string {
  return `${name}, ${jobs} jobs, ${nodes} nodes`;
}

/** Keeps the worst ratio of the runs that wrote it: on shared cores they differ by half. Delete the file to start over. */
function writeBaseline(measurements: readonly Measurement[]): void {
  const before = readBaseline();
  const now = measurements.map((m) => [
    keyOf(m),
    Math.max(Number(m.ratio.toFixed(2)), before[keyOf(m)] ?? 0),
  ]);
  writeFileSync(baselineFile, `${JSON.stringify({ ...before, ...Object.fromEntries(now) }, null, 2)}\n`);
}

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    "write-baseline": { type: "boolean", default: false },
    only: { type: "string" },
    placement: { type: "string" },
    trace: { type: "string" },
  },
});
const placement = orderSchema.shape.placement.parse(values.placement);
if (placement !== undefined && (values.check || values["write-baseline"]))
  throw new RangeError(
    "--placement: the baseline is of the default placement, expected neither --check nor --write-baseline",
  );
const measurements: Measurement[] = [];
const problems: string[] = [];
const baseline = readBaseline();
for (const order of values.trace === undefined
  ? ordersOf({ quick: values.quick, only: values.only })
  : await ordersOfTrace(values.trace)) {
  const measured = await measure({ ...order, placement });
  measurements.push(measured);
  if (!values.json) console.log(show(measured));
  if (values.check) problems.push(...(await worsened(measured, baseline)));
}
if (values.json) console.log(JSON.stringify({ measurements, exponents: exponents(measurements) }, null, 2));
else
  for (const e of exponents(measurements))
    console.log(
      `growth ${e.name}, ${e.nodes} nodes, ${e.from} to ${e.from * 10} jobs: exponent ${e.exponent.toFixed(2)}`,
    );
if (values["write-baseline"]) writeBaseline(measurements);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
