import { expect, test } from "vitest";
import { clusterStatus } from "../../../shared/views/cluster-status.ts";
import { explainJob } from "../../../shared/views/explain/explain-job.ts";
import { listJobs } from "../../../shared/views/index.ts";
import { lookAhead } from "../../../shared/views/outlook.ts";
import { cluster, createWorld } from "../../support/world.ts";

const warning = 'constraint is not known; did you mean "constraints"?';

test("a misspelt key is in the list of jobs, in explain and in the status, until its source posts a better job", async () => {
  const world = createWorld();
  await world.post([{ name: "a", constraint: { ncpus: 4 } }, { name: "b" }]);
  await world.round();
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("unknown cluster");
  const listed = listJobs(outlook, { limit: 100 });
  expect(listed.ok && listed.answer.jobs.map(({ job, warnings }) => [job, warnings])).toEqual([
    ["a", [warning]],
    ["b", []],
  ]);
  expect(explainJob(outlook, "a")).toMatchObject({ answer: { warnings: [warning] } });
  const status = await clusterStatus(world.ports, cluster);
  expect(status?.demand).toMatchObject([{ warned: { jobs: 1, first: `job "a": ${warning}` } }]);
  expect(status?.problems).toMatchObject([
    {
      gravity: "notice",
      kind: "unknown-keys",
      text: `Source "celery" posts 1 job with keys that have no effect: job "a": ${warning}`,
    },
  ]);
  await world.post([{ name: "a", constraints: { ncpus: 4 } }, { name: "b" }]);
  expect((await clusterStatus(world.ports, cluster))?.problems).toEqual([]);
});
