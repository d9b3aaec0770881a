import { runDemo } from "../../infra/local/demo/demo.ts";
import { connectControl } from "../../infra/local/demo/simulator.ts";
import type { Summary } from "../../infra/local/demo/summary.ts";
import type { Environment } from "../../infra/local/environment/environment.ts";
import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import type { ClusterStatus } from "../../shared/views/index.ts";
import { createChance } from "../sim/chance.ts";
import type { Trouble } from "./troubles.ts";

export interface FaultReport {
  readonly summary: Summary;
  /** What struck, and when: seconds since the start. */
  readonly strikes: readonly string[];
  /** Promises that were broken; none when all went well. */
  readonly faults: readonly string[];
}

/** Runs a workload through the real local stack while something goes wrong, and looks at what came of it. */
export async function runThrough(options: {
  readonly environment: Environment;
  /** One node each, see `waves`. */
  readonly jobs: readonly WorkloadJob[];
  readonly speed: number;
  readonly trouble: Trouble;
  readonly seed: number;
  readonly timeoutSeconds: number;
}): Promise<FaultReport> {
  const { environment, jobs, trouble, seed } = options;
  const startedAt = Date.now();
  const before = {
    rejections: (await readStatus(environment))?.rejections.length ?? 0,
    created: await createdBy(environment, options.speed),
  };
  const strikes: string[] = [];
  let isOver = false;
  let strikesTooLate = 0;
  const note = (what: string) => {
    strikes.push(`${what} at ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    if (isOver) strikesTooLate += 1;
  };
  const giveUp = new AbortController();
  const troubled = trouble({ environment, chance: createChance(seed), note });
  // Its error is thrown below; until then it ends the workload, which nothing may serve any more.
  troubled.catch(() => giveUp.abort());
  const { summary, faults } = await runDemo({
    ...options,
    mayLoseNodes: false,
    signal: giveUp.signal,
    onFrame: () => {},
  });
  isOver = true;
  await troubled;
  const nodesCreated = summary.nodesCreated - before.created;
  const status = await settledStatus(environment);
  const rejections = (status?.rejections.length ?? 0) - before.rejections;
  return {
    summary: { ...summary, nodesCreated },
    strikes,
    faults: [
      ...faults,
      // Fewer, where a machine was so slow that a node was free for a second job.
      ...(nodesCreated <= jobs.length
        ? []
        : [`${nodesCreated} nodes were created, expected ${jobs.length} at most`]),
      ...(status === undefined ? ["the status cannot be read"] : []),
      ...((status?.openOperations ?? 0) === 0 ? [] : [`${status?.openOperations} operations stay open`]),
      ...(rejections === 0 ? [] : [`${rejections} messages were rejected`]),
      ...(strikesTooLate === 0 ? [] : [`${strikesTooLate} troubles came after the last node was gone`]),
    ],
  };
}

/** The simulator's account goes on from one workload to the next. */
async function createdBy({ cycleCloudUrl, cluster }: Environment, speed: number): Promise<number> {
  return (await (await connectControl(cycleCloudUrl, speed)).ledger(cluster)).created;
}

/** Of the first moment at which no operation is open, or the last that is waited for: a snapshot closes them. */
async function settledStatus(environment: Environment): Promise<ClusterStatus | undefined> {
  const giveUpAt = Date.now() + 240_000;
  for (;;) {
    const status = await readStatus(environment);
    if (status?.openOperations === 0 || Date.now() > giveUpAt) return status;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function readStatus({ functionsUrl, cluster }: Environment): Promise<ClusterStatus | undefined> {
  const response = await fetch(`${functionsUrl}/api/clusters/${cluster}/status`);
  return response.ok ? ((await response.json()) as ClusterStatus) : undefined;
}
