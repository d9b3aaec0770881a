import { describe, expect, test } from "vitest";
import { planScale } from "../../../shared/cycle/plan-scale.ts";
import { requestStop } from "../../../shared/cycle/request-stop.ts";
import type { PlanRequest } from "../../../shared/messages/plan-request.ts";
import { clusterOf, nodeOf } from "../../support/cluster.ts";
import { type CrashPoint, interposed } from "../../support/crash.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld, jobFor, type World } from "../../support/world.ts";

/** Every call of a plan, in its order: what happens elsewhere may happen before any of them. */
const calls: readonly Pick<CrashPoint, "port" | "method">[] = [
  { port: "plans", method: "loadHead" },
  { port: "operations", method: "open" },
  { port: "snapshots", method: "load" },
  { port: "demand", method: "list" },
  { port: "history", method: "list" },
  { port: "operations", method: "recent" },
  { port: "losses", method: "recent" },
  { port: "operations", method: "save" },
  { port: "plans", method: "saveHead" },
  { port: "plans", method: "archive" },
  { port: "scaleActions", method: "send" },
  { port: "history", method: "save" },
];

/** Two nodes, of which the demand needs one; the other has been idle for as long as it may. */
async function worldOfTwo(needed: number): Promise<World> {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name, instanceId: `vm-${name}` }));
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodes })));
  const post = () => world.post(needed === 0 ? [] : [jobFor(needed)], { ttlSeconds: 10_000 });
  await post();
  await world.round();
  world.advance(301);
  await world.snapshot();
  return world;
}

const staying = (world: World) =>
  world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started").map(({ name }) => name);

/** A plan during which a node asks to stop, and is deleted at once where `isCarriedOut`. */
async function planMeanwhile(
  world: World,
  point: Pick<CrashPoint, "port" | "method">,
  { instance, isCarriedOut }: { readonly instance: string; readonly isCarriedOut: boolean },
): Promise<void> {
  let hasHappened = false;
  const ports = interposed(world.ports, point, async (call) => {
    if (!hasHappened) {
      hasHappened = true;
      const requestedBy = { who: instance, why: "it is idle" };
      await requestStop(world.ports, { cluster, instance, requestedBy, afterIdleTime: false });
      if (isCarriedOut) await world.execute();
    }
    return call();
  });
  const request: PlanRequest = { version: 1, cluster, reason: "test", atSeconds: world.now() };
  await planScale(ports, request);
}

const moments = calls.flatMap((point) =>
  ["vm-htc-1", "vm-htc-2"].flatMap((instance) =>
    [false, true].map((isCarriedOut) => ({ ...point, instance, isCarriedOut })),
  ),
);

describe("a node that asks to stop while a plan deletes idle ones", () => {
  test.each(moments)(
    "before $method of $port, $instance, carried out at once: $isCarriedOut: the node that is needed stays, and none is bought",
    async ({ port, method, ...how }) => {
      const world = await worldOfTwo(1);
      await planMeanwhile(world, { port, method } as CrashPoint, how);
      for (let round = 0; round < 3; round += 1) {
        await world.execute();
        world.cycleCloud.settle();
        world.advance(10);
        await world.round();
      }
      expect(staying(world)).toHaveLength(1);
      expect(world.cycleCloud.calls).not.toContain("create");
    },
  );

  test.each(moments.filter(({ isCarriedOut }) => isCarriedOut))(
    "before $method of $port, $instance: where none is needed, both go",
    async ({ port, method, ...how }) => {
      const world = await worldOfTwo(0);
      await planMeanwhile(world, { port, method } as CrashPoint, how);
      for (let round = 0; round < 3; round += 1) {
        await world.execute();
        world.cycleCloud.settle();
        world.advance(10);
        await world.round();
      }
      expect(staying(world)).toEqual([]);
    },
  );
});
