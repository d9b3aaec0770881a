import { describe, expect, test } from "vitest";
import type { ExplainAnswer } from "../../../../shared/api/index.ts";
import { explainAnswer } from "../../../../shared/api/index.ts";
import { explainJob, lookAhead } from "../../../../shared/cycle/views/index.ts";
import type { Bucket, Cluster, NodeArray } from "../../../../shared/engine/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

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
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays: [array], ...parts.cluster })));
  await world.post([{ name: "job-1", ...parts.job }]);
  await world.snapshot();
  return world;
}

const tenNodes = { iterations: 10, constraints: [{ ncpus: 4 }] };
const gang = { nodeCount: 8, colocated: true, constraints: [{ ncpus: 4 }] };
const grouped = { bucket: { placementGroups: [{ name: "pg0", activeCount: 0 }] } };
const licence = (left: number) => ({
  constraints: [
    { ncpus: 1 },
    {
      "shared-consumable-constraint": {
        "resource-name": "solver",
        "current-value": left,
        "initial-value": 5,
        requested: 2,
      },
    },
  ],
});

describe("explain: why a job waits, with numbers and what ends it", () => {
  test.each([
    [
      "too big for any size",
      { job: { constraints: [{ ncpus: 64 }] } },
      "too-big",
      ["64 ncpus", "has 4"],
      "Ask for 4 ncpus or less",
    ],
    [
      "too much memory",
      { job: { constraints: [{ memgb: 100 }] } },
      "too-big",
      ["100", "memgb"],
      "larger VM size",
    ],
    [
      "a size that there is not",
      { job: { constraints: [{ "node.vm_size": "Standard_X" }] } },
      "never-satisfiable",
      ["Standard_X", "Standard_F4s_v2"],
      "Change the job's constraints",
    ],
    [
      "a resource that no node has",
      { job: { constraints: [{ scratch: 1 }] } },
      "never-satisfiable",
      ["scratch"],
      "default_resources",
    ],
    [
      "the region's quota",
      { job: tenNodes, limits: { region: { maxCores: 100, usedCores: 100 } } },
      "quota",
      ["region westeurope", "leaves 0", "100 of 100 cores used"],
      "Ask Azure for more cores in the region",
    ],
    [
      "the spot quota",
      { job: tenNodes, array: { spot: true }, limits: { region: { maxCores: 8, usedCores: 8 } } },
      "quota",
      ["spot core quota", "8 of 8 cores"],
      "spot cores",
    ],
    [
      "the family's quota",
      { job: tenNodes, limits: { family: { maxCores: 8, usedCores: 6 } } },
      "quota",
      ["standardFSv2Family", "6 of 8 cores used, 4 per node"],
      "more cores of the family",
    ],
    [
      "the node array's cores",
      { job: tenNodes, array: { maxCoreCount: 3 } },
      "quota",
      ["core limit of node array htc"],
      "Raise MaxCoreCount of the node array",
    ],
    [
      "the node array's nodes",
      { job: tenNodes, array: { maxCount: 0 } },
      "quota",
      ["node limit of node array htc"],
      "Raise MaxCount of the node array",
    ],
    [
      "the cluster's cores",
      { job: tenNodes, cluster: { maxCoreCount: 2 } },
      "quota",
      ["core limit of cluster hpc"],
      "Raise MaxCoreCount of the cluster",
    ],
    [
      "what CycleCloud offers",
      { job: tenNodes, bucket: { availableCount: 0 } },
      "quota",
      ["still offers of htc/Standard_F4s_v2"],
      "CycleCloud shows",
    ],
    [
      "a placement group that is too small",
      { job: gang, ...grouped, limits: { maxPlacementGroupSize: 4 } },
      "placement-group-too-small",
      ["8 nodes", "at most 4"],
      "Ask for at most 4 nodes",
    ],
    [
      "no placement group at all",
      { job: gang },
      "never-satisfiable",
      ["not in a placement group"],
      "Predefine placement groups",
    ],
    [
      "a capacity failure that CycleCloud remembers",
      { job: tenNodes, bucket: { secondsSinceCapacityFailure: 100 } },
      "capacity-back-off",
      ["next 200 s", "Azure had no such VM"],
      "ends by itself",
    ],
    [
      "the job's own back-off",
      {
        job: { constraints: [{ "capacity-failure-backoff": 900 }] },
        bucket: { secondsSinceCapacityFailure: 600 },
      },
      "capacity-back-off",
      ["600 s ago"],
      "ends by itself",
    ],
    [
      "an empty licence pool",
      { job: licence(1) },
      "pool-empty",
      ["solver", "1 left, 2 wanted"],
      "give some back",
    ],
    [
      "a size that CycleCloud does not make",
      { job: tenNodes, bucket: { valid: false, invalidReason: "NotActivated" } },
      "bucket-unusable",
      ["NotActivated"],
      "Activate the VM size",
    ],
    ["nothing asked for", { job: { iterations: 0 } }, "nothing-requested", ["no slots"], "how many"],
  ] as const)("%s", async (_, parts, kind, texts, next) => {
    const answer = await explained(await worldOf(parts as Parameters<typeof worldOf>[0]));
    const [cause] = answer.causes;
    expect(answer.state).toBe("waiting");
    expect(cause).toMatchObject({ kind, next: expect.stringContaining(next) });
    for (const text of texts) expect(cause?.text).toContain(text);
    expect(answer.summary).toContain(cause?.text);
  });

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
      },
    ]);
  });

  test("an array that fits in part: how much has a place, and what the rest waits for", async () => {
    const world = await worldOf({ job: tenNodes, bucket: { availableCount: 3 } });
    const answer = await explained(world);
    expect(answer).toMatchObject({ state: "partly", asked: 10, granted: 3, unit: "slots", placeCount: 3 });
    expect(answer.causes.map(({ kind }) => kind)).toEqual(["partly-placed", "quota", "not-planned-yet"]);
    expect(answer.causes[0]?.text).toContain("3 of 10 slots have a place; 7 wait");
  });

  test("a source past its time to live", async () => {
    const world = await worldOf({ job: tenNodes });
    await world.post([{ name: "job-1", ...tenNodes }], { ttlSeconds: 60 });
    world.advance(100);
    const answer = await explained(world);
    expect(answer).toMatchObject({ state: "waiting", asked: 10, granted: 0, source: "celery" });
    expect(answer.causes).toMatchObject([{ kind: "source-expired", asked: 60, left: 100 }]);
    expect(answer.causes[0]?.text).toContain('"celery" has been silent for 100 s');
  });

  test("a paused cluster, before what the job itself waits for", async () => {
    const world = await worldOf({ job: tenNodes, bucket: { availableCount: 3 } });
    await world.ports.controls.save(
      {
        cluster,
        paused: { by: "alice", reason: "upgrade", atSeconds: world.now() - 30 },
        refusedLogin: null,
      },
      undefined,
    );
    const { causes } = await explained(world);
    expect(causes[0]).toMatchObject({ kind: "cluster-paused", next: "Resume the cluster." });
    expect(causes[0]?.text).toContain("30 s ago by alice: upgrade");
  });

  test("a read-only cluster, and a snapshot that is too old", async () => {
    const world = await worldOf({ job: tenNodes });
    world.configure({ cycle: { readOnly: true } });
    expect((await explained(world)).causes[0]).toMatchObject({ kind: "cluster-held" });
    await world.post([{ name: "job-1", ...tenNodes }], { ttlSeconds: 3_600 });
    world.advance(301);
    expect((await explained(world)).causes[0]).toMatchObject({
      kind: "snapshot-stale",
      text: expect.stringContaining("301 s old, expected at most 300 s"),
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
    expect(cause?.text).toMatch(
      /2 of its 2 nodes are booting \(htc-4, htc-5\); they should be ready in \d+ s/,
    );
    expect(cause?.untilSeconds).toBeGreaterThan(world.now() + 60);
    expect(answer.places).toHaveLength(2);
    expect(answer.planner.some(({ text }) => text.startsWith("create-nodes, because"))).toBe(true);
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
    const world = createWorld(new FakeCycleCloud(clusterOf({ nodes })));
    await world.post([jobFor(1, { executingHostnames: ["a"] })]);
    await world.snapshot();
    expect(await explained(world)).toMatchObject({
      state: "running",
      summary: 'Job "job-1" runs on 1 nodes.',
      places: [{ node: "htc-1", slots: 1, state: "Ready" }],
      causes: [],
      refusals: [],
    });
  });

  test("it has a place on nodes that are up", async () => {
    const world = createWorld(new FakeCycleCloud(clusterOf({ nodes: [nodeOf({ name: "htc-1" })] })));
    await world.post([jobFor(1)]);
    await world.snapshot();
    expect(await explained(world)).toMatchObject({ state: "placed", causes: [] });
  });

  test("two sources with a job of one name have to be told apart", async () => {
    const world = await worldOf({ job: tenNodes });
    await world.post([jobFor(1)], { source: "pbs" });
    const outlook = await lookAhead(world.ports, cluster);
    if (outlook === undefined) throw new Error("no outlook");
    expect(explainJob(outlook, "job-1")).toEqual({ outcome: "ambiguous", sources: ["celery", "pbs"] });
    expect(await explained(world, "job-1", "pbs")).toMatchObject({ source: "pbs", asked: 1 });
    expect(explainJob(outlook, "job-2")).toEqual({ outcome: "unknown-job" });
  });
});
