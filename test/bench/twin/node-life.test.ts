import { expect, test } from "vitest";
import { twinCases } from "./cases.ts";
import { serviceTimes } from "./compare.ts";
import { runInBacktest } from "./in-backtest.ts";
import { durations, livesOf, stages } from "./node-life.ts";

const delays = {
  passSeconds: 0.2,
  eventSeconds: 0.6,
  postSeconds: 0.5,
  queueSeconds: 0.1,
  snapshotSeconds: 1,
  planSeconds: 0.1,
  actionSeconds: 0.1,
};
const speed = 20;

test.for(twinCases)("$name: the stages of its nodes' lives add up to what they cost", async (twin) => {
  const seen = await runInBacktest(twin, { speed, seed: 7, config: serviceTimes(speed), delays });
  const lives = livesOf(seen);
  expect(lives).toHaveLength(seen.figures.nodes.bought);
  const fromBoot = stages.slice(stages.findIndex(({ name }) => name === "boot"));
  const seconds = fromBoot.flatMap((stage) => durations(lives, stage)).reduce((sum, each) => sum + each, 0);
  expect(seconds).toBeCloseTo(seen.figures.cost.total.nodeMs / 1_000, 0);
  // Each job runs as long as it did, at any speed.
  const running = seen.runs.map(({ startSeconds, endSeconds }) =>
    Math.round(speed * (endSeconds - startSeconds)),
  );
  const given = twin.jobs.map(({ runSeconds }) => runSeconds);
  expect(new Set(running)).toEqual(new Set(given));
});
