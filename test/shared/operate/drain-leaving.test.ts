import { describe, expect, test } from "vitest";
import { loadControl } from "../../../shared/cycle/index.ts";
import { act } from "../../../shared/operate/act.ts";
import { drainLeaving } from "../../../shared/operate/drain-leaving.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, jobFor, type World, worldWith } from "../../support/world.ts";

const minutes = 60;

async function worldOf(...fields: readonly object[]): Promise<World> {
  const nodes = fields.map((given, index) =>
    nodeOf({ name: `htc-${index + 1}`, instanceId: `vm-${index + 1}`, ...given }),
  );
  const world = worldWith({ nodes });
  await world.round();
  return world;
}

function says(world: World, instance: string, notBeforeSeconds?: number) {
  return drainLeaving(world.ports, { cluster, instance, event: "Preempt", notBeforeSeconds });
}
const drained = async (world: World) => (await loadControl(world.ports, cluster)).drainedNodes;

describe("a node says that Azure is about to take it", () => {
  test("it takes no new jobs until half an hour after that, its job stays its scheduler's, and no other node is touched", async () => {
    const world = await worldOf({}, {});
    const begins = world.now() + 30;
    const untilSeconds = begins + 30 * minutes;
    expect(await says(world, "vm-1", begins)).toEqual({ outcome: "draining", node: "htc-1", untilSeconds });
    expect(await drained(world)).toMatchObject([
      { name: "htc-1", by: "node htc-1", reason: "Azure: Preempt", untilSeconds },
    ]);
    await world.post([jobFor(2)]);
    await world.settle();
    const places = (await world.ports.demand.list(cluster)).flatMap(({ jobs }) => jobs);
    expect(places).not.toEqual([]);
    expect(world.cycleCloud.nodes.length).toBeGreaterThan(2);
  });

  test.each([
    ["none", undefined, 0],
    ["long ago", -9_000_000, 0],
    ["in a year", 365 * 24 * 3600, 24 * 3600],
  ])("a time that is %s makes no drain without end", async (_, ahead, begins) => {
    const world = await worldOf({});
    const now = world.now();
    const said = await says(world, "vm-1", ahead === undefined ? undefined : now + ahead);
    expect(said).toMatchObject({ untilSeconds: now + begins + 30 * minutes });
  });

  test("a later event lengthens the drain that the node asked for, an earlier one does not shorten it", async () => {
    const world = await worldOf({});
    await says(world, "vm-1", world.now() + 60);
    const begins = world.now() + 600;
    const untilSeconds = begins + 30 * minutes;
    const lengthened = { outcome: "draining", node: "htc-1", untilSeconds };
    expect(await says(world, "vm-1", begins)).toEqual(lengthened);
    expect(await says(world, "vm-1")).toEqual({ ...lengthened, outcome: "drained-before" });
    expect(await drained(world)).toMatchObject([{ name: "htc-1", by: "node htc-1", untilSeconds }]);
  });

  test("said again it holds as it is; what an operator drained stays theirs, and without an end", async () => {
    const world = await worldOf({}, {});
    const first = await says(world, "vm-1", world.now() + 60);
    world.advance(20);
    expect(await says(world, "vm-1", world.now() + 40)).toEqual({ ...first, outcome: "drained-before" });
    const by = { by: "ann", reason: "disk errors", dryRun: false, force: true };
    await act(world.ports, { cluster, body: { kind: "drain", nodes: { names: ["htc-2"] }, ...by } });
    expect(await says(world, "vm-2")).toEqual({ outcome: "drained-before", node: "htc-2" });
    expect(await drained(world)).toMatchObject([{ by: "node htc-1" }, { name: "htc-2", by: "ann" }]);
  });

  test("a machine that is still there afterwards takes jobs again", async () => {
    const world = await worldOf({});
    await says(world, "vm-1");
    world.advance(30 * minutes + 1);
    expect(await drained(world)).toEqual([]);
  });

  test("names that are no machine of the cluster change nothing", async () => {
    const world = await worldOf({}, { targetState: "Terminated" });
    expect(await says(world, "htc-1")).toEqual({ outcome: "unknown-instance" });
    expect(await says(world, "*")).toEqual({ outcome: "unknown-instance" });
    expect(await says(world, "vm-2")).toEqual({ outcome: "leaving", node: "htc-2" });
    const other = { cluster: "other", instance: "vm-1", event: "Preempt", notBeforeSeconds: undefined };
    expect(await drainLeaving(world.ports, other)).toEqual({ outcome: "unknown-cluster" });
    expect(await drained(world)).toEqual([]);
  });

  test("a hundred in the same second are all drained", async () => {
    const world = await worldOf(...Array.from({ length: 100 }, () => ({})));
    const said = await Promise.all(Array.from({ length: 100 }, (_, index) => says(world, `vm-${index + 1}`)));
    expect(said.every(({ outcome }) => outcome === "draining")).toBe(true);
    expect(await drained(world)).toHaveLength(100);
  });
});
