import { describe, expect, test } from "vitest";
import { type DemandCaps, type Job, type PlanInput, plan } from "../../../shared/engine/index.ts";
import { jobSentences } from "../../../shared/views/index.ts";
import { cluster, codes, input, job, node, nodesOf } from "./tiny.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);
const all = (count: number) => Object.fromEntries(names(count).map((name) => [name, 1]));

/** A demand that exceeds one cap, and what its reason says. */
interface Excess {
  readonly caps: Partial<DemandCaps>;
  readonly constraints: unknown;
  readonly fields?: Partial<PlanInput>;
  /** The priority of the jobs that exceed it; the plain one has 50. */
  readonly priority?: number;
  readonly asked: number | null;
  readonly text: string;
}

const ownHost = { hostname: "own", resources: { ncpus: 1, ...all(3) } };

const excesses: Readonly<Record<string, Excess>> = {
  "parts of constraints": {
    caps: { maxConstraintParts: 4 },
    constraints: {
      ncpus: 1,
      or: [{ "node.vm_size": "a" }, { "node.vm_size": "b" }, { "node.vm_size": "c" }],
    },
    asked: 5,
    text: "max_constraint_parts",
  },
  "options with wildcards": {
    caps: { maxConstraintParts: 4 },
    constraints: { ncpus: 1, "node.hostname": ["a*", "b?", "[c]"] },
    asked: 5,
    text: "max_constraint_parts",
  },
  "levels of nesting": {
    caps: { maxConstraintDepth: 2 },
    constraints: { ncpus: 1, not: { or: [{ not: { ncpus: 900 } }] } },
    asked: 3,
    text: "max_constraint_depth",
  },
  "resources of schedulers' hosts": {
    caps: { maxDistinctResources: 2 },
    constraints: { ncpus: 1, ...all(3) },
    fields: { schedulerNodes: [ownHost] },
    asked: 3,
    text: "max_distinct_resources",
  },
  "a priority that is too low": {
    caps: { minPriority: 50 },
    constraints: { ncpus: 1 },
    priority: 49,
    asked: 49,
    text: "min_priority",
  },
  "checks of one plan": {
    caps: { maxPlanChecks: 10 },
    constraints: { ncpus: 1, not: { "node.hostname": "none" }, xor: [{ ncpus: 4 }, { ncpus: 8 }] },
    asked: null,
    text: "max_plan_checks",
  },
};

/** Three nodes, a job that exceeds the cap and waits, one that does and runs, and a plain one. */
function planOf({ caps, constraints, fields, priority }: Excess) {
  const [low, high] = priority === undefined ? [{}, {}] : [{ priority }, { priority: 50 }];
  const nodes = [node("htc-1"), node("htc-2"), node("htc-3")];
  const jobs: Job[] = [
    job("waits", constraints, low),
    job("runs", constraints, { ...low, executingHostnames: ["host-htc-1"], iterations: 2 }),
    job("plain", { ncpus: 4 }, high),
  ];
  return plan(input({ ...fields, jobs, cluster: cluster({ nodes }), settings: { demandCaps: caps } }));
}

describe("demand beyond a cap", () => {
  test.each(Object.entries(excesses))("%s: waits, and says so", (_, excess) => {
    const result = planOf(excess);
    expect(codes(result, "waits")).toEqual(["DemandCapReached"]);
    const [, sentence] = jobSentences(result.jobs[0] as (typeof result.jobs)[number]);
    expect(sentence).toContain(excess.text);
    const { cap, jobs, first, asked } = result.heldBack?.[0] ?? {};
    expect({ cap, jobs, first, asked }).toEqual({
      cap: excess.text.replaceAll("_", "-"),
      jobs: 2,
      first: "waits",
      asked: excess.asked,
    });
  });

  test.each(Object.entries(excesses))("%s: what runs keeps its node and what it takes there", (_, excess) => {
    const result = planOf(excess);
    expect(nodesOf(result, "runs")).toEqual(["htc-1"]);
    expect(result.matched).toContain("htc-1");
    expect(result.nodes.find(({ name }) => name === "htc-1")?.available.ncpus).toBe(3);
    expect(result.jobs[1]).toMatchObject({ granted: 1, asked: 2 });
  });

  test.each(Object.entries(excesses))("%s: plain jobs are planned all the same", (_, excess) => {
    expect(nodesOf(planOf(excess), "plain")).toEqual(["htc-2"]);
  });

  test("within the caps nothing is held back", () => {
    for (const excess of Object.values(excesses))
      expect(planOf({ ...excess, caps: {} }).heldBack).toBeUndefined();
  });

  test("hosts of schedulers that are too many are left out, the last ones first", () => {
    const schedulerNodes = ["a", "b", "c"].map((hostname) => ({ hostname, resources: { ncpus: 8 } }));
    const jobs = [job("j", { ncpus: 8 }, { iterations: 3 })];
    const result = plan(input({ jobs, schedulerNodes, settings: { demandCaps: { maxSchedulerHosts: 2 } } }));
    expect(nodesOf(result, "j")).toEqual(["a", "b"]);
    expect(result.heldBack).toEqual([
      { cap: "max-scheduler-hosts", limit: 2, asked: 3, jobs: 0, hosts: 1, first: "c" },
    ]);
  });

  test("every source has its own share of the checks", () => {
    const constraints = { ncpus: 1, not: { "node.hostname": "none" } };
    const greedy = names(20).map((name) =>
      job(name, { ...constraints, not: { "node.hostname": name } }, { source: "a" }),
    );
    const modest = job("modest", constraints, { source: "b" });
    const result = plan(
      input({ jobs: [...greedy, modest], settings: { demandCaps: { maxPlanChecks: 60 } } }),
    );
    expect(result.heldBack?.[0]?.jobs).toBeGreaterThan(0);
    expect(nodesOf(result, "modest")).toHaveLength(1);
  });

  test("a running job of too low a priority keeps what only schedulers know, unless it is too large", () => {
    const schedulerNodes = [{ hostname: "host-htc-1", resources: { gpus: 2 } }];
    const runs = job("runs", { gpus: 2 }, { priority: 1, iterations: 2, executingHostnames: ["host-htc-1"] });
    const capsOf = (caps: Partial<DemandCaps>) => ({ demandCaps: { minPriority: 50, ...caps } });
    const world = { jobs: [runs], schedulerNodes, cluster: cluster({ nodes: [node("htc-1")] }) };
    const [kept] = plan(input({ ...world, settings: capsOf({}) })).nodes;
    expect(kept?.available.gpus).toBe(0);
    const capped = plan(input({ ...world, settings: capsOf({ maxConstraintParts: 0 }) }));
    expect(capped.heldBack?.[0]).toMatchObject({ cap: "max-constraint-parts" });
  });

  test("resources that nobody has are refused and not counted", () => {
    const jobs = names(50).map((name) => job(name, { [name]: 1 }));
    const result = plan(input({ jobs, settings: { demandCaps: { maxDistinctResources: 2 } } }));
    expect(result.heldBack).toBeUndefined();
    expect(codes(result, "r49")).toEqual(["UndefinedResource"]);
  });
});
