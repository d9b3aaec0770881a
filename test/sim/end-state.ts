import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import type { World } from "./world.ts";

/** Whatever runs for longer than any simulation: its node must be there at the end, and no other. */
export const residentSeconds = 1e9;

/** What a world has come to, in words that say nothing of the way there. */
export type EndState = readonly string[];

/**
 * How many tasks of each job are done, run and wait; and each node that is left, by its array and what it is there for.
 * Names, ids and times are left out: they depend on the way.
 */
export function endState(world: World, jobs: ReadonlyMap<string, readonly WorkloadJob[]>): EndState {
  return world.clusters.flatMap((cluster) => {
    const { scheduler } = world.watched(cluster);
    const tasks = (jobs.get(cluster) ?? []).map((job) => {
      const running = scheduler.runningTasks.filter((task) => task.job === job).length;
      const waiting = scheduler.waitingJobs.find((queued) => queued.job === job)?.waiting ?? 0;
      const total = job.shape.kind === "slots" ? job.shape.slots : 1;
      return `${cluster}: ${job.name}: ${total - running - waiting} done, ${running} running, ${waiting} waiting`;
    });
    // How many nodes were made on the way decides how many are deallocated.
    const up = world.cloud.nodes(cluster).filter(({ status }) => status !== "Deallocated");
    const nodes = up.map(({ nodeArray, hostname, status }) => {
      const here = scheduler.runningTasks.filter((task) => task.hostnames.includes(hostname ?? ""));
      const purpose = here.map((task) => task.job.name).join(" ") || "nothing";
      return `${cluster}: a ${status} node of ${nodeArray} for ${purpose}`;
    });
    return [...tasks, ...nodes.sort()];
  });
}

/** What only one of two ends has; empty when they are the same. */
export function differences(end: EndState, other: EndState): readonly string[] {
  return [
    ...without(end, other).map((line) => `+ ${line}`),
    ...without(other, end).map((line) => `- ${line}`),
  ];
}

/** As often as it is there: two nodes for one purpose are one too many. */
function without(lines: EndState, others: EndState): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const place = left.indexOf(line);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}
