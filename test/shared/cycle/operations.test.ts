import { describe, expect, test } from "vitest";
import { isVisibleIn, underWay } from "../../../shared/cycle/operations.ts";
import type { ClusterNode } from "../../../shared/engine/index.ts";
import type { NodesAction } from "../../../shared/messages/scale-action.ts";
import type { Operation } from "../../../shared/ports/index.ts";
import { clusterOf, nodeOf } from "../../support/cluster.ts";
import { createAction, nodesAction, operationOf, requestedNode } from "../../support/operation.ts";
import { snapshotOf } from "../../support/snapshot.ts";

const deallocated = { status: "Deallocated", targetState: "Deallocated" } as const;
const terminating = { status: "Terminating", targetState: "Terminated" } as const;
/** An operation that CycleCloud took. */
const taken = (action: Operation["action"], fields: Partial<Operation>): Operation =>
  operationOf(action, { state: "accepted", ...fields });
const named = (...names: readonly string[]) => names.map((name) => nodeOf({ name }));

function pendingNames(operation: Operation, nodes: readonly ClusterNode[]): readonly string[] {
  return underWay([operation], clusterOf({ nodes })).pending.flatMap((pending) => pending.names ?? []);
}

describe("underWay: nodes that are coming", () => {
  const create = createAction(["htc-1", "htc-2", "htc-3"]);
  const start = nodesAction("start-nodes", ["htc-1", "htc-2"]);
  const made = ["htc-1", "htc-2"].map(requestedNode);

  test.each<readonly [string, Operation, readonly ClusterNode[], readonly string[]]>([
    ["a create that was sent: all of its names", operationOf(create), [], ["htc-1", "htc-2", "htc-3"]],
    [
      "a create that is only recorded: the same",
      operationOf(create, { state: "planned" }),
      [],
      ["htc-1", "htc-2", "htc-3"],
    ],
    [
      "a create that CycleCloud was asked for: all until it tells, whatever names show",
      operationOf(create, { asked: true }),
      named("htc-2"),
      ["htc-1", "htc-2#plan-0001-0", "htc-3"],
    ],
    [
      "a create that CycleCloud was not asked for yet: all, others have got the names that show",
      operationOf(create),
      named("htc-2"),
      ["htc-1", "htc-2#plan-0001-0", "htc-3"],
    ],
    [
      "accepted in part, nodes not told yet: as many as were added",
      taken(create, { added: [2] }),
      [],
      ["htc-1", "htc-2"],
    ],
    ["accepted, none added: none", taken(create, { added: [0] }), [], []],
    [
      "accepted, nodes told: those that do not show, whatever was planned",
      taken(create, { added: [2], nodes: made }),
      named("htc-1"),
      ["htc-2"],
    ],
    [
      "accepted, fewer nodes told than added, since the list lags: all that do not show",
      taken(create, { added: [3], nodes: made }),
      named("htc-1"),
      ["htc-2", "htc-3"],
    ],
    [
      "accepted, fewer nodes told than added, by a list that has caught up: what is not listed is gone again",
      taken(create, { added: [3], nodes: made, isToldWhole: true }),
      named("htc-1"),
      ["htc-2"],
    ],
    [
      "accepted, its answer lost, fewer nodes told than asked: all that do not show",
      taken(create, { nodes: made }),
      named("htc-1"),
      ["htc-2", "htc-3"],
    ],
    [
      "a start: nodes that are still deallocated",
      operationOf(start),
      [nodeOf({ name: "htc-1", ...deallocated }), nodeOf({ name: "htc-2" })],
      ["htc-1"],
    ],
    ["a start of a node that is gone: none", operationOf(start), [], []],
    [
      "a start that the server took for one node only: that one",
      taken(start, { nodes: [requestedNode("htc-2")] }),
      ["htc-1", "htc-2"].map((name) => nodeOf({ name, ...deallocated })),
      ["htc-2"],
    ],
    ["a shutdown: none", operationOf(nodesAction("shutdown-nodes", ["htc-1"])), named("htc-1"), []],
  ])("%s", (_case, operation, nodes, expected) => {
    expect(pendingNames(operation, nodes)).toEqual(expected);
  });

  test("each set keeps its own bucket", () => {
    const [set] = create.sets;
    if (set === undefined) throw new Error("no set");
    const sets = [set, { ...set, nodeArray: "hpc", placementGroup: "pg1", names: ["hpc-1"], count: 1 }];
    const { pending } = underWay([operationOf({ ...create, sets })], clusterOf());
    expect(pending).toMatchObject([
      { nodeArray: "htc", placementGroup: null, count: 3, actionId: "plan-0001-0" },
      { nodeArray: "hpc", placementGroup: "pg1", count: 1, names: ["hpc-1"] },
    ]);
  });
});

describe("underWay: which set the nodes that were told belong to", () => {
  const told = requestedNode("htc-1");
  const first = { nodeArray: "htc", vmSize: told.vmSize, placementGroup: null, count: 1, names: ["htc-1"] };

  test.each([
    ["of another size", { vmSize: "Standard_E4s_v2" }],
    ["of another array", { nodeArray: "hpc" }],
    ["in a placement group", { placementGroup: "pg1" }],
    ["of a dynamic array", { dynamicArray: "pools" }],
  ])("one %s is still on order", (_, difference) => {
    const other = { ...first, ...difference, names: ["other-1"] };
    const [set] = createAction(["htc-1"]).sets;
    const sets = [other, first].map((fields) => ({ ...set, ...fields })) as typeof create.sets;
    const operation = operationOf({ ...create, sets }, { state: "accepted", added: [1, 1], nodes: [told] });
    expect(underWay([operation], clusterOf({ nodes: named("htc-1") })).pending).toMatchObject([
      { ...difference, names: ["other-1"], count: 1 },
    ]);
  });

  const create = createAction(["htc-1"]);
});

describe("underWay: a name that is used again", () => {
  test("while the snapshot shows its last owner, the new node goes by its id as well", () => {
    const operation = operationOf(createAction(["htc-1"]), {
      state: "accepted",
      added: [1],
      nodes: [{ ...requestedNode("htc-1"), nodeId: "new" }],
    });
    const { pending } = underWay([operation], clusterOf({ nodes: named("htc-1") }));
    expect(pending).toMatchObject([{ nodeArray: "htc", count: 1, names: ["htc-1#new"] }]);
  });
});

describe("underWay: a name of a node that is being deleted, and of one that was made since", () => {
  const older = { ...requestedNode("htc-1"), nodeId: "id-older" };
  const newer = { ...requestedNode("htc-1"), nodeId: "id-newer" };
  const deletion = operationOf(nodesAction("shutdown-nodes", ["htc-1"]), {
    state: "accepted",
    nodes: [older],
  });
  const creation = operationOf(createAction(["htc-1"]), { state: "accepted", added: [1], nodes: [newer] });

  // Operations are in the order of clocks that may disagree, so the older one may come last.
  test.each([
    ["first", [deletion, creation]],
    ["last", [creation, deletion]],
  ])("the new node is coming, with the deletion listed %s", (_, operations) => {
    const { pending } = underWay(operations, clusterOf({ nodes: [] }));
    expect(pending).toMatchObject([{ count: 1, names: ["htc-1"] }]);
  });
});

describe("underWay: a name that went from one new node to the next", () => {
  const accepted = (actionId: string, nodeId: string) =>
    operationOf(createAction(["htc-1"], { actionId }), {
      state: "accepted",
      added: [1],
      nodes: [{ ...requestedNode("htc-1"), nodeId }],
    });

  test("counts once: its first owner is gone", () => {
    const operations = [accepted("plan-1-0000", "first"), accepted("plan-2-0000", "second")];
    expect(underWay(operations, clusterOf()).pending).toMatchObject([{ actionId: "plan-2-0000" }]);
  });

  test("does not hide a node that was planned under it and is still to come", () => {
    const planned = operationOf(createAction(["htc-1", "htc-2"], { actionId: "plan-2-0000" }));
    const { pending } = underWay([accepted("plan-1-0000", "first"), planned], clusterOf());
    expect(pending).toMatchObject([
      { count: 1, names: ["htc-1"] },
      { count: 2, names: ["htc-1#plan-2-0000", "htc-2"] },
    ]);
  });
});

describe("underWay: nodes that are leaving", () => {
  const shutdown = nodesAction("shutdown-nodes", ["htc-1", "htc-2"]);

  test.each<readonly [string, Operation, readonly string[]]>([
    ["a shutdown that was sent: all of its nodes", operationOf(shutdown), ["id-htc-1", "id-htc-2"]],
    [
      "a shutdown that was carried out for one node only: that one",
      taken(shutdown, { nodes: [requestedNode("htc-2")] }),
      ["id-htc-2"],
    ],
    ["a create: none", operationOf(createAction(["htc-1"])), []],
    ["a start: none", operationOf(nodesAction("start-nodes", ["htc-1"])), []],
  ])("%s", (_case, operation, expected) => {
    const nodes = named("htc-1", "htc-2");
    expect(underWay([operation], clusterOf({ nodes })).leavingNodeIds).toEqual(expected);
  });
});

describe("underWay: nodes that are deallocated", () => {
  const shutdown = nodesAction("shutdown-nodes", ["htc-1"]);

  test.each([
    ["a shutdown that deallocates", { ...shutdown, verb: "deallocate" } as NodesAction, ["id-htc-1"]],
    ["an operator's request", nodesAction("deallocate-nodes", ["htc-1"]), ["id-htc-1"]],
    ["a shutdown that deletes: none", { ...shutdown, verb: "terminate" } as NodesAction, undefined],
  ])("%s", (_case, action, expected) => {
    const { leavingNodeIds, deallocatingNodeIds } = underWay([operationOf(action)], clusterOf());
    expect([leavingNodeIds, deallocatingNodeIds]).toEqual([["id-htc-1"], expected]);
  });
});

describe("isVisibleIn", () => {
  const told = (action: Operation["action"], ...names: readonly string[]) =>
    taken(action, { nodes: names.map(requestedNode) });
  const create = createAction(["htc-1", "htc-2"]);
  const start = nodesAction("start-nodes", ["htc-1"]);
  const shutdown = nodesAction("shutdown-nodes", ["htc-1"]);
  const deletion = { ...shutdown, verb: "terminate" } as NodesAction;
  const off = [nodeOf({ name: "htc-1", ...deallocated })];
  const ending = [nodeOf({ name: "htc-1", ...terminating })];

  test.each<readonly [string, Operation, readonly ClusterNode[], boolean]>([
    ["a create: all nodes show", told(create, "htc-1", "htc-2"), named("htc-1", "htc-2"), true],
    ["a create: one is missing", told(create, "htc-1", "htc-2"), named("htc-1"), false],
    [
      "a create: its answer was lost, and fewer are told than asked",
      told(create, "htc-1"),
      named("htc-1"),
      false,
    ],
    [
      "a create: fewer are told than asked, by a list that has caught up",
      { ...told(create, "htc-1"), isToldWhole: true },
      named("htc-1"),
      true,
    ],
    ["a create: its nodes are not known", told(create), named("htc-1", "htc-2"), false],
    ["a start: the node is asked to run", told(start, "htc-1"), named("htc-1"), true],
    ["a start: it is still deallocated", told(start, "htc-1"), off, false],
    ["a start: it is gone", told(start, "htc-1"), [], true],
    ["a shutdown: the node is still asked to run", told(shutdown, "htc-1"), named("htc-1"), false],
    ["a shutdown: it terminates", told(shutdown, "htc-1"), ending, true],
    ["a shutdown: it is deallocated", told(shutdown, "htc-1"), off, true],
    [
      "a deletion, and it is deallocated, as it was before",
      told(nodesAction("terminate-nodes", ["htc-1"]), "htc-1"),
      off,
      false,
    ],
    ["a shutdown that deletes, and it is deallocated, as it was before", told(deletion, "htc-1"), off, false],
    ["a shutdown that deletes: it terminates", told(deletion, "htc-1"), ending, true],
    ["a shutdown: it is gone", told(shutdown, "htc-1"), [], true],
  ])("%s: %4$s", (_case, operation, nodes, expected) => {
    const snapshot = snapshotOf(clusterOf({ nodes }), 2_000);
    expect(isVisibleIn(operation, snapshot)).toBe(expected);
  });
});
