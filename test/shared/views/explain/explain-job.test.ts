import { describe, expect, test } from "vitest";
import { type ExplainAnswer, explainAnswer } from "../../../../shared/api/index.ts";
import { undecided } from "../../../../shared/cycle/index.ts";
import type { Bucket, Cluster, NodeArray } from "../../../../shared/engine/index.ts";
import { explainJob, lookAhead } from "../../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, createWorld, jobFor, type World, worldWith } from "../../../support/world.ts";

async function explained(world: World, job = "job-1", source?: string): Promise<ExplainAnswer> {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  const found = explainJob(outlook, job, source);
  if (found.outcome !== "explained") throw new Error(found.outcome);
  return explainAnswer.strict().parse(JSON.parse(JSON.stringify(found.answer)));
}

/** A cluster of one array and one bucket, and a job for it. */
async function worldOf(parts: {
  readonly job: Record<string, unknown>;
  readonly cluster?: Partial<Cluster>;
  readonly array?: Partial<NodeArray>;
  readonly bucket?: Parameters<typeof bucketOf>[0];
  readonly limits?: Partial<Bucket["limits"]>;
}): Promise<World> {
  const base = bucketOf(parts.bucket);
  const bucket = { ...base, limits: { ...base.limits, ...parts.limits } };
  const array = nodeArrayOf({ buckets: [bucket], ...parts.array });
  const world = worldWith({ nodeArrays: [array], ...parts.cluster });
  await world.post([{ name: "job-1", ...parts.job }]);
  await world.snapshot();
  return world;
}

const tenNodes = { iterations: 10, constraints: [{ ncpus: 4 }] };

test("at a limit: when the jobs that hold it end, where all have an end", async () => {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name, hostname: `host-${name}` }));
  const array = nodeArrayOf({ maxCount: 2 });
  const ends = async (second: Record<string, unknown>) => {
    const world = worldWith({ nodeArrays: [array], nodes });
    const startedAtSeconds = world.now() - 600;
    const runs = { constraints: { ncpus: 4 }, startedAtSeconds };
    await world.post([
      { ...runs, name: "a", executingHostnames: ["host-htc-1"], runtimeSeconds: 1_200 },
      { ...runs, name: "b", executingHostnames: ["host-htc-2"], ...second },
      { name: "job-1", constraints: { ncpus: 4 } },
    ]);
    await world.snapshot();
    const [cause] = (await explained(world)).causes;
    return { text: cause?.text, in: (cause?.untilSeconds ?? 0) - world.now() };
  };
  const all = await ends({ runtimeSeconds: 7_800 });
  expect(all.text).toContain("The 2 jobs that run there end in 10m to 2h at the latest.");
  expect(all.in).toBe(600);
  const some = await ends({});
  expect(some.text).toContain("Of 2 jobs 1 that run there ends in 10m at the latest.");
  expect(some.in).toBeLessThan(0);
});

test("of a job that nobody wants, the one with the nearest name; never one with another number", async () => {
  const world = createWorld();
  await world.post([
    { name: "sweep", constraints: { ncpus: 1 } },
    { name: "sweep-12", constraints: { ncpus: 1 } },
  ]);
  await world.snapshot();
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  const meant = (name: string) => explainJob(outlook, name);
  expect(meant("swep")).toEqual({ outcome: "unknown-job", meant: "sweep", near: [] });
  expect(meant("swep-12")).toEqual({ outcome: "unknown-job", meant: "sweep-12", near: [] });
  expect(meant("sweep-13")).toEqual({ outcome: "unknown-job", meant: null, near: ["sweep-12"] });
});

describe("explain: why a job waits, with numbers and what ends it", () => {
  test("a back-off says until when", async () => {
    const world = await worldOf({ job: tenNodes, bucket: { secondsSinceCapacityFailure: 100 } });
    const { causes } = await explained(world);
    expect(causes[0]?.untilSeconds).toBe(world.now() + 200);
  });

  test("every bucket's refusal is told, with the constraint or limit and the figures", async () => {
    const world = await worldOf({ job: { constraints: [{ ncpus: 64 }] } });
    expect((await explained(world)).refusals).toEqual([
      {
        code: "InsufficientResource",
        bucket: { nodeArray: "htc", vmSize: "Standard_F4s_v2", placementGroup: null },
        constraint: "ncpus >= 64",
        limit: null,
        asked: 64,
        left: 4,
        text: expect.stringContaining("too small"),
        why: "too small",
      },
    ]);
  });

  test("what the job asks for is there as it was sent, without a secret that its sender put there", async () => {
    const token = "projectToken=1; Password=hunter2hunter2";
    const world = await worldOf({ job: { iterations: 3, constraints: [{ ncpus: 4, licence: token }] } });
    const { request } = await explained(world);
    expect(request).toMatchObject({ name: "job-1", iterations: 3 });
    expect(request).not.toHaveProperty("executingHostnames");
    expect(JSON.stringify(request)).toContain("Password=***");
    expect(JSON.stringify(request)).not.toContain("hunter2");
  });

  test("what a scheduler's agent could not carry over is told, as it wrote it, also after the source fell silent", async () => {
    const notes = ["--contiguous is not planned for: any nodes are taken"];
    const world = await worldOf({ job: { ...tenNodes, notes } });
    expect((await explained(world)).notes).toEqual(notes);
    world.advance(600);
    expect((await explained(world)).notes).toEqual(notes);
  });

  test("an array that fits in part: how much has a place, and what the rest waits for", async () => {
    const world = await worldOf({ job: tenNodes, bucket: { availableCount: 3 } });
    const answer = await explained(world);
    expect(answer).toMatchObject({ state: "partly", asked: 10, granted: 3, unit: "slots", placeCount: 3 });
    expect(answer.causes.map(({ kind }) => kind)).toEqual(["partly-placed", "quota", "not-planned-yet"]);
    expect(answer.causes[0]?.text).toContain("3 of 10 slots have a place; 7 wait");
  });

  test("what was asked for an earlier node of the same name is not told", async () => {
    const world = await worldOf({ job: tenNodes, bucket: { availableCount: 1 } });
    const grown = async () => {
      await world.round();
      world.cycleCloud.settle();
      await world.round();
      const { planner, places } = await explained(world);
      const creates = planner.filter(({ text }) => text.startsWith("create-nodes"));
      return { name: places[0]?.node, actions: creates.map(({ actionId }) => actionId) };
    };
    const first = await grown();
    for (const { name } of world.cycleCloud.nodes)
      world.cycleCloud.change(name, { status: "Terminated", targetState: "Terminated" });
    world.cycleCloud.settle();
    // Only then is a node that CycleCloud does not list gone for certain.
    world.advance(121);
    await world.round();
    const second = await grown();
    expect(second.name).toBe(first.name);
    expect([first.actions.length, second.actions.length]).toEqual([1, 1]);
    expect(second.actions).not.toEqual(first.actions);
  });

  test("a source past its time to live", async () => {
    const world = await worldOf({ job: tenNodes });
    await world.post([{ name: "job-1", ...tenNodes }], { ttlSeconds: 60 });
    world.advance(100);
    const answer = await explained(world);
    expect(answer).toMatchObject({ state: "waiting", asked: 10, granted: 0, source: "celery" });
    expect(answer.causes).toMatchObject([{ kind: "source-expired", asked: 60, left: 100 }]);
    expect(answer.causes[0]?.text).toContain('"celery" has been silent for 1m40s');
  });

  test.each([
    { iterations: 3 },
    { iterations: 3, packingStrategy: "scatter" },
    { nodeCount: 2 },
    { nodeCount: 2, packingStrategy: "pack" },
  ])("a job of a silent source asks for what it asked for before: %j", async (asks) => {
    const world = await worldOf({ job: { constraints: [{ ncpus: 4 }], ...asks } });
    const asked = async () => {
      const { asked, unit } = await explained(world);
      return { asked, unit };
    };
    const before = await asked();
    world.advance(600);
    expect(await asked()).toEqual(before);
  });

  test("what the job itself waits for, and then that the cluster is paused", async () => {
    const world = await worldOf({ job: tenNodes, bucket: { availableCount: 3 } });
    await world.ports.controls.save(
      {
        ...undecided(cluster),
        paused: { by: "alice", reason: "upgrade", atSeconds: world.now() - 30 },
      },
      undefined,
    );
    const { causes } = await explained(world);
    const kinds = causes.map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(["partly-placed", "quota", "cluster-paused"]);
    expect(causes[2]).toMatchObject({
      text: "Besides, nothing is sent: alice paused the cluster 30s ago: upgrade.",
      next: "Let it go on: `ccscale resume --reason WORDS`.",
    });
  });

  test("a read-only cluster, and a snapshot that is too old", async () => {
    const world = await worldOf({ job: tenNodes });
    world.configure({ cycle: { readOnly: true } });
    expect((await explained(world)).causes[0]).toMatchObject({ kind: "read-only" });
    await world.post([{ name: "job-1", ...tenNodes }], { ttlSeconds: 3_600 });
    world.advance(301);
    expect((await explained(world)).causes[0]).toMatchObject({
      kind: "snapshot-stale",
      text: expect.stringContaining("5m1s old, expected at most 5m"),
    });
  });

  test("nodes that boot: how many, and when they should be ready by what earlier boots took", async () => {
    const world = await worldOf({ job: { iterations: 3, constraints: [{ ncpus: 4 }] } });
    await world.round();
    await world.snapshot();
    world.advance(1);
    await world.plan();
    world.advance(119);
    world.cycleCloud.settle();
    await world.snapshot();
    world.advance(1);
    await world.post([jobFor(3), jobFor(2, { name: "more" })]);
    await world.plan();
    const more = async () => {
      await world.snapshot();
      await world.post([jobFor(3), jobFor(2, { name: "more" })]);
      world.advance(1);
      await world.plan();
      await world.execute();
    };
    await more();
    await more();
    const answer = await explained(world, "more");
    expect(answer.state).toBe("booting");
    const [cause] = answer.causes;
    expect(cause?.kind).toBe("booting");
    expect(cause?.text).toMatch(/Booting: 2 of 2 nodes \(htc-4, htc-5\); they should be ready in [\dms]+/);
    expect(cause?.untilSeconds).toBeGreaterThan(world.now() + 60);
    expect(answer.places).toHaveLength(2);
    expect(answer.planner.some(({ text }) => text.startsWith("create-nodes, because"))).toBe(true);
    world.advance(240);
    const late = (await explained(world, "more")).causes.find(({ kind }) => kind === "booting");
    expect(late).toMatchObject({
      text: expect.stringMatching(/; they should have been ready [\dms]+ ago, by what earlier boots took/),
      untilSeconds: null,
    });
    await world.settle();
    await world.round();
    const boots = (await explained(world, "more")).planner.filter(({ text }) => text.includes("first seen"));
    expect(boots).toMatchObject([{ text: expect.stringMatching(/^2 nodes are up, \d+/), planId: null }]);
  });

  test("without earlier boots nobody can say when", async () => {
    const world = await worldOf({ job: { iterations: 2, constraints: [{ ncpus: 4 }] } });
    await world.round();
    const { causes } = await explained(world);
    expect(causes).toMatchObject([{ kind: "booting", untilSeconds: null }]);
    expect(causes[0]?.text).toContain("not known yet");
  });

  test("a failed create tells what CycleCloud gave, and the newest plan what it saw", async () => {
    const world = await worldOf({ job: tenNodes });
    world.cycleCloud.refusal = "no such image";
    await world.round();
    const { planner } = await explained(world);
    expect(planner.some(({ text }) => text.includes("newest plan"))).toBe(true);
  });
});

describe("explain: where a job went", () => {
  test("it runs", async () => {
    const nodes = [nodeOf({ name: "htc-1", hostname: "a" })];
    const world = worldWith({ nodes });
    await world.post([jobFor(1, { executingHostnames: ["a"] })]);
    await world.snapshot();
    expect(await explained(world)).toMatchObject({
      state: "running",
      summary: 'Job "job-1" runs on 1 node.',
      places: [{ node: "htc-1", slots: 1, state: "Ready" }],
      causes: [],
      refusals: [],
    });
  });

  test("it has a place on nodes that are up", async () => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
    await world.post([jobFor(1)]);
    await world.snapshot();
    expect(await explained(world)).toMatchObject({ state: "placed", causes: [] });
  });

  test("two sources with a job of one name have to be told apart", async () => {
    const world = await worldOf({ job: tenNodes });
    await world.post([jobFor(1)], { source: "pbs" });
    const outlook = await lookAhead(world.ports, cluster);
    if (outlook === undefined) throw new Error("no outlook");
    expect(explainJob(outlook, "job-1")).toEqual({
      outcome: "ambiguous",
      sources: ["celery", "pbs"],
      next: "Name one: `ccscale explain job-1 --source celery`.",
    });
    expect(await explained(world, "job-1", "pbs")).toMatchObject({ source: "pbs", asked: 1 });
    expect(explainJob(outlook, "job-2")).toEqual({ outcome: "unknown-job", meant: null, near: ["job-1"] });
  });
});
