/**
 * The same workloads on the real local stack and in the back-test: nodes and node-hours of both, beside what this machine was slower than
 * a second. Takes some ten minutes. Run it with `npm run -s build && npm run bench:backtest-stack -- [NAME…]`.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runDemo } from "../../infra/local/demo/demo.ts";
import { connectControl } from "../../infra/local/demo/simulator.ts";
import { startEnvironment } from "../../infra/local/environment/environment.ts";
import { parseWorkload } from "../../infra/local/scheduler/workload.ts";
import { readJobList, runBacktest, withTasksApart } from "../../shared/backtest/index.ts";
import { inputOf } from "../shared/backtest/world/small-world.ts";
import { type TwinCase, twinCases } from "./twin-cases.ts";

/** Simulated seconds for each real one: what is 1 s for the service is a minute for nodes and jobs. */
const speed = 60;
const idleSeconds = 5;
const bootTimeoutSeconds = 60;
const seed = 7;

const wanted = process.argv.slice(2);
const chosen = twinCases.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
console.log(
  "workload | nodes: stack, back-test | node-h: stack, back-test | apart | reaction s: median, most",
);
for (const each of chosen) console.log(await compared(each));

async function compared({ name, definition, keys = {}, jobs }: TwinCase): Promise<string> {
  const stack = await onStack({ name, definition, keys, jobs });
  const figures = await runBacktest({
    ...inputOf({
      jobs: withTasksApart(readJobList(jobs)?.jobs ?? []),
      ...{ definition, scheduler: "fill", seed },
      keys: { ...keys, idle_timeout: idleSeconds * speed, boot_timeout: bootTimeoutSeconds * speed },
    }),
    // A second of the service is a minute of this world. How long it took from a message to new nodes is what this machine took.
    delays: {
      ...{ postSeconds: speed / 2, snapshotSeconds: speed },
      actionSeconds: speed * stack.medianSeconds,
    },
  });
  const [real, modelled] = [stack.nodeSeconds / 3_600, figures.cost.total.nodeMs / 3_600_000];
  const apart = ((modelled - real) / real) * 100;
  const faults = stack.faults.length === 0 ? "" : ` | ${stack.faults.join("; ")}`;
  return [
    name,
    `${stack.created}, ${figures.nodes.bought}`,
    `${real.toFixed(2)}, ${modelled.toFixed(2)}`,
    `${apart.toFixed(2)} %`,
    `${stack.medianSeconds.toFixed(1)}, ${stack.mostSeconds.toFixed(1)}${faults}`,
  ].join(" | ");
}

async function onStack({ definition, keys = {}, jobs }: TwinCase): Promise<{
  readonly created: number;
  readonly nodeSeconds: number;
  readonly medianSeconds: number;
  readonly mostSeconds: number;
  readonly faults: readonly string[];
}> {
  const folder = await mkdtemp(join(tmpdir(), "twin-"));
  const clusterFile = join(folder, "cluster.json");
  await writeFile(clusterFile, JSON.stringify(definition));
  const environment = await startEnvironment({
    ...{ clusterFile, cluster: definition.name, speed, seed, folder, snapshotSchedule: "*/1 * * * * *" },
    config: { ...keys, idle_timeout: idleSeconds, boot_timeout: bootTimeoutSeconds },
  });
  try {
    const { faults, summary } = await runDemo({
      environment,
      ...{ jobs: parseWorkload(JSON.stringify(jobs)), speed, timeoutSeconds: 500, mayLoseNodes: false },
      onFrame: () => {},
      signal: AbortSignal.timeout(600_000),
    });
    const control = await connectControl(environment.cycleCloudUrl, speed);
    const ledger = await control.ledger(definition.name);
    const lived = ledger.nodes.map(({ createdAt, terminatedAt }) => (terminatedAt ?? Number.NaN) - createdAt);
    const reactions = summary.reactionSeconds;
    return {
      created: ledger.created,
      nodeSeconds: lived.reduce((sum, each) => sum + each, 0),
      medianSeconds: reactions[Math.floor(reactions.length / 2)] ?? 1,
      mostSeconds: reactions.at(-1) ?? 1,
      faults,
    };
  } finally {
    await environment.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
