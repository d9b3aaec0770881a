import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plan, type SpentBudget } from "../../../shared/engine/index.ts";
import { jobSentences } from "../../../shared/views/index.ts";
import { cases } from "../../support/cases.ts";
import { planInputs } from "./arbitraries.ts";
import { cluster, codes, input, job, node, nodesOf } from "./tiny.ts";

const geo: SpentBudget = { name: "geo", maxUsd: 5_000, spentUsd: 5_012.345 };

describe("a job that a budget holds", () => {
  const nodes = [node("htc-1"), node("htc-2")];
  const result = plan(
    input({
      cluster: cluster({ nodes }),
      jobs: [
        job("waits", { ncpus: 4 }, { hold: geo }),
        job("runs", { ncpus: 1 }, { hold: geo, executingHostnames: ["host-htc-1"], iterations: 9 }),
        job("whole", { ncpus: 1 }, { hold: geo, nodeCount: 2, packingStrategy: "scatter" }),
        job("free", { ncpus: 4 }),
      ],
    }),
  );

  test("gets no node, not even one that is there, and the reason has the figures", () => {
    expect(nodesOf(result, "waits")).toEqual([]);
    expect(result.jobs[0]?.reasons).toEqual([
      {
        code: "BudgetSpent",
        bucket: null,
        constraint: null,
        limit: null,
        budget: "geo",
        asked: 5_012.345,
        left: 5_000,
      },
    ]);
    const [, sentence] = jobSentences(result.jobs[0] as (typeof result.jobs)[number]);
    expect(sentence).toBe('Budget "geo" holds the job: 5012.35 of 5000 USD are spent. What runs runs on.');
  });

  test("keeps what it runs on, and gets no more", () => {
    expect(nodesOf(result, "runs")).toEqual(["htc-1"]);
    expect(result.jobs[1]).toMatchObject({ asked: 9, granted: 1 });
    expect(codes(result, "runs")).toEqual(["BudgetSpent"]);
    expect(result.matched).toContain("htc-1");
    expect(nodesOf(result, "whole")).toEqual([]);
  });

  test("takes no room from others, and is no cap on demand", () => {
    expect(nodesOf(result, "free")).toEqual(["htc-2"]);
    expect(result.create).toEqual([]);
    expect(result.heldBack).toBeUndefined();
  });
});

test("whoever is held: held jobs get what they run on, the others what they would get without the held ones' wishes", () => {
  fc.assert(
    fc.property(planInputs, fc.array(fc.boolean(), { minLength: 1 }), (given, pattern) => {
      // Parts of a gang are held together: one that is not would wait for those that are.
      const firstOf = (index: number) => {
        const gang = given.jobs[index]?.gang;
        return gang === undefined ? index : given.jobs.findIndex((each) => each.gang === gang);
      };
      const isHeld = (index: number) => pattern[firstOf(index) % pattern.length] === true;
      const jobs = given.jobs.map((each, index) => (isHeld(index) ? { ...each, hold: geo } : each));
      const held = plan({ ...given, jobs });
      held.jobs.forEach((outcome, index) => {
        const each = given.jobs[index];
        if (!isHeld(index) || each === undefined) return;
        expect(outcome.granted).toBeLessThanOrEqual(each.executingHostnames.length);
        if (outcome.granted < outcome.asked)
          expect(["BudgetSpent", "DemandCapReached", "GangIncomplete"]).toContain(outcome.reasons[0]?.code);
      });
      // A job that waits and is held might as well not be there.
      const isThere = (index: number) =>
        !isHeld(index) || (given.jobs[index]?.executingHostnames.length ?? 0) > 0;
      const without = plan({ ...given, jobs: jobs.filter((_, index) => isThere(index)) });
      expect(held.create).toEqual(without.create);
      expect(held.start).toEqual(without.start);
      expect(held.jobs.filter((_, index) => isThere(index)).map(({ granted }) => granted)).toEqual(
        without.jobs.map(({ granted }) => granted),
      );
    }),
    cases(150),
  );
});
