import { expect, test } from "vitest";
import { runQuotedJobs } from "./quoted-jobs.ts";

const jobs = 3;
const tolerated = 0.1;

test("on a cluster with room a job costs what its quote said, within a tenth, by the accounts", {
  timeout: 480_000,
}, async () => {
  const quoted = await runQuotedJobs({ seed: 1, jobs });
  expect(quoted).toHaveLength(jobs);
  const off = quoted.map(({ job, way, countedUsd }) => ({
    job: job.name,
    quotedUsd: way.usd,
    countedUsd,
    off: (way.usd ?? Number.NaN) / countedUsd - 1,
  }));
  expect(off.filter((each) => !(Math.abs(each.off) <= tolerated))).toEqual([]);
});
