import { expect, test } from "vitest";
import { actionBody } from "../../../shared/api/index.ts";
import { act } from "../../../shared/operate/act.ts";
import { listNodes, lookAhead } from "../../../shared/views/index.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, worldWith } from "../../support/world.ts";

const who = { by: "alice", reason: "a list of names", dryRun: false };
const nodes = { names: ["htc-1", "nope-1", "nope-*"] };

async function ask(body: Parameters<typeof act>[1]["body"]) {
  const own = [
    nodeOf({ name: "htc-1", nodeId: "id-1", hostname: "ip-1" }),
    nodeOf({ name: "htc-2", hostname: "ip-2" }),
  ];
  const others = nodeOf({ name: "proxy", nodeId: "proxy", nodeArray: "proxy", hostname: "ip-9" });
  const world = worldWith({ nodes: [...own, others] });
  await world.round();
  const outcome = await act(world.ports, { cluster, body });
  if (outcome.outcome !== "answered") throw new Error(`Not answered: ${outcome.outcome}`);
  return outcome.answer;
}

test.each([
  { kind: "delete", force: true, nodes, ...who },
  { kind: "drain", force: false, nodes, ...who },
  { kind: "ignore", nodes, ...who },
  { kind: "keep-alive", on: true, nodes, ...who },
] as const)("$kind: what is known is done, and a name that no node has is refused", async (body) => {
  const { actions, skipped } = await ask(body);
  expect(actions.flatMap((action) => action.nodes.map(({ name }) => name))).toEqual(["htc-1"]);
  expect(skipped).toEqual([
    {
      node: "nope-1",
      why: "no node of the cluster has this name",
      next: "Check the name: `ccscale nodes` lists all.",
      refused: true,
    },
  ]);
});

test("a retry without a selection is of the nodes that failed on their way up, and of no others", async () => {
  const nodes = [
    nodeOf({ name: "htc-10", status: "Failed" }),
    nodeOf({ name: "htc-9", status: "Failed" }),
    nodeOf({ name: "htc-2" }),
    nodeOf({ name: "htc-3", status: "Failed", targetState: "Terminated" }),
  ];
  const world = worldWith({ nodes });
  await world.snapshot();
  const outcome = await act(world.ports, { cluster, body: { kind: "retry-failed", force: false, ...who } });
  if (outcome.outcome !== "answered") throw new Error(`Not answered: ${outcome.outcome}`);
  expect(outcome.answer.actions.flatMap((action) => action.nodes.map(({ name }) => name))).toEqual([
    "htc-9",
    "htc-10",
  ]);
  expect(outcome.answer.skipped).toEqual([]);
});

test.each(["terminate", "remove"] as const)(
  "%s passes over what is on its way out, or of unknown fate",
  async (kind) => {
    const nodes = [
      nodeOf({ name: "htc-1" }),
      nodeOf({ name: "htc-2", targetState: "Terminated" }),
      nodeOf({ name: "htc-3", targetState: null }),
    ];
    const world = worldWith({ nodes });
    await world.snapshot();
    const body = { kind, force: true, nodes: { names: nodes.map(({ name }) => name) }, ...who };
    expect(await act(world.ports, { cluster, body })).toMatchObject({
      answer: {
        actions: [{ nodes: [{ name: "htc-1" }] }],
        skipped: [
          { node: "htc-2", refused: false },
          { node: "htc-3", refused: true },
        ],
      },
    });
  },
);

test("a selection of names that no node has names them", async () => {
  const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
  await world.round();
  const names = Array.from({ length: 7 }, (_, index) => `htc-${50_000 + index}`);
  const body = { kind: "keep-alive", on: true, nodes: { names }, ...who } as const;
  expect(await act(world.ports, { cluster, body })).toMatchObject({
    problems: expect.arrayContaining([
      'nodes: "htc-50000": no node of the cluster has this name',
      "nodes: and 2 more names",
    ]),
  });
});

test("a dynamic array selects its nodes, and the array that it extends selects them too", async () => {
  const grouped = nodeOf({ name: "htc-1", nodeId: "id-1", dynamicArray: "htc:64" });
  const world = worldWith({ nodes: [grouped, nodeOf({ name: "htc-2" })] });
  await world.round();
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("unknown cluster");
  for (const [nodeArray, names] of [
    ["htc:64", ["htc-1"]],
    ["htc:*", ["htc-1"]],
    ["htc", ["htc-1", "htc-2"]],
  ] as const) {
    const listed = listNodes(outlook, { nodeArray: [nodeArray], limit: 10 });
    expect(listed.ok && listed.answer.nodes.map(({ name }) => name)).toEqual(names);
    const body = { kind: "ignore", nodes: { nodeArrays: [nodeArray] }, ...who, dryRun: true } as const;
    const outcome = await act(world.ports, { cluster, body });
    if (outcome.outcome !== "answered") throw new Error(`Not answered: ${outcome.outcome}`);
    expect(outcome.answer.actions.flatMap(({ nodes }) => nodes.map(({ name }) => name))).toEqual(names);
    expect(outcome.answer.skipped).toEqual([]);
  }
});

test("undrain: a name that no node has is refused beside a node that is not drained", async () => {
  const { skipped } = await ask({ kind: "undrain", nodes, ...who });
  expect(skipped).toMatchObject([
    { node: "nope-1", refused: true },
    { node: "htc-1", refused: false },
  ]);
});

test.each([
  ["a node outside of the node arrays", { names: ["htc-1", "proxy"] }, "proxy", "belongs to no node array"],
  ["a host name", { hostnames: ["IP-1", "ip-3"] }, "ip-3", "no node of the cluster has this host name"],
  ["an id", { nodeIds: ["id-1", "x"] }, "x", "no node of the cluster has this id"],
  [
    "a node array",
    { nodeArrays: ["htc", "hcp"], names: ["htc-1"] },
    "hcp",
    "the cluster has no node array of this name",
  ],
])("what is not there: %s", async (_, selection, node, why) => {
  const { skipped, actions } = await ask({ kind: "ignore", nodes: selection, ...who });
  expect(actions).toHaveLength(1);
  expect(skipped).toEqual([{ node, why, next: expect.any(String), refused: true }]);
});

test.each([
  ["a wildcard", { names: ["htc-1", "nope-*", "no[pq]", "no?"] }],
  ["another kind of the selection leaves it out", { names: ["htc-1", "htc-2"], hostnames: ["ip-1"] }],
])("nothing is missed: %s", async (_, selection) => {
  const { skipped, actions } = await ask({ kind: "ignore", nodes: selection, ...who });
  expect({ skipped, count: actions.length }).toEqual({ skipped: [], count: 1 });
});

test("10,000 names are looked up among 200 nodes, and those that are there are found", async () => {
  const own = Array.from({ length: 200 }, (_, index) => nodeOf({ name: `htc-${index + 1}` }));
  const world = worldWith({ nodes: own });
  await world.round();
  const names = Array.from({ length: 10_000 }, (_, index) => `htc-${index + 2}`);
  const body = { kind: "ignore", nodes: { names }, ...who, dryRun: true } as const;
  const outcome = await act(world.ports, { cluster, body: actionBody.parse(body) });
  if (outcome.outcome !== "answered") throw new Error(`Not answered: ${outcome.outcome}`);
  expect(outcome.answer.actions.flatMap((action) => action.nodes)).toHaveLength(199);
  expect(outcome.answer.skipped).toHaveLength(9_801);
  expect(outcome.answer.skipped[0]).toMatchObject({ node: "htc-201", refused: true });
});
