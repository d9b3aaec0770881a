import { describe, expect, test } from "vitest";
import { planScale } from "../../../../shared/cycle/plan/plan-scale.ts";
import { isOpen } from "../../../../shared/ports/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { Crash, type CrashPoint, crashingAt, interposed } from "../../../support/crash.ts";
import { cluster, jobFor, type World, worldWith } from "../../../support/world.ts";

/** Asked for later than any plan of these worlds, so that none has overtaken it. */
const request = { version: 1, cluster, reason: "test", atSeconds: 4e9 } as const;

/** A world whose next plan has two actions, two nodes to create and one to shut down, and a history row to write. */
async function dueWorld(): Promise<World> {
  const nodeArrays = ["htc", "old"].map((name) => nodeArrayOf({ name, buckets: [bucketOf()] }));
  const idle = nodeOf({ name: "old-1", nodeArray: "old" });
  const world = worldWith({ nodeArrays, nodes: [idle] });
  await world.round();
  world.advance(301);
  world.cycleCloud.change("old-1", { instanceId: "vm-1" });
  await world.post([jobFor(2, { constraints: [{ ncpus: 4, "node.nodearray": "htc" }] })]);
  await world.snapshot();
  return world;
}

const writes: readonly Omit<CrashPoint, "when">[] = [
  { port: "plans", method: "saveHead" },
  { port: "operations", method: "save", nth: 1 },
  { port: "operations", method: "save", nth: 2 },
  { port: "scaleActions", method: "send" },
  { port: "operations", method: "save", nth: 3 },
  { port: "operations", method: "save", nth: 4 },
  { port: "history", method: "save" },
];
const points = writes.flatMap((write) =>
  (["before", "after"] as const).map((when): CrashPoint => ({ ...write, when })),
);

/** Everything that was recorded reached the queue and was carried out, once; the cluster is what it should be. */
async function expectConverged(world: World): Promise<void> {
  await world.settle();
  const operations = await world.ports.operations.recent(cluster, 100);
  expect(operations.filter(isOpen)).toEqual([]);
  expect(world.cycleCloud.calls.toSorted()).toEqual(["create", "shutdown"]);
  expect(world.cycleCloud.nodes.map((node) => node.name)).toEqual(["htc-1", "htc-2"]);
}

describe("planScale: what its process remembers", () => {
  test("histories of nodes are read once, and again after a plan that was made elsewhere or not finished", async () => {
    const world = await dueWorld();
    let reads = 0;
    const here = interposed(world.ports, { port: "history", method: "list" }, (call) => {
      reads += 1;
      return call();
    });
    const readsOf = async (ports: World["ports"]) => {
      const before = reads;
      await planScale(ports, { ...request, atSeconds: world.now() }).catch(() => undefined);
      expect(await world.ports.history.list(cluster)).not.toEqual([]);
      world.advance(5);
      return reads - before;
    };
    const dying = {
      ...here,
      plans: crashingAt(here, { port: "plans", method: "saveHead", when: "after" }).plans,
    };
    const runs = [here, here, world.ports, here, here, dying, here, here];
    const counts: number[] = [];
    for (const ports of runs) counts.push(await readsOf(ports));
    expect(counts).toEqual([1, 0, 0, 1, 0, 0, 1, 0]);
  });
});

describe("planScale: a run that dies", () => {
  test("the world of this table needs two creates and one shutdown", async () => {
    const world = await dueWorld();
    await planScale(world.ports, request);
    expect(world.ports.scaleActions.waiting.map((action) => action.kind)).toEqual([
      "create-nodes",
      "shutdown-nodes",
    ]);
    await expectConverged(world);
  });

  test.each(points)("$when $port.$method $nth: the next run makes up for it, once", async (point) => {
    const world = await dueWorld();
    await expect(planScale(crashingAt(world.ports, point), request)).rejects.toThrow(Crash);
    await planScale(world.ports, request);
    await expectConverged(world);
  });

  test.each(points)("$when $port.$method $nth: also when actions are carried out first", async (point) => {
    const world = await dueWorld();
    await expect(planScale(crashingAt(world.ports, point), request)).rejects.toThrow(Crash);
    await world.execute();
    await planScale(world.ports, request);
    await expectConverged(world);
  });

  test.each(points)("$when $port.$method $nth: also when a snapshot comes first", async (point) => {
    const world = await dueWorld();
    await expect(planScale(crashingAt(world.ports, point), request)).rejects.toThrow(Crash);
    await world.execute();
    world.advance(1);
    await world.snapshot();
    await planScale(world.ports, request);
    await expectConverged(world);
  });

  test("when half of its actions are on the queue: the rest follow", async () => {
    const world = await dueWorld();
    const send = { port: "scaleActions", method: "send", when: "before" } as const;
    const half = interposed(world.ports, send, async () => {
      const [first] = await world.ports.operations.open(cluster);
      if (first !== undefined) await world.ports.scaleActions.send([first.value.action]);
      throw new Crash(send);
    });
    await expect(planScale(half, request)).rejects.toThrow(Crash);
    await planScale(world.ports, request);
    await expectConverged(world);
  });

  test("again and again at every point: still once", async () => {
    const world = await dueWorld();
    for (const point of points)
      await planScale(crashingAt(world.ports, point), request).catch(() => undefined);
    await planScale(world.ports, request);
    await expectConverged(world);
  });
});
