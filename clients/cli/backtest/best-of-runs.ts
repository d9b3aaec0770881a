import {
  type BestPossibleOutcome,
  bestPossible,
  chosen,
  pricedCluster,
  pricedSizes,
  type RunFigures,
} from "../../../shared/backtest/index.ts";
import { type Setting, type Task, worldOf } from "./one-run.ts";
import { noSolver, solveLp } from "./solve-lp.ts";

const secondsPerHour = 3_600;
/** What nodes take to boot where no run had one: as Azure mostly takes. */
const usualBootSeconds = 300;

/** What the jobs that ran in every run cost at best, on the nodes that the cluster can have. */
export async function bestOfRuns(
  setting: Setting,
  task: Task,
  runs: readonly RunFigures[],
): Promise<BestPossibleOutcome> {
  const changesPrices = Object.keys(task.varied).find((key) => /^(price_rules|vm_sizes)\b/.test(key));
  if (changesPrices !== undefined)
    return { ok: false, why: `the runs have different prices ("${changesPrices}" is varied).` };
  const missing = await noSolver();
  if (missing !== undefined) return { ok: false, why: missing };
  const sizes = pricedSizes(pricedCluster({ ...worldOf(setting, task), seed: task.seed }));
  if (!sizes.ok) return sizes;
  const jobs = chosen(setting.workload.jobs, (_, place) =>
    runs.every(({ perJob }) => !Number.isNaN(perJob.waitSeconds[place])),
  );
  const longest = Math.max(0, ...runs.map(({ period }) => period.endSeconds - period.startSeconds));
  return bestPossible({
    jobs,
    sizes: sizes.sizes,
    bootSeconds: runs[0]?.nodes.bootSeconds?.median ?? usualBootSeconds,
    hours: longest / secondsPerHour,
    solve: solveLp,
  });
}
