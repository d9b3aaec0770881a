/**
 * The same workloads on the real local stack and in the back-test: nodes and node-hours of both. `npm run -s build && npm run
 * bench:backtest-stack -- [--speed N] [--at-once N] [--stages] [NAME…]`. With --stages the median of each stage of a node's life in
 * both. A workload takes some 9,000 simulated seconds: 7 minutes at the usual speed of 20.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEnvironment } from "../../infra/local/environment/environment.ts";
import { type TwinCase, twinCases } from "./twin/cases.ts";
import { type Compared, compared, serviceTimes, stageLines } from "./twin/compare.ts";
import { delaysOf, runInBacktest } from "./twin/in-backtest.ts";
import { runOnStack } from "./twin/on-stack.ts";

const seed = 7;

const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    speed: { type: "string", default: "20" },
    "at-once": { type: "string", default: "1" },
    stages: { type: "boolean", default: false },
  },
});
const speed = Number(flags.speed);
const chosen = twinCases.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
console.log(`simulated seconds for each real one: ${speed}`);
console.log("workload | nodes: stack, back-test | node-h: stack, back-test | apart | s a node | load");
const waiting = [...chosen];
await Promise.all(Array.from({ length: Number(flags["at-once"]) }, work));

/** Takes one workload after the other, beside others that do the same. */
async function work(): Promise<void> {
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
    const result = await twinOf(each);
    const { name, nodes, nodeHours, apartPercent, apartSecondsANode, faults } = result;
    console.log(
      [
        name,
        nodes.join(", "),
        nodeHours.map((hours) => hours.toFixed(2)).join(", "),
        `${apartPercent.toFixed(2)} %`,
        apartSecondsANode.toFixed(0),
        loadavg()[1]?.toFixed(1),
        ...faults,
      ].join(" | "),
    );
    if (flags.stages) console.log(stageLines(result).join("\n"));
  }
}

async function twinOf(each: TwinCase): Promise<Compared> {
  const { definition, keys = {}, name, jobs } = each;
  const folder = await mkdtemp(join(tmpdir(), "twin-"));
  const clusterFile = join(folder, "cluster.json");
  await writeFile(clusterFile, JSON.stringify(definition));
  const config = serviceTimes(speed);
  const environment = await startEnvironment({
    ...{ clusterFile, cluster: definition.name, speed, seed, folder, snapshotSchedule: "*/1 * * * * *" },
    config: { ...keys, ...config },
  });
  try {
    const stack = await runOnStack(environment, { jobs, speed });
    const delays = delaysOf(stack);
    const backtest = await runInBacktest(each, { speed, seed, config, delays });
    return compared({ name, speed, stack, backtest, delays });
  } finally {
    await environment.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
