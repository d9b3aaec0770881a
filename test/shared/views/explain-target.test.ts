import { describe, expect, test } from "vitest";
import { type TargetExplanation, targetExplanation } from "../../../shared/api/index.ts";
import { explainTarget, lookAhead } from "../../../shared/views/index.ts";
import { cluster, type World } from "../../support/world.ts";
import { happenToTarget, type TargetSituation, targetSituations } from "./target-situations.ts";

async function outcomeOf(world: World, target: string, requestSet?: string) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  return explainTarget(outlook, target, requestSet);
}

async function explained(situation: TargetSituation): Promise<TargetExplanation> {
  const found = await outcomeOf(await happenToTarget(situation), situation.target, situation.requestSet);
  if (found.outcome !== "explained") throw new Error(found.outcome);
  return targetExplanation.strict().parse(JSON.parse(JSON.stringify(found.answer)));
}

function situation(name: string): TargetSituation {
  const found = targetSituations[name];
  if (found === undefined) throw new Error(`There is no situation "${name}"`);
  return found;
}

interface Told {
  readonly state: TargetExplanation["state"];
  readonly has: readonly [granted: number, asked: number, unit: string];
  readonly kinds: string;
  readonly says?: readonly string[];
  readonly next?: string;
  /** What is told to make it whole, done: then it is. */
  readonly fixed?: Partial<TargetSituation>;
}

const rows: Readonly<Record<string, Told>> = {
  met: { state: "met", has: [8, 8, "cores"], kinds: "" },
  "met-with-nothing": { state: "met", has: [0, 0, "nodes"], kinds: "" },
  booting: {
    state: "booting",
    has: [10, 10, "nodes"],
    kinds: "booting",
    says: ["Booting: 10 of 10 nodes"],
    next: "Wait for them",
  },
  "quota-of-the-region": {
    state: "partly",
    has: [16, 40, "cores"],
    kinds: "partly-placed quota booting",
    says: ["No room for 24 cores", "region westeurope leaves 0 new nodes", "98 of 100 cores are used"],
    next: "Ask Azure for 22 more cores",
    fixed: { limits: { region: { maxCores: 122, usedCores: 82 } } },
  },
  "limit-of-the-vm-size": {
    state: "partly",
    has: [3, 10, "nodes"],
    kinds: "partly-placed quota booting",
    says: ["No room for 7 nodes", "3 of 3 nodes are used"],
    next: "by 7 nodes or more",
    fixed: { bucket: { availableCount: 10 } },
  },
  "cap-on-cores": {
    state: "partly",
    has: [3, 10, "nodes"],
    kinds: "partly-placed cap booting",
    says: ["12 of 12 cores are used, a node takes 4"],
    next: 'Raise "max_cores" by 28 cores',
    fixed: { config: { max_cores: 40 } },
  },
  "capacity-back-off": {
    state: "waiting",
    has: [0, 10, "nodes"],
    kinds: "capacity-back-off",
    says: ["for 3m19s: Azure had no such VM"],
    next: "It ends by itself",
  },
  "spare-nodes-behind-jobs": {
    state: "waiting",
    has: [0, 2, "spares"],
    kinds: "others-first",
    says: ["Jobs or other targets wait at a limit of htc/Standard_F4"],
    next: "when nobody waits there any more",
    fixed: { config: { max_cores: 20 } },
  },
  "spare-slots-that-cost-too-much": {
    state: "partly",
    has: [4, 8, "slots"],
    kinds: "partly-placed budget booting",
    says: ["all of them would cost 0.80 USD an hour, and SpareCostPerHour allows 0.50 USD"],
    next: "Raise SpareCostPerHour",
    fixed: { arrays: [{ Name: "htc", SpareSlots: 8, SlotResources: { ncpus: 2 }, SpareCostPerHour: 1 }] },
  },
  "spare-slots-larger-than-a-node": {
    state: "waiting",
    has: [0, 8, "slots"],
    kinds: "too-big",
    says: ["No slot of the shape"],
    next: "smaller slots",
    fixed: { arrays: [{ Name: "htc", SpareSlots: 8, SlotResources: { ncpus: 2 } }] },
  },
  "group-too-large-for-a-placement-group": {
    state: "waiting",
    has: [0, 2, "groups"],
    kinds: "placement-group-too-small",
    says: ["wants 4 nodes", "holds at most 3"],
    next: "smaller groups",
    fixed: { limits: { maxPlacementGroupSize: 4 } },
  },
  "one-of-two-groups": {
    state: "partly",
    has: [1, 2, "groups"],
    kinds: "partly-placed quota booting",
    says: ["No room for 1 group", "4 of 6 nodes are used"],
    next: "by 2 nodes or more",
    fixed: { bucket: { availableCount: 8 } },
  },
  "vm-size-that-the-array-has-not": {
    state: "waiting",
    has: [0, 2, "nodes"],
    kinds: "never-satisfiable",
    says: ['has no VM size "Standard_F8s_v3". Did you mean "Standard_F8s_v2"?'],
    next: "MachineType",
    fixed: { arrays: [{ Name: "htc", TargetCount: 2, MachineType: "Standard_F8s_v2" }] },
  },
  "vm-size-not-usable": {
    state: "waiting",
    has: [0, 10, "nodes"],
    kinds: "bucket-unusable",
    says: ["NotActivated"],
    next: "Activate the VM size",
    fixed: { bucket: {} },
  },
  "array-that-is-not-there": {
    state: "waiting",
    has: [0, 2, "nodes"],
    kinds: "never-satisfiable",
    says: ['has no node array "htcc". Did you mean "htc"?'],
    next: "Name a node array",
    fixed: { arrays: [{ Name: "htc", TargetCount: 2 }], target: "htc" },
  },
  "array-that-is-switched-off": {
    state: "waiting",
    has: [0, 2, "nodes"],
    kinds: "never-satisfiable",
    says: ['Autoscaling is off for node array "gpu"'],
    next: "autoscale.enabled = true",
  },
  "drained-nodes": {
    state: "partly",
    has: [1, 2, "nodes"],
    kinds: "partly-placed nodes-drained",
    says: ["drained: 1 (htc-1; by root in slurm: bad disk)"],
    next: 'Resume them in the scheduler "slurm"',
    fixed: { message: {} },
  },
  expired: {
    state: "expired",
    has: [0, 10, "nodes"],
    kinds: "request-expired",
    says: ["holds for 5m", "has wanted nothing for 1m41s"],
    next: "ccscale autoscale",
  },
  paused: {
    state: "booting",
    has: [10, 10, "nodes"],
    kinds: "cluster-paused not-planned-yet",
    says: ["alice paused the cluster 31s ago"],
    next: "ccscale resume",
  },
  "asked-for-by-two-sets": {
    state: "partly",
    has: [4, 5, "nodes"],
    kinds: "partly-placed quota booting",
    says: ["No room for 1 node"],
    next: "by 1 node or more",
    fixed: { bucket: { availableCount: 5 } },
  },
};

describe("explainTarget: every situation of a target", () => {
  test("has a row", () => {
    expect(Object.keys(rows)).toEqual(Object.keys(targetSituations));
  });

  test.each(Object.entries(rows))("%s", async (name, told) => {
    const answer = await explained(situation(name));
    const { causes, state, granted, asked, unit, refusals, planner } = answer;
    expect({ state, has: [granted, asked, unit] }).toEqual({ state: told.state, has: told.has });
    expect(causes.map(({ kind }) => kind).join(" ")).toBe(told.kinds);
    const [cause] = causes.filter(({ kind }) => kind !== "partly-placed");
    for (const words of told.says ?? []) expect(cause?.text).toContain(words);
    if (told.next !== undefined) expect(cause?.next).toContain(told.next);
    expect(refusals.length > 0).toBe(state === "partly" || state === "waiting");
    expect(planner.some(({ text }) => /^The newest plan gave it \d+ of/.test(text))).toBe(
      state !== "expired",
    );
    for (const { text, next } of causes) {
      expect(text).toMatch(/^[A-Z0-9].*[.?]$/s);
      expect(`${text} ${next}`).not.toMatch(/undefined|null|NaN|Infinity|\[object/);
    }
  });

  const fixed = Object.entries(rows).flatMap(([name, { fixed }]) =>
    fixed === undefined ? [] : [[name, fixed] as const],
  );
  test.each(fixed)("%s: what is told to make it whole does", async (name, fix) => {
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
