import { describe, expect, test } from "vitest";
import {
  type Caps,
  countsWith,
  isRaisable,
  type LimitName,
  limitNames,
  type PlanInput,
  plan,
  raisedCaps,
  raisedCluster,
  survey,
  withoutLimit,
} from "../../../shared/engine/index.ts";
import { array, type BucketSpec, bucket, cluster, input, job, node } from "./tiny.ts";

interface Case {
  /** Fields of a world in which the limit is what leaves the job of 20 whole nodes so many. */
  readonly world: Partial<PlanInput>;
  readonly leaves: number;
  /** What the job asks beside its cpus. */
  readonly asks?: Readonly<Record<string, unknown>>;
  /** Whether a node of the array makes room when it goes. */
  readonly roomByNodes: boolean;
}

const noCaps: Caps = { maxNodesPerPlan: null, maxCores: null, budget: null };
const ofSize = (spec: BucketSpec, fields = {}) =>
  cluster({ nodeArrays: [array({ buckets: [bucket({ available: 50, ...spec })], ...fields })] });
const plain = ofSize({});
const eightCores = { maxCores: 8, usedCores: 0 };
const held = { nodeArray: "htc", vmSize: "Standard_F4" };
const budget = { maxUsd: 2, spentUsd: 0 };

const cases: Readonly<Record<LimitName, Case>> = {
  bucket: { world: { cluster: ofSize({ available: 2 }) }, leaves: 2, roomByNodes: true },
  region: { world: { cluster: ofSize({ limits: { region: eightCores } }) }, leaves: 2, roomByNodes: true },
  cluster: { world: { cluster: { ...plain, maxCoreCount: 8 } }, leaves: 2, roomByNodes: true },
  "node-array": { world: { cluster: ofSize({}, { maxCount: 2 }) }, leaves: 2, roomByNodes: true },
  family: { world: { cluster: ofSize({ limits: { family: eightCores } }) }, leaves: 2, roomByNodes: true },
  "placement-group": {
    world: { cluster: ofSize({ limits: { maxPlacementGroupSize: 2 } }, { placementGroup: "pg0" }) },
    leaves: 2,
    asks: { "in-a-placement-group": true },
    roomByNodes: true,
  },
  "spot-share": {
    world: {
      cluster: cluster({
        nodeArrays: [array({ name: "regular" }), array({ spot: true, buckets: [bucket({ available: 50 })] })],
        nodes: [node("regular-1", { nodeArray: "regular" }), node("regular-2", { nodeArray: "regular" })],
      }),
      spotShares: [{ spot: "htc", regular: "regular", perMille: 500 }],
    },
    leaves: 2,
    asks: { "node.nodearray": "htc" },
    roomByNodes: false,
  },
  "max-nodes-per-plan": {
    world: { cluster: plain, caps: { ...noCaps, maxNodesPerPlan: 2 } },
    leaves: 2,
    roomByNodes: false,
  },
  "max-cores": { world: { cluster: plain, caps: { ...noCaps, maxCores: 8 } }, leaves: 2, roomByNodes: true },
  "monthly-budget": {
    world: { cluster: ofSize({ fields: { pricePerHourUsd: 1 } }), caps: { ...noCaps, budget } },
    leaves: 2,
    roomByNodes: true,
  },
  "unknown-price": {
    world: { cluster: plain, caps: { ...noCaps, budget } },
    leaves: 0,
    roomByNodes: false,
  },
  "back-off": {
    world: { cluster: plain, heldSizes: [{ ...held, hold: "back-off" }] },
    leaves: 0,
    roomByNodes: false,
  },
  budget: {
    world: { cluster: plain, heldSizes: [{ ...held, hold: "budget" }] },
    leaves: 0,
    roomByNodes: false,
  },
};

/** Can be taken away by giving the price, and has no amount to raise. */
const isTakenAway = (name: LimitName) => isRaisable(name) || name === "unknown-price";

describe.each(limitNames)("the limit %s", (name) => {
  const { world, leaves, asks, roomByNodes } = cases[name];
  const jobs = [job("job", { ncpus: 4, ...asks }, { iterations: 20 })];
  const before = input({ ...world, jobs });
  const figures = survey(before).flatMap(({ limits }) => limits);
  const figure = figures
    .filter(({ limit }) => limit === name)
    .toSorted((a, b) => a.nodesLeft - b.nodesLeft)[0];
  const granted = (of: PlanInput) => plan(of).jobs[0]?.granted ?? 0;

  test("leaves a job what it leaves, and is named as the reason", () => {
    const [outcome] = plan(before).jobs;
    expect(outcome?.granted).toBe(leaves);
    const ofArray = outcome?.reasons.filter(({ code }) => code === "NoCapacity");
    expect(ofArray?.map(({ limit }) => limit)).toContain(name);
  });

  test("has figures that say how much it leaves, unless it has no size", () => {
    expect(figure?.nodesLeft).toBe(name === "spot-share" ? undefined : leaves);
  });

  test("gives more when it is raised, or cannot be raised", () => {
    if (figure === undefined) return expect(isRaisable(name)).toBe(false);
    const raised: PlanInput = {
      ...before,
      cluster: raisedCluster(before.cluster, figure, 4),
      ...(before.caps !== undefined && { caps: raisedCaps(before.caps, figure, 4) }),
    };
    expect(granted(raised) > leaves).toBe(isRaisable(name));
    expect(granted(withoutLimit(before, figure)) === 20).toBe(isTakenAway(name));
  });

  test("has room when a node of the array goes, or has not", () => {
    const of = { nodeArray: "htc", vmSize: "Standard_F4", placementGroup: asks === undefined ? null : "pg0" };
    expect(countsWith(before.cluster, of, name)(of)).toBe(roomByNodes);
    expect(countsWith(before.cluster, of, name)({ ...of, nodeArray: "gone" })).toBe(false);
  });
});
