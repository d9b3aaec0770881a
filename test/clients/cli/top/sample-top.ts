import type { TopData, TopJob, TopNode } from "../../../../clients/cli/top/top-state.ts";

export const now = 1_800_000_000;

export function topNode(name: string, more: Partial<TopNode> = {}): TopNode {
  return {
    name,
    nodeId: `id-${name}`,
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    state: "Ready",
    draining: null,
    ignored: false,
    idleSinceSeconds: now - 90,
    usdPerHour: 0.2,
    jobs: [],
    plannedJobs: [],
    targetState: "Started",
    keepAlive: false,
    spot: false,
    placementGroup: null,
    location: "westeurope",
    ...more,
  };
}

export function topJob(job: string, more: Partial<TopJob> = {}): TopJob {
  return {
    job,
    source: "slurm",
    granted: 0,
    asked: 4,
    unit: "slots",
    submittedAtSeconds: now - 600,
    reason: "needs 160 cores on one node, the largest has 120",
    ...more,
  };
}

/** A cluster at work. */
export function topData(more: Partial<TopData> = {}, status: Partial<TopData["status"]> = {}): TopData {
  const sums = { hourUsd: 1, dayUsd: 2, monthUsd: 12.34, forecastUsd: 56.78, usdPerHour: 1.5 };
  return {
    status: {
      cluster: "hpc",
      atSeconds: now,
      problems: [{ gravity: "degraded", kind: "boots-failing", text: "htc does not boot", next: "look" }],
      paused: null,
      snapshot: { takenAtSeconds: now - 7, setAside: [] },
      nodes: { Ready: 3, Preparing: 1 },
      spending: {
        asOfSeconds: now,
        reckonedSinceSeconds: null,
        month: "2027-01",
        ...sums,
        unpricedNodes: 0,
        unpricedNodeHours: 0,
        reservedNodes: 0,
        unusedReservations: { nodes: 0, usdPerHour: 0 },
        deallocatedNodes: { nodes: 0, usdPerHour: 0 },
        pricesAsOfSeconds: null,
        nodeArrays: [],
        budgets: [],
      },
      plans: [
        {
          cluster: "hpc",
          planId: "p-1",
          atSeconds: now - 20,
          reason: "demand of slurm",
          jobs: 7,
          placedJobs: 5,
          create: 2,
          start: 0,
          retire: 1,
          planSeconds: 0.1,
          readOnly: false,
          archive: "whole",
        },
      ],
      ...status,
    },
    jobs: [topJob("1202"), topJob("1203", { asked: 12, submittedAtSeconds: now - 6_000 })],
    waitingJobs: 2,
    nodes: [
      topNode("htc-2"),
      topNode("htc-10", { idleSinceSeconds: null, jobs: [{ job: "1200", slots: 4 }] }),
    ],
    isCut: false,
    sample: {
      atSeconds: now - 30,
      nodes: { jobs: 2, boot: 1, idle: 1, drained: 0, kept: 0, failed: 0, ending: 0 },
      usdPerHour: 1.5,
      unpricedNodes: 0,
      runningJobs: 2,
      waitingJobs: 2,
    },
    ...more,
  };
}
