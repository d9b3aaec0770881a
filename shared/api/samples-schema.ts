import { z } from "zod";
import { type Answer, aboutCluster, count, periodQuery, unixSeconds } from "./answer.ts";
import { list, named } from "./builders.ts";

export const samplesQuery = z.object(periodQuery);

const sampleView = named("Sample", {
  atSeconds: unixSeconds,
  nodes: z
    .object({
      jobs: count.describe("On which jobs run"),
      boot: count.describe("That were asked for and are not ready"),
      idle: count.describe("Ready, without a job"),
      drained: count.describe("Without a job, and taking none"),
      kept: count.describe("Without a job, kept alive by an operator"),
      failed: count,
      ending: count.describe("Being deleted"),
    })
    .describe("Nodes that cost money, by what they are used for"),
  usdPerHour: z.number().describe("What they cost for an hour, by list and configured prices"),
  unpricedNodes: count.describe("Nodes whose price is not known: `usdPerHour` leaves them out"),
  runningJobs: count,
  waitingJobs: count,
});

export const samplesAnswer = named("Samples", {
  ...aboutCluster,
  fromSeconds: unixSeconds,
  untilSeconds: unixSeconds,
  stepSeconds: z
    .number()
    .describe("Of each step the newest sample is shown; a step without one is missing: unknown"),
  samples: list(sampleView, "In order"),
});

export type SamplesQuery = Answer<typeof samplesQuery>;
export type SamplesAnswer = Answer<typeof samplesAnswer>;
