import { describe, expect, test } from "vitest";
import { changeControl } from "../../../../shared/cycle/control.ts";
import { withGoneArrays } from "../../../../shared/cycle/snapshot/gone-arrays.ts";
import { clusterStatus, lookAhead, nodeViews } from "../../../../shared/views/index.ts";
import { clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { DrainingSource } from "../../../support/draining-source.ts";
import { cluster, headOf, jobFor, type World, worldWith } from "../../../support/world.ts";

const [htc, hpc] = [nodeArrayOf({ name: "htc" }), nodeArrayOf({ name: "hpc" })];
const head = nodeOf({ name: "scheduler", nodeArray: "scheduler", hostname: "head" });

/** A node that runs a job, an idle one of the other array, and the head node; then only `hpc` is listed. */
async function worldWithout(): Promise<{ readonly world: World; readonly source: DrainingSource }> {
  const nodes = [nodeOf({ name: "htc-1" }), nodeOf({ name: "hpc-1", nodeArray: "hpc" }), head];
  const world = worldWith({ nodeArrays: [htc, hpc], nodes });
  const source = new DrainingSource(world);
  await source.post([running], ["host-htc-1"]);
  await world.round();
  world.cycleCloud.list([hpc]);
  return { world, source };
}

const running = jobFor(1, { executingHostnames: ["host-htc-1"] });
const waiting = jobFor(1, { name: "job-2", constraints: [{ ncpus: 4, "node.nodearray": "htc" }] });

async function minutes(
  { world, source }: Awaited<ReturnType<typeof worldWithout>>,
  count: number,
  jobs: Parameters<DrainingSource["post"]>[0] = [],
  busy: readonly string[] = [],
): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await world.round();
    source.hear();
    await source.post(jobs, busy);
    await world.round();
    world.cycleCloud.settle();
    world.advance(60);
  }
}

const names = (world: World) => world.cycleCloud.nodes.map(({ name }) => name);
const drained = async ({ ports }: World) =>
  ((await ports.controls.load(cluster))?.value.drainedNodes ?? []).map(({ name }) => name);
/** What an operator decided about `htc-1`. */
const decide = async (
  { ports }: World,
  list: "drainedNodes" | "ignoredNodes",
  end: { readonly untilSeconds?: number } = {},
) => {
  const row = { nodeId: "id-htc-1", name: "htc-1", by: "ada", reason: "disk", atSeconds: 1, ...end };
  await changeControl(ports, cluster, (control) => ({ ...control, [list]: [row] }));
};
const told = (source: DrainingSource) =>
  source.events
    .filter(({ kind }) => kind === "drain" || kind === "undrain")
    .map(({ kind, nodes }) => `${kind} ${nodes.map(({ name }) => name).join(" ")}`);

describe("a node array that CycleCloud no longer lists", () => {
  test("its node stays in the lists while its job runs, takes no other one, and is deleted when it is idle", async () => {
    const { world, source } = await worldWithout();
    await minutes({ world, source }, 4, [running], ["host-htc-1"]);
    expect([names(world), await drained(world)]).toEqual([["htc-1", "hpc-1", "scheduler"], []]);
    await minutes({ world, source }, 10, [running, waiting], ["host-htc-1"]);
    expect(names(world)).toEqual(["htc-1", "scheduler"]);
    const outlook = await lookAhead(world.ports, cluster);
    if (outlook === undefined) throw new Error("no outlook");
    expect(nodeViews(outlook).present()).toMatchObject([{ name: "htc-1", reported: { nodeArray: "htc" } }]);
    expect(await clusterStatus(world.ports, cluster)).toMatchObject({
      draining: [{ name: "htc-1", why: 'CycleCloud no longer lists its node array "htc"' }],
      spending: { nodeArrays: expect.arrayContaining([expect.objectContaining({ nodeArray: "htc" })]) },
    });
    expect((await headOf(world))?.placedJobs).toBe(1);
    expect(told(source)).toEqual(["drain htc-1 hpc-1"]);
    await minutes({ world, source }, 10);
    expect(names(world)).toEqual(["scheduler"]);
    await world.snapshot();
    expect((await world.ports.snapshots.load(cluster))?.value.cluster.nodeArrays).toHaveLength(1);
    expect(await drained(world)).toEqual([]);
  });

  test("its scheduler is told though it sends no other message", async () => {
    const world = worldWith({ nodeArrays: [htc, hpc], nodes: [nodeOf({ name: "htc-1" }), head] });
    const source = new DrainingSource(world);
    await source.post([running], ["host-htc-1"]);
    await world.round();
    world.cycleCloud.list([hpc]);
    for (let minute = 0; minute < 6; minute += 1) {
      await world.round();
      world.advance(59);
    }
    expect(told(source)).toEqual(["drain htc-1"]);
  });

  test("five minutes begin again after an outage, and what is drained stays so through one", async () => {
    const { world, source } = await worldWithout();
    await minutes({ world, source }, 1, [running], ["host-htc-1"]);
    world.advance(360);
    await minutes({ world, source }, 4, [running], ["host-htc-1"]);
    expect(await drained(world)).toEqual([]);
    await minutes({ world, source }, 2, [running], ["host-htc-1"]);
    world.advance(360);
    await minutes({ world, source }, 1, [running], ["host-htc-1"]);
    expect(await drained(world)).toEqual(["htc-1"]);
  });

  test("its nodes are drained five minutes after it is read, where readings are far apart", async () => {
    const { world } = await worldWithout();
    world.configure({ cycle: { snapshotIntervalSeconds: 300, maxSnapshotAgeSeconds: 600 } });
    for (let reading = 0; reading < 2; reading += 1) {
      await world.snapshot();
      world.advance(300);
    }
    await world.snapshot();
    expect(await drained(world)).toEqual(["htc-1"]);
  });

  test("nothing is drained while no array is listed at all, nor in the five minutes after that", async () => {
    const { world, source } = await worldWithout();
    world.cycleCloud.list([]);
    await minutes({ world, source }, 8, [running], ["host-htc-1"]);
    world.cycleCloud.list([hpc]);
    await minutes({ world, source }, 4, [running], ["host-htc-1"]);
    expect(await drained(world)).toEqual([]);
  });

  test.each([
    ["drained for an hour is drained for good", "drainedNodes", 3_600, ["the autoscaler"]],
    ["drained for good stays the operator's", "drainedNodes", undefined, ["ada"]],
    ["ignored is not drained", "ignoredNodes", undefined, []],
  ] as const)("a node that an operator has %s", async (_, list, seconds, by) => {
    const { world, source } = await worldWithout();
    await decide(world, list, seconds === undefined ? {} : { untilSeconds: world.now() + seconds });
    await minutes({ world, source }, 7, [running], ["host-htc-1"]);
    const rows = (await world.ports.controls.load(cluster))?.value.drainedNodes ?? [];
    const own = rows.filter(({ name }) => name === "htc-1");
    expect(own.map((row) => row.by)).toEqual(by);
    expect(own.every(({ untilSeconds }) => untilSeconds === undefined)).toBe(true);
  });

  test("its nodes are taken back when it is listed again", async () => {
    const { world, source } = await worldWithout();
    await minutes({ world, source }, 6, [running], ["host-htc-1"]);
    expect(await drained(world)).toEqual(["htc-1"]);
    world.cycleCloud.list([htc, hpc]);
    await minutes({ world, source }, 2, [running], ["host-htc-1"]);
    expect(await drained(world)).toEqual([]);
    expect(told(source).at(-1)).toBe("undrain htc-1");
  });

  test("a node that an operator took back stays so", async () => {
    const { world, source } = await worldWithout();
    await minutes({ world, source }, 6, [running], ["host-htc-1"]);
    await changeControl(world.ports, cluster, (control) => ({ ...control, drainedNodes: [] }));
    await minutes({ world, source }, 2, [running], ["host-htc-1"]);
    expect(await drained(world)).toEqual([]);
  });

  test("one that is switched off is left alone, as before", async () => {
    const off = nodeArrayOf({ name: "htc", enabled: false });
    const world = worldWith({ nodeArrays: [off, hpc], nodes: [nodeOf({ name: "htc-1" })] });
    const source = new DrainingSource(world);
    await world.round();
    world.cycleCloud.list([hpc]);
    await minutes({ world, source }, 10);
    expect([names(world), await drained(world)]).toEqual([["htc-1"], []]);
  });
});

describe("withGoneArrays", () => {
  const before = { cluster: clusterOf({ nodeArrays: [htc, hpc] }), takenAtSeconds: 0 };
  const at = (atSeconds: number) => ({ atSeconds, readEverySeconds: 60 });
  const now = (name: string, nodeArray: string) =>
    clusterOf({ nodeArrays: [hpc], nodes: [nodeOf({ name, nodeArray }), head] });
  const read = (of: ReturnType<typeof now>, more: { readonly hasUnreadArrays?: true } = {}) => ({
    cluster: of,
    setAside: [],
    ...more,
  });
  const gone = ({ nodeArrays }: ReturnType<typeof now>) =>
    nodeArrays.flatMap((array) => (array.goneAtSeconds === 60 ? [array.name] : []));

  test("the array stays, without room and without its old quotas", () => {
    const { nodeArrays } = withGoneArrays(read(now("htc-1", "htc")), before, at(60));
    const limits = { availableCount: 0, region: { usedCores: 0 }, family: { usedCores: 0 } };
    expect(nodeArrays).toMatchObject([
      { name: "hpc" },
      { name: "htc", goneAtSeconds: 60, buckets: [{ valid: false, limits }] },
    ]);
  });

  test("what a node's record lacks comes from its array, or from what the node was before", () => {
    const spot = nodeArrayOf({ name: "htc", spot: true });
    const filled = (nodes: readonly ReturnType<typeof nodeOf>[]) => {
      const then = { cluster: clusterOf({ nodeArrays: [spot, hpc], nodes }), takenAtSeconds: 0 };
      const bare = nodeOf({ name: "htc-1", location: "", spot: false });
      return withGoneArrays(read(clusterOf({ nodeArrays: [hpc], nodes: [bare] })), then, at(60)).nodes;
    };
    expect(filled([])).toMatchObject([{ location: "westeurope", spot: true }]);
    expect(filled([nodeOf({ name: "htc-1", location: "northeurope" })])).toMatchObject([
      { location: "northeurope", spot: false },
    ]);
  });

  test.each([
    ["nothing of its array is known", read(now("htc-1", "htc")), undefined],
    ["its array was never listed", read(now("x-1", "x")), before],
    ["it is named as its template: it is a head node now", read(now("htc", "htc")), before],
    ["a listed array could not be read", read(now("htc-1", "htc"), { hasUnreadArrays: true }), before],
  ])("a node is left alone where %s", (_, reading, then) => {
    expect(gone(withGoneArrays(reading, then, at(60)))).toEqual([]);
  });

  test("once it is gone, an array that cannot be read changes nothing", () => {
    const once = { cluster: withGoneArrays(read(now("htc-1", "htc")), before, at(60)), takenAtSeconds: 60 };
    const again = (reading: ReturnType<typeof read>) => gone(withGoneArrays(reading, once, at(120)));
    expect(again(read(now("htc-1", "htc"), { hasUnreadArrays: true }))).toEqual(["htc"]);
    expect(again(read(clusterOf({ nodeArrays: [hpc] })))).toEqual([]);
  });
});
