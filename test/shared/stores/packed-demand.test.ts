import { expect, test } from "vitest";
import type { DemandJob } from "../../../shared/messages/index.ts";
import type { SourceDemand, StoredJob } from "../../../shared/ports/index.ts";
import { packDemand, unpackDemand } from "../../../shared/stores/azure/packed-demand.ts";

function demandOf(jobs: readonly StoredJob[]): SourceDemand {
  return {
    cluster: "hpc",
    source: "slurm",
    sequence: 1,
    receivedAtSeconds: 1,
    expiresAtSeconds: 2,
    jobs,
    nodes: [],
    ignoredMessages: 0,
  };
}

test("jobs of many users, with names, limits and starts of their own, share their shapes and constraints", () => {
  const jobs = Array.from({ length: 1_000 }, (_, index): DemandJob => {
    const needs = { constraints: { ncpus: 1 + (index % 3) }, iterations: 1, nodeCount: 0, priority: 0 };
    return {
      ...needs,
      name: `${index}`,
      colocated: false,
      exclusive: false,
      executingHostnames: [],
      user: `user-${index % 50}`,
      account: `account-${index % 50}`,
      queue: "htc",
      jobName: `run ${index}`,
      runtimeSeconds: 60 + index,
      startedAtSeconds: 1_800_000_000 + index,
    };
  });
  const packed = packDemand(demandOf(jobs));
  expect([packed.shapes.length, packed.owners.length]).toEqual([3, 50]);
  const again = unpackDemand(JSON.parse(JSON.stringify(packed)));
  expect(again).toEqual(demandOf(jobs));
  expect(new Set(again.jobs.map(({ constraints }) => constraints)).size).toBe(3);
});

test("values that read alike in a row are not the same", () => {
  const job = { constraints: {}, iterations: 1, nodeCount: 0, colocated: false, exclusive: false };
  const common = { ...job, executingHostnames: [], priority: 0 };
  const jobs: readonly DemandJob[] = [
    { ...common, name: "1", user: "ab", account: "c" },
    { ...common, name: "2", user: "a", account: "bc" },
    { ...common, name: "3", account: "abc" },
    { ...common, name: "4", constraints: "true" },
    { ...common, name: "5", constraints: true },
    { ...common, name: "6", notes: ["null"] },
    { ...common, name: "7", constraints: null },
    { ...common, name: "8", priority: -1.5, interruptible: true },
  ];
  expect(unpackDemand(JSON.parse(JSON.stringify(packDemand(demandOf(jobs)))))).toEqual(demandOf(jobs));
});

test("since when jobs wait and where they were interrupted comes back", () => {
  const job = { constraints: {}, iterations: 1, nodeCount: 0, colocated: false, exclusive: false };
  const common = { ...job, executingHostnames: [], priority: 0 };
  const interruptedOn = [{ hostname: "ip-1", atSeconds: 1_800_000_000 }];
  const jobs: readonly StoredJob[] = [
    { ...common, name: "1", waitingSinceSeconds: 1_800_000_060, interruptedOn },
    { ...common, name: "2", waitingSinceSeconds: 1_800_000_120 },
    { ...common, name: "3", executingHostnames: ["ip-2"], interruptedOn },
  ];
  expect(unpackDemand(JSON.parse(JSON.stringify(packDemand(demandOf(jobs)))))).toEqual(demandOf(jobs));
});
