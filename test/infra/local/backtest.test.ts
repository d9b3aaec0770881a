import { expect, test } from "vitest";
import { type TwinCase, twinCases } from "../../bench/twin/cases.ts";
import { compared, serviceTimes, stageLines } from "../../bench/twin/compare.ts";
import { delaysOf, runInBacktest } from "../../bench/twin/in-backtest.ts";
import { type OnStack, runOnStack } from "../../bench/twin/on-stack.ts";
import { startStack } from "../../support/local-stack.ts";

/** Simulated seconds for each real one. */
const speed = 60;
const seed = 7;
const config = serviceTimes(speed);
/** Half of the window in which plans are made, and of the beat of the timer: what is later than that is a stage that one of both leaves out. */
const halfASecond = 0.5;
const twin = waves();

/** A machine that stood still for longer than a node may be idle tells nothing of the model; the next run does. */
const retry = 2;

test("a workload takes the same nodes for the same time on the local stack and in the back-test", {
  retry,
  timeout: 900_000,
}, async () => {
  const real = await runAlone();
  expect(real.faults).toEqual([]);
  const delays = delaysOf(real);
  const backtest = await runInBacktest(twin, { speed, seed, config, delays });
  const result = compared({ name: twin.name, speed, stack: real, backtest, delays });
  const stages = stageLines(result).join("\n");
  expect(result.nodes[1], stages).toBe(result.nodes[0]);
  expect(Math.abs(result.apartPercent), stages).toBeLessThan(2);
  // Node-hours hide a minute in nodes that live for hours: the way from the last job's end to the deletion shows it.
  const [realEnd, modelledEnd] = result.endSeconds;
  expect(Math.abs(modelledEnd - realEnd), stages).toBeLessThan(halfASecond + result.lateSeconds);
});

async function runAlone(): Promise<OnStack> {
  const stack = await startStack({ definition: twin.definition, speed, seed, config });
  try {
    return await runOnStack(stack.environment, { jobs: twin.jobs, speed });
  } finally {
    await stack.stop();
  }
}

function waves(): TwinCase {
  const waves = twinCases.find(({ name }) => name === "waves");
  if (waves === undefined) throw new TypeError('no workload "waves"');
  return waves;
}
