import { expect, test } from "vitest";
import { useOf } from "../../../clients/dashboard/parts/node-use.ts";

const idle = {
  state: "Ready",
  jobs: [],
  keepAlive: false,
  ignored: false,
  draining: null,
  deletedSeconds: null,
  operation: null,
} as const;
const jobs = [{ job: "7", slots: 1 }];
const draining = { phase: "draining", sinceSeconds: 1, reason: null } as const;
const shutdown = { actionId: "a", kind: "shutdown-nodes", state: "sent" };

test.each([
  ["nothing runs there", {}, "idle"],
  ["jobs run there", { jobs }, "jobs"],
  ["jobs are planned there before it is up", { jobs, state: "Preparing" }, "boot"],
  ["it is on order", { state: null }, "boot"],
  ["it is drained and has no job left", { draining }, "drained"],
  ["it is drained and a job still runs", { draining, jobs }, "jobs"],
  ["the autoscaler leaves it alone", { ignored: true }, "drained"],
  ["a person keeps it", { keepAlive: true }, "kept"],
  ["it failed, and is kept", { state: "Failed", keepAlive: true }, "failed"],
  ["its deletion was asked for", { operation: shutdown }, "ending"],
  ["it is deallocated", { state: "Off", deletedSeconds: 5 }, "ending"],
] as const)("a node is shown by its use: %s", (_, changed, use) => {
  expect(useOf({ ...idle, ...changed })).toBe(use);
});
