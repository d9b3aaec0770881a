import { describe, expect, test } from "vitest";
import type { Job } from "../../../../clients/agent/drivers/driver.ts";
import { readSlurm, type SlurmWorld, slurmNode, waitingJob } from "./slurm-reading.ts";

/**
 * What Slurm 25.11 and 26.05 print otherwise than the release before. Nobody of this project has run them: the records follow the
 * data parsers v0.0.44 and v0.0.45 and the programs of SchedMD/slurm at slurm-25-11-7-1 and slurm-26-05-3-1.
 */
function jobsOf(world: SlurmWorld): readonly Job[] {
  const reading = readSlurm(world);
  if (!reading.known) throw new Error(reading.reason);
  return reading.jobs;
}

describe("26.05", () => {
  test("a partition whose jobs share no node says so as Exclusive=NODE or TOPO, and OverSubscribe=NO", () => {
    const line = (exclusive: string) =>
      `PartitionName=htc Exclusive=${exclusive} OverSubscribe=NO MaxNodes=UNLIMITED State=UP\n`;
    const isExclusive = (word: string) =>
      jobsOf({ jobs: [waitingJob()], partitions: line(word) }).map(({ exclusive }) => exclusive);
    expect(["NO", "USER", "NODE", "TOPO"].map(isExclusive)).toEqual([[false], [false], [true], [true]]);
  });

  test("ExclusiveTopo of 24.05 and --exclusive=topo: no other job on the nodes", () => {
    const partitions = "PartitionName=htc ExclusiveTopo=YES OverSubscribe=NO State=UP\n";
    expect(jobsOf({ jobs: [waitingJob()], partitions })).toMatchObject([{ exclusive: true }]);
    expect(jobsOf({ jobs: [waitingJob({ exclusive: ["topo"] })] })).toMatchObject([
      { exclusive: true, notes: [expect.stringContaining("keeps others from its switch")] },
    ]);
  });

  test("squeue --json does not tell which jobs have whole nodes: its column Exclusive does", () => {
    const alike = (job_id: number) => waitingJob({ job_id, shared: [] });
    const jobs = jobsOf({
      jobs: [7, 8, 9, 10].map(alike),
      pending: "7 0 NO\n8 0 NODE\n9 0 USER\n10 0 NODE\n",
    });
    expect(jobs.map(({ name, exclusive, notes = [] }) => [name, exclusive, notes.length])).toEqual([
      ["7", false, 0],
      ["8", true, 0],
      ["9", false, 1],
      ["10", true, 0],
    ]);
  });
});

describe("25.11, expedited requeue", () => {
  const expediting = (nodes: string) =>
    waitingJob({ job_state: ["PENDING", "COMPLETING", "EXPEDITING"], nodes, priority: 5 });
  test("until its epilogs have ended, the job keeps its nodes, and no others are bought", () => {
    const nodes = [slurmNode(1, { state: ["IDLE", "COMPLETING"] }), slurmNode(2)];
    expect(jobsOf({ jobs: [expediting("htc-1")], nodes })).toMatchObject([{ executingHostnames: ["ip-1"] }]);
  });
  test("then it comes before every other job", () => {
    const others = waitingJob({ job_id: 8, priority: 4_000_000_000 });
    const [first, second] = jobsOf({ jobs: [expediting(""), others] });
    expect(first?.executingHostnames).toBeUndefined();
    expect(first?.priority).toBeGreaterThan(second?.priority ?? Number.NaN);
  });
});
