import { expect, test } from "vitest";
import { releasedSpot } from "../../../../shared/cycle/plan/release-spot.ts";
import { clusterOf, emptyPlan, nodeOf } from "../../../support/cluster.ts";

const spot = nodeOf({ name: "spot-1", nodeArray: "htc-spot", status: "Preparation" });
const { nodeId, name, nodeArray, hostname } = spot;
const retirement = { nodeId, name, nodeArray, hostname, cause: "boot-timeout", sinceSeconds: 0 } as const;
const job = { asked: 1, granted: 1 } as (typeof emptyPlan)["jobs"][number];

function released({
  node = {},
  plan = {},
  ...facts
}: {
  readonly node?: Partial<typeof spot>;
  readonly plan?: Partial<typeof emptyPlan>;
  readonly stance?: "first" | "SpotNotInterruptible" | "SpotPatienceOver";
  readonly leavingNodeIds?: readonly string[];
  readonly isInDoubt?: boolean;
}) {
  const { stance = "SpotPatienceOver", leavingNodeIds = [], isInDoubt = false } = facts;
  return releasedSpot(
    { plan: { ...emptyPlan, jobs: [job], unmatched: [name], ...plan }, stances: new Map([[0, stance]]) },
    {
      cluster: clusterOf({ nodes: [{ ...spot, ...node }] }),
      pairs: [{ spot: "htc-spot", regular: "htc" }],
      leavingNodeIds,
      isInDoubt,
      nowSeconds: 7,
    },
  ).map((each) => each.name);
}

test("a spot node that boots goes when a job that waited for it has a regular one", () => {
  expect(released({})).toEqual(["spot-1"]);
});

test.each<[string, Parameters<typeof released>[0]]>([
  ["is of no spot array", { node: { nodeArray: "htc" } }],
  ["is up", { node: { status: "Ready" } }],
  ["has failed", { node: { status: "Failed" } }],
  ["goes already", { node: { targetState: "Terminated" } }],
  ["is kept alive", { node: { keepAlive: true } }],
  ["has a job", { plan: { unmatched: [] } }],
  ["has a deletion under way", { leavingNodeIds: [nodeId] }],
  ["goes for another reason", { plan: { retire: [retirement] } }],
  ["may be needed, because demand is in doubt", { isInDoubt: true }],
  ["is still waited for", { stance: "first" }],
  ["was never waited for", { stance: "SpotNotInterruptible" }],
  ["is missed by a job without a node", { plan: { jobs: [{ ...job, granted: 0 }] } }],
])("one that %s stays", (_, given) => {
  expect(released(given)).toEqual([]);
});
