/**
 * How fast a back-test runs, on one core, and in how much memory: a workload of a small parallel machine, and a million short
 * jobs, each in a process of its own, whose largest resident size is what the operating system saw. Fails when a case takes 1 GB.
 * `npm run bench -- backtest [--case NAME] [--trace FILE] [--cluster FILE]`; a trace takes the place of the cases.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGunzip, createGzip } from "node:zlib";
import { runTask, type Setting } from "../../clients/cli/backtest/one-run.ts";
import { readLines, SwfReader } from "../../shared/backtest/index.ts";
import type { DefinitionInput } from "../../shared/simulated-cyclecloud/index.ts";
import { createChance } from "../sim/chance.ts";

const examples = join(import.meta.dirname, "../../examples/backtest");
const bytesPerMB = 1_000_000;
const mostBytes = 1_000 * bytesPerMB;

interface Row {
  readonly name: number;
  readonly submitSeconds: number;
  readonly runSeconds: number;
  readonly processors: number;
  readonly requestedSeconds: number;
}

const cases: Readonly<Record<string, () => Generator<Row, undefined>>> = {
  "small-machine": () => ofSmallMachine(10_000),
  million: () => shortJobs(1_000_000),
};

/** Jobs of a day and a night: a burst now and then, most of them short, some wide. */
function* ofSmallMachine(count: number): Generator<Row, undefined> {
  const draw = createChance(1);
  for (let [name, submitSeconds] = [0, 0]; name < count; name += 1) {
    submitSeconds += draw.happens(0.5) ? draw.whole(0, 60) : draw.whole(0, 2_000);
    const runSeconds = draw.happens(0.8) ? draw.whole(10, 3_600) : draw.whole(3_600, 40_000);
    const processors = 2 ** draw.whole(0, 6);
    yield { name, submitSeconds, runSeconds, processors, requestedSeconds: runSeconds * draw.whole(1, 10) };
  }
  return undefined;
}

/** A job every 9 s and more, up to 10 minutes and 16 processors each: 110 days. */
function* shortJobs(count: number): Generator<Row, undefined> {
  const draw = createChance(1);
  for (let name = 0; name < count; name += 1) {
    const runSeconds = draw.whole(60, 600);
    const submitSeconds = name * 9 + draw.whole(0, 9);
    yield {
      name,
      submitSeconds,
      runSeconds,
      processors: draw.whole(1, 16),
      requestedSeconds: 2 * runSeconds,
    };
  }
  return undefined;
}

function* swfOf(rows: Iterable<Row>): Generator<string, undefined> {
  for (const { name, submitSeconds, runSeconds, processors, requestedSeconds } of rows)
    yield `${name} ${submitSeconds} -1 ${runSeconds} ${processors} -1 -1 ${processors} ${requestedSeconds} -1 1 ${name % 50} 1 -1 1 -1 -1 -1\n`;
  return undefined;
}

async function writeTrace(file: string, rows: Iterable<Row>): Promise<void> {
  await pipeline(Readable.from(swfOf(rows)), createGzip({ level: 1 }), createWriteStream(file));
}

interface Measured {
  readonly jobs: number;
  readonly days: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly text: string;
}

/** Reads a trace as the command does and runs it, in this process. */
async function measure(trace: string, cluster: string): Promise<Measured> {
  const file = createReadStream(trace);
  const text = (trace.endsWith(".gz") ? file.pipe(createGunzip()) : file).setEncoding("utf8");
  const workload = await readLines(new SwfReader(), text);
  const definition = JSON.parse(readFileSync(cluster, "utf8")) as DefinitionInput;
  const setting: Setting = { workload, cluster: definition.name, definition, scheduler: "easy" };
  const json: unknown = JSON.parse(readFileSync(join(examples, "autoscale.json"), "utf8"));
  const figures = await runTask(setting, { json, varied: {}, seed: 1 }, { onProgress: () => {} });
  const { submitted, ended, neverRan } = figures.jobs;
  assert.equal(submitted, workload.jobs.length);
  assert.equal(ended + neverRan.reduce((sum, { count }) => sum + count, 0), submitted);
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const { plans, snapshots, bought } = figures.nodes;
  return {
    jobs: submitted,
    days: (figures.period.endSeconds - figures.period.startSeconds) / 86_400,
    seconds: (userCPUTime + systemCPUTime) / 1e6,
    bytes: maxRSS * 1_024,
    text: `${plans} plans, ${snapshots} snapshots, ${bought} nodes bought`,
  };
}

/** As the command: compiled code is kept for the next start. */
function measureApart(trace: string, cluster: string, compiledCode: string): Measured {
  const args = [import.meta.filename, "--here", "--trace", trace, "--cluster", cluster];
  const env = { ...process.env, NODE_COMPILE_CACHE: compiledCode };
  const printed = execFileSync(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  return JSON.parse(printed.toString()) as Measured;
}

function report(name: string, { jobs, days, seconds, bytes, text }: Measured): void {
  console.log(`${name}: ${jobs} jobs, ${days.toFixed(1)} days`);
  console.log(`  ${seconds.toFixed(1)} s of processor time, reading the trace included`);
  console.log(
    `  ${Math.round(jobs / seconds)} jobs a second, ${(days / seconds).toFixed(1)} simulated days a second`,
  );
  console.log(`  ${text}`);
  console.log(`  at most ${Math.round(bytes / bytesPerMB)} MB of memory`);
  assert.ok(bytes < mostBytes, `${name} took ${bytes} bytes of memory, expected less than ${mostBytes}`);
}

const { values } = parseArgs({
  options: {
    case: { type: "string" },
    trace: { type: "string" },
    cluster: { type: "string", default: join(examples, "cluster.json") },
    here: { type: "boolean", default: false },
  },
});

if (values.here && values.trace !== undefined) {
  console.log(JSON.stringify(await measure(values.trace, values.cluster)));
} else {
  const folder = mkdtempSync(join(tmpdir(), "bench-backtest-"));
  try {
    const [compiledCode, first] = [join(folder, "code"), join(folder, "first.swf.gz")];
    await writeTrace(first, ofSmallMachine(10));
    measureApart(first, values.cluster, compiledCode);
    if (values.trace !== undefined)
      report(values.trace, measureApart(values.trace, values.cluster, compiledCode));
    else
      for (const [name, rows] of Object.entries(cases)) {
        if (values.case !== undefined && values.case !== name) continue;
        const trace = join(folder, `${name}.swf.gz`);
        await writeTrace(trace, rows());
        report(name, measureApart(trace, values.cluster, compiledCode));
      }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
if (!values.here)
  console.log(
    `load of this machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}`,
  );
