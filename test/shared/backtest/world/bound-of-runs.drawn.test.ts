import fc from "fast-check";
import { expect, test } from "vitest";
import { solveLp } from "../../../../clients/cli/backtest/solve-lp.ts";
import {
  bestPossible,
  chosen,
  pricedCluster,
  pricedSizes,
  runBacktest,
  type TraceJob,
} from "../../../../shared/backtest/index.ts";
import { inputOf, job } from "./small-world.ts";

const workloads = fc.array(
  fc
    .record({
      submitSeconds: fc.nat(7_200),
      runSeconds: fc.integer({ min: 30, max: 5_000 }),
      processors: fc.integer({ min: 1, max: 12 }),
      nodes: fc.constantFrom(undefined, 1, 2),
      memoryGiB: fc.constantFrom(undefined, 2, 20),
      exclusive: fc.boolean(),
      wholeNodes: fc.boolean(),
    })
    .map(
      ({ nodes, memoryGiB, ...rest }): Partial<TraceJob> => ({
        ...rest,
        ...(nodes === undefined ? {} : { nodes }),
        ...(memoryGiB === undefined ? {} : { memoryGiB }),
      }),
    ),
  { minLength: 1, maxLength: 8 },
);
const settings = fc.record({
  idle_timeout: fc.constantFrom(60, 600),
  placement: fc.constantFrom("order", "reuse", "cost"),
  price_rules: fc.constantFrom(
    [],
    [{ name: "agreed", select: { "node.nodearray": "htc" }, discount_percent: 40 }],
    [{ name: "reserved", select: { "node.nodearray": "htc" }, reserved_nodes: 1 }],
  ),
});

test("no run of the autoscaler costs less than the bound, whatever the workload and the settings", async () => {
  await fc.assert(
    fc.asyncProperty(workloads, settings, async (wishes, keys) => {
      const jobs = wishes.map((wish, index) => job(`${index}`, wish));
      const input = inputOf({ jobs, keys });
      const run = await runBacktest(input);
      const sizes = pricedSizes(pricedCluster(input));
      if (!sizes.ok) throw new Error(sizes.why);
      const outcome = await bestPossible({
        jobs: chosen(input.workload.jobs, (_, place) => !Number.isNaN(run.perJob.waitSeconds[place])),
        sizes: sizes.sizes,
        bootSeconds: run.nodes.bootSeconds?.median ?? 0,
        hours: (run.period.endSeconds - run.period.startSeconds) / 3_600,
        solve: solveLp,
      });
      expect(outcome.ok && outcome.best.boundNanoUsd).toBeLessThanOrEqual(run.cost.total.nanoUsd);
      expect(outcome.ok && outcome.best.jobsLeftOut).toBe(0);
    }),
    { seed: 19, numRuns: 25 },
  );
});
