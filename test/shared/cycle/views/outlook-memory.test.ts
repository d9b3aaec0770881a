import { beforeEach, describe, expect, test } from "vitest";
import { act } from "../../../../shared/cycle/act/act.ts";
import { OutlookMemory } from "../../../../shared/cycle/views/index.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

let world: World;
let memory: OutlookMemory;
const look = () => memory.lookAhead(world.ports, cluster);

beforeEach(async () => {
  world = createWorld();
  memory = new OutlookMemory();
  await world.post([jobFor(2)]);
  await world.round();
});

describe("OutlookMemory", () => {
  test("what has not changed is not worked out again for a while", async () => {
    const first = await look();
    world.advance(19);
    expect(await look()).toBe(first);
    world.advance(2);
    expect(await look()).not.toBe(first);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["a message", () => world.post([jobFor(3)])],
    ["a snapshot", () => world.snapshot()],
    ["a plan", () => world.round()],
    [
      "an operator",
      () => act(world.ports, { cluster, body: { kind: "pause", by: "a", reason: "b", dryRun: false } }),
    ],
    ["the configuration", async () => world.configure({ cycle: { readOnly: true } })],
  ])("%s that comes is seen at once", async (_, happens) => {
    const first = await look();
    await happens();
    expect(await look()).not.toBe(first);
  });

  test("a cluster that is not configured is not remembered", async () => {
    expect(await memory.lookAhead(world.ports, "hcp")).toBeUndefined();
  });
});
