import type { RunFigures } from "../figures/run-figures.ts";
import { inMs } from "../figures/spread.ts";
import { BacktestWorld } from "./backtest-world.ts";
import type { RunInput } from "./run-input.ts";

/**
 * Runs a workload through the service's own use cases, over a model of CycleCloud and a model of the scheduler. The same input
 * gives the same figures, whatever the machine.
 */
export async function runBacktest(input: RunInput): Promise<RunFigures> {
  const { workload, config, varied, scheduler, seed } = input;
  const world = new BacktestWorld(input);
  const startSeconds = world.nowSeconds - world.offsetSeconds;
  await world.run();
  const endSeconds = world.nowSeconds;
  const { record } = world;
  const cost = record.costFigures(endSeconds);
  return {
    version: 1,
    setup: {
      cluster: config.cluster,
      varied,
      scheduler,
      wholeNodes: workload.wholeNodes === true,
      seed,
      boots: input.boots ?? ["Boot times and failures are those of the cluster's definition."],
      workload: { jobs: workload.jobs.length, leftOut: workload.leftOut },
    },
    period: { startSeconds, endSeconds: inMs(endSeconds - world.offsetSeconds) },
    jobs: record.jobFigures(workload.jobs.length),
    waitSeconds: record.waitSpread(),
    boundedSlowdown: record.slowdownSpread(),
    cost,
    nodes: record.nodeFigures(),
    series: record.series(endSeconds),
    hourNanoUsd: record.accounts.hourNanoUsd(),
    perJob: record.perJob(),
  };
}
