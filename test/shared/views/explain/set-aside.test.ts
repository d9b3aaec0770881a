import { expect, test } from "vitest";
import { clusterStatus } from "../../../../shared/views/cluster-status.ts";
import { explainJob } from "../../../../shared/views/explain/explain-job.ts";
import { listJobs } from "../../../../shared/views/index.ts";
import { lookAhead } from "../../../../shared/views/outlook.ts";
import { cluster, createWorld, type World } from "../../../support/world.ts";

async function withBadJobs(): Promise<World> {
  const world = createWorld();
  await world.post([{ name: "good", constraints: { ncpus: 4 } }]);
  await world.settle();
  const hostname = world.cycleCloud.nodes[0]?.hostname ?? "";
  await world.post(
    [
      { name: "good", constraints: { ncpus: 4 } },
      { name: "runs", executingHostnames: hostname, iterations: -1 },
      { name: "waits\u001b[2J\u202e", iterations: -1 },
    ],
    { nodes: [{ hostname: "" }] },
  );
  await world.round();
  return world;
}

async function outlookOf(world: World) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("unknown cluster");
  return outlook;
}

test("jobs that were set aside are listed with what is wrong with them, and where they run", async () => {
  const world = await withBadJobs();
  const listed = listJobs(await outlookOf(world), { state: "set-aside", limit: 100 });
  if (!listed.ok) throw new Error("not listed");
  expect(listed.answer.counts).toMatchObject({ "set-aside": 2 });
  expect(listed.answer.jobs).toMatchObject([
    {
      job: "runs",
      source: "celery",
      nodes: ["htc-1"],
      granted: 1,
      reason: expect.stringContaining("executingHostnames"),
    },
    { job: "waits\u001b[2J\u202e", nodes: [], reason: expect.stringContaining("iterations: -1") },
  ]);
  const all = listJobs(await outlookOf(world), { limit: 100 });
  expect(all.ok ? all.answer.jobs.map(({ job, state }) => `${job.slice(0, 5)} ${state}`) : []).toEqual([
    "good placed",
    "runs set-aside",
    "waits set-aside",
  ]);
});

test.each([
  ["runs", true],
  ["waits\u001b[2J\u202e", false],
])("why job %j is set aside is explained, and whether it runs", async (name, runs) => {
  const explained = explainJob(await outlookOf(await withBadJobs()), name);
  if (explained.outcome !== "explained") throw new Error(explained.outcome);
  expect(explained.answer).toMatchObject({
    state: "set-aside",
    granted: runs ? 1 : 0,
    causes: [{ kind: "set-aside" }],
  });
  expect(explained.answer.summary).toContain("iterations: -1");
  expect(/; it runs on 1 host, whose nodes stay/.test(JSON.stringify(explained.answer))).toBe(runs);
});

test("the status tells which source posts what does not check out, as one problem", async () => {
  const status = await clusterStatus((await withBadJobs()).ports, cluster);
  expect(status?.demand).toMatchObject([{ source: "celery", jobs: 1, setAside: { count: 3 } }]);
  expect(status?.problems.map(({ gravity, kind }) => `${gravity} ${kind}`)).toEqual(["degraded set-aside"]);
  const [problem] = status?.problems ?? [];
  expect(problem?.text).toContain('job "runs"');
  expect(problem?.text).not.toContain("\u202e");
});

test.each([
  [
    "of a known source",
    {},
    'the newest message of source "celery" was refused: version: 2',
    "its next good message",
  ],
  [
    "of a stranger",
    { source: "stranger" },
    'a message of "stranger", which has no demand here, was refused',
    "this ends in",
  ],
  ["of nobody", { source: 7 }, "a message without a readable source was refused", "this ends in"],
])(
  "a message %s that was refused whole shows in the status, with who, what and until when",
  async (_case, fields, who, end) => {
    const world = createWorld();
    await world.post([]);
    await world.round();
    await world.post([], { ...fields, version: 2 });
    world.advance(20);
    const status = await clusterStatus(world.ports, cluster);
    const [first] = status?.problems ?? [];
    expect(first).toMatchObject({ gravity: "degraded", kind: "demand-unknown" });
    expect(first?.text).toContain(who);
    expect(first?.text.toLowerCase()).toContain(end);
    expect(first?.text).toContain("4m40s");
    expect(status?.demand.map(({ source }) => source)).toEqual(["celery"]);
    world.advance(281);
    const later = await clusterStatus(world.ports, cluster);
    expect(later?.problems.map(({ kind }) => kind)).not.toContain("demand-unknown");
  },
);

test("a bad job that is posted again and again is one row of the rejections, and told its source once", async () => {
  const world = createWorld();
  for (let post = 0; post < 10; post += 1) {
    await world.post([{ name: "bad", iterations: -1 }, ...(post % 2 === 0 ? [] : [{ name: "other" }])]);
    world.advance(15);
  }
  await world.post([]);
  await world.post([{ name: "bad", iterations: -1 }]);
  const rejections = await world.ports.rejections.list(cluster, 10);
  expect(rejections).toMatchObject([
    { kind: "set-aside", source: "celery", problems: [expect.stringContaining('job "bad"')] },
  ]);
  expect(world.ports.schedulerEvents.refusalsOf("celery")).toMatchObject([
    { whole: false },
    { whole: false },
  ]);
});
