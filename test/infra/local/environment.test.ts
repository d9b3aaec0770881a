import { afterAll, beforeAll, expect, test } from "vitest";
import { runThrough } from "../../faults/run.ts";
import { inTurn, killHost, restartServiceBus, unavailable } from "../../faults/troubles.ts";
import { waves } from "../../faults/workload.ts";
import { type LocalStack, startStack } from "../../support/local-stack.ts";

const speed = 60;
let stack: LocalStack;

beforeAll(async () => {
  const config = { idle_timeout: 4, boot_timeout: 60, demand_ttl: 60, operation_timeout: 30 };
  stack = await startStack({ config });
});

afterAll(() => stack?.stop());

test("a host killed again and again, an emulator killed, a CycleCloud that answers 503: no node is bought twice, no job loses its node", async () => {
  const { summary, faults } = await runThrough({
    environment: stack.environment,
    // Two waves of four: the second comes while the emulator is down or just back.
    jobs: waves({ count: 2, jobsPerWave: 4, gapSeconds: 12 * speed, runSeconds: 32 * speed }),
    speed,
    trouble: inTurn(killHost(3, [0.5, 3]), restartServiceBus(1), unavailable(0.5, 6)),
    seed: 7,
    timeoutSeconds: 540,
  });
  expect({ faults, done: summary.done }).toEqual({ faults: [], done: 8 });
}, 600_000);

test("the simulator's account agrees: every node was made once, and is gone", async () => {
  const ledger = await stack.simulator.ledger(stack.cluster);
  expect(new Set(ledger.nodes.map((node) => node.nodeId)).size).toBe(ledger.created);
  expect(ledger.nodes.filter((node) => node.terminatedAt === null)).toEqual([]);
});
