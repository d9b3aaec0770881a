import { describe, expect, test } from "vitest";
import { explanationOn } from "../../../../clients/cli/output/explanation.ts";
import { type ExplainAnswer, explainAnswer } from "../../../../shared/api/index.ts";
import { explainOne } from "../../../../shared/views/explain/explain-job.ts";
import { explainJob, limitsToRaise, listJobs, lookAhead } from "../../../../shared/views/index.ts";
import { type OutlookJob, outlookJobs } from "../../../../shared/views/job-states.ts";
import { cluster, type World } from "../../../support/world.ts";
import { pageText } from "./page-text.ts";
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

const job = (fields: object) => [{ name: asked, iterations: 10, constraints: { ncpus: 4 }, ...fields }];
const plain = { limits: {}, array: {}, cluster: {}, bucket: {}, config: {}, before: async () => {} };

/** Kinds of all causes, the gravest first; of the one that counts, how much is asked, how much is left, and of which limit. */
const rows: Readonly<
  Record<string, readonly [kinds: string, asked?: unknown, left?: unknown, limit?: string]>
> = {
  "too-big-for-any-size": ["too-big", 64, 4],
  "too-big-for-the-array-that-it-names": ["too-big", 64, 4],
  "too-much-memory": ["too-big", gib(100), gib(8)],
  "a-misspelt-node-array": ["never-satisfiable", "htcc", "htc"],
  "a-vm-size-that-is-not-there": ["never-satisfiable", "Standard_HB120rs_v3", "Standard_F4s_v2"],
  "a-misspelt-resource": ["never-satisfiable", 2, null],
  "a-resource-that-no-node-has": ["never-satisfiable"],
  "more-parts-than-a-cap-allows": ["demand-cap", 5, 3, "max-constraint-parts"],
  "a-constraint-that-is-never-satisfied": ["never-satisfiable"],
  "alternatives-of-which-none-fits": ["never-satisfiable"],
  "a-shared-value-that-differs": ["never-satisfiable", "2026.1", "2025.1"],
  "an-array-that-is-switched-off": ["never-satisfiable"],
  "a-cluster-without-node-arrays": ["never-satisfiable"],
  "nothing-asked-for": ["nothing-requested"],
  "quota-of-the-region": ["quota", 10, 0, "region"],
  "quota-of-the-region-with-room-soon": ["quota", 1, 0, "region"],
  "quota-of-spot": ["quota", 10, 0, "region"],
  "quota-of-the-family": ["quota", 10, 0, "family"],
  "quota-of-the-family-that-azure-refused-lately": ["quota", 10, 0, "family"],
  "limits-of-the-cluster-and-the-family": ["quota", 10, 0, "cluster"],
  "limit-of-the-array-in-cores": ["quota", 10, 0, "node-array"],
  "limit-of-the-array-in-nodes": ["quota", 10, 0, "node-array"],
  "limit-of-the-cluster": ["quota", 10, 0, "cluster"],
  "limit-of-the-cluster-in-nodes": ["quota", 10, 0, "cluster"],
  "limit-of-the-vm-size": ["quota", 10, 0, "bucket"],
  "dynamic-array-full": ["own-condition nodes-full"],
  "limit-used-up-by-jobs-before-it": ["quota", 1, 0, "bucket"],
  "quota-of-which-jobs-before-it-take-a-part": ["quota", 10, 0, "region"],
  "another-part-without-room": ["gang-incomplete"],
  "placement-group-too-small": ["placement-group-too-small", 8, 4],
  "placement-group-full": ["quota", 3, 1, "placement-group"],
  "no-placement-groups": ["never-satisfiable"],
  "off-spot-for-its-run-time-while-spot-nodes-are-free": ["spot-off quota"],
  "kept-to-a-full-array-by-its-own-condition": ["own-condition quota"],
  "kept-off-a-much-dearer-array-by-its-own-condition": ["quota"],
  "kept-to-a-full-size-by-two-conditions": ["quota"],
  "capacity-back-off-by-cyclecloud": ["capacity-back-off", 10, 0],
  "capacity-back-off-after-a-shortfall": ["partly-placed capacity-back-off booting", 8, 0],
  "capacity-back-off-of-the-job": ["capacity-back-off", 900, 600],
  "boots-failing": ["boots-failing"],
  "licence-pool-empty": ["pool-empty", 2, 1],
  "licence-pool-used-up-by-jobs-before-it": ["pool-empty", 2, 0],
  "licence-pool-that-nobody-describes": ["never-satisfiable"],
  "cap-on-new-nodes-of-a-plan": ["partly-placed cap booting not-planned-yet", 6, 0, "max-nodes-per-plan"],
  "cap-on-cores": ["cap", 10, 0, "max-cores"],
  "budget-spent": ["cap", 10, 0, "monthly-budget"],
  "budget-without-a-price": ["cap", 10, 0, "unknown-price"],
  "daily-budget-of-an-account-spent": ["budget"],
  "monthly-budget-of-a-node-array-spent": ["budget"],
  "budget-of-a-node-array-without-a-price": ["budget"],
  "vm-size-not-usable": ["bucket-unusable", 1, 0],
  exclusive: ["quota", 1, 0, "bucket"],
  "hosts-of-the-scheduler-full": ["nodes-full", 1, 0],
  "hosts-of-the-scheduler-too-small": ["too-big", 16, 8],
  "named-host-full": ["nodes-full", 1, 0],
  "named-host-unknown": ["never-satisfiable", "hots-htc-1", null],
  "named-host-on-its-way-out": ["never-satisfiable"],
  "drained-by-an-operator": ["nodes-drained", 1, 1, "bucket"],
  "drained-in-the-scheduler": ["nodes-drained", 1, 1, "bucket"],
  "hosts-of-the-scheduler-drained": ["nodes-drained", 1, 1],
  "drained-while-azure-has-no-vm": ["nodes-drained", 1, 1, "back-off"],
  "ignored-by-an-operator": ["quota nodes-ignored", 1, 0, "bucket"],
  "ignored-by-the-configuration": ["quota nodes-ignored"],
  "named-host-ignored": ["nodes-ignored", null, 1],
  "source-expired": ["source-expired", 60, 101],
  "source-expired-while-it-runs": ["source-expired"],
  "cluster-paused": ["cluster-paused not-planned-yet"],
  "cluster-read-only": ["read-only not-planned-yet"],
  "login-refused": ["login-refused not-planned-yet"],
  "snapshot-stale": ["snapshot-stale booting", 300, 302],
  "waiting-for-the-next-plan": ["not-planned-yet", 10, 0],
  "waiting-for-booting-nodes": ["booting", 3, 0],
  "waiting-for-nodes-that-boot-for-the-first-time": ["booting", 2, 0],
  "its-node-failed-right-after-the-boot": ["booting", 1, 0],
  "waiting-for-failed-nodes": ["nodes-failed", 1, 0],
  "waiting-for-failed-nodes-that-are-kept": ["nodes-failed", 1, 0],
  "waiting-for-a-node-that-has-not-joined": ["not-joined", 1, 0],
  "waiting-for-a-node-that-is-taken-back": ["nodes-undraining", 1, 0],
  "partly-placed": ["partly-placed quota booting", 7, 0, "bucket"],
};

/** What a page says to make the job fit, done: then it has all of its places. */
const fixes: Readonly<Record<string, Partial<Situation>>> = {
  "too-big-for-any-size": { jobs: job({ constraints: { ncpus: 4 } }) },
  "too-big-for-the-array-that-it-names": { jobs: job({ constraints: { ncpus: 64 } }) },
  "too-much-memory": { jobs: job({ constraints: { memgb: 8 } }) },
  "a-misspelt-node-array": { jobs: job({ constraints: { "node.nodearray": "htc" } }) },
  "a-resource-that-no-node-has": {
    config: { default_resources: [{ select: {}, name: "scratch", value: 1 }] },
  },
  "more-parts-than-a-cap-allows": { config: { max_constraint_parts: 5 } },
  "a-cluster-without-node-arrays": { array: {} },
  "quota-of-the-region": { limits: { region: { maxCores: 138, usedCores: 98 } } },
  "quota-of-spot": { limits: { region: { maxCores: 48, usedCores: 8 } } },
  "quota-of-the-family": { limits: { family: { maxCores: 46, usedCores: 6 } } },
  "limits-of-the-cluster-and-the-family": {
    cluster: { maxCoreCount: 40 },
    limits: { family: { maxCores: 46, usedCores: 6 } },
  },
  "limit-of-the-array-in-cores": { array: { maxCoreCount: 40 } },
  "limit-of-the-array-in-nodes": { array: { maxCount: 10 } },
  "limit-of-the-cluster": { cluster: { maxCoreCount: 40 } },
  "limit-of-the-cluster-in-nodes": { cluster: { maxCount: 10 } },
  "limit-of-the-vm-size": { bucket: { availableCount: 10 } },
  "limit-used-up-by-jobs-before-it": { bucket: { availableCount: 7 } },
  "another-part-without-room": { limits: { availableCount: 10 } },
  "placement-group-too-small": { jobs: job({ iterations: 1, nodeCount: 4, colocated: true }) },
  "placement-group-full": { bucket: { placementGroups: [{ name: "pg0", activeCount: 1 }] } },
  "no-placement-groups": { array: { allowsColocation: true } },
  "licence-pool-used-up-by-jobs-before-it": {
    config: { shared_pools: [{ name: "solver", initial: 9, current: 8 }] },
  },
  "licence-pool-that-nobody-describes": {
    config: { shared_pools: [{ name: "solver", initial: 4, current: 4 }] },
  },
  "cap-on-new-nodes-of-a-plan": { config: { max_nodes_per_plan: 10 } },
  "cap-on-cores": { config: { max_cores: 48 } },
  "budget-spent": {
    config: { monthly_budget_usd: 50, vm_sizes: { Standard_F4s_v2: { price_per_hour_usd: 0.2 } } },
  },
  "budget-without-a-price": {
    config: { monthly_budget_usd: 100, vm_sizes: { Standard_F4s_v2: { price_per_hour_usd: 0.2 } } },
  },
  "vm-size-not-usable": { bucket: {} },
  exclusive: { bucket: { availableCount: 3 } },
  "drained-by-an-operator": plain,
  "drained-in-the-scheduler": { message: {} },
  "ignored-by-an-operator": plain,
  "ignored-by-the-configuration": { config: {} },
  "named-host-ignored": { config: {} },
  "source-expired": { message: {} },
  "partly-placed": { bucket: { availableCount: 10 } },
};

describe("explain: every situation in which a job waits", () => {
  test("has a row", () => {
    expect(Object.keys(rows)).toEqual(Object.keys(situations));
  });

  test.each(Object.entries(rows))("%s", async (name, [kinds, askedFor, left, limit = null]) => {
    const { answer } = await of(situation(name));
    const { causes, headline, summary } = answer;
    expect(causes.map(({ kind }) => kind).join(" ")).toBe(kinds);
    const [cause] = causes.filter(({ kind }) => kind !== "partly-placed");
    expect(summary).toBe(`${headline} ${cause?.text}`);
    if (askedFor !== undefined) expect(cause).toMatchObject({ asked: askedFor, left, limit });
    const page = pageText((on) => explanationOn(on, answer));
    await expect(page).toMatchFileSnapshot(`pages/${name}.txt`);
  });

  test.each(Object.entries(fixes))("%s: what is told to make it fit does", async (name, fix) => {
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

test("room is a way out where all fits that starts together, and only as long as there is some", async () => {
  const first = async (name: string, changed: Partial<Situation>) =>
    (await explained(await happen({ ...situation(name), ...changed }))).causes[0];
  const elsewhere = "kept-to-a-full-array-by-its-own-condition";
  const constraints = { ncpus: 4, "node.nodearray": "htc" };
  for (const [nodeCount, array] of [
    [10, "mid"],
    [11, "fat"],
  ] as const) {
    const jobs = job({ iterations: 1, nodeCount, constraints });
    expect((await first(elsewhere, { jobs }))?.text).toContain(`Room is free in ${array}`);
  }
  const spot = "off-spot-for-its-run-time-while-spot-nodes-are-free";
  const [regular, withRoom] = situation(spot).cluster?.nodeArrays ?? [];
  if (regular === undefined || withRoom === undefined) throw new Error("no pair");
  const cluster = { nodeArrays: [regular, { ...withRoom, maxCount: 0 }] };
  expect(await first(spot, { cluster })).toMatchObject({ kind: "quota" });
});

test("a job whose constraints are those of another, read at another time, is kept off by its own condition", async () => {
  const { ports } = await happen(situation("kept-to-a-full-array-by-its-own-condition"));
  const outlook = await lookAhead(ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  const each = outlookJobs(outlook).find(({ job: { name } }) => name === asked) as OutlookJob;
  const again = { ...each, job: structuredClone(each.job) };
  expect(explainOne(outlook, again).causes.map(({ kind }) => kind)).toEqual(["own-condition", "quota"]);
});
