/**
 * The same workloads on the real local stack and in the back-test: nodes and node-hours of both. `npm run -s build && npm run bench --
 * backtest-stack [--speed N] [--at-once N] [NAME…]`. A workload takes some 9,000 simulated seconds: 7 minutes at the usual speed of 20. Exits with 1 where the two differ in the number
 * of nodes, or by more than 2 % in node-hours.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEnvironment } from "../../infra/local/environment/environment.ts";
import { type TwinCase, twinCases } from "./twin/cases.ts";
import { compared, serviceTimes } from "./twin/compare.ts";
import { delaysOf, runInBacktest } from "./twin/in-backtest.ts";
import { type OnStack, runOnStack } from "./twin/on-stack.ts";

const seed = 7;
const mostApartPercent = 2;

const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    speed: { type: "string", default: "20" },
    "at-once": { type: "string", default: "1" },
  },
});
const speed = Number(flags.speed);
const config = serviceTimes(speed);
const chosen = twinCases.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
console.log(`simulated seconds for each real one: ${speed}`);
const waiting = [...chosen];
const done: { readonly each: TwinCase; readonly stack: OnStack; readonly load: string }[] = [];
await Promise.all(Array.from({ length: Number(flags["at-once"]) }, work));
console.log("workload | nodes: stack, back-test | node-h: stack, back-test | apart | s a node | load");
// Only now: a back-test takes all of this process, and the schedulers of the stacks live here.
for (const { each, stack, load } of done) {
  const delays = delaysOf(stack);
  const backtest = await runInBacktest(each, { speed, seed, config, delays });
  const { nodes, nodeHours, apartPercent, apartSecondsANode, faults } = compared({ speed, stack, backtest });
  console.log(
    [
      ...[each.name, nodes.join(", "), nodeHours.map((hours) => hours.toFixed(2)).join(", ")],
      ...[`${apartPercent.toFixed(2)} %`, apartSecondsANode.toFixed(0), load, ...faults],
    ].join(" | "),
  );
  if (nodes[0] !== nodes[1] || !(Math.abs(apartPercent) <= mostApartPercent)) process.exitCode = 1;
}

/** Takes one workload after the other, beside others that do the same. */
async function work(): Promise<void> {
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
    const stack = await onStackOfItsOwn(each);
    done.push({ each, stack, load: loadavg()[1]?.toFixed(1) ?? "" });
    console.log(`${each.name}: ran on the local stack`);
  }
}

async function onStackOfItsOwn({ definition, keys = {}, jobs }: TwinCase): Promise<OnStack> {
  const folder = await mkdtemp(join(tmpdir(), "twin-"));
  const clusterFile = join(folder, "cluster.json");
  await writeFile(clusterFile, JSON.stringify(definition));
  const environment = await startEnvironment({
    clusterFile,
    cluster: definition.name,
    speed,
    seed,
    folder,
    snapshotSchedule: "*/1 * * * * *",
    config: { ...keys, ...config },
  });
  try {
    return await runOnStack(environment, { jobs, speed });
  } finally {
    await environment.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
