import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Constraint, defineJob, type Job, type Plan, plan } from "../../../shared/engine/index.ts";
import { packPlan, unpackPlan } from "../../../shared/ports/packed-plan.ts";
import type { WholePlan } from "../../../shared/ports/plan-record.ts";
import { cases } from "../../support/cases.ts";
import { bucketOf, clusterOf, nodeArrayOf } from "../../support/cluster.ts";
import { planInputs } from "../engine/arbitraries.ts";
import { archivedOf, summaryOf } from "../stores/contract/values.ts";

/** A plan that asks for more of everything than there is. */
function waiting(count: number, constraintsOf: (index: number) => readonly Constraint[]): WholePlan {
  const archived = archivedOf(summaryOf("hpc", "plan-1"));
  const jobs = Array.from({ length: count }, (_, index) =>
    defineJob({ name: `job-${index}`, constraints: constraintsOf(index) }),
  );
  const cluster = clusterOf({ nodeArrays: [nodeArrayOf({ name: "htc", buckets: [bucketOf()] })] });
  const input = { ...archived.input, cluster, jobs };
  return { ...archived, input, plan: plan(input) };
}

function longWords(index: number): readonly Constraint[] {
  return [{ kind: "never", message: `${index} ${"word ".repeat(100)}` }];
}

/** Some jobs have times of their own. */
function timed(job: Job, index: number, every: number): Job {
  if (every === 0 || index % every !== 0) return job;
  return { ...job, runtimeSeconds: 60 * (index + 1), startedAtSeconds: 1_800_000_000 + index };
}

const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe("packed plans", () => {
  test("come back as they were, also over JSON, whatever was planned", () => {
    fc.assert(
      fc.property(planInputs, fc.nat(3), (drawn, every) => {
        const input = { ...drawn, jobs: drawn.jobs.map((job, index) => timed(job, index, every)) };
        const whole = { ...archivedOf(summaryOf("hpc", "plan-1")), input, plan: plan(input) };
        expect(asJson(unpackPlan(asJson(packPlan(whole))))).toEqual(asJson(whole));
      }),
      cases(200),
    );
  });

  test("jobs of one shape that wait for one cause share the shape and the reasons", () => {
    const constraints: readonly Constraint[] = [
      { kind: "minimum-resource", resource: "ncpus", amount: 4_000 },
    ];
    const packed = packPlan(waiting(1_000, () => constraints));
    expect([packed.shapes.length, packed.reasons.length, packed.reasonsLeftOut]).toEqual([1, 1, 0]);
  });

  test("jobs that run for different times share their shape", () => {
    const none: readonly Constraint[] = [];
    const whole = waiting(1_000, () => none);
    const jobs = whole.input.jobs.map((job, index) => timed(job, index, 1));
    expect(packPlan({ ...whole, input: { ...whole.input, jobs } }).shapes).toHaveLength(1);
  });

  test("reasons that are too long are left out and counted; who waits is not", () => {
    const jobs = 20_000;
    const whole = waiting(jobs, longWords);
    const packed = packPlan(whole);
    expect(JSON.stringify(packed.reasons).length).toBeLessThan(10_000_000);
    expect(packed.reasonsLeftOut).toBeGreaterThan(0);
    expect(packed.reasons.length + packed.reasonsLeftOut).toBe(jobs);
    const outcomes = ({ jobs }: Plan) => jobs.map(({ name, asked, granted }) => ({ name, asked, granted }));
    expect(outcomes(unpackPlan(packed).plan)).toEqual(outcomes(whole.plan));
  });

  test("packed alike, a plan and the one that its input gives again are the same", () => {
    const stored = asJson(packPlan(waiting(200, longWords)));
    const { input } = unpackPlan(stored);
    const again = packPlan({ ...unpackPlan(stored), plan: plan(input) });
    expect(asJson(again.plan)).toEqual(stored.plan);
    expect(asJson(again.reasons)).toEqual(stored.reasons);
  });
});
