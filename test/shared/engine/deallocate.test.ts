import { describe, expect, test } from "vitest";
import {
  type ClusterNode,
  type EngineSettings,
  type NodeArray,
  type PlanInput,
  plan,
} from "../../../shared/engine/index.ts";
import {
  array,
  bucket,
  cluster,
  deallocated,
  historyRow,
  input,
  job,
  node,
  nodesOf,
  nowSeconds,
  onOrder,
} from "./tiny.ts";

const daySeconds = 86_400;

function settings(most: number, maxAgeSeconds = 7 * daySeconds) {
  const ofArray = { most, maxAgeSeconds, diskUsdPerHour: null };
  return { deallocate: { default: null, byNodeArray: { htc: ofArray } } };
}

const idle = (name: string, fields: Parameters<typeof historyRow>[1] = {}) =>
  historyRow(name, { lastMatchSeconds: nowSeconds - 1_000, ...fields });

const asleep = (name: string, deletedSeconds: number) => historyRow(name, { deletedSeconds });

interface World extends Partial<Omit<PlanInput, "settings" | "cluster">> {
  readonly most?: number;
  readonly nodes: readonly ClusterNode[];
  readonly of?: Partial<NodeArray>;
}

/** The nodes that go, each with how. */
function going({ most = 2, nodes, of = {}, ...fields }: World): Readonly<Record<string, string>> {
  const world = cluster({ nodeArrays: [array(of)], nodes });
  const { retire } = plan(input({ cluster: world, settings: settings(most), ...fields }));
  return Object.fromEntries(
    retire.map(({ name, cause, verb = "as its policy says" }) => [name, `${cause}: ${verb}`]),
  );
}

const idleNodes = ["htc-1", "htc-2", "htc-3"].map((name) => node(name));
const idleRows = ["htc-1", "htc-2", "htc-3"].map((name) => idle(name));

describe("idle nodes", () => {
  test("are deallocated up to the most, the others are deleted whatever their shutdown policy", () => {
    expect(going({ nodes: idleNodes, history: idleRows })).toEqual({
      "htc-1": "idle-timeout: deallocate",
      "htc-2": "idle-timeout: deallocate",
      "htc-3": "idle-timeout: terminate",
    });
  });

  test("follow their shutdown policy where nothing is set", () => {
    const { retire } = plan(input({ cluster: cluster({ nodes: idleNodes }), history: idleRows }));
    expect(retire.map(({ verb }) => verb)).toEqual([undefined, undefined, undefined]);
  });

  test("count those that are deallocated, are about to be, or have been asked to start and are not seen to", () => {
    const nodes = [...idleNodes, node("htc-4", deallocated), node("htc-5")];
    const history = [...idleRows, asleep("htc-4", nowSeconds - 60), idle("htc-5")];
    const leaving = { leavingNodeIds: ["id-htc-5"], deallocatingNodeIds: ["id-htc-5"] };
    const pending = [onOrder(1, { names: ["htc-4"] })];
    const found = going({ most: 3, nodes, history, pending, ...leaving });
    expect(Object.values(found).toSorted()).toEqual([
      "idle-timeout: deallocate",
      "idle-timeout: terminate",
      "idle-timeout: terminate",
    ]);
  });

  test("that take no jobs come last: their scheduler may hold them, and then they take no place", () => {
    const closed = { closedNodeIds: ["id-htc-1"] };
    expect(going({ most: 1, nodes: idleNodes, history: idleRows, ...closed })).toEqual({
      "htc-1": "idle-timeout: terminate",
      "htc-2": "idle-timeout: deallocate",
      "htc-3": "idle-timeout: terminate",
    });
    expect(going({ most: 3, nodes: idleNodes, history: idleRows, ...closed })).toMatchObject({
      "htc-1": "idle-timeout: deallocate",
    });
  });

  test.each([
    { what: "Spot nodes", of: { spot: true } },
    { what: "an OS disk that goes with the VM", of: { ephemeralOsDisk: true } as const },
  ])("of an array with $what are deleted as if nothing were set", ({ of }) => {
    expect(Object.values(going({ nodes: idleNodes, history: idleRows, of }))).toEqual(
      Array(3).fill("idle-timeout: as its policy says"),
    );
  });

  test("that are Spot nodes, in whatever array, are deleted", () => {
    const nodes = [node("htc-1", { spot: true }), node("htc-2")];
    expect(going({ nodes, history: idleRows })).toEqual({
      "htc-1": "idle-timeout: terminate",
      "htc-2": "idle-timeout: deallocate",
    });
  });

  test("that are too old are deleted, also where they have slept in between", () => {
    const old = nowSeconds - 8 * daySeconds;
    const history = [
      idle("htc-1", { createdSeconds: old }),
      idle("htc-2", { madeSeconds: old }),
      idle("htc-3"),
    ];
    expect(going({ nodes: idleNodes, history })).toEqual({
      "htc-1": "idle-timeout: terminate",
      "htc-2": "idle-timeout: terminate",
      "htc-3": "idle-timeout: deallocate",
    });
  });

  test("are all that is deallocated: a failed node is deleted", () => {
    const nodes = [node("htc-1", { status: "Failed" })];
    expect(going({ nodes, history: [historyRow("htc-1")] })).toEqual({ "htc-1": "failed: terminate" });
  });
});

describe("deallocated nodes", () => {
  const nodes = ["htc-1", "htc-2", "htc-3"].map((name) => node(name, deallocated));
  const history = [asleep("htc-1", nowSeconds - 60), asleep("htc-2", nowSeconds - 90), asleep("htc-3", 0)];

  test("beyond the most are deleted, the longest deallocated first", () => {
    expect(going({ nodes, history })).toEqual({ "htc-3": "deallocated: terminate" });
    expect(Object.keys(going({ most: 0, nodes, history }))).toHaveLength(3);
  });

  test("that are too old are deleted; of one whose age is not known nothing is concluded", () => {
    const old = { deletedSeconds: nowSeconds - 60, createdSeconds: nowSeconds - 8 * daySeconds };
    expect(going({ most: 9, nodes, history: [historyRow("htc-2", old)] })).toEqual({
      "htc-2": "deallocated: terminate",
    });
  });

  test("that start, stop, are kept alive, ignored or on their way out are left alone", () => {
    const others = [
      node("htc-1", deallocated),
      node("htc-2", { status: "Stopping", targetState: "Deallocated" }),
      node("htc-3", { ...deallocated, keepAlive: true }),
      node("htc-4", deallocated),
      node("htc-5", deallocated),
    ];
    const world = cluster({ nodes: others });
    const result = plan(
      input({
        cluster: world,
        settings: { ...settings(0), ignoredNodes: ["htc-4"] },
        jobs: [job("j", { ncpus: 4 })],
        leavingNodeIds: ["id-htc-5"],
      }),
    );
    expect(result.start.map(({ name }) => name)).toEqual(["htc-1"]);
    expect(result.retire).toEqual([]);
  });

  test("of buckets that are not valid are not seen, as by scalelib", () => {
    const world = cluster({
      nodeArrays: [array({ buckets: [bucket({ fields: { valid: false } })] })],
      nodes,
    });
    const goingWith = (compatibility: Partial<EngineSettings>) =>
      plan(input({ cluster: world, history, settings: { ...settings(0), ...compatibility } })).retire.length;
    expect([goingWith({}), goingWith({ compatibility: "scalelib" })]).toEqual([3, 0]);
  });

  test("of an array without the setting are the operator's", () => {
    expect(plan(input({ cluster: cluster({ nodes }), history })).retire).toEqual([]);
  });
});

test("a started node remembers when it was made", () => {
  const before = asleep("htc-1", nowSeconds - 60);
  const nodes = [node("htc-1", { status: "Acquiring" })];
  const { history } = plan(input({ cluster: cluster({ nodes }), history: [before] }));
  expect(history).toMatchObject([{ createdSeconds: nowSeconds, madeSeconds: before.createdSeconds }]);
});

test("a deallocated node before one that a job of whole nodes took is started for the next job of that shape", () => {
  const nodes = [node("htc-1", deallocated), node("htc-2", deallocated)];
  const whole = { packingStrategy: "scatter", nodeCount: 1 } as const;
  const jobs = [
    job("starts", { ncpus: 2, "node.name": "htc-2" }),
    ...["a", "b"].map((name) => job(name, { ncpus: 2 }, whole)),
  ];
  const result = plan(input({ cluster: cluster({ nodes }), jobs }));
  expect(jobs.flatMap(({ name }) => nodesOf(result, name))).toEqual(["htc-2", "htc-2", "htc-1"]);
});
