import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toActions } from "../../../../shared/cycle/plan/to-actions.ts";
import type { CreateSet, NodeStart, Plan, Retirement } from "../../../../shared/engine/index.ts";
import { type ScaleAction, scaleActionSchema } from "../../../../shared/messages/scale-action.ts";
import { cases } from "../../../support/cases.ts";
import { emptyPlan } from "../../../support/cluster.ts";

function actionsOf(fields: Partial<Plan>): ScaleAction[] {
  return toActions(
    { ...emptyPlan, ...fields },
    {
      cluster: "hpc",
      planId: "plan-1",
      nowSeconds: 1_000,
      expiresAtSeconds: 1_600,
      requestIdOf: (actionId) => `request-${actionId}`,
    },
  );
}

function setOf(count: number, fields: Partial<CreateSet> = {}): CreateSet {
  const nodeArray = fields.nodeArray ?? "htc";
  const nameOffset = fields.nameOffset ?? 1;
  return {
    nodeArray,
    bucketId: "bucket-f4",
    vmSize: "Standard_F4s_v2",
    placementGroup: null,
    count,
    names: Array.from({ length: count }, (_, index) => `${nodeArray}-${nameOffset + index}`),
    nameFormat: null,
    nameOffset,
    nodeAttributes: {},
    keepAlive: false,
    ...fields,
  };
}

function startsOf(count: number): NodeStart[] {
  return Array.from({ length: count }, (_, index) => ({
    nodeId: `start-${index}`,
    name: `htc-${index}`,
    nodeArray: "htc",
  }));
}

function retired(index: number, cause: Retirement["cause"] = "idle-timeout"): Retirement {
  const node = { nodeId: `id-${index}`, name: `htc-${index}`, nodeArray: "htc", hostname: `host-${index}` };
  return { ...node, cause, sinceSeconds: 0 };
}

const setsOf = (actions: readonly ScaleAction[]) =>
  actions.map((action) => (action.kind === "create-nodes" ? action.sets : []));
const idsOf = (actions: readonly ScaleAction[]) =>
  actions.map((action) => (action.kind === "create-nodes" ? [] : action.nodes.map((node) => node.nodeId)));

describe("toActions", () => {
  test("each has when it was asked for, and whose trace it is part of, if that is known", () => {
    const origin = { cluster: "hpc", planId: "p", nowSeconds: 1, expiresAtSeconds: 2, requestIdOf: String };
    const known = { askedAtSeconds: 0, traceparent: "00-1-2-01" };
    const create = { ...emptyPlan, create: [setOf(1)] };
    expect(toActions(create, { ...origin, ...known })).toMatchObject([known]);
    for (const name of Object.keys(known)) expect(toActions(create, origin)[0]).not.toHaveProperty(name);
  });

  test("a plan that changes nothing has none", () => {
    expect(actionsOf({})).toEqual([]);
  });

  test("creates go first, then starts, then shutdowns; each names its plan and its request", () => {
    const actions = actionsOf({ create: [setOf(1)], start: startsOf(1), retire: [retired(1)] });
    expect(actions.map(({ kind, actionId, requestId }) => [kind, actionId, requestId])).toEqual([
      ["create-nodes", "plan-1-0000", "request-plan-1-0000"],
      ["start-nodes", "plan-1-0001", "request-plan-1-0001"],
      ["shutdown-nodes", "plan-1-0002", "request-plan-1-0002"],
    ]);
    for (const action of actions)
      expect(action).toMatchObject({ planId: "plan-1", createdAtSeconds: 1_000, expiresAtSeconds: 1_600 });
  });

  test("retries go last: the server retries all that have failed by then, not only these", () => {
    const retry = [{ nodeId: "id-1", name: "htc-1" }];
    const actions = actionsOf({ retry, retire: [retired(2, "failed")] });
    expect(actions.map((action) => action.kind)).toEqual(["shutdown-nodes", "retry-failed"]);
    expect(actions[1]).toMatchObject({ nodes: retry, reason: "retry of 1 failed node" });
    expect(actions.map((action) => scaleActionSchema.parse(action))).toEqual(actions);
  });

  test.each<[string, readonly string[]]>([
    ["jobs need 2 new nodes", []],
    ["jobs need 1 new node, targets 1", ["htc-1"]],
    ["targets need 2 new nodes", ["htc-1", "htc-2"]],
  ])("a create says who needs it: %s", (reason, spare) => {
    const nodes = ["htc-1", "htc-2"].map((name) => ({ name, jobs: spare.includes(name) ? [] : [{}] }));
    const [action] = actionsOf({ create: [setOf(2)], nodes, targets: [{}] } as unknown as Plan);
    expect(action).toMatchObject({ reason, ...(spare.length > 0 && { forTargets: true }) });
  });

  test("sets share an action up to 1,000 nodes", () => {
    const create = [setOf(600), setOf(400, { nodeArray: "a" }), setOf(1, { nodeArray: "b" })];
    const counts = setsOf(actionsOf({ create })).map((sets) => sets.map((set) => set.count));
    expect(counts).toEqual([[600, 400], [1]]);
  });

  test("a set of more is split; names and offsets go on where the part before ended", () => {
    const set = setOf(2_500, { nameFormat: "htc-%d", nameOffset: 7 });
    const parts = setsOf(actionsOf({ create: [set] })).flat();
    expect(parts.map(({ count, nameOffset, names }) => [count, nameOffset, names[0], names.at(-1)])).toEqual([
      [1_000, 7, "htc-7", "htc-1006"],
      [1_000, 1_007, "htc-1007", "htc-2006"],
      [500, 2_007, "htc-2007", "htc-2506"],
    ]);
  });

  test.each<readonly [string, Partial<CreateSet>, Record<string, unknown>]>([
    ["CycleCloud's own names need no format", {}, {}],
    [
      "a format comes with its offset",
      { nameFormat: "n%d", nameOffset: 3 },
      { nameFormat: "n%d", nameOffset: 3 },
    ],
    ["attributes are passed on", { nodeAttributes: { Tag: "x" } }, { nodeAttributes: { Tag: "x" } }],
    ["keep-alive is an attribute", { keepAlive: true }, { nodeAttributes: { KeepAlive: true } }],
    [
      "keep-alive joins the others",
      { keepAlive: true, nodeAttributes: { Tag: "x", KeepAlive: false } },
      { nodeAttributes: { Tag: "x", KeepAlive: true } },
    ],
    ["a placement group is kept", { placementGroup: "pg1" }, { placementGroup: "pg1" }],
  ])("%s", (_case, fields, expected) => {
    const [[set] = []] = setsOf(actionsOf({ create: [setOf(1, fields)] }));
    expect(set).toEqual({
      nodeArray: "htc",
      vmSize: "Standard_F4s_v2",
      placementGroup: null,
      count: 1,
      names: [`htc-${fields.nameOffset ?? 1}`],
      ...expected,
    });
  });

  test("starts and shutdowns come in chunks of 200 nodes", () => {
    const retire = Array.from({ length: 201 }, (_, index) => retired(index));
    const sizes = idsOf(actionsOf({ start: startsOf(401), retire })).map((ids) => ids.length);
    expect(sizes).toEqual([200, 200, 1, 200, 1]);
  });

  test("shutdowns are apart by cause, which decides what is checked again", () => {
    const retire = [retired(1), retired(2, "failed"), retired(3), retired(4, "boot-timeout")];
    const actions = actionsOf({ retire });
    expect(actions.map((action) => "cause" in action && action.cause)).toEqual([
      "boot-timeout",
      "failed",
      "idle-timeout",
    ]);
    expect(idsOf(actions)).toEqual([["id-4"], ["id-2"], ["id-1", "id-3"]]);
  });

  test("nodes that are deallocated and nodes that are deleted go apart, each with how and why", () => {
    const retire = [
      { ...retired(1), verb: "deallocate" },
      { ...retired(2), verb: "terminate" },
      { ...retired(3, "deallocated"), verb: "terminate" },
    ] as const;
    expect(actionsOf({ retire })).toMatchObject([
      {
        cause: "deallocated",
        verb: "terminate",
        reason: "1 deallocated node too old, or more than are kept",
      },
      {
        cause: "idle-timeout",
        verb: "deallocate",
        reason: "idle-timeout of 1 node: deallocated, to start sooner than a new node boots",
      },
      { cause: "idle-timeout", verb: "terminate", reason: "idle-timeout of 1 node" },
    ]);
  });

  test("a node without a host name has none in the action", () => {
    const [action] = actionsOf({ retire: [{ ...retired(1), hostname: null }] });
    expect(action).toMatchObject({ nodes: [{ nodeId: "id-1", name: "htc-1" }] });
    expect(action?.kind === "shutdown-nodes" && "hostname" in (action.nodes[0] ?? {})).toBe(false);
  });
});

describe("toActions: whatever the plan", () => {
  const plans = fc.record({
    creates: fc.array(fc.integer({ min: 1, max: 1_300 }), { maxLength: 5 }),
    starts: fc.nat({ max: 450 }),
    causes: fc.array(fc.constantFrom("idle-timeout", "boot-timeout", "failed"), { maxLength: 450 }),
  });

  test("every node is in exactly one action, and every action is a valid message of bearable size", () => {
    fc.assert(
      fc.property(plans, ({ creates, starts, causes }) => {
        const create = creates.map((count, index) => setOf(count, { nodeArray: `array${index}` }));
        const start = startsOf(starts);
        const retire = causes.map((cause, index) => retired(index, cause));
        const actions = actionsOf({ create, start, retire });

        const names = setsOf(actions).flatMap((sets) => sets.flatMap((set) => set.names));
        expect(names).toEqual(create.flatMap((set) => set.names));
        expect(idsOf(actions).flat().toSorted()).toEqual(
          [...start, ...retire].map((node) => node.nodeId).toSorted(),
        );
        expect(new Set(actions.map((action) => action.actionId)).size).toBe(actions.length);
        for (const action of actions) {
          expect(scaleActionSchema.parse(action)).toEqual(action);
          if (action.kind === "create-nodes")
            expect(action.sets.reduce((sum, set) => sum + set.count, 0)).toBeLessThanOrEqual(1_000);
          else expect(action.nodes.length).toBeLessThanOrEqual(200);
        }
      }),
      cases(50),
    );
  });
});
