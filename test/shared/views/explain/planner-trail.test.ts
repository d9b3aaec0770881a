import { describe, expect, test } from "vitest";
import type { TargetOutcome } from "../../../../shared/engine/index.ts";
import type { Operation } from "../../../../shared/ports/index.ts";
import { targetTrail } from "../../../../shared/views/explain/planner-trail.ts";
import type { Outlook } from "../../../../shared/views/outlook.ts";
import { createAction, nodesAction, operationOf, requestedNode } from "../../../support/operation.ts";

const target = { name: "login", requestSet: "s1", asked: 4, granted: 2, unit: "nodes", reasons: [] };

/** What an outlook says of the target above, with these operations and what the newest plan gave. */
function stepsOf(
  operations: readonly Operation[],
  {
    targets = [],
    seen = 100,
    nodes = [],
  }: {
    readonly targets?: readonly object[];
    readonly seen?: number;
    readonly nodes?: readonly string[];
  } = {},
): readonly string[] {
  const outlook = {
    head: { atSeconds: 200, planId: "p", targetRequests: { s1: seen }, targets },
    loaded: { operations, demand: [] },
    recent: [],
    nodesByName: new Map(),
  } as unknown as Outlook;
  const about = { nodes, target: target as unknown as TargetOutcome, receivedAtSeconds: 100 };
  return targetTrail(outlook, about).map(({ text }) => text);
}

describe("what the newest plan gave a target", () => {
  const given = (name: string, requestSet: string, granted: number) => ({
    ...target,
    name,
    requestSet,
    granted,
  });

  test("is its own, not that of another of the same request, or of its name before", () => {
    const targets = [given("compute", "s1", 1), given("login", "s0", 3), given("login", "s1", 2)];
    expect(stepsOf([], { targets })).toEqual(["The newest plan gave it 2 of 4 nodes."]);
  });

  test.each([
    ["it has none of this name in this request", { targets: [given("login", "s0", 3)] }],
    ["it saw an older request", { targets: [given("login", "s1", 2)], seen: 99 }],
  ])("is not known yet: %s", (_, of) => {
    expect(stepsOf([], of)).toEqual([
      "The newest plan was made before the request came; the next one sees it.",
    ]);
  });
});

describe("a node without an id comes of", () => {
  const create = createAction(["htc-1", "htc-2"]);
  const made = [requestedNode("htc-1")];

  test.each<readonly [string, Operation, boolean]>([
    ["a create that is on its way", operationOf(create, { state: "accepted", nodes: made }), true],
    ["a create that made nothing", operationOf(create, { state: "failed" }), true],
    ["no create that made others and is over", operationOf(create, { state: "failed", nodes: made }), false],
    ["no deletion of a node of that name", operationOf(nodesAction("shutdown-nodes", ["htc-2"])), false],
  ])("%s", (_, operation, isToldOf) => {
    const steps = stepsOf([operation], { nodes: ["htc-2"] }).filter((text) => text.includes("because test"));
    expect(steps).toHaveLength(isToldOf ? 1 : 0);
  });
});
