import { describe, expect, test } from "vitest";
import { undecided } from "../../../../shared/cycle/control.ts";
import { planScale } from "../../../../shared/cycle/plan/plan-scale.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

/** Two messages: the second comes in the next window, before the plan of the first is made. */
async function twoMessages(between: (world: World) => Promise<unknown> = async () => {}): Promise<number> {
  const world = createWorld();
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.advance(1);
  await world.post([jobFor(1)]);
  world.advance(1);
  await world.post([jobFor(2)]);
  await world.plan();
  const before = (await world.ports.plans.list(cluster, 10)).length;
  await between(world);
  world.advance(1);
  await world.plan();
  const plans = await world.ports.plans.list(cluster, 10);
  const head = (await world.ports.plans.loadHead(cluster))?.value;
  expect(head?.demandSequences).toEqual({ celery: 2 });
  return plans.length - before;
}

describe("a request for new demand", () => {
  test("lists sources and request sets once, whether or not a plan is made", async () => {
    const world = createWorld();
    await world.snapshot();
    world.advance(1);
    await world.plan();
    const lists = { demand: 0, targets: 0 };
    for (const port of ["demand", "targets"] as const) {
      const list = world.ports[port].list.bind(world.ports[port]);
      world.ports[port].list = (name: string) => {
        lists[port] += 1;
        return list(name) as never;
      };
    }
    for (const each of [1, 2]) {
      const request = { cluster, reason: "demand", atSeconds: world.now() - 0.5, onlyDemand: true as const };
      world.advance(1);
      if (each === 1) await world.post([jobFor(1)]);
      Object.assign(lists, { demand: 0, targets: 0 });
      await planScale(world.ports, { ...request, version: 1, atSeconds: world.now() });
      expect(lists).toEqual({ demand: 1, targets: 1 });
    }
  });

  test("makes no plan when the plan before has seen the demand", async () => {
    expect(await twoMessages((world) => world.execute())).toBe(0);
  });

  test.each<[string, (world: World) => Promise<unknown>]>([
    ["actions are not sent yet", (world) => inState(world, "planned")],
    [
      "an operator decided something",
      async (world) => {
        await world.execute();
        const paused = { by: "alice", reason: "upgrade", atSeconds: world.now() };
        await world.ports.controls.save({ ...undecided(cluster), paused }, undefined);
      },
    ],
    [
      "another snapshot was taken",
      async (world) => {
        await world.execute();
        world.advance(0.5);
        await world.snapshot();
      },
    ],
    [
      "a node was lost",
      async (world) => {
        await world.execute();
        const node = { nodeId: null, nodeName: null, nodeArray: "htc", vmSize: "Standard_F4s_v2" };
        const loss = { ...node, cluster, eventId: "e1", atSeconds: world.now() };
        await world.ports.losses.add({ ...loss, reason: "SpotEvicted" });
      },
    ],
    [
      "an operation was closed",
      async (world) => {
        await world.execute();
        await inState(world, "failed");
      },
    ],
    [
      "more demand came",
      async (world) => {
        await world.execute();
        const head = await world.ports.plans.loadHead(cluster);
        if (head === undefined) throw new Error("no plan");
        await world.ports.plans.saveHead({ ...head.value, demandSequences: { celery: 1 } }, head.etag);
      },
    ],
  ])("makes one when %s", async (_, between) => {
    expect(await twoMessages(between)).toBe(1);
  });
});

async function inState(world: World, state: "planned" | "failed"): Promise<void> {
  const open = await world.ports.operations.open(cluster);
  expect(open.length).toBeGreaterThan(0);
  for (const { value, etag } of open)
    await world.ports.operations.save({ ...value, state, updatedAtSeconds: world.now() }, etag);
}
