import { parseConfig } from "../../../../shared/config/parse-config.ts";
import { undecided } from "../../../../shared/cycle/index.ts";
import type { Bucket, Cluster, ClusterNode, NodeArray } from "../../../../shared/engine/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, type World, worldWith } from "../../../support/world.ts";

type Job = Readonly<Record<string, unknown>>;

/** A small cluster, a demand, and what happened; a job of it waits. */
export interface Situation {
  /** Keys of `autoscale.json`. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly cluster?: Partial<Cluster>;
  readonly array?: Partial<NodeArray>;
  readonly bucket?: Parameters<typeof bucketOf>[0];
  readonly limits?: Partial<Bucket["limits"]>;
  readonly nodes?: readonly (Partial<ClusterNode> & { readonly name: string })[];
  /** Jobs of source `slurm`; the first that is called "1202" is asked about. */
  readonly jobs: readonly Job[];
  /** Fields of the message. */
  readonly message?: Readonly<Record<string, unknown>>;
  /** What happens before the first plan, and after it. */
  readonly before?: (world: World) => Promise<unknown>;
  readonly after?: (world: World, post: () => Promise<unknown>) => Promise<unknown>;
}

/** Of which every situation asks. */
export const asked = "1202";

/** Runs a situation through the real cycle, up to the moment at which somebody asks. */
export async function happen(situation: Situation): Promise<World> {
  const base = bucketOf(situation.bucket);
  const bucket = { ...base, limits: { ...base.limits, ...situation.limits } };
  const array = nodeArrayOf({ buckets: [bucket], ...situation.array });
  const nodes = (situation.nodes ?? []).map(nodeOf);
  const world = worldWith({ nodeArrays: [array], nodes, ...situation.cluster });
  const parsed = parseConfig({ cluster, json: configOf(situation) });
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  world.ports.configs.put(parsed.config);
  const { jobs, message } = situation;
  const post = async () => {
    const posted = await world.post(jobs, { source: "slurm", ttlSeconds: 80_000, ...message });
    if (posted.outcome !== "accepted") throw new Error(JSON.stringify(posted));
  };
  await situation.before?.(world);
  await post();
  await world.round();
  await situation.after?.(world, post);
  return world;
}

/** As it would be stored. */
export function configOf({ config }: Situation): Readonly<Record<string, unknown>> {
  const connection = { url: "https://cyclecloud.example", username: "autoscale", verify_certificates: true };
  return { ...connection, ...config };
}

const slot = { constraints: { ncpus: 4 } };
const ten = { name: asked, iterations: 10, ...slot };
const one = { name: asked, ...slot };
const pool = (fields: Readonly<Record<string, unknown>>) => ({
  name: asked,
  iterations: 2,
  constraints: [{ ncpus: 1 }, { "shared-consumable-constraint": { "resource-name": "solver", ...fields } }],
});
const htc = (count: number, fields: Partial<ClusterNode> = {}) =>
  Array.from({ length: count }, (_, index) => ({ name: `htc-${index + 1}`, ...fields }));
const runningOn = (...names: readonly string[]): Job[] =>
  names.map((name, index) => ({ name: `${1100 + index}`, ...slot, executingHostnames: [`host-${name}`] }));
const hosts = (...names: readonly string[]) => names.map((name) => ({ hostname: `host-${name}` }));
/** No room for new nodes beside those that are there. */
const atTwentyCents = { vm_sizes: { Standard_F4s_v2: { price_per_hour_usd: 0.2 } } };
const full = (count: number) => ({ bucket: { availableCount: count } });

async function decided(world: World, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const stored = await world.ports.controls.load(cluster);
  const before = stored?.value ?? undecided(cluster);
  await world.ports.controls.save({ ...before, ...fields }, stored?.etag);
}

const wish = (world: World, name: string, reason: string) => ({
  nodeId: `id-${name}`,
  name,
  by: "alice",
  reason,
  atSeconds: world.now() - 300,
});

/** After an hour in which two jobs of account geo ran, a third waits because of a budget. */
function heldBy(budget: object, config: Situation["config"] = {}): Situation {
  const running = runningOn("htc-1", "htc-2").map((job) => ({ ...job, account: "geo" }));
  return {
    config: { budgets: [{ ...budget, hold: true }], ...config },
    nodes: htc(2),
    jobs: [...running, { ...one, account: "geo" }],
    before: async (world) => {
      await world.post(running, { source: "slurm", ttlSeconds: 80_000 });
      await world.snapshot();
      world.advance(3_600);
    },
  };
}

async function replan(world: World): Promise<void> {
  world.advance(1);
  await world.plan();
}

/** By what they are called in `pages`. */
export const situations: Readonly<Record<string, Situation>> = {
  "too-big-for-any-size": { jobs: [{ name: asked, constraints: { ncpus: 64 } }] },
  "too-big-for-the-array-that-it-names": {
    cluster: {
      nodeArrays: [nodeArrayOf(), nodeArrayOf({ name: "fat", buckets: [sizeOf("Standard_E64s_v5", 64)] })],
    },
    jobs: [{ name: asked, constraints: { ncpus: 64, "node.nodearray": "htc" } }],
  },
  "too-much-memory": { jobs: [{ name: asked, constraints: { memgb: 100 } }] },
  "a-misspelt-node-array": { jobs: [{ name: asked, constraints: { "node.nodearray": "htcc" } }] },
  "a-vm-size-that-is-not-there": {
    jobs: [{ name: asked, constraints: { "node.vm_size": "Standard_HB120rs_v3" } }],
  },
  "a-misspelt-resource": { jobs: [{ name: asked, constraints: { ncpu: 2 } }] },
  "a-resource-that-no-node-has": { jobs: [{ name: asked, constraints: { scratch: 1 } }] },
  "more-parts-than-a-cap-allows": {
    config: { max_constraint_parts: 3 },
    jobs: [{ ...ten, constraints: { ncpus: 1, or: [{ ngpus: 1 }, { ncpus: 1 }, { ncpus: 2 }] } }],
  },
  "a-constraint-that-is-never-satisfied": {
    jobs: [{ name: asked, constraints: { never: "user bob is denied" } }],
  },
  "alternatives-of-which-none-fits": {
    jobs: [{ name: asked, constraints: { or: [{ ngpus: 1 }, { "node.nodearray": "gpu" }] } }],
  },
  "a-shared-value-that-differs": {
    jobs: [
      {
        name: asked,
        constraints: {
          "shared-non-consumable-constraint": {
            "resource-name": "image",
            "current-value": "2025.1",
            requested: "2026.1",
          },
        },
      },
    ],
  },
  "an-array-that-is-switched-off": {
    cluster: { nodeArrays: [nodeArrayOf(), nodeArrayOf({ name: "gpu", enabled: false })] },
    jobs: [{ name: asked, constraints: { "node.nodearray": "gpu" } }],
  },
  "a-cluster-without-node-arrays": { array: { enabled: false }, jobs: [one] },
  "nothing-asked-for": { jobs: [{ name: asked, iterations: 0 }] },
  "quota-of-the-region": { limits: { region: { maxCores: 100, usedCores: 98 } }, jobs: [ten] },
  "quota-of-the-region-with-room-soon": {
    cluster: {
      nodeArrays: [
        nodeArrayOf({ buckets: [regionOf(8, 8)] }),
        nodeArrayOf({ name: "old", buckets: [{ ...regionOf(8, 8), bucketId: "bucket-old" }] }),
      ],
      nodes: [
        nodeOf({ name: "old-1", nodeArray: "old" }),
        nodeOf({ name: "old-2", nodeArray: "old", status: "Terminating", targetState: "Terminated" }),
      ],
    },
    jobs: [{ name: asked, constraints: { ncpus: 4, "node.nodearray": "htc" } }],
    after: async (world, post) => {
      world.advance(100);
      await post();
      await world.round();
    },
  },
  "quota-of-spot": {
    array: { spot: true },
    limits: { region: { maxCores: 8, usedCores: 8 } },
    jobs: [ten],
  },
  "quota-of-the-family": { limits: { family: { maxCores: 8, usedCores: 6 } }, jobs: [ten] },
  "quota-of-the-family-that-azure-refused-lately": {
    limits: { family: { maxCores: 100, usedCores: 0 } },
    jobs: [ten],
    before: async ({ cycleCloud }) => {
      cycleCloud.shortBecause =
        "Exceeding quota limits of standardFSv2Family Cores. Maximum allowed: 9, Current in use: 8";
      cycleCloud.give(0, "Standard_F4s_v2");
    },
    after: replan,
  },
  "limits-of-the-cluster-and-the-family": {
    cluster: { maxCoreCount: 2 },
    limits: { availableCount: 0, family: { maxCores: 8, usedCores: 6 } },
    jobs: [ten],
  },
  "limit-of-the-array-in-cores": { array: { maxCoreCount: 3 }, jobs: [ten] },
  "limit-of-the-array-in-nodes": { array: { maxCount: 0 }, jobs: [ten] },
  "limit-of-the-cluster": { cluster: { maxCoreCount: 2 }, jobs: [ten] },
  "limit-of-the-cluster-in-nodes": { cluster: { maxCount: 0 }, jobs: [ten] },
  "limit-of-the-vm-size": { ...full(0), jobs: [ten] },
  "dynamic-array-full": {
    nodes: htc(1, { dynamicArray: "extra" }),
    jobs: [...runningOn("htc-1"), { name: asked, constraints: { ncpus: 4, "node.nodearray": "extra" } }],
  },
  "limit-used-up-by-jobs-before-it": {
    ...full(6),
    jobs: [{ name: "1201", iterations: 6, ...slot }, one],
  },
  "quota-of-which-jobs-before-it-take-a-part": {
    limits: { region: { maxCores: 100, usedCores: 90 } },
    jobs: [],
    after: (world) =>
      world.post([{ name: "1201", iterations: 2, ...slot }, ten], { source: "slurm", ttlSeconds: 80_000 }),
  },
  "another-part-without-room": {
    ...full(2),
    jobs: [
      { name: asked, ...slot, gang: "17" },
      { name: "17.2", nodeCount: 8, ...slot, gang: "17" },
    ],
  },
  "placement-group-too-small": {
    bucket: { placementGroups: [{ name: "pg0", activeCount: 0 }] },
    limits: { maxPlacementGroupSize: 4 },
    jobs: [{ name: asked, nodeCount: 8, colocated: true, ...slot }],
  },
  "placement-group-full": {
    bucket: { placementGroups: [{ name: "pg0", activeCount: 3 }] },
    limits: { maxPlacementGroupSize: 4 },
    config: { nodearrays: { default: { placement_groups: ["pg0"] } } },
    jobs: [{ name: asked, nodeCount: 3, colocated: true, ...slot }],
  },
  "no-placement-groups": {
    jobs: [{ name: asked, nodeCount: 8, colocated: true, ...slot }],
  },
  "off-spot-for-its-run-time-while-spot-nodes-are-free": {
    config: { spot: { pairs: [{ spot: "htc-spot", regular: "htc" }], max_runtime: 14_400 } },
    cluster: {
      nodeArrays: [
        nodeArrayOf({ buckets: [withFamily(0)] }),
        nodeArrayOf({ name: "htc-spot", spot: true, buckets: [bucketOf({ availableCount: 100 })] }),
      ],
    },
    jobs: [{ ...ten, runtimeSeconds: 43_200 }],
  },
  "kept-to-a-full-array-by-its-own-condition": {
    config: {
      vm_sizes: { Standard_F8s_v2: { price_per_hour_usd: 0.4 }, Standard_E64s_v5: { price_per_hour_usd: 4 } },
    },
    cluster: {
      nodeArrays: [
        nodeArrayOf({ buckets: [withFamily(0)] }),
        nodeArrayOf({ name: "fat", buckets: [sizeOf("Standard_E64s_v5", 64)] }),
        nodeArrayOf({ name: "mid", maxCount: 10, buckets: [sizeOf("Standard_F8s_v2", 8)] }),
        nodeArrayOf({ name: "tiny", buckets: [sizeOf("Standard_F2s_v2", 2)] }),
      ],
    },
    jobs: [{ ...ten, constraints: { ncpus: 4, "node.nodearray": "htc" } }],
  },
  "kept-off-a-much-dearer-array-by-its-own-condition": {
    config: {
      vm_sizes: {
        Standard_F4s_v2: { price_per_hour_usd: 0.2 },
        Standard_E64s_v5: { price_per_hour_usd: 8 },
      },
    },
    cluster: {
      nodeArrays: [
        nodeArrayOf({ buckets: [withFamily(0)] }),
        nodeArrayOf({ name: "fat", buckets: [sizeOf("Standard_E64s_v5", 64)] }),
      ],
    },
    jobs: [{ ...ten, constraints: { ncpus: 4, "node.nodearray": "htc" } }],
  },
  "kept-to-a-full-size-by-two-conditions": {
    cluster: {
      nodeArrays: [
        nodeArrayOf({ buckets: [withFamily(0)] }),
        nodeArrayOf({ name: "fat", buckets: [sizeOf("Standard_E64s_v5", 64)] }),
      ],
    },
    jobs: [{ ...ten, constraints: { ncpus: 4, "node.nodearray": "htc", "node.vm_size": "Standard_F4s_v2" } }],
  },
  "capacity-back-off-by-cyclecloud": { bucket: { secondsSinceCapacityFailure: 100 }, jobs: [ten] },
  "capacity-back-off-after-a-shortfall": {
    jobs: [ten],
    before: async (world) => world.cycleCloud.give(2, "Standard_F4s_v2"),
    after: async (world, post) => {
      await world.snapshot();
      await post();
      world.advance(1);
      await world.plan();
    },
  },
  "capacity-back-off-of-the-job": {
    bucket: { secondsSinceCapacityFailure: 600 },
    jobs: [{ name: asked, constraints: { ncpus: 4, "capacity-failure-backoff": 900 } }],
  },
  "boots-failing": {
    config: { failed_nodes: "delete", boot_failures_before_backoff: 2 },
    nodes: htc(2, { status: "Failed", hostname: null }),
    jobs: [ten],
  },
  "licence-pool-empty": { jobs: [pool({ "current-value": 1, "initial-value": 5, requested: 2 })] },
  "licence-pool-used-up-by-jobs-before-it": {
    config: { shared_pools: [{ name: "solver", initial: 5, current: 4 }] },
    jobs: [{ ...pool({ requested: 2 }), name: "1201" }, pool({ requested: 2 })],
  },
  "licence-pool-that-nobody-describes": { jobs: [pool({ requested: 2 })] },
  "cap-on-new-nodes-of-a-plan": {
    config: { max_nodes_per_plan: 2 },
    jobs: [ten],
    after: async (world) => world.advance(1),
  },
  "cap-on-cores": { config: { max_cores: 10 }, nodes: htc(2), jobs: [...runningOn("htc-1", "htc-2"), ten] },
  "budget-spent": {
    config: { monthly_budget_usd: 0.5, ...atTwentyCents },
    nodes: htc(2),
    jobs: [...runningOn("htc-1", "htc-2"), ten],
  },
  "budget-without-a-price": {
    config: { monthly_budget_usd: 100 },
    array: { location: "moonbase1" },
    jobs: [ten],
  },
  "daily-budget-of-an-account-spent": heldBy({ account: "geo", daily_usd: 0.3 }, atTwentyCents),
  "monthly-budget-of-a-node-array-spent": heldBy({ node_array: "htc", monthly_usd: 0.3 }, atTwentyCents),
  "budget-of-a-node-array-without-a-price": {
    ...heldBy({ node_array: "htc", monthly_usd: 100 }),
    array: { location: "moonbase1" },
  },
  "vm-size-not-usable": {
    bucket: { valid: false, invalidReason: "NotActivated", availableCount: 1 },
    nodes: htc(1),
    jobs: [...runningOn("htc-1"), one],
  },
  exclusive: {
    ...full(2),
    nodes: htc(2),
    jobs: [
      ...["htc-1", "htc-2"].map((name, index) => ({
        name: `${1100 + index}`,
        constraints: { ncpus: 1 },
        executingHostnames: [`host-${name}`],
      })),
      { name: asked, constraints: { ncpus: 1 }, exclusive: true },
    ],
  },
  "hosts-of-the-scheduler-full": {
    array: { enabled: false },
    message: { nodes: [{ hostname: "old-1", resources: { ncpus: 4 } }] },
    jobs: [{ name: "1100", ...slot, executingHostnames: ["old-1"] }, one],
  },
  "hosts-of-the-scheduler-too-small": {
    array: { enabled: false },
    message: {
      nodes: [
        { hostname: "old-1", resources: { ncpus: 4 } },
        { hostname: "old-2", resources: { ncpus: 8 } },
      ],
    },
    jobs: [{ name: asked, constraints: { ncpus: 16 } }],
  },
  "named-host-full": {
    nodes: htc(2),
    jobs: [...runningOn("htc-1"), { name: asked, constraints: { ncpus: 4, "node.hostname": "host-htc-1" } }],
  },
  "named-host-unknown": {
    nodes: htc(2),
    jobs: [{ name: asked, constraints: { ncpus: 4, "node.hostname": "hots-htc-1" } }],
  },
  "named-host-on-its-way-out": {
    nodes: [{ name: "htc-1", status: "Terminating", targetState: "Terminated" }],
    jobs: [{ name: asked, constraints: { ncpus: 4, "node.hostname": "host-htc-1" } }],
  },
  "drained-by-an-operator": {
    ...full(2),
    nodes: htc(2),
    jobs: [...runningOn("htc-2"), one],
    before: (world) => decided(world, { drainedNodes: [wish(world, "htc-1", "disk errors")] }),
  },
  "drained-in-the-scheduler": {
    ...full(1),
    nodes: htc(1),
    message: {
      capabilities: ["drain"],
      nodes: [
        {
          hostname: "host-htc-1",
          state: "drained",
          stateReason: "Kill task failed",
          stateBy: "root",
          stateSince: "2027-01-15T07:50:00Z",
        },
      ],
    },
    jobs: [one],
  },
  "hosts-of-the-scheduler-drained": {
    array: { enabled: false },
    message: {
      nodes: [
        {
          hostname: "old-1",
          resources: { ncpus: 4 },
          state: "drained",
          stateReason: "bad disk",
          stateBy: "root",
        },
      ],
    },
    jobs: [one],
  },
  "drained-while-azure-has-no-vm": {
    bucket: { secondsSinceCapacityFailure: 100 },
    nodes: htc(1),
    jobs: [one],
    before: (world) => decided(world, { drainedNodes: [wish(world, "htc-1", "disk errors")] }),
  },
  "ignored-by-an-operator": {
    ...full(1),
    nodes: htc(1),
    jobs: [one],
    before: (world) => decided(world, { ignoredNodes: [wish(world, "htc-1", "debugging MPI")] }),
  },
  "ignored-by-the-configuration": {
    ...full(1),
    nodes: htc(1),
    config: { ignored_nodes: ["htc-1"] },
    jobs: [one],
  },
  "named-host-ignored": {
    nodes: htc(1),
    config: { ignored_nodes: ["htc-*"] },
    jobs: [{ name: asked, constraints: { ncpus: 4, "node.hostname": "host-htc-1" } }],
  },
  "source-expired": {
    message: { ttlSeconds: 60 },
    jobs: [ten],
    after: async (world) => world.advance(100),
  },
  "source-expired-while-it-runs": {
    message: { ttlSeconds: 60, nodes: hosts("htc-1") },
    nodes: htc(1),
    jobs: [{ ...one, executingHostnames: ["host-htc-1"] }],
    after: async (world) => world.advance(100),
  },
  "cluster-paused": {
    jobs: [ten],
    before: (world) =>
      decided(world, {
        paused: { by: "alice", reason: "upgrade of the image", atSeconds: world.now() - 30 },
      }),
  },
  "cluster-read-only": { config: { read_only: true }, jobs: [ten] },
  "login-refused": {
    jobs: [ten],
    before: async (world) => {
      await world.snapshot();
      world.advance(60);
      world.cycleCloud.isLoginRefused = true;
      await world.snapshot();
    },
  },
  "snapshot-stale": { jobs: [ten], after: async (world) => world.advance(301) },
  "waiting-for-the-next-plan": {
    jobs: [{ name: "1201", ...slot }],
    after: (world) => world.post([{ name: "1201", ...slot }, ten], { source: "slurm", ttlSeconds: 80_000 }),
  },
  "waiting-for-booting-nodes": {
    nodes: [],
    jobs: [{ name: asked, iterations: 3, ...slot }],
    before: async (world) => {
      // Three nodes have booted before, each in two minutes.
      const earlier = () => world.post([{ name: "1100", iterations: 3, ...slot }], { ttlSeconds: 1_000 });
      await earlier();
      await world.round();
      await world.snapshot();
      world.advance(1);
      await world.plan();
      world.advance(119);
      world.cycleCloud.settle();
      await earlier();
      await world.round();
    },
    after: async (world, post) => {
      await world.snapshot();
      await post();
      world.advance(20);
      await world.plan();
    },
  },
  "waiting-for-nodes-that-boot-for-the-first-time": { jobs: [{ name: asked, iterations: 2, ...slot }] },
  "its-node-failed-right-after-the-boot": {
    nodes: htc(1, { status: "Failed", hostname: null, statusMessage: "Software Installation failed" }),
    jobs: [one],
  },
  "waiting-for-failed-nodes": {
    config: { failed_nodes: "retry", failed_node_retries: 3, compatibility: "scalelib" },
    nodes: htc(1, { status: "Failed", hostname: null, statusMessage: "Software Installation failed" }),
    jobs: [one],
  },
  "waiting-for-failed-nodes-that-are-kept": {
    config: { failed_nodes: "keep", compatibility: "scalelib" },
    nodes: htc(1, { status: "Failed", hostname: null }),
    jobs: [one],
  },
  "waiting-for-a-node-that-has-not-joined": {
    nodes: htc(2),
    message: { nodes: hosts("htc-2") },
    jobs: [...runningOn("htc-2"), one],
  },
  "waiting-for-a-node-that-is-taken-back": {
    ...full(1),
    nodes: htc(1),
    message: {
      capabilities: ["drain"],
      nodes: [{ hostname: "host-htc-1", state: "drained", eventAtSeconds: 1_000 }],
    },
    jobs: [one],
  },
  "partly-placed": { ...full(3), jobs: [ten] },
};

/** A VM size with so many cores. */
function sizeOf(vmSize: string, vcpuCount: number): Bucket {
  const base = bucketOf({ bucketId: `bucket-${vmSize}`, vmSize });
  return { ...base, vm: { ...base.vm, vcpuCount, vcpuQuotaCount: vcpuCount, family: `family-${vmSize}` } };
}

/** A size whose family has so many cores. */
function withFamily(maxCores: number): Bucket {
  const base = bucketOf();
  return { ...base, limits: { ...base.limits, family: { maxCores, usedCores: 0 } } };
}

/** A bucket under a region's quota. */
function regionOf(maxCores: number, usedCores: number): Bucket {
  const base = bucketOf();
  return { ...base, limits: { ...base.limits, region: { maxCores, usedCores } } };
}
