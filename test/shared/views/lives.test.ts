import { describe, expect, test } from "vitest";
import { mostIdleTimes, type NodeHistory } from "../../../shared/engine/index.ts";
import { listLives } from "../../../shared/views/index.ts";
import { toLife } from "../../../shared/views/node-life.ts";
import { nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { cluster, jobFor, worldWith } from "../../support/world.ts";

const row: NodeHistory = {
  nodeId: "1",
  name: "htc-1",
  hostname: null,
  instanceId: null,
  nodeArray: "htc",
  vmSize: "Standard_F4s_v2",
  createdSeconds: 1_000,
  readySeconds: 1_300,
  lastMatchSeconds: null,
  deletedSeconds: null,
};
const now = 5_000;

describe("what a node did is told by its row", () => {
  const spans = (change: Partial<NodeHistory>) =>
    toLife({ ...row, ...change }, now).spans.map(
      ({ use, fromSeconds, untilSeconds }) => `${use} ${fromSeconds}-${untilSeconds}`,
    );

  test.each<[string, Partial<NodeHistory>, string[]]>([
    ["one that boots", { readySeconds: null }, ["boot 1000-5000"]],
    ["one that never came up", { readySeconds: null, deletedSeconds: 1_500 }, ["boot 1000-1500"]],
    [
      "one that nothing needed while it booted",
      { readySeconds: null, lastMatchSeconds: 1_100 },
      ["boot 1000-5000"],
    ],
    ["in use since it is there", {}, ["boot 1000-1300", "used 1300-5000"]],
    ["idle since it is there", { lastMatchSeconds: 1_300 }, ["boot 1000-1300", "idle 1300-5000"]],
    ["idle since it boots", { lastMatchSeconds: 1_100 }, ["boot 1000-1300", "idle 1300-5000"]],
    [
      "idle until it went",
      { lastMatchSeconds: 2_000, deletedSeconds: 2_300 },
      ["boot 1000-1300", "used 1300-2000", "idle 2000-2300"],
    ],
    [
      "with gaps",
      {
        idle: [
          { endedSeconds: 2_000, seconds: 500 },
          { endedSeconds: 3_000, seconds: 100 },
        ],
        lastMatchSeconds: 4_000,
      },
      [
        "boot 1000-1300",
        "used 1300-1500",
        "idle 1500-2000",
        "used 2000-2900",
        "idle 2900-3000",
        "used 3000-4000",
        "idle 4000-5000",
      ],
    ],
    ["seen Ready first", { readySeconds: 1_000 }, ["used 1000-5000"]],
  ])("%s", (_, change, expected) => expect(spans(change)).toEqual(expected));

  test("what is before the gaps that are remembered is not called use", () => {
    const idle = Array.from({ length: mostIdleTimes }, (_, index) => ({
      endedSeconds: 2_000 + index * 90,
      seconds: 60,
    }));
    expect(spans({ idle }).slice(0, 3)).toEqual(["boot 1000-1300", "unknown 1300-1940", "idle 1940-2000"]);
  });
});

describe("nodes over time", () => {
  async function worldWithPast() {
    const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name, hostname: `host-${name}` }));
    const world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
    world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } } });
    await world.post([jobFor(1, { name: "runs", executingHostnames: ["host-htc-1"] })]);
    await world.round();
    world.cycleCloud.change("htc-2", { targetState: "Terminated" });
    world.cycleCloud.settle();
    world.advance(3_600);
    await world.post([jobFor(1, { name: "runs", executingHostnames: ["host-htc-1"] })]);
    await world.round();
    world.advance(60);
    return world;
  }

  test("those that are gone stay, with what an hour costs; an array and a time choose", async () => {
    const world = await worldWithPast();
    const list = async (query: object) => {
      const outcome = await listLives(world.ports, cluster, { limit: 10, ...query });
      if (outcome?.ok !== true) throw new Error(JSON.stringify(outcome));
      return outcome.answer;
    };
    const all = await list({});
    expect(all.lives).toMatchObject([
      { name: "htc-1", deletedSeconds: null, usdPerHour: 2 },
      { name: "htc-2", deletedSeconds: expect.any(Number), usdPerHour: 2 },
    ]);
    expect(all.lives[0]?.spans.at(-1)).toMatchObject({ use: "used", untilSeconds: all.atSeconds });
    expect((await list({ nodeArray: "hpc" })).lives).toEqual([]);
    const gone = all.lives[1]?.deletedSeconds ?? 0;
    expect((await list({ from: gone, until: gone + 60 })).lives).toMatchObject([{ name: "htc-1" }]);
    const [first] = (await list({ limit: 1 })).lives;
    expect(first?.name).toBe("htc-1");
  });

  test("a time that ends before it begins is refused, and a cluster that nobody configured has none", async () => {
    const { ports } = await worldWithPast();
    expect(await listLives(ports, cluster, { limit: 1, from: 10, until: 5 })).toEqual({
      ok: false,
      problems: ["from: 10, expected less than until (5)"],
    });
    expect(await listLives(ports, "none", { limit: 1 })).toBeUndefined();
  });
});
