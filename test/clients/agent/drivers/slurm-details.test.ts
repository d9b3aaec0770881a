import { describe, expect, test } from "vitest";
import { readSlurm, slurmNode, waitingJob } from "./slurm-reading.ts";

function jobWith(fields: Readonly<Record<string, unknown>>) {
  const reading = readSlurm({ jobs: [waitingJob(fields)] });
  if (!reading.known) throw new Error(reading.reason);
  expect(reading.setAside).toEqual([]);
  const [job] = reading.jobs;
  if (job === undefined) throw new Error("no job was read");
  return job;
}

const runs = { job_state: ["RUNNING"], state_reason: "None", nodes: "htc-1" };

describe("the time limit of a Slurm job", () => {
  test.each([
    ["minutes", 90, 5_400],
    ["minutes since 23.02", { set: true, infinite: false, number: 90 }, 5_400],
    ["unlimited since 23.02", { set: true, infinite: true, number: 0 }, undefined],
    ["not set since 23.02", { set: false, infinite: false, number: 0 }, undefined],
    ["unlimited in 22.05", null, undefined],
    ["unlimited as a number", 4_294_967_295, undefined],
    ["not set as a number", 4_294_967_294, undefined],
    ["zero", 0, undefined],
    ["below zero", -5, undefined],
    ["a text", "INVALID", undefined],
  ])("%s", (_what, time_limit, runtimeSeconds) => {
    expect(jobWith({ time_limit }).runtimeSeconds).toBe(runtimeSeconds);
  });
});

/** Of one node: so many cores of one thread, and memory. */
const shareBefore = (nodename: string, cores: number) => ({
  nodename,
  sockets: {
    0: { cores: Object.fromEntries(Array.from({ length: cores }, (_, core) => [core, "allocated"])) },
  },
  memory_allocated: 1024,
});
const shareSince = (name: string, count: number) => ({
  name,
  cpus: { count, used: 0 },
  memory: { allocated: 1024 },
});

describe("a Slurm job that runs and has unlike parts of its nodes", () => {
  const three = {
    ...runs,
    nodes: "htc-[1-3]",
    tasks: 6,
    cpus: 6,
    memory_per_cpu: null,
    memory_per_node: 1024,
  };
  const partsOf = (fields: Readonly<Record<string, unknown>>) => {
    const nodes = [slurmNode(1), slurmNode(2), slurmNode(3)];
    const reading = readSlurm({ jobs: [waitingJob({ ...three, ...fields })], nodes });
    if (!reading.known) throw new Error(reading.reason);
    expect(reading.setAside).toEqual([]);
    return reading.jobs.map(({ name, constraints, executingHostnames }) => {
      const { ncpus, ngpus } = Object.assign({}, ...[constraints].flat());
      return [name, ncpus, ngpus, executingHostnames];
    });
  };
  const cpus = [4, 1, 1];
  const names = ["htc-1", "htc-2", "htc-3"];

  test.each([
    ["22.05", { allocated_nodes: names.map((name, at) => shareBefore(name, cpus[at] ?? 0)) }],
    ["24.05", { nodes: { allocation: names.map((name, at) => shareSince(name, cpus[at] ?? 0)) } }],
  ])("takes of each what it has there (%s)", (_release, job_resources) => {
    expect(partsOf({ job_resources })).toEqual([
      ["7.1", 4, undefined, ["ip-1"]],
      ["7.2", 1, undefined, ["ip-2", "ip-3"]],
    ]);
  });

  test("GPUs too", () => {
    const gres_detail = ["gpu:a100:1(IDX:0)", "gpu:a100:2(IDX:0-1)", "gpu:a100:1(IDX:3)"];
    expect(partsOf({ gres_detail })).toEqual([
      ["7.1", 2, 1, ["ip-1", "ip-3"]],
      ["7.2", 2, 2, ["ip-2"]],
    ]);
  });

  test.each([
    ["it is not known", {}],
    [
      "the list is of other nodes",
      { job_resources: { allocated_nodes: [shareBefore("htc-1", 4), shareBefore("htc-9", 1)] } },
    ],
    [
      "it has whole nodes",
      { shared: "none", job_resources: { allocated_nodes: names.map((name, at) => shareBefore(name, at)) } },
    ],
  ])("is one job where %s", (_what, fields) => {
    expect(partsOf(fields)).toEqual([["7", 2, undefined, ["ip-1", "ip-2", "ip-3"]]]);
  });
});

test.each([
  ["its own node", [15_000], [15_000]],
  ["its own nodes, which are alike", [15_000, 15_000], [15_000]],
  ["each of its nodes", [15_000, 8000], [15_000, 8000]],
])(
  "a Slurm job that names no memory has that of %s, of whichever size its record speaks",
  (_, each, parts) => {
    const { length: count } = each;
    const allocated_nodes = each.map((memory_allocated, at) => ({
      ...shareBefore(`htc-${at + 1}`, 1),
      memory_allocated,
    }));
    const none = { memory_per_cpu: null, tres_req_str: `cpu=${count},mem=${8000 * count}M,node=${count}` };
    const job = {
      ...runs,
      ...none,
      nodes: `htc-[1-${count}]`,
      cpus: count,
      job_resources: { allocated_nodes },
    };
    const reading = readSlurm({ jobs: [waitingJob(job)], nodes: [slurmNode(1), slurmNode(2)] });
    expect(reading).toMatchObject({ jobs: parts.map((memmb) => ({ constraints: { memmb } })) });
  },
);

describe("the start of a Slurm job", () => {
  test("is that of a job that runs; of a job that waits it is a forecast", () => {
    const start_time = { set: true, infinite: false, number: 1_795_370_509 };
    expect(jobWith({ ...runs, start_time }).startedAtSeconds).toBe(1_795_370_509);
    expect(jobWith({ start_time })).not.toHaveProperty("startedAtSeconds");
    expect(jobWith({ ...runs, start_time: 0 })).not.toHaveProperty("startedAtSeconds");
  });
});

describe("who and what a Slurm job is", () => {
  const names = { user_name: "ada", account: "fluids", name: "mesh" };

  test("waiting or running", () => {
    for (const state of [{}, runs])
      expect(jobWith({ ...names, ...state })).toMatchObject({
        name: "7",
        user: "ada",
        account: "fluids",
        queue: "htc",
        jobName: "mesh",
      });
  });

  test("what is empty, or cannot be read, is missing", () => {
    for (const value of ["", null, 7, ["ada"], "x".repeat(300)]) {
      const job = jobWith(Object.fromEntries(Object.keys(names).map((name) => [name, value])));
      for (const name of ["user", "account", "jobName"]) expect(job).not.toHaveProperty(name);
    }
  });

  test("only a job that must not be requeued says whether it may be interrupted", () => {
    expect(jobWith({ requeue: false }).interruptible).toBe(false);
    for (const requeue of [true, null, "no"])
      expect(jobWith({ requeue })).not.toHaveProperty("interruptible");
  });
});
