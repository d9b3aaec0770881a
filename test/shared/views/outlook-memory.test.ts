import { beforeEach, describe, expect, test } from "vitest";
import { act } from "../../../shared/operate/index.ts";
import { OutlookMemory } from "../../../shared/views/index.ts";
import { clusterOf, nodeOf } from "../../support/cluster.ts";
import { snapshotOf } from "../../support/snapshot.ts";
import { cluster, configOf, createWorld, jobFor, type World } from "../../support/world.ts";

const goneRow = {
  name: "htc-9",
  hostname: null,
  instanceId: null,
  nodeArray: "htc",
  vmSize: "Standard_F4s_v2",
  createdSeconds: 1,
  readySeconds: null,
  lastMatchSeconds: null,
  deletedSeconds: 2,
};

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

  test("an outlook that pages are of is held for a minute, also when there is a newer one", async () => {
    const first = await look();
    const at = first?.atSeconds ?? 0;
    world.advance(1);
    await world.snapshot();
    expect(await look()).not.toBe(first);
    expect(memory.held(cluster, at, world.now())).toBe(first);
    expect(memory.held("another", at, world.now())).toBeUndefined();
    expect(memory.held(cluster, at + 0.5, world.now())).toBeUndefined();
    world.advance(60);
    expect(memory.held(cluster, at, world.now())).toBeUndefined();
  });

  test("two outlooks are held beside the last one, and no more", async () => {
    const made: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      world.advance(1);
      await world.snapshot();
      made.push((await look())?.atSeconds ?? 0);
    }
    const held = made.filter((at) => memory.held(cluster, at, world.now()) !== undefined);
    expect(held).toEqual(made.slice(-3));
  });

  test("several that look at the same time share one plan", async () => {
    const [first, ...others] = await Promise.all([look(), look(), look()]);
    for (const other of others) expect(other).toBe(first);
  });

  test("node history that comes after its plan is seen at once", async () => {
    const first = await look();
    const row = { ...goneRow, nodeId: "n-1", deletedSeconds: null };
    await world.ports.history.save(cluster, [row]);
    const second = await look();
    expect(second).not.toBe(first);
    expect(second?.loaded.history).toContainEqual(row);
    await world.ports.history.save(cluster, [{ ...row, readySeconds: 12 }]);
    const third = await look();
    expect(third?.loaded.history).toContainEqual({ ...row, readySeconds: 12 });
    expect(third?.loaded.history).toHaveLength(second?.loaded.history.length ?? -1);
    expect(await look()).toBe(third);
  });

  test("rows that were removed are gone after ten minutes", async () => {
    const history = async () => (await look())?.loaded.history.map(({ nodeId }) => nodeId);
    await world.ports.history.save(cluster, [{ ...goneRow, nodeId: "gone" }]);
    expect(await history()).toContain("gone");
    await world.ports.history.remove(cluster, ["gone"]);
    world.advance(601);
    await world.snapshot();
    expect(await history()).not.toContain("gone");
  });

  describe("node history of more rows than a page", () => {
    const nodeIds = Array.from({ length: 1_001 }, (_, index) => `n-${index}`);
    const historyOf = async (other = new OutlookMemory()) =>
      (await other.lookAhead(world.ports, cluster))?.loaded.history.map(({ nodeId }) => nodeId);
    /** How often all rows were read. */
    let readings = 0;

    beforeEach(() => {
      const { history } = world.ports;
      const since = history.since.bind(history);
      readings = 0;
      history.since = (of, mark) => {
        if (mark === undefined) readings += 1;
        return since(of, mark);
      };
      return history.save(
        cluster,
        nodeIds.map((nodeId) => ({ ...goneRow, nodeId })),
      );
    });

    test("is read once by all who look, with what came since", async () => {
      const whole = await historyOf();
      await world.ports.history.save(cluster, [{ ...goneRow, nodeId: "later" }]);
      expect(await historyOf()).toEqual([...(whole ?? []), "later"]);
      expect(readings).toBe(1);
    });

    test("is read once for lists of it too", async () => {
      const { history } = memory.remembering(world.ports);
      await history.list(cluster);
      await history.save(cluster, [{ ...goneRow, nodeId: "later" }]);
      expect((await history.list(cluster)).at(-1)).toMatchObject({ nodeId: "later" });
      expect((await look())?.loaded.history).toHaveLength(nodeIds.length + 1);
      expect(readings).toBe(1);
    });

    test.each([
      ["is older than ten minutes", () => world.advance(601)],
      ["is of the future", () => world.advance(-1)],
      [
        "cannot be read",
        () => Object.assign(world.ports.history, { kept: () => Promise.reject(new Error("broken")) }),
      ],
    ])("is read anew when what was kept %s", async (_, happens) => {
      await historyOf();
      await world.ports.history.remove(cluster, ["n-7"]);
      happens();
      await world.snapshot();
      expect(await historyOf()).not.toContain("n-7");
      expect(readings).toBe(2);
    });

    test("is shown also where it cannot be kept", async () => {
      const keep = () => Promise.reject(new Error("no right to write"));
      Object.assign(world.ports.history, { keep });
      expect(await historyOf()).toEqual(expect.arrayContaining(nodeIds));
    });
  });

  test("a cluster that is not configured is not remembered", async () => {
    expect(await memory.lookAhead(world.ports, "hcp")).toBeUndefined();
  });
});

describe("OutlookMemory of several clusters", () => {
  const small = ["hpc-a", "hpc-b", "hpc-c"];
  const lookAt = async (name: string) => memory.lookAhead(world.ports, name);

  beforeEach(async () => {
    memory = new OutlookMemory({ mostRecords: 40 });
    for (const name of [...small, "huge"]) {
      world.ports.configs.put({ ...configOf({}), cluster: name });
      const nodes = Array.from({ length: name === "huge" ? 41 : 10 }, (_, index) =>
        nodeOf({ name: `htc-${index + 1}` }),
      );
      await world.ports.snapshots.save(name, snapshotOf(clusterOf({ name, nodes }), world.now()));
    }
  });

  test("many small ones are remembered", async () => {
    const first = await Promise.all(small.map(lookAt));
    expect(await Promise.all(small.map(lookAt))).toEqual(first);
    for (const [index, name] of small.entries()) expect(await lookAt(name)).toBe(first[index]);
  });

  test("a huge one is remembered alone", async () => {
    const first = await lookAt("hpc-a");
    const huge = await lookAt("huge");
    expect(await lookAt("huge")).toBe(huge);
    expect(await lookAt("hpc-a")).not.toBe(first);
    expect(await lookAt("huge")).not.toBe(huge);
  });
});
