import { expect, test } from "vitest";
import { checkReading } from "../../../../clients/agent/check-reading.ts";
import type { Job, Reading } from "../../../../clients/agent/drivers/driver.ts";
import { parseDemand } from "../../../../shared/messages/job-demand.ts";
import { readSlurm, slurmNode } from "./slurm-reading.ts";

const runs = {
  job_id: 7,
  job_state: ["RUNNING"],
  partition: "htc",
  nodes: "htc-1",
  cpus: 2,
  tasks: 2,
  node_count: 1,
  memory_per_node: 1024,
  tres_req_str: "cpu=2,mem=1G,node=1",
  priority: 9,
  submit_time: 1_795_305_436,
};
const node = (index: number, fields: Readonly<Record<string, unknown>> = {}) =>
  slurmNode(index, { state: ["MIXED"], alloc_cpus: 2, ...fields });
const read = (jobs: readonly unknown[], nodes: readonly unknown[] = [node(1), node(2)]) =>
  readSlurm({ jobs, nodes });

function jobsOf(reading: Reading): readonly Job[] {
  if (!reading.known) throw new Error(reading.reason);
  return checkReading(reading).jobs;
}

const broken: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["an id that is no number", { job_id: "x" }],
  ["an id of 300 characters", { job_id: "7".repeat(300) }],
  ["an id beyond all numbers", { job_id: 1e300 }],
  ["no id", { job_id: undefined }],
  ["an id of zero", { job_id: 0 }],
  ["no state", { job_state: undefined }],
  ["a state that is no word", { job_state: 7 }],
  ["a state of a later version", { job_state: ["HIBERNATING"] }],
  ["no partition", { partition: undefined }],
  ["a partition that is no text", { partition: ["htc"] }],
  ["cpus that are no number", { cpus: "two" }],
  ["cpus below zero", { cpus: -5 }],
  ["cpus out of range", { cpus: 1e300 }],
  ["no amounts at all", { cpus: null, tasks: null, memory_per_node: null, tres_req_str: null }],
  ["a time that is no time", { submit_time: 1e300 }],
  ["a time before all times", { submit_time: -1e300 }],
  ["a priority that is a text", { priority: "high" }],
  ["a list of nodes cut short", { nodes: "htc-[1-" }],
  ["no list of nodes", { nodes: undefined }],
  ["a list of nodes that is no text", { nodes: { first: "htc-1" } }],
  ["features that are no text", { features: 12 }],
  ["an array of negative tasks", { array_job_id: -1, array_task_id: -1 }],
];

test.each(broken)("a job that runs keeps its node in spite of %s", (_, fields) => {
  const jobs = jobsOf(read([{ ...runs, ...fields }]));
  expect(jobs.flatMap((job) => job.executingHostnames ?? [])).toContain("ip-1");
  expect(parseDemand(demandOf(jobs))).toMatchObject({ ok: true });
});

test("several records without an id each keep their node", () => {
  const jobs = jobsOf(read([{ ...runs, job_id: "x" }, { ...runs, job_id: "y", nodes: "htc-2" }, runs]));
  expect(jobs.map(({ executingHostnames }) => executingHostnames).sort()).toEqual([
    ["ip-1"],
    ["ip-1"],
    ["ip-2"],
  ]);
});

test("a list of nodes that cannot be read keeps the busy nodes that may be in it, and no others", () => {
  const nodes = [node(1), node(2, { state: ["IDLE"], alloc_cpus: 0 }), node(3, { name: "hpc-3" })];
  const [job] = jobsOf(read([{ ...runs, nodes: "htc-[1-" }], nodes));
  expect(job?.executingHostnames).toEqual(["ip-1"]);
});

test.each([
  ["waits", { job_state: ["PENDING"], nodes: "" }],
  ["is over", { job_state: ["CANCELLED"] }],
])("a record that cannot be read and %s is set aside, and asks for nothing", (_, fields) => {
  const reading = read([{ ...runs, job_id: "x", ...fields }]);
  expect(reading).toMatchObject({ jobs: [], setAside: [{ record: "job x" }] });
});

test.each([
  ["is not there", []],
  ["has nothing but its name", [{ name: "htc-1", state: 7, cpus: "x" }]],
])("a job that runs on a node whose record %s is not taken for one that waits", (_, nodes) => {
  const [job] = jobsOf(read([runs], nodes));
  expect(job?.executingHostnames).toEqual(["htc-1"]);
});

test("a node's record that does not check out still says which host runs the job", () => {
  const [job] = jobsOf(read([runs], [node(1, { partitions: "htc" })]));
  expect(job?.executingHostnames).toEqual(["ip-1"]);
});

function demandOf(jobs: readonly Job[]): unknown {
  const envelope = { version: 1, kind: "snapshot", cluster: "hpc", source: "scheduler", sequence: 1 };
  return { ...envelope, sentAt: "2026-11-21T10:00:00Z", jobs };
}
