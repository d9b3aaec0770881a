import { expect, test } from "vitest";
import { eventsQuery } from "../../../../shared/api/index.ts";
import {
  clusterStatus,
  explainJob,
  listEvents,
  listJobs,
  lookAhead,
} from "../../../../shared/views/index.ts";
import { nodeOf } from "../../../support/cluster.ts";
import { cluster, jobFor, type World, worldWith } from "../../../support/world.ts";

const says = { waitingReason: "Resources: cannot use htc-1, password=geheim" };
const hosts = { nodes: [{ hostname: "host-htc-1" }] };

/** A scheduler that leaves its job waiting beside a node that is up. */
async function refusedWorld(): Promise<World> {
  const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
  await readings(world, 3);
  return world;
}

async function readings(world: World, count: number, fields: Record<string, unknown> = {}): Promise<void> {
  for (let reading = 0; reading < count; reading += 1) {
    await world.post([jobFor(1, { ...says, ...fields })], hosts);
    await world.round();
    world.advance(59);
  }
}

async function outlookOf(world: World) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("unknown cluster");
  return outlook;
}

async function stallsIn(world: World) {
  const status = await clusterStatus(world.ports, cluster);
  return (status?.problems ?? []).filter(({ kind }) => kind === "jobs-not-started");
}

async function eventsOf(world: World): Promise<readonly string[]> {
  const query = eventsQuery.parse({ kind: "jobs-stalled,jobs-unstalled" });
  const { events } = await listEvents(world.ports, cluster, query);
  return events.map(({ kind, text, by }) => `${kind} ${by}: ${text}`);
}

test("is an event and a line of the log, once, and so is its end", async () => {
  const world = await refusedWorld();
  await readings(world, 3);
  const began =
    'jobs-stalled celery: Jobs not started by their scheduler: "job-1": htc-1 is up with room for it; it says "Resources: cannot use htc-1, password=***".';
  expect(await eventsOf(world)).toEqual([began]);
  expect(world.log.filter((line) => line.startsWith("warn jobs-stalled"))).toHaveLength(1);
  await readings(world, 2, { executingHostnames: ["host-htc-1"] });
  expect(await eventsOf(world)).toEqual([
    'jobs-unstalled celery: Jobs no longer held off nodes: "job-1": started.',
    began,
  ]);
  expect(await stallsIn(world)).toEqual([]);
});

test("the status, jobs and explain say it in the scheduler's words", async () => {
  const world = await refusedWorld();
  expect(await stallsIn(world)).toMatchObject([
    {
      gravity: "degraded",
      kind: "jobs-not-started",
      text: expect.stringContaining("Resources: cannot use htc-1, password=***"),
    },
  ]);
  const outlook = await outlookOf(world);
  expect(listJobs(outlook, { limit: 10 })).toMatchObject({
    answer: { jobs: [{ waitingReason: "Resources: cannot use htc-1, password=***" }] },
  });
  expect(explainJob(outlook, "job-1")).toMatchObject({
    answer: { notes: ['in its scheduler\'s words it waits for "Resources: cannot use htc-1, password=***"'] },
  });
});

test("a job of which a part has room is a notice, and keeps its nodes", async () => {
  const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })], maxCount: 1 });
  await readings(world, 4, { iterations: 3 });
  expect(await stallsIn(world)).toMatchObject([
    {
      gravity: "notice",
      kind: "jobs-not-started",
      text: expect.stringContaining("Of 3 1 have room on htc-1"),
    },
  ]);
});
