import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Job, type OwnerLimit, type Plan, plan } from "../../../shared/engine/index.ts";
import { jobSentences } from "../../../shared/views/index.ts";
import { cases } from "../../support/cases.ts";
import { planInputs } from "./arbitraries.ts";
import { violationsOf } from "./plan-validity.ts";
import { array, bucket, cluster, createdNames, input, job, node } from "./tiny.ts";

function limit(owner: string, maxCores: number, cap: OwnerLimit["cap"] = "max-cores-per-user"): OwnerLimit {
  return { cap, owner, maxCores };
}

const of = (made: Job, ...ownerLimits: readonly OwnerLimit[]): Job => ({ ...made, ownerLimits });
const granted = ({ jobs }: Plan) => Object.fromEntries(jobs.map((each) => [each.name, each.granted]));

describe("cores of one owner", () => {
  const ann = limit("ann", 12);

  test("an array gets as many places as its owner has cores left, others what they want", () => {
    const jobs = [
      of(job("array", { ncpus: 2 }, { iterations: 10 }), ann),
      of(job("more", { ncpus: 1 }), ann),
      of(job("bob", { ncpus: 2 }, { iterations: 4 }), limit("bob", 12)),
    ];
    const result = plan(input({ jobs }));
    expect(granted(result)).toEqual({ array: 6, more: 0, bob: 4 });
    expect(result.heldBack).toMatchObject([{ cap: "max-cores-per-user", limit: 12, asked: 14, jobs: 2 }]);
  });

  test("running jobs count, and keep their nodes even beyond the limit", () => {
    const running = (cores: number) =>
      of(job("runs", { ncpus: cores }, { executingHostnames: ["host-htc-1"] }), ann);
    const nodes = [node("htc-1")];
    const next = of(job("next", { ncpus: 4 }, { iterations: 4 }), ann);
    const world = (size: number) =>
      cluster({ nodeArrays: [array({ buckets: [bucket({ vcpus: size, vmSize: "Standard_F4" })] })], nodes });
    expect(granted(plan(input({ cluster: world(8), jobs: [running(8), next] })))).toEqual({
      runs: 1,
      next: 1,
    });
    expect(granted(plan(input({ cluster: world(16), jobs: [running(16), next] })))).toEqual({
      runs: 1,
      next: 0,
    });
  });

  test("what owners have is reported as it is before the plan, also where no limit binds", () => {
    const nodes = [node("htc-1")];
    const jobs = [
      of(job("runs", { ncpus: 3 }, { executingHostnames: ["host-htc-1"] }), ann),
      of(job("next", { ncpus: 1 }), ann, limit("geo", 100, "max-cores-per-account")),
    ];
    expect(plan(input({ cluster: cluster({ nodes }), jobs })).ownerUses).toEqual([
      { cap: "max-cores-per-user", owner: "ann", maxCores: 12, usedCores: 3 },
      { cap: "max-cores-per-account", owner: "geo", maxCores: 100, usedCores: 0 },
    ]);
  });

  test("holds on idle nodes too, which a scheduler would give to others", () => {
    const nodes = [node("htc-1"), node("htc-2")];
    const jobs = [of(job("a", { ncpus: 4 }, { iterations: 2 }), limit("ann", 4)), job("b", { ncpus: 4 })];
    const result = plan(input({ cluster: cluster({ nodes }), jobs }));
    expect(granted(result)).toEqual({ a: 1, b: 1 });
    expect(createdNames(result)).toEqual([]);
  });

  test("a job that has nodes alone counts with whole nodes", () => {
    const jobs = [of(job("alone", { ncpus: 1, exclusive: true }, { iterations: 5 }), ann)];
    const result = plan(input({ jobs }));
    expect(granted(result)).toEqual({ alone: 3 });
    expect(createdNames(result)).toHaveLength(3);
  });

  test("a place that asks for no cores counts as one", () => {
    const jobs = [of(job("none", { memgb: 1 }, { iterations: 20 }), ann)];
    expect(granted(plan(input({ jobs })))).toEqual({ none: 12 });
  });

  test("a job that wants all of its nodes or none gets none, and leaves its owner the cores", () => {
    const jobs = [
      of(job("mpi", { ncpus: 4 }, { nodeCount: 4 }), ann),
      of(job("small", { ncpus: 4 }, { iterations: 3 }), ann),
    ];
    const result = plan(input({ jobs }));
    expect(granted(result)).toEqual({ mpi: 0, small: 3 });
    expect(createdNames(result)).toHaveLength(3);
  });

  test("a job that nobody can place takes nothing from the others of its owner", () => {
    const jobs = [
      of(job("never", { ncpus: 4, ngpus: 1 }), limit("ann", 4)),
      of(job("b", { ncpus: 4 }), limit("ann", 4)),
    ];
    expect(granted(plan(input({ jobs })))).toEqual({ never: 0, b: 1 });
  });

  test("of several limits the strictest holds, and a higher priority goes first", () => {
    const geo = limit("geo", 8, "max-cores-per-account");
    const jobs = [
      of(job("low", { ncpus: 4 }, { iterations: 3 }), ann, geo),
      of(job("high", { ncpus: 4 }, { iterations: 3, priority: 1 }), limit("bob", 100), geo),
    ];
    expect(granted(plan(input({ jobs })))).toEqual({ low: 0, high: 2 });
  });

  test("a queue that would fit if all of it moved is not moved beyond a limit", () => {
    const five = bucket({ vcpus: 5, vmSize: "Standard_F4", available: 0 });
    const there = cluster({
      nodeArrays: [array({ buckets: [five] })],
      nodes: [node("htc-1"), node("htc-2")],
    });
    const bobs = ["b1", "b2"].map((name) => job(name, { ncpus: 2 }));
    const anns = ["a1", "a2"].map((name) => job(name, { ncpus: 3 }));
    const free = plan(input({ cluster: there, jobs: [...bobs, ...anns] }));
    expect(granted(free)).toEqual({ b1: 1, b2: 1, a1: 1, a2: 1 });
    const jobs = [...bobs, ...anns.map((each) => of(each, limit("ann", 5)))];
    expect(granted(plan(input({ cluster: there, jobs })))).toEqual({ b1: 1, b2: 1, a1: 1, a2: 0 });
  });

  test("the reason names the cap, whose it is, and the figures", () => {
    const jobs = [of(job("j", { ncpus: 4 }, { iterations: 4 }), ann)];
    const [outcome] = plan(input({ jobs })).jobs;
    if (outcome === undefined) throw new Error("no job");
    expect(jobSentences(outcome).join(" ")).toContain(
      'Held back by the cap max_cores_per_user, the cores that jobs of one user may have together: one more place would make it 16 for "ann", expected at most 12.',
    );
  });
});

const owned = fc
  .tuple(
    planInputs,
    fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
    fc.array(fc.nat(40), { minLength: 4, maxLength: 4 }),
  )
  .map(([drawn, owners, most]) => ({
    ...drawn,
    jobs: drawn.jobs.map((each, index) => {
      const owner = owners[index % owners.length] as number;
      return of(each, limit(`u${owner}`, most[owner] as number), limit("all", 100, "max-cores-per-account"));
    }),
  }));

test("property: no owner gets more than the limit, whatever moves, and the plan is valid", () => {
  fc.assert(
    fc.property(owned, (drawn) => {
      expect(violationsOf(drawn, plan(drawn))).toEqual([]);
    }),
    cases(300),
  );
});

test("property: limits that cannot bind change nothing", () => {
  fc.assert(
    fc.property(planInputs, (drawn) => {
      const jobs = drawn.jobs.map((each) => of(each, limit("all", 1_000_000)));
      const { ownerUses: _, ...limited } = plan({ ...drawn, jobs });
      expect(limited).toEqual(plan(drawn));
    }),
    cases(100),
  );
});
