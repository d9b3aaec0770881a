import { undecided } from "../../../../shared/cycle/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, type World } from "../../../support/world.ts";
import { happen, type Situation } from "./waiting-situations.ts";

/** A request for targets, and what happened; one of them is asked about. */
export interface TargetSituation extends Omit<Situation, "jobs"> {
  readonly jobs?: Situation["jobs"];
  readonly arrays: readonly Readonly<Record<string, unknown>>[];
  /** Fields of the request. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** Of another request set. */
  readonly others?: readonly Readonly<Record<string, unknown>>[];
  readonly target: string;
  readonly requestSet?: string;
}

export async function happenToTarget(situation: TargetSituation): Promise<World> {
  const { jobs = [], arrays, request, others, before } = situation;
  return happen({
    ...situation,
    jobs,
    before: async (world) => {
      await before?.(world);
      await ask(world, arrays, { requestSet: "standard", ...request });
      if (others !== undefined) await ask(world, others, { requestSet: "nightly" });
    },
  });
}

/** Posts what a set asks for. Throws when it is not taken. */
export async function ask(
  world: World,
  arrays: TargetSituation["arrays"],
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const asked = await world.receive({
    version: 1,
    kind: "targets",
    cluster,
    source: "cron",
    sequence: 7,
    sentAt: new Date(world.now() * 1000).toISOString(),
    arrays,
    ...fields,
  });
  if (asked.outcome !== "accepted") throw new Error(JSON.stringify(asked));
}

const ten = [{ Name: "htc", TargetCount: 10 }];
const groups = [{ Name: "htc", TargetGroupCount: 2, GroupInstanceCount: 4 }];
const twoSizes = nodeArrayOf({
  buckets: [bucketOf(), bucketOf({ vmSize: "Standard_F8s_v2", bucketId: "bucket-f8" })],
});

/** By what they are called in `pages/target`. */
export const targetSituations: Readonly<Record<string, TargetSituation>> = {
  met: {
    nodes: [{ name: "htc-1" }, { name: "htc-2" }],
    arrays: [{ Name: "htc", TargetCoreCount: 8 }],
    target: "htc",
  },
  "met-with-nothing": { arrays: [{ Name: "htc", TargetCount: 0 }], target: "htc" },
  booting: { arrays: ten, target: "htc" },
  "quota-of-the-region": {
    limits: { region: { maxCores: 100, usedCores: 82 } },
    arrays: [{ Name: "htc", TargetCoreCount: 40 }],
    target: "htc",
  },
  "limit-of-the-vm-size": { bucket: { availableCount: 3 }, arrays: ten, target: "htc" },
  "cap-on-cores": { config: { max_cores: 12 }, arrays: ten, target: "htc" },
  "capacity-back-off": { bucket: { secondsSinceCapacityFailure: 100 }, arrays: ten, target: "htc" },
  "spare-nodes-behind-jobs": {
    config: { max_cores: 4 },
    arrays: [{ Name: "htc", SpareCount: 2 }],
    jobs: [{ name: "wide", iterations: 3, constraints: { ncpus: 4 } }],
    target: "htc:spare",
  },
  "spare-slots-that-cost-too-much": {
    config: { vm_sizes: { Standard_F4s_v2: { price_per_hour_usd: 0.2 } } },
    arrays: [{ Name: "htc", SpareSlots: 8, SlotResources: { ncpus: 2 }, SpareCostPerHour: 0.5 }],
    target: "htc:spare",
  },
  "spare-slots-larger-than-a-node": {
    arrays: [{ Name: "htc", SpareSlots: 8, SlotResources: { ncpus: 200 } }],
    target: "htc:spare",
  },
  "group-too-large-for-a-placement-group": {
    limits: { maxPlacementGroupSize: 3 },
    arrays: groups,
    target: "htc:4-nodes",
  },
  "one-of-two-groups": { bucket: { availableCount: 6 }, arrays: groups, target: "htc:4-nodes" },
  "one-of-two-groups-of-cores": {
    bucket: { availableCount: 4 },
    arrays: [{ Name: "htc", TargetGroupCount: 2, GroupCoreCount: 10 }],
    target: "htc:10",
  },
  "vm-size-that-the-array-has-not": {
    cluster: { nodeArrays: [twoSizes] },
    arrays: [{ Name: "htc", TargetCount: 2, MachineType: "Standard_F8s_v3" }],
    target: "htc",
  },
  "vm-size-not-usable": {
    bucket: { valid: false, invalidReason: "NotActivated" },
    arrays: ten,
    target: "htc",
  },
  "array-that-is-not-there": { arrays: [{ Name: "htcc", TargetCount: 2 }], target: "htcc" },
  "array-that-is-switched-off": {
    cluster: { nodeArrays: [nodeArrayOf(), nodeArrayOf({ name: "gpu", enabled: false })] },
    arrays: [{ Name: "gpu", TargetCount: 2 }],
    target: "gpu",
  },
  "drained-nodes": {
    bucket: { availableCount: 2 },
    cluster: { nodes: [nodeOf({ name: "htc-1" }), nodeOf({ name: "htc-2" })] },
    message: {
      nodes: [{ hostname: "host-htc-1", state: "drained", stateReason: "bad disk", stateBy: "root" }],
    },
    arrays: [{ Name: "htc", TargetCount: 2 }],
    target: "htc",
  },
  expired: { arrays: ten, target: "htc", after: async (world) => world.advance(400) },
  paused: {
    arrays: ten,
    target: "htc",
    before: async (world) => {
      const paused = { by: "alice", reason: "upgrade of the image", atSeconds: world.now() - 30 };
      await world.ports.controls.save({ ...undecided(cluster), paused }, undefined);
    },
  },
  "asked-for-by-two-sets": {
    arrays: [{ Name: "htc", TargetCount: 2 }],
    others: [{ Name: "htc", TargetCount: 5 }],
    bucket: { availableCount: 4 },
    target: "htc",
    requestSet: "nightly",
  },
};
