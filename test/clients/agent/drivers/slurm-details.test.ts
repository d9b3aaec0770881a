import { describe, expect, test } from "vitest";
import { readSlurm, waitingJob } from "./slurm-reading.ts";

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
