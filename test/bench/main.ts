/**
 * The one door to the benchmarks: `npm run bench` lists them, `npm run bench -- NAME [its options]` runs one. `--save FILE` keeps what it
 * printed, and `--against FILE` shows which figures changed since (by 10 % or more; `--least 25` for more).
 */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { compareRuns } from "./compare.ts";

interface Benchmark {
  /** A file of this folder. */
  readonly file: string;
  readonly shows: string;
  readonly options?: string;
  /** Flags of Node.js. */
  readonly node?: readonly string[];
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  engine: {
    file: "engine.ts",
    shows: "how long planning takes, as a ratio to reading its input",
    options: "--quick --check --write-baseline --only NAME --trace FILE --json",
  },
  cycle: { file: "cycle.ts", shows: "the whole cycle of large clusters" },
  fleet: {
    file: "fleet/clusters.ts",
    shows: "many clusters in one deployment: from a message to its action, after npm run build",
    options: "--clusters --nodes --workers --memory --messages --every --healthy --check",
  },
  hostile: { file: "hostile.ts", shows: "valid demand that was, or could be, dear to plan" },
  cost: {
    file: "placement-cost.ts",
    shows: "what nodes cost beside the least possible",
    options: "--trace FILE",
  },
  memory: {
    file: "memory.ts",
    shows: "how much memory looks at large clusters take",
    options: "--nodes --jobs --clusters",
    node: ["--expose-gc"],
  },
  api: {
    file: "api.ts",
    shows: "answers of the API, after npm run build",
    options: "--nodes --jobs --repeats",
  },
  schedulers: {
    file: "scheduler-pass.ts",
    shows: "a pass of the agent beside a large Grid Engine or PBS",
    options: "--jobs --hosts --passes --check",
  },
  "slurm-scale": {
    file: "slurm-scale.ts",
    shows: "files and passes of 10,000 nodes and 100,000 jobs beside a real slurmctld",
    options: "--nodes --jobs --passes --check",
  },
  questions: { file: "questions.ts", shows: "an operator's questions, after npm run build" },
  dashboard: { file: "dashboard.ts", shows: "the dashboard in Chromium, after npm run build" },
  "backtest-stack": { file: "backtest-stack.ts", shows: "a back-test beside the local stack" },
};

const [name, ...given] = process.argv.slice(2);
const chosen = name === undefined ? undefined : benchmarks[name];
if (chosen === undefined) {
  if (name !== undefined) console.error(`There is no benchmark "${name}".`);
  for (const [each, { shows, options }] of Object.entries(benchmarks))
    console.log(`${each.padEnd(16)}${shows}${options === undefined ? "" : ` (${options})`}`);
  console.log("\nnpm run bench -- NAME [options] [--save FILE] [--against FILE [--least PERCENT]]");
  process.exitCode = name === undefined ? 0 : 1;
} else process.exitCode = await runBenchmark(chosen, given);

/** Takes an option with a value out of the arguments: the others are the benchmark's own. */
function take(args: string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

async function runBenchmark({ file, node = [] }: Benchmark, options: readonly string[]): Promise<number> {
  const own = [...options];
  const [save, against, least] = ["--save", "--against", "--least"].map((option) => take(own, option));
  const before = against === undefined ? undefined : readFileSync(against, "utf8");
  // On the error stream: what the benchmark prints may be JSON.
  console.error(`${name}: Node.js ${process.versions.node}, ${availableParallelism()} cores`);
  const child = spawn(process.execPath, [...node, join(import.meta.dirname, file), ...own], {
    stdio: ["inherit", "pipe", "inherit"],
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
  const printed: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    printed.push(chunk);
    process.stdout.write(chunk);
  });
  const code = await new Promise<number>((done, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => done(exitCode ?? 1));
  });
  const text = Buffer.concat(printed).toString();
  if (save !== undefined) writeFileSync(save, text);
  if (before !== undefined) {
    const changes = compareRuns(before, text, Number(least ?? 10));
    console.log(changes.length === 0 ? `\nNothing changed against ${against}.` : `\nAgainst ${against}:`);
    for (const change of changes) console.log(`  ${change}`);
  }
  return code;
}
