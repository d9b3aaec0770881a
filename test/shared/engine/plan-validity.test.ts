import { expect, test } from "vitest";
import { plan } from "../../../shared/engine/index.ts";
import { jobOf } from "../../bench/cases.ts";
import { readWorld, storedWorld } from "../../bench/stored-world.ts";
import { violationsOf } from "./plan-validity.ts";

const worldOf = (jobs: number) =>
  readWorld(
    storedWorld(
      jobs / 10,
      Array.from({ length: jobs }, (_, index) => jobOf(index, { ncpus: 1 })),
    ),
  );

/** How often the checker takes an entry out of a plan's lists of nodes and jobs. */
function readsFor(jobs: number): number {
  const input = worldOf(jobs);
  const result = plan(input);
  let reads = 0;
  const counted = <T extends object>(list: T): T =>
    new Proxy(list, {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key);
      },
    });
  expect(
    violationsOf(input, { ...result, jobs: counted(result.jobs), nodes: counted(result.nodes) }),
  ).toEqual([]);
  return reads;
}

test("violationsOf: ten times the jobs and nodes take ten times the work", () => {
  expect(readsFor(5_000) / readsFor(500)).toBeLessThan(11);
});

test("violationsOf: a job that is not allocated but sits on a node is found", () => {
  const input = worldOf(20);
  const result = plan(input);
  const jobs = result.jobs.map((job) =>
    job.name === "job-7" ? { ...job, allocated: false, granted: 0, placements: [] } : job,
  );
  expect(violationsOf(input, { ...result, jobs })).toContainEqual(
    expect.stringMatching(/^job-7 is not allocated but sits on htc-\d+$/),
  );
});
