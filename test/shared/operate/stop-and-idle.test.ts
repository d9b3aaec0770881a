import { describe, expect, test } from "vitest";
import { planScale } from "../../../shared/cycle/index.ts";
import type { PlanRequest } from "../../../shared/messages/plan-request.ts";
import type { ScaleAction } from "../../../shared/messages/scale-action.ts";
import { requestStop } from "../../../shared/operate/request-stop.ts";
import { some } from "../../support/cases.ts";
import { nodeOf } from "../../support/cluster.ts";
import { type CrashPoint, interposed } from "../../support/crash.ts";
import { cluster, jobFor, type World, worldWith } from "../../support/world.ts";

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
  const world = worldWith({ nodes });
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
  test.each(
    some([
      ...moments.map((moment) => ({ ...moment, needed: 1 })),
      ...moments.filter(({ isCarriedOut }) => isCarriedOut).map((moment) => ({ ...moment, needed: 0 })),
    ]),
  )(
    "before $method of $port, $instance, carried out at once: $isCarriedOut: $needed of two are needed and stay, none is bought",
    async ({ port, method, needed, ...how }) => {
      const world = await worldOfTwo(needed);
      await planMeanwhile(world, { port, method } as CrashPoint, how);
      await world.settle();
      expect(staying(world)).toHaveLength(needed);
      expect(world.cycleCloud.calls).not.toContain("create");
    },
  );

  test("is remembered when many operations were recorded since it went", async () => {
    const world = await worldOfTwo(1);
    const point = { port: "history", method: "list" } as const;
    await planMeanwhile(world, point, { instance: "vm-htc-1", isCarriedOut: true });
    world.cycleCloud.settle();
    world.advance(10);
    await world.snapshot();
    const stop = (await world.ports.operations.recent(cluster, 2)).find(({ state }) => state === "visible");
    if (stop === undefined) expect.fail("no stop was carried out");
    for (let index = 0; index < 100; index += 1) {
      const actionId = `plan-x-${index}`;
      const action: ScaleAction = { ...stop.action, kind: "start-nodes", actionId, nodes: [] };
      const createdAtSeconds = stop.createdAtSeconds + 1;
      const later = { ...stop, actionId, action, createdAtSeconds, state: "visible" } as const;
      await world.ports.operations.save(later, undefined);
    }
    await world.settle();
    expect(staying(world)).toHaveLength(1);
    expect(world.cycleCloud.calls).not.toContain("create");
  });
});
