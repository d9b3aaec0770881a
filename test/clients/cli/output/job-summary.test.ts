import { expect, test } from "vitest";
import { jobGroupFields, jobSummaryOf } from "../../../../clients/cli/output/job-summary.ts";
import type { JobView } from "../../../../shared/api/index.ts";

const now = 1_800_000_000;

function jobOf(job: string, fields: Partial<JobView>): JobView {
  const base = { job, state: "waiting", asked: 1, granted: 0, unit: "slots", reason: null };
  return { ...base, submittedAtSeconds: null, ...fields } as JobView;
}

test("what waits first, by how many wait for one reason; how much each lacks is no reason", () => {
  const limit = (unit: string) => `No room for ${unit}: the node limit of node array hpc leaves 0 new nodes.`;
  const jobs = [
    jobOf("1", { state: "running", granted: 1 }),
    jobOf("2", { reason: "Too big.", submittedAtSeconds: now - 60 }),
    jobOf("3", { reason: limit("4 nodes"), asked: 4, submittedAtSeconds: now - 7_200 }),
    jobOf("4", { reason: limit("8 nodes"), asked: 8, submittedAtSeconds: now - 60 }),
    jobOf("5", { state: "partly", asked: 10, granted: 7, reason: limit("3 slots") }),
    jobOf("6", { state: "running", granted: 1 }),
  ];
  expect(jobSummaryOf(jobs, now)).toEqual([
    {
      jobs: 2,
      state: "waiting",
      places: 12,
      longestWaitSeconds: 7_200,
      first: "3",
      reason: limit("4 nodes"),
    },
    { jobs: 1, state: "waiting", places: 1, longestWaitSeconds: 60, first: "2", reason: "Too big." },
    { jobs: 1, state: "partly", places: 3, longestWaitSeconds: null, first: "5", reason: limit("3 slots") },
    { jobs: 2, state: "running", places: 0, longestWaitSeconds: null, first: "1", reason: null },
  ]);
});

test("unknown is not zero", () => {
  const [group] = jobSummaryOf([jobOf("1", { state: "running", granted: 1 })], now);
  expect(group && jobGroupFields(group)).toMatchObject({ places: null, longest_wait: null, jobs: 1 });
});
