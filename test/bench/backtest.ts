/**
 * How fast a back-test runs: jobs and simulated days for each second of processor time, on one core. Without `--trace`, a drawn
 * workload of a small parallel machine. Run it with `npm run bench:backtest -- [--jobs 10000] [--trace FILE] [--cluster FILE]`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { runTask, type Setting } from "../../clients/cli/backtest/one-run.ts";
import { readSwf, type TraceJob } from "../../shared/backtest/index.ts";
import type { DefinitionInput } from "../../shared/simulated-cyclecloud/index.ts";
import { createChance } from "../sim/chance.ts";

const examples = join(import.meta.dirname, "../../examples/backtest");
const bytesPerMB = 1_000_000;

/** Jobs of a day and a night: a burst now and then, most of them short, some wide. */
function drawn(count: number): readonly TraceJob[] {
  const draw = createChance(1);
  let submitSeconds = 0;
  return Array.from({ length: count }, (_, index) => {
    submitSeconds += draw.happens(0.5) ? draw.whole(0, 60) : draw.whole(0, 2_000);
    const runSeconds = draw.happens(0.8) ? draw.whole(10, 3_600) : draw.whole(3_600, 40_000);
    const processors = 2 ** draw.whole(0, 6);
    const requestedSeconds = runSeconds * draw.whole(1, 10);
    return { name: `${index}`, submitSeconds, runSeconds, requestedSeconds, processors };
  });
}

function tracedIn(file: string): readonly TraceJob[] {
  const bytes = readFileSync(file);
  return readSwf((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()).jobs;
}

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "10000" },
    trace: { type: "string" },
    cluster: { type: "string", default: join(examples, "cluster.json") },
  },
});
const jobs = values.trace === undefined ? drawn(Number(values.jobs)) : tracedIn(values.trace);
const definition = JSON.parse(readFileSync(values.cluster, "utf8")) as DefinitionInput;
const setting: Setting = {
  workload: { jobs, leftOut: [] },
  ...{ cluster: definition.name, definition, scheduler: "easy" },
};
const json: unknown = JSON.parse(readFileSync(join(examples, "autoscale.json"), "utf8"));
const before = process.cpuUsage();
const figures = await runTask(setting, { json, varied: {}, seed: 1 }, { onProgress: () => {} });
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1e6;
const days = (figures.period.endSeconds - figures.period.startSeconds) / 86_400;
const { plans, snapshots, bought } = figures.nodes;
console.log(`${jobs.length} jobs, ${days.toFixed(1)} days: ${seconds.toFixed(1)} s of processor time`);
console.log(
  `${Math.round(jobs.length / seconds)} jobs a second, ${(days / seconds).toFixed(1)} simulated days a second`,
);
console.log(`${plans} plans, ${snapshots} snapshots, ${bought} nodes bought`);
console.log(`at most ${Math.round((process.resourceUsage().maxRSS * 1_024) / bytesPerMB)} MB`);
