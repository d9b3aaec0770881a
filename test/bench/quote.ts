/**
 * `quote`: how long an answer takes in the service, with 2,300 nodes and 10,000 jobs, and, with `--jobs 200`, how far what it says
 * is from what the accounts count when so many drawn jobs run in the simulation. `--check` fails above 300 ms of processor time, or where a job
 * costs more than a tenth more or less: `npm run bench -- quote [--nodes 2300] [--queue 10000] [--repeats 9] [--jobs N] [--check]`.
 */
import { parseArgs } from "node:util";
import { loadWorld } from "../../shared/cycle/index.ts";
import { quoteJobs } from "../../shared/views/index.ts";
import { historyRow } from "../shared/engine/tiny.ts";
import { type QuotedJob, runQuotedJobs } from "../sim/quoted-jobs.ts";
import { FakeCycleCloud } from "../support/fake-cyclecloud.ts";
import { cluster, createWorld, jobFor } from "../support/world.ts";
import { clusterOf } from "./clusters.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "2300" },
    queue: { type: "string", default: "10000" },
    repeats: { type: "string", default: "9" },
    jobs: { type: "string", default: "0" },
    check: { type: "boolean", default: false },
  },
});
const mostMilliseconds = 300;
const tolerated = 0.1;
const jobsOfWorld = 10;
const [nodeCount, queue, repeats, jobs] = [values.nodes, values.queue, values.repeats, values.jobs].map(
  Number,
);

await measureAnswers(nodeCount ?? 0, queue ?? 0, repeats ?? 0);
if ((jobs ?? 0) > 0) await measureFigures(jobs ?? 0);

/** Most nodes are busy; of those that wait, all have a place. */
async function measureAnswers(nodes: number, waiting: number, times: number): Promise<void> {
  const running = Math.floor(nodes * 0.9);
  const world = createWorld(new FakeCycleCloud({ ...clusterOf(nodes), name: cluster }));
  const startedAtSeconds = world.now() - 600;
  await world.post([
    ...Array.from({ length: running }, (_, index) => ({
      ...jobFor(1, {
        name: `runs-${index}`,
        executingHostnames: [`ip-${index}`],
        runtimeSeconds: 3_600 + index,
      }),
      startedAtSeconds,
    })),
    ...Array.from({ length: waiting - running }, (_, index) =>
      jobFor(1, {
        name: `waits-${index}`,
        constraints: [{ ncpus: 1 + (index % 16), memgb: 1 + (index % 7) }],
      }),
    ),
  ]);
  await world.snapshot();
  const history = ["a", "b", "c"].map((name) =>
    historyRow(name, { createdSeconds: world.now() - 5_000, readySeconds: world.now() - 4_700 }),
  );
  const job = { constraints: { ncpus: 4 }, iterations: 400, runtimeSeconds: 3_600 };
  const took = { wall: [] as number[], processor: [] as number[] };
  for (let time = 0; time < times; time += 1) {
    const [from, before] = [performance.now(), process.cpuUsage()];
    const known = await loadWorld(world.ports, cluster);
    if (known === undefined) throw new Error("unknown cluster");
    const loaded = { ...known.loaded, history: [...known.loaded.history, ...history] };
    const quoted = quoteJobs({ ...known, loaded }, { jobs: [job] }, world.now());
    if (!quoted.ok || quoted.answer.ways[0]?.usd == null) throw new Error("expected a figure");
    took.wall.push(performance.now() - from);
    const { user, system } = process.cpuUsage(before);
    took.processor.push((user + system) / 1_000);
    if (time === 0) console.log(`${quoted.answer.ways.length} ways: ${quoted.answer.reason}`);
  }
  const [wall, processor] = [medianOf(took.wall), medianOf(took.processor)];
  console.log(
    `${nodes} nodes, ${waiting} jobs: ${Math.round(wall)} ms, ${Math.round(processor)} ms of processor time (first ${Math.round(took.wall[0] ?? 0)} ms)`,
  );
  if (values.check && processor > mostMilliseconds)
    fail(`more than ${mostMilliseconds} ms of processor time`);
}

async function measureFigures(count: number): Promise<void> {
  const quoted: QuotedJob[] = [];
  // A world keeps all that happened in it.
  for (let seed = 1; quoted.length < count; seed += 1)
    quoted.push(...(await runQuotedJobs({ seed, jobs: Math.min(jobsOfWorld, count - quoted.length) })));
  const off = quoted.flatMap(({ way: { usd }, countedUsd }) =>
    usd === null ? [] : [Math.abs(usd / countedUsd - 1)],
  );
  const most = Math.max(...off);
  const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
  console.log(
    `${quoted.length} jobs, ${quoted.length - off.length} without a figure: off by ${percent(medianOf(off))} (median), ${percent(most)} (most)`,
  );
  if (values.check && !(most <= tolerated)) fail(`further off than ${percent(tolerated)}`);
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function fail(why: string): void {
  console.error(why);
  process.exitCode = 1;
}
