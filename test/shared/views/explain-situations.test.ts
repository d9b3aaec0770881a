import { describe, expect, test } from "vitest";
import { type ExplainAnswer, explainAnswer } from "../../../shared/api/index.ts";
import { explainOne } from "../../../shared/views/explain/explain-job.ts";
import { explainJob, limitsToRaise, listJobs, lookAhead } from "../../../shared/views/index.ts";
import { type OutlookJob, outlookJobs } from "../../../shared/views/job-states.ts";
import { cluster, type World } from "../../support/world.ts";
import { asked, happen, type Situation, situations } from "./waiting-situations.ts";

async function explained(world: World): Promise<ExplainAnswer> {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  const found = explainJob(outlook, asked);
  if (found.outcome !== "explained") throw new Error(found.outcome);
  const answer = { ...found.answer, raise: await limitsToRaise(outlook, found.answer) };
  return explainAnswer.strict().parse(JSON.parse(JSON.stringify(answer)));
}

const once = new Map<Situation, Promise<{ readonly world: World; readonly answer: ExplainAnswer }>>();

/** A situation as it stands in the list: it happens once, and several tests look at it. */
function of(each: Situation) {
  const known =
    once.get(each) ?? happen(each).then(async (world) => ({ world, answer: await explained(world) }));
  once.set(each, known);
  return known;
}

function situation(name: string): Situation {
  const found = situations[name];
  if (found === undefined) throw new Error(`There is no situation "${name}"`);
  return found;
}

const gib = (count: number) => ({ bytes: count * 2 ** 30, magnitude: "g" });

interface Told {
  /** Of all causes, the gravest first. */
  readonly kinds: string;
  /** Of the cause that counts: how much is asked, how much is left, and of which limit. */
  readonly figures?: readonly [asked: unknown, left: unknown, limit?: string];
  /** Seconds from now until it ends by itself. */
  readonly ends?: number;
  /** What stands in the text, and in the way out. */
  readonly says: readonly string[];
  readonly next: string;
  /** What raising limits would do. */
  readonly raise?: readonly string[];
  /** Bucket by bucket. */
  readonly refusals?: string;
  /** What the planner did. */
  readonly planner?: RegExp;
  /** What is told to make it fit, done: then the job has all of its places. */
  readonly fixed?: Partial<Situation>;
}

const job = (fields: object) => [{ name: asked, iterations: 10, constraints: { ncpus: 4 }, ...fields }];
const plain = { limits: {}, array: {}, cluster: {}, bucket: {}, config: {}, before: async () => {} };
const sameReasons = /gave it \d+ of \d+ places, for the same reasons\./;
const roomLeft = "NoCapacity";

/** One row for each situation; the pages that the command line makes of them are in `test/clients/cli/examples/explain`. */
const rows: Readonly<Record<string, Told>> = {
  "too-big-for-any-size": {
    kinds: "too-big",
    figures: [64, 4],
    says: ["asks for 64 ncpus", "htc/Standard_F4s_v2, has 4"],
    next: "Ask for 4 ncpus or less",
    refusals: "InsufficientResource",
    planner: sameReasons,
    fixed: { jobs: job({ constraints: { ncpus: 4 } }) },
  },
  "too-big-for-the-array-that-it-names": {
    kinds: "too-big",
    figures: [64, 4],
    says: ["fat/Standard_E64s_v5 has 64, and the job does not allow it: node.nodearray = htc"],
    next: "Ask for 4 ncpus or less",
    refusals: "InsufficientResource InvalidOption",
    fixed: { jobs: job({ constraints: { ncpus: 64 } }) },
  },
  "too-much-memory": {
    kinds: "too-big",
    figures: [gib(100), gib(8)],
    says: ["asks for 100g memgb", "has 8g"],
    next: "Ask for 8g memgb or less",
    fixed: { jobs: job({ constraints: { memgb: 8 } }) },
  },
  "a-misspelt-node-array": {
    kinds: "never-satisfiable",
    figures: ["htcc", "htc"],
    says: ['"node.nodearray" is htc, wanted htcc', 'Did you mean "htc"?'],
    next: 'Change it to "htc"',
    refusals: "InvalidOption",
    fixed: { jobs: job({ constraints: { "node.nodearray": "htc" } }) },
  },
  "a-vm-size-that-is-not-there": {
    kinds: "never-satisfiable",
    figures: ["Standard_HB120rs_v3", "Standard_F4s_v2"],
    says: ["is Standard_F4s_v2, wanted Standard_HB120rs_v3"],
    next: "ccscale buckets",
  },
  "a-misspelt-resource": {
    kinds: "never-satisfiable",
    figures: [2, null],
    says: ['no resource "ncpu"', 'Did you mean "ncpus"?'],
    next: 'Change it to "ncpus"',
    refusals: "UndefinedResource",
  },
  "a-resource-that-no-node-has": {
    kinds: "never-satisfiable",
    says: ['no resource "scratch"'],
    next: "default_resources",
    fixed: { config: { default_resources: [{ select: {}, name: "scratch", value: 1 }] } },
  },
  "more-parts-than-a-cap-allows": {
    kinds: "demand-cap",
    figures: [5, 3, "max-constraint-parts"],
    says: ["the cap max_constraint_parts", "5, expected at most 3"],
    next: "raise max_constraint_parts in autoscale.json",
    refusals: "DemandCapReached",
    fixed: { config: { max_constraint_parts: 5 } },
  },
  "a-constraint-that-is-never-satisfied": {
    kinds: "never-satisfiable",
    says: ["user bob is denied"],
    next: "change the job",
    refusals: "Never",
  },
  "alternatives-of-which-none-fits": {
    kinds: "never-satisfiable",
    says: ["none of the alternatives fits (ngpus >= 1 or node.nodearray = gpu)"],
    next: "Change the job's constraints",
    refusals: "OrFailed",
  },
  "a-shared-value-that-differs": {
    kinds: "never-satisfiable",
    figures: ["2026.1", "2025.1"],
    says: ['"image" is 2025.1, wanted 2026.1'],
    next: "when the shared value changes",
    refusals: "InvalidSharedValue",
  },
  "an-array-that-is-switched-off": {
    kinds: "never-satisfiable",
    says: ['Autoscaling is off for node array "gpu"'],
    next: "autoscale.enabled = true",
    refusals: "InvalidOption",
  },
  "a-cluster-without-node-arrays": {
    kinds: "never-satisfiable",
    says: ["nothing to make nodes of", "autoscaling is off for htc"],
    next: "autoscale.enabled = true",
    refusals: "NoBucketsDefined",
    fixed: { array: {} },
  },
  "nothing-asked-for": {
    kinds: "nothing-requested",
    says: ["asks for no slots and no nodes"],
    next: "how many it wants",
    refusals: "NothingRequested",
  },
  "quota-of-the-region": {
    kinds: "quota",
    figures: [10, 0, "region"],
    says: ["region westeurope leaves 0 new nodes", "98 of 100 cores are used, a node takes 4"],
    next: "Ask Azure for 38 more cores in the region",
    refusals: roomLeft,
    planner: sameReasons,
    fixed: { limits: { region: { maxCores: 138, usedCores: 98 } } },
  },
  "quota-of-the-region-with-room-soon": {
    kinds: "quota",
    figures: [1, 0, "region"],
    ends: 199,
    says: ["On their way out there: 1 (old-2).", "Idle there: 1 (old-1); the first goes in 3m19s."],
    next: "wait until nodes there go",
    refusals: `${roomLeft} InvalidOption`,
  },
  "quota-of-spot": {
    kinds: "quota",
    figures: [10, 0, "region"],
    says: ["the spot core quota of region westeurope", "8 of 8 cores are used"],
    next: "Ask Azure for 40 more cores of spot quota",
    fixed: { limits: { region: { maxCores: 48, usedCores: 8 } } },
  },
  "quota-of-the-family": {
    kinds: "quota",
    figures: [10, 0, "family"],
    says: ["VM family westeurope/standardFSv2Family", "6 of 8 cores are used, a node takes 4"],
    next: "Ask Azure for 38 more cores of the family",
    fixed: { limits: { family: { maxCores: 46, usedCores: 6 } } },
  },
  "limits-of-the-cluster-and-the-family": {
    kinds: "quota",
    figures: [10, 0, "cluster"],
    says: ["core limit of cluster hpc", "0 of 2 cores"],
    next: "Raise MaxCoreCount of the cluster in CycleCloud by 38 cores",
    raise: [
      "Raising MaxCoreCount of cluster hpc alone does not help",
      "then the core quota of VM family westeurope/standardFSv2Family binds: 6 of 8 cores are used, 38 more are needed",
      "With both raised, all 10 slots have a place.",
    ],
    fixed: {
      cluster: { maxCoreCount: 40 },
      limits: { family: { maxCores: 46, usedCores: 6 } },
    },
  },
  "limit-of-the-array-in-cores": {
    kinds: "quota",
    figures: [10, 0, "node-array"],
    says: ["core limit of node array htc", "0 of 3 cores"],
    next: "Raise MaxCoreCount of the node array in CycleCloud by 37 cores",
    fixed: { array: { maxCoreCount: 40 } },
  },
  "limit-of-the-array-in-nodes": {
    kinds: "quota",
    figures: [10, 0, "node-array"],
    says: ["node limit of node array htc", "0 of 0 nodes"],
    next: "Raise MaxCount of the node array in CycleCloud by 10 nodes",
    fixed: { array: { maxCount: 10 } },
  },
  "limit-of-the-cluster": {
    kinds: "quota",
    figures: [10, 0, "cluster"],
    says: ["core limit of cluster hpc", "0 of 2 cores"],
    next: "Raise MaxCoreCount of the cluster in CycleCloud by 38 cores",
    fixed: { cluster: { maxCoreCount: 40 } },
  },
  "limit-of-the-cluster-in-nodes": {
    kinds: "quota",
    figures: [10, 0, "cluster"],
    says: ["node limit of cluster hpc", "0 of 0 nodes"],
    next: "Raise MaxCount of the cluster in CycleCloud by 10 nodes",
    fixed: { cluster: { maxCount: 10 } },
  },
  "limit-of-the-vm-size": {
    kinds: "quota",
    figures: [10, 0, "bucket"],
    says: ["what CycleCloud still offers of htc/Standard_F4s_v2 leaves 0 new nodes"],
    next: "by 10 nodes or more",
    fixed: { bucket: { availableCount: 10 } },
  },
  "dynamic-array-full": {
    kinds: "own-condition nodes-full",
    says: [
      "Room is free in htc/Standard_F4s_v2",
      "only one thing keeps the job off: it asks for node.nodearray = extra.",
    ],
    next: "Submit it without that condition, or let it take either",
    refusals: "InvalidOption OutOfCapacity",
  },
  "limit-used-up-by-jobs-before-it": {
    kinds: "quota",
    figures: [1, 0, "bucket"],
    says: ["6 of 6 nodes are used"],
    next: "by 1 node or more",
    fixed: { bucket: { availableCount: 7 } },
  },
  "another-part-without-room": {
    kinds: "gang-incomplete",
    says: ['together with all of gang "17"', '"17.2" finds no room'],
    next: "`ccscale explain 17.2`",
    refusals: "GangIncomplete",
    fixed: { limits: { availableCount: 10 } },
  },
  "placement-group-too-small": {
    kinds: "placement-group-too-small",
    figures: [8, 4],
    says: ["wants 8 nodes in one placement group", "holds at most 4"],
    next: "Ask for at most 4 nodes",
    refusals: "NotInAPlacementGroup PlacementGroupTooSmall",
    fixed: { jobs: job({ iterations: 1, nodeCount: 4, colocated: true }) },
  },
  "placement-group-full": {
    kinds: "quota",
    figures: [3, 1, "placement-group"],
    says: ["placement group htc/Standard_F4s_v2/pg0 leaves 1 new node", "3 of 4 nodes are used"],
    next: "when 2 nodes of the group go",
    fixed: { bucket: { placementGroups: [{ name: "pg0", activeCount: 1 }] } },
  },
  "no-placement-groups": {
    kinds: "never-satisfiable",
    says: ["all of its 8 nodes in one placement group, and there is none in what it may use"],
    next: "autoscale.is_hpc = true",
    refusals: "NotInAPlacementGroup",
    fixed: { array: { allowsColocation: true } },
  },
  "off-spot-for-its-run-time-while-spot-nodes-are-free": {
    kinds: "spot-off quota",
    says: [
      "Room is free in htc-spot/Standard_F4s_v2, 400 cores on 100 new nodes, and only one thing keeps the job off",
      "it may run 12h, and spot.max_runtime is 4h",
    ],
    next: "Submit it with a run time of at most 4h; or raise the bound: `ccscale config set spot.max_runtime 43200`.",
    refusals: "NoCapacity SpotRunTimeTooLong",
  },
  "kept-to-a-full-array-by-its-own-condition": {
    kinds: "own-condition quota",
    says: [
      "Room is free in mid/Standard_F8s_v2, 160 cores on 20 new nodes for 0.40 USD/h each, and only one thing keeps the job off: it asks for node.nodearray = htc.",
    ],
    next: "Submit it without that condition",
    refusals: "NoCapacity InvalidOption InvalidOption InsufficientResource",
  },
  "kept-off-a-much-dearer-array-by-its-own-condition": {
    kinds: "quota",
    says: ["the core quota of VM family westeurope/standardFSv2Family leaves 0 new nodes"],
    next: "Ask Azure",
    refusals: "NoCapacity InvalidOption",
  },
  "kept-to-a-full-size-by-two-conditions": {
    kinds: "quota",
    says: ["the core quota of VM family westeurope/standardFSv2Family leaves 0 new nodes"],
    next: "Ask Azure",
    refusals: "NoCapacity InvalidOption",
  },
  "capacity-back-off-by-cyclecloud": {
    kinds: "capacity-back-off",
    figures: [10, 0],
    ends: 199,
    says: ["No new nodes are asked of htc/Standard_F4s_v2 for 3m19s: Azure had no such VM"],
    next: "It ends by itself",
  },
  "capacity-back-off-after-a-shortfall": {
    kinds: "partly-placed capacity-back-off booting",
    figures: [8, 0],
    ends: 299,
    says: ["for 4m59s: 2 of 10 nodes were added: quota reached"],
    next: "It ends by itself",
    planner: /CycleCloud added 2 of 10 nodes of htc\/Standard_F4s_v2: quota reached\./,
  },
  "capacity-back-off-of-the-job": {
    kinds: "capacity-back-off",
    figures: [900, 600],
    ends: 300,
    says: ["10m ago, and the job wants that to be 15m ago: 5m to go"],
    next: "It ends by itself",
    refusals: "CapacityFailureBackoff",
  },
  "boots-failing": {
    kinds: "boots-failing",
    ends: 1_800,
    says: ["for 30m: 2 of 2 boots of htc/Standard_F4s_v2 failed within an hour"],
    next: "image, scripts, network",
  },
  "licence-pool-empty": {
    kinds: "pool-empty",
    figures: [2, 1],
    says: ['"solver" is too low: 1 of 5 are free, 2 wanted per place'],
    next: "when running jobs give some back",
    refusals: "SharedLimitReached",
  },
  "licence-pool-used-up-by-jobs-before-it": {
    kinds: "pool-empty",
    figures: [2, 0],
    says: ["4 are free, and the jobs before it take 4 of these: 0 left, 2 wanted"],
    next: "when the pool grows",
    fixed: { config: { shared_pools: [{ name: "solver", initial: 9, current: 8 }] } },
  },
  "licence-pool-that-nobody-describes": {
    kinds: "never-satisfiable",
    says: ['Nobody says how much the shared pool "solver" holds'],
    next: "shared_pools",
    refusals: "UndefinedResource",
    fixed: { config: { shared_pools: [{ name: "solver", initial: 4, current: 4 }] } },
  },
  "cap-on-new-nodes-of-a-plan": {
    kinds: "partly-placed cap booting not-planned-yet",
    figures: [6, 0, "max-nodes-per-plan"],
    says: ["one plan makes at most 2 new nodes"],
    next: "max_nodes_per_plan",
    fixed: { config: { max_nodes_per_plan: 10 } },
  },
  "cap-on-cores": {
    kinds: "cap",
    figures: [10, 0, "max-cores"],
    says: ["8 of 10 cores are used, a node takes 4"],
    next: 'Raise "max_cores" by 38 cores',
    fixed: { config: { max_cores: 48 } },
  },
  "budget-spent": {
    kinds: "cap",
    figures: [10, 0, "monthly-budget"],
    ends: 1_439_999,
    says: ["0.4 of 0.5 USD are used, a node takes 0.2 an hour"],
    next: "monthly_budget_usd",
    fixed: {
      config: { monthly_budget_usd: 50, vm_sizes: { Standard_F4s_v2: { price_per_hour_usd: 0.2 } } },
    },
  },
  "budget-without-a-price": {
    kinds: "cap",
    figures: [10, 0, "unknown-price"],
    says: ["the price of Standard_F4s_v2 is not known"],
    next: "price_per_hour_usd",
    fixed: {
      config: { monthly_budget_usd: 100, vm_sizes: { Standard_F4s_v2: { price_per_hour_usd: 0.2 } } },
    },
  },
  "vm-size-not-usable": {
    kinds: "bucket-unusable",
    figures: [1, 0],
    says: ["makes no new nodes of htc/Standard_F4s_v2 (NotActivated)"],
    next: "Activate the VM size",
    refusals: "InvalidBucket",
    fixed: { bucket: {} },
  },
  exclusive: {
    kinds: "quota",
    figures: [1, 0, "bucket"],
    says: ["The job wants nodes to itself", "2 of 2 nodes are used"],
    next: "by 1 node or more",
    fixed: { bucket: { availableCount: 3 } },
  },
  "hosts-of-the-scheduler-full": {
    kinds: "nodes-full",
    figures: [1, 0],
    says: ["the scheduler's own hosts (1) are full"],
    next: "when jobs there end",
    refusals: "OutOfCapacity",
  },
  "hosts-of-the-scheduler-too-small": {
    kinds: "too-big",
    figures: [16, 8],
    says: ["the scheduler's own hosts, has 8"],
    next: "Ask for 8 ncpus or less",
    refusals: "InsufficientResource",
  },
  "named-host-full": {
    kinds: "nodes-full",
    figures: [1, 0],
    says: ['node.hostname = host-htc-1): htc-1, with places of "1100"'],
    next: "without naming nodes",
    refusals: "OutOfCapacity",
  },
  "named-host-unknown": {
    kinds: "never-satisfiable",
    figures: ["hots-htc-1", null],
    says: ["no node has node.hostname = hots-htc-1", 'Did you mean "host-htc-1"?'],
    next: 'Change it to "host-htc-1"',
    refusals: "InvalidOption",
  },
  "named-host-on-its-way-out": {
    kinds: "never-satisfiable",
    says: ["The job names htc-1", "is on its way out"],
    next: "name another node",
  },
  "drained-by-an-operator": {
    kinds: "nodes-drained",
    figures: [1, 1, "bucket"],
    ends: 300,
    says: ["they are drained: 1 (htc-1; by alice: disk errors, 5m1s ago)", "Idle there: 1 (htc-1)"],
    next: "ccscale undrain -N htc-1",
    refusals: "NodesTakeNoJobs",
    fixed: plain,
  },
  "drained-in-the-scheduler": {
    kinds: "nodes-drained",
    figures: [1, 1, "bucket"],
    says: ["htc-1; by root in slurm: Kill task failed, 10m1s ago"],
    next: 'Resume them in the scheduler "slurm"',
    refusals: "NodesTakeNoJobs",
    fixed: { message: {} },
  },
  "drained-while-azure-has-no-vm": {
    kinds: "nodes-drained",
    figures: [1, 1, "back-off"],
    says: ["no new ones are asked of CycleCloud for 3m19s: Azure had no such VM"],
    next: "ccscale undrain -N htc-1",
    refusals: "NodesTakeNoJobs",
  },
  "ignored-by-an-operator": {
    kinds: "quota nodes-ignored",
    figures: [1, 0, "bucket"],
    says: ["1 of 1 nodes are used"],
    next: "by 1 node or more",
    fixed: plain,
  },
  "ignored-by-the-configuration": {
    kinds: "quota nodes-ignored",
    says: [],
    next: "wait until nodes there go",
    fixed: { config: {} },
  },
  "named-host-ignored": {
    kinds: "nodes-ignored",
    figures: [null, 1],
    says: ['1 that might take it (htc-1; by "ignored_nodes" of the configuration)'],
    next: "ignored_nodes",
    fixed: { config: {} },
  },
  "source-expired": {
    kinds: "source-expired",
    figures: [60, 101],
    says: ["silent for 1m41s", "has not counted for 41s"],
    next: "ccscale-agent",
    fixed: { message: {} },
  },
  "source-expired-while-it-runs": {
    kinds: "source-expired",
    says: ["what ran keeps its nodes for a day"],
    next: "ccscale rejects list",
  },
  "cluster-paused": {
    kinds: "cluster-paused not-planned-yet",
    says: ["alice paused the cluster 31s ago: upgrade of the image"],
    next: "ccscale resume",
    planner: /Nothing of that plan was sent: paused by alice/,
  },
  "cluster-read-only": {
    kinds: "read-only not-planned-yet",
    says: ["the cluster is read-only"],
    next: "read_only",
    planner: /Nothing of that plan was sent: the cluster is read-only/,
  },
  "login-refused": {
    kinds: "login-refused not-planned-yet",
    says: ["refused the login 1s ago: Cannot log in: HTTP 401"],
    next: "ccscale resume",
    planner: /Nothing of that plan was sent: CycleCloud refused the login/,
  },
  "snapshot-stale": {
    kinds: "snapshot-stale booting",
    figures: [300, 302],
    says: ["5m2s old, expected at most 5m"],
    next: "ccscale status",
  },
  "waiting-for-the-next-plan": {
    kinds: "not-planned-yet",
    figures: [10, 0],
    says: ["by the next plan: 10 of 10 nodes"],
    next: "within seconds",
    planner: /was made before message 2 of "slurm" came/,
  },
  "waiting-for-booting-nodes": {
    kinds: "booting",
    figures: [3, 0],
    ends: 120,
    says: ["Booting: 3 of 3 nodes (htc-4, htc-5, htc-6); they should be ready in 2m"],
    next: "not up after 30m is deleted",
    planner: /^create-nodes, because jobs need 3 new nodes: accepted\.$/,
  },
  "waiting-for-nodes-that-boot-for-the-first-time": {
    kinds: "booting",
    figures: [2, 0],
    says: ["what boots take there is not known yet"],
    next: "Wait for them",
  },
  "its-node-failed-right-after-the-boot": {
    kinds: "booting",
    figures: [1, 0],
    says: ["Booting: 1 of 1 nodes (htc-2)"],
    next: "ccscale nodes -N htc-2",
  },
  "waiting-for-failed-nodes": {
    kinds: "nodes-failed",
    figures: [1, 0],
    says: [
      "Failed: 1 of 1 nodes (htc-1); retries until now: 1, at most 3 a node.",
      'CycleCloud says of htc-1: "Software Installation failed".',
    ],
    next: "ccscale history htc-1",
    planner: /^retry-failed, because/,
  },
  "waiting-for-failed-nodes-that-are-kept": {
    kinds: "nodes-failed",
    figures: [1, 0],
    says: ["Failed: 1 of 1 nodes (htc-1)."],
    next: "ccscale retry-failed",
  },
  "waiting-for-a-node-that-has-not-joined": {
    kinds: "not-joined",
    figures: [1, 0],
    says: ['not listed by "slurm": 1 of 1 nodes (htc-1)'],
    next: "node-joined",
  },
  "waiting-for-a-node-that-is-taken-back": {
    kinds: "nodes-undraining",
    figures: [1, 0],
    says: ["Being taken back from a drain: 1 of 1 nodes (htc-1)"],
    next: "the request is repeated every 30s",
  },
  "partly-placed": {
    kinds: "partly-placed quota booting",
    figures: [7, 0, "bucket"],
    says: ["No room for 7 slots", "3 of 3 nodes are used"],
    next: "by 7 nodes or more",
    planner: /gave it 3 of 10 places/,
    fixed: { bucket: { availableCount: 10 } },
  },
};

describe("explain: every situation in which a job waits", () => {
  test("has a row", () => {
    expect(Object.keys(rows)).toEqual(Object.keys(situations));
  });

  test.each(Object.entries(rows))("%s", async (name, told) => {
    const { answer } = await of(situation(name));
    const { causes, refusals, planner, atSeconds, headline, summary } = answer;
    expect(causes.map(({ kind }) => kind).join(" ")).toBe(told.kinds);
    const [cause] = causes.filter(({ kind }) => kind !== "partly-placed");
    for (const words of told.says) expect(cause?.text).toContain(words);
    expect(cause?.next).toContain(told.next);
    expect(summary).toBe(`${headline} ${cause?.text}`);
    if (told.figures !== undefined) {
      const [askedFor, left, limit = null] = told.figures;
      expect(cause).toMatchObject({ asked: askedFor, left, limit });
    }
    if (told.ends !== undefined) expect(cause?.untilSeconds).toBe(atSeconds + told.ends);
    for (const words of told.raise ?? []) expect(answer.raise?.text).toContain(words);
    if (told.refusals !== undefined) expect(refusals.map(({ code }) => code).join(" ")).toBe(told.refusals);
    if (told.planner !== undefined)
      expect(planner.map(({ text }) => text)).toContainEqual(expect.stringMatching(told.planner));
  });

  const fixed = Object.entries(rows).flatMap(([name, row]) =>
    row.fixed === undefined ? [] : [[name, row.fixed] as const],
  );
  test.each(fixed)("%s: what is told to make it fit does", async (name, fix) => {
    const answer = await explained(await happen({ ...situation(name), ...fix }));
    expect(answer).toMatchObject({ granted: answer.asked, refusals: [] });
  });

  test("limits are raised one by one until the job has its places, and only where limits keep it waiting", async () => {
    for (const [name, each] of Object.entries(situations)) {
      const { raise, causes, asked, granted } = (await of(each)).answer;
      const isLimited = causes.some(({ kind }) => kind === "quota" || kind === "cap");
      if (raise === null) {
        // Nobody can raise what a placement group holds.
        expect({ name, isLimited: isLimited && name !== "placement-group-full" }).toEqual({
          name,
          isLimited: false,
        });
        continue;
      }
      expect({ name, granted: raise.granted }).toEqual({ name, granted: asked });
      expect(raise.granted).toBeGreaterThan(granted);
      expect(raise.text).toMatch(/^[A-Z].*\.$/);
      expect(raise.text).not.toMatch(/undefined|null|NaN|Infinity|\[object/);
    }
  });

  test("what a colocated job is refused by outside of placement groups has a name", async () => {
    const { refusals } = (await of(situation("no-placement-groups"))).answer;
    expect(refusals.map(({ code, constraint }) => [code, constraint])).toEqual([
      ["NotInAPlacementGroup", "colocated"],
    ]);
  });

  test("a listed job that waits has the first sentence of that as its reason", async () => {
    let listed = 0;
    for (const each of Object.values(situations)) {
      const { world, answer } = await of(each);
      const outlook = await lookAhead(world.ports, cluster);
      const found = outlook && listJobs(outlook, { limit: 1000 });
      const jobs = found?.ok === true ? found.answer.jobs : [];
      const view = jobs.find(({ job }) => job === asked);
      if (view?.state !== "waiting" && view?.state !== "partly") continue;
      const { headline, summary } = answer;
      const why = summary.slice(headline.length + 1);
      expect(why.startsWith(view.reason ?? "no reason")).toBe(true);
      expect(view.reason).toMatch(/[.?]$/);
      listed += 1;
    }
    expect(listed).toBeGreaterThan(10);
  });

  test("sentences are short, whole, and say what to do", async () => {
    for (const each of Object.values(situations)) {
      const { causes } = (await of(each)).answer;
      for (const { text, next } of causes) {
        expect(text).toMatch(/^[A-Z0-9].*[.?]$/s);
        expect(next).toMatch(/^[A-Z].*\.$/s);
        expect(text.length + next.length).toBeLessThan(480);
        expect(`${text} ${next}`).not.toMatch(/undefined|null|NaN|Infinity|\[object/);
      }
    }
  });
});

test("a job whose constraints are those of another, read at another time, is kept off by its own condition", async () => {
  const { ports } = await happen(situation("kept-to-a-full-array-by-its-own-condition"));
  const outlook = await lookAhead(ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  const each = outlookJobs(outlook).find(({ job: { name } }) => name === asked) as OutlookJob;
  const again = { ...each, job: structuredClone(each.job) };
  expect(explainOne(outlook, again).causes.map(({ kind }) => kind)).toEqual(["own-condition", "quota"]);
});
