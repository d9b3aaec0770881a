import { afterAll, beforeAll, expect, test } from "vitest";
import { runDemo } from "../../../infra/local/demo/demo.ts";
import { parseWorkload } from "../../../infra/local/scheduler/workload.ts";
import { readJobList, runBacktest, withTasksApart } from "../../../shared/backtest/index.ts";
import { inputOf } from "../../shared/backtest/world/small-world.ts";
import { type LocalStack, startStack } from "../../support/local-stack.ts";

/** Simulated seconds for each real one: what is 1 s for the service is a minute for nodes and jobs. */
const speed = 60;
const idleSeconds = 5;
const seed = 7;

const definition = {
  name: "twin",
  region: "westeurope",
  quotas: { westeurope: { cores: 500 } },
  nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], maxCount: 20 }],
};

/** Two waves: the second comes when all nodes of the first are busy, and neither is over soon. */
const jobs = Array.from({ length: 9 }, (_, index) => ({
  name: `j${index}`,
  submitSeconds: index < 5 ? 0 : 1_800,
  runSeconds: 6_600 + 240 * (index % 5),
  constraints: { ncpus: 4 },
}));

let stack: LocalStack;
beforeAll(async () => {
  stack = await startStack({
    definition,
    speed,
    seed,
    config: { idle_timeout: idleSeconds, boot_timeout: 60 },
  });
}, 300_000);
afterAll(() => stack?.stop(), 300_000);

test("a workload takes the same nodes for the same time on the local stack and in the back-test", async () => {
  const { faults, summary } = await runDemo({
    environment: stack.environment,
    ...{ jobs: parseWorkload(JSON.stringify(jobs)), speed, timeoutSeconds: 500, mayLoseNodes: false },
    onFrame: () => {},
    signal: AbortSignal.timeout(600_000),
  });
  expect(faults).toEqual([]);
  const ledger = await stack.simulator.ledger(stack.cluster);
  const lived = ledger.nodes.map(({ createdAt, terminatedAt }) => (terminatedAt ?? Number.NaN) - createdAt);
  const nodeSeconds = lived.reduce((sum, each) => sum + each, 0);

  const workload = readJobList(jobs);
  const figures = await runBacktest({
    ...inputOf({
      jobs: withTasksApart(workload?.jobs ?? []),
      ...{ definition, scheduler: "fill", seed },
      keys: { idle_timeout: idleSeconds * speed, boot_timeout: 60 * speed },
    }),
    // A second of the service is a minute of this world. How long it took from a message to new nodes is what this machine took.
    delays: {
      ...{ postSeconds: speed / 2, snapshotSeconds: speed },
      actionSeconds: speed * (summary.reactionSeconds[Math.floor(summary.reactionSeconds.length / 2)] ?? 1),
    },
  });
  expect(figures.nodes.bought).toBe(ledger.created);
  // Two percent, and for each node what this machine was slower than a second.
  const slowSeconds = speed * Math.max(0, (summary.reactionSeconds.at(-1) ?? 1) - 1);
  const apartSeconds = Math.abs(figures.cost.total.nodeMs / 1_000 - nodeSeconds);
  expect(apartSeconds).toBeLessThan(0.02 * nodeSeconds + slowSeconds * ledger.created);
}, 900_000);
