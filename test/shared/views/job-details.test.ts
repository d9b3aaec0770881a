import { expect, test } from "vitest";
import type { DemandJob } from "../../../shared/messages/index.ts";
import { detailsReader, noDetails } from "../../../shared/views/job-states.ts";

const job = (name: string, more: Partial<DemandJob>): DemandJob => ({
  name,
  constraints: [],
  iterations: 1,
  nodeCount: 0,
  colocated: false,
  exclusive: false,
  executingHostnames: [],
  priority: 0,
  ...more,
});

test("details are those of the job of that name and source, and null where nothing is told", () => {
  const about = { cluster: "hpc", sequence: 1, receivedAtSeconds: 0, expiresAtSeconds: 9, nodes: [] };
  const detailsOf = detailsReader([
    { ...about, source: "pbs", jobs: [job("1", { user: "ada", jobName: "mesh" })], ignoredMessages: 0 },
    { ...about, source: "slurm", jobs: [job("1", { user: "bob" })], ignoredMessages: 0 },
  ]);
  expect(detailsOf({ source: "pbs", name: "1" })).toEqual({ ...noDetails, user: "ada", jobName: "mesh" });
  expect(detailsOf({ source: "slurm", name: "1" })).toEqual({ ...noDetails, user: "bob" });
  for (const other of [
    { source: "pbs", name: "2" },
    { source: "lsf", name: "1" },
    { source: null, name: "1" },
  ])
    expect(detailsOf(other)).toEqual(noDetails);
});
