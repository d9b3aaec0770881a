import { describe, expect, test } from "vitest";
import { targetExplanationOn } from "../../../../clients/cli/output/explanation.ts";
import { type TargetExplanation, targetExplanation } from "../../../../shared/api/index.ts";
import { firstReasons } from "../../../../shared/views/explain/first-sentence.ts";
import { explainTarget, lookAhead } from "../../../../shared/views/index.ts";
import { cluster, type World } from "../../../support/world.ts";
import { pageText } from "./page-text.ts";
import { happenToTarget, type TargetSituation, targetSituations } from "./target-situations.ts";

async function outcomeOf(world: World, target: string, requestSet?: string) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  return explainTarget(outlook, target, requestSet);
}

async function explained(situation: TargetSituation, world?: World): Promise<TargetExplanation> {
  const found = await outcomeOf(
    world ?? (await happenToTarget(situation)),
    situation.target,
    situation.requestSet,
  );
  if (found.outcome !== "explained") throw new Error(found.outcome);
  return targetExplanation.strict().parse(JSON.parse(JSON.stringify(found.answer)));
}

function situation(name: string): TargetSituation {
  const found = targetSituations[name];
  if (found === undefined) throw new Error(`There is no situation "${name}"`);
  return found;
}

/** What each situation comes to. */
const rows: Readonly<
  Record<
    string,
    readonly [state: TargetExplanation["state"], granted: number, asked: number, unit: string, kinds: string]
  >
> = {
  met: ["met", 8, 8, "cores", ""],
  "met-with-nothing": ["met", 0, 0, "nodes", ""],
  booting: ["booting", 10, 10, "nodes", "booting"],
  "quota-of-the-region": ["partly", 16, 40, "cores", "partly-placed quota booting"],
  "limit-of-the-vm-size": ["partly", 3, 10, "nodes", "partly-placed quota booting"],
  "cap-on-cores": ["partly", 3, 10, "nodes", "partly-placed cap booting"],
  "capacity-back-off": ["waiting", 0, 10, "nodes", "capacity-back-off"],
  "spare-nodes-behind-jobs": ["waiting", 0, 2, "spares", "others-first"],
  "spare-slots-that-cost-too-much": ["partly", 4, 8, "slots", "partly-placed budget booting"],
  "spare-slots-larger-than-a-node": ["waiting", 0, 8, "slots", "too-big"],
  "group-too-large-for-a-placement-group": ["waiting", 0, 2, "groups", "placement-group-too-small"],
  "one-of-two-groups": ["partly", 1, 2, "groups", "partly-placed quota booting"],
  "one-of-two-groups-of-cores": ["partly", 1, 2, "groups", "partly-placed quota booting"],
  "vm-size-that-the-array-has-not": ["waiting", 0, 2, "nodes", "never-satisfiable"],
  "vm-size-not-usable": ["waiting", 0, 10, "nodes", "bucket-unusable"],
  "array-that-is-not-there": ["waiting", 0, 2, "nodes", "never-satisfiable"],
  "array-that-is-switched-off": ["waiting", 0, 2, "nodes", "never-satisfiable"],
  "drained-nodes": ["partly", 1, 2, "nodes", "partly-placed nodes-drained"],
  expired: ["expired", 0, 10, "nodes", "request-expired"],
  paused: ["booting", 10, 10, "nodes", "cluster-paused not-planned-yet"],
  "asked-for-by-two-sets": ["partly", 4, 5, "nodes", "partly-placed quota booting"],
};

/** What a page says to make the target whole, done: then it is. */
const fixes: Readonly<Record<string, Partial<TargetSituation>>> = {
  "quota-of-the-region": { limits: { region: { maxCores: 122, usedCores: 82 } } },
  "limit-of-the-vm-size": { bucket: { availableCount: 10 } },
  "cap-on-cores": { config: { max_cores: 40 } },
  "spare-nodes-behind-jobs": { config: { max_cores: 20 } },
  "spare-slots-that-cost-too-much": {
    arrays: [{ Name: "htc", SpareSlots: 8, SlotResources: { ncpus: 2 }, SpareCostPerHour: 1 }],
  },
  "spare-slots-larger-than-a-node": { arrays: [{ Name: "htc", SpareSlots: 8, SlotResources: { ncpus: 2 } }] },
  "group-too-large-for-a-placement-group": { limits: { maxPlacementGroupSize: 4 } },
  "one-of-two-groups": { bucket: { availableCount: 8 } },
  "vm-size-that-the-array-has-not": {
    arrays: [{ Name: "htc", TargetCount: 2, MachineType: "Standard_F8s_v2" }],
  },
  "vm-size-not-usable": { bucket: {} },
  "array-that-is-not-there": { arrays: [{ Name: "htc", TargetCount: 2 }], target: "htc" },
  "drained-nodes": { message: {} },
  "asked-for-by-two-sets": { bucket: { availableCount: 5 } },
};

describe("explainTarget: every situation of a target", () => {
  test("has a row", () => {
    expect(Object.keys(rows)).toEqual(Object.keys(targetSituations));
  });

  test.each(Object.entries(rows))("%s", async (name, row) => {
    const world = await happenToTarget(situation(name));
    const answer = await explained(situation(name), world);
    const { causes, state, granted, asked, unit, refusals } = answer;
    expect([state, granted, asked, unit, causes.map(({ kind }) => kind).join(" ")]).toEqual(row);
    const isShort = state === "partly" || state === "waiting";
    expect(refusals.length > 0).toBe(isShort);
    // What the status says beside the figures.
    const outlook = await lookAhead(world.ports, cluster);
    const now = outlook && firstReasons(outlook).ofTarget(situation(name).target, answer.requestSet);
    expect(now).toEqual(isShort || state === "expired" ? expect.any(String) : null);
    const page = pageText((on) => targetExplanationOn(on, answer));
    expect(page).not.toMatch(/undefined|null|NaN|Infinity|\[object/);
    await expect(page).toMatchFileSnapshot(`pages/target/${name}.txt`);
  });

  test.each(Object.entries(fixes))("%s: what is told to make it whole does", async (name, fix) => {
    const answer = await explained({ ...situation(name), ...fix });
    expect(answer).toMatchObject({ granted: answer.asked, refusals: [] });
  });
});

describe("explainTarget: which target", () => {
  test("two sets with one target have to be told apart", async () => {
    const world = await happenToTarget(situation("asked-for-by-two-sets"));
    expect(await outcomeOf(world, "htc")).toEqual({
      outcome: "ambiguous",
      requestSets: ["nightly", "standard"],
      next: "Name one: `ccscale explain --target htc --request-set nightly`.",
    });
    expect(await outcomeOf(world, "htc", "standard")).toMatchObject({
      outcome: "explained",
      answer: { state: "booting", asked: 2, requestSet: "standard" },
    });
  });

  test("a set that has expired is in nobody's way", async () => {
    const world = await happenToTarget({
      ...situation("asked-for-by-two-sets"),
      request: { expirationInterval: 10 },
      after: async (later) => later.advance(60),
    });
    expect(await outcomeOf(world, "htc")).toMatchObject({
      outcome: "explained",
      answer: { requestSet: "nightly" },
    });
  });

  test("of one that nobody asked for, those that somebody did are named", async () => {
    const world = await happenToTarget(situation("booting"));
    expect(await outcomeOf(world, "gpu")).toEqual({ outcome: "unknown-target", names: ["htc"] });
  });

  test("a request that came after the newest plan is told so", async () => {
    const world = await happenToTarget({
      ...situation("booting"),
      arrays: [{ Name: "htc", TargetCount: 1 }],
    });
    world.advance(1);
    await world.receive({
      version: 1,
      kind: "targets",
      cluster,
      source: "cron",
      sequence: 8,
      requestSet: "standard",
      sentAt: new Date((world.now() + 1) * 1000).toISOString(),
      arrays: [{ Name: "htc", TargetCount: 3 }],
    });
    const found = await outcomeOf(world, "htc");
    expect(found).toMatchObject({ outcome: "explained", answer: { asked: 3 } });
    const steps = found.outcome === "explained" ? found.answer.planner.map(({ text }) => text) : [];
    expect(steps).toContain("The newest plan was made before the request came; the next one sees it.");
  });
});
