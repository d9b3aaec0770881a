import { z } from "zod";
import { type Answer, aboutCluster, count, unixSeconds } from "./answer.ts";
import { list, named, orNull } from "./builders.ts";
import { globs } from "./selection-schema.ts";

const hourOfArray = z.object({
  fromSeconds: unixSeconds.describe("A whole hour (UTC)"),
  busyNodes: z.number().describe("Nodes on which jobs ran, on average"),
  nodes: z.number().describe("All that cost money, on average"),
  idleUsd: z
    .number()
    .describe("What Ready nodes without a job cost, in US dollars, as far as prices are known"),
});

const sizeOfArray = z.object({
  vmSize: z.string(),
  boots: count.describe("That ended: the node became Ready, or failed before"),
  p50Seconds: orNull(z.number(), "How long the boots took, by their median; null: none was seen whole"),
  p95Seconds: z.number().nullable(),
  failures: count.describe("Boots that failed, and nodes that failed after they had been Ready"),
  evictions: count.describe("Spot nodes that Azure took back"),
});

/** A window of a schedule, by the configuration that holds now, as far as it is within the week. */
const keptByArray = z.object({
  schedule: z.string(),
  keeps: z.string().describe("What it asks for, such as `4 nodes` or `2 spare nodes`"),
  fromSeconds: unixSeconds,
  untilSeconds: unixSeconds,
  busyNodes: orNull(
    z.number(),
    "Nodes of the array on which jobs ran in that time, on average; null: not known",
  ),
});

/** `GET /api/clusters/{cluster}/week`: the last seven days of each node array. */
export const weekAnswer = named("Week", {
  ...aboutCluster,
  fromSeconds: unixSeconds.describe("A whole hour (UTC), 167 before the hour of `untilSeconds`"),
  untilSeconds: unixSeconds,
  openedAtSeconds: orNull(
    unixSeconds,
    "The first snapshot that was counted from; hours before are missing. Null: there is none",
  ),
  waiting: list(
    z.object({ fromSeconds: unixSeconds, jobs: z.number() }),
    "Jobs of the whole cluster that waited, on average of each hour; one without a sample is missing",
  ),
  nodeArrays: z.array(
    z.object({
      name: z.string(),
      hours: list(hourOfArray, "In order; an hour of which nothing is known is missing"),
      unpricedNodeHours: z.number().describe("Of nodes whose price is not known: `idleUsd` leaves them out"),
      sizes: list(sizeOfArray, "Those of which anything happened"),
      kept: list(keptByArray, "In order"),
      paused: list(
        keptByArray.pick({ schedule: true, keeps: true, untilSeconds: true }),
        "Schedules that keep nothing now, and again from `untilSeconds` on",
      ),
    }),
  ),
});

export const weekQuery = z.object({
  nodeArray: globs.describe("Node arrays, comma-separated; shell wildcards allowed"),
});

export type WeekAnswer = Answer<typeof weekAnswer>;
export type WeekQuery = Answer<typeof weekQuery>;
