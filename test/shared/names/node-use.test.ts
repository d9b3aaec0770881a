import { expect, test } from "vitest";
import { useOf } from "../../../shared/names/node-use.ts";

const idle = {
  state: "Ready",
  targetState: "Started",
  jobs: [],
  plannedJobs: [],
  keepAlive: false,
  draining: null,
} as const;
const jobs = [{ job: "7", slots: 1 }];
const draining = { phase: "draining", sinceSeconds: 1, reason: null } as const;
const plannedJobs = ["7"];

test.each([
  ["nothing runs there", {}, "idle"],
  ["jobs run there", { jobs }, "jobs"],
  ["a job has its place there before it is up", { jobs, plannedJobs, state: "Preparing" }, "boot"],
  ["a job has its place there, and has not started", { jobs, plannedJobs }, "idle"],
  ["it is on order", { state: null, targetState: null }, "boot"],
  ["it is drained and has no job left", { draining }, "drained"],
  ["it is drained and a job still runs", { draining, jobs }, "jobs"],
  ["a person keeps it", { keepAlive: true }, "kept"],
  ["it failed, and is kept", { state: "Failed", keepAlive: true }, "failed"],
  ["its deletion was asked for", { targetState: "Terminated" }, "ending"],
  ["it is deallocated", { state: "Off", targetState: "Deallocated" }, "ending"],
] as const)("a node is shown by its use: %s", (_, changed, use) => {
  expect(useOf({ ...idle, ...changed })).toBe(use);
});
