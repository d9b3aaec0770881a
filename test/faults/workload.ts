import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";

/**
 * Jobs that each fill a node, in waves. Each runs until long after the last wave has come, so that no node is ever free for
 * a second job: as many nodes as jobs are needed, and one more is one bought twice. Times in simulated seconds.
 */
export function waves(options: {
  readonly count: number;
  readonly jobsPerWave: number;
  readonly gapSeconds: number;
  readonly runSeconds: number;
}): readonly WorkloadJob[] {
  const { count, jobsPerWave, gapSeconds, runSeconds } = options;
  return Array.from({ length: count * jobsPerWave }, (_, index) => ({
    name: `solver-${index}`,
    submitSeconds: Math.floor(index / jobsPerWave) * gapSeconds,
    runSeconds,
    shape: { kind: "slots", slots: 1 },
    need: { ncpus: 4, memoryGiB: 4, ngpus: 0, exclusive: true, nodeArrays: ["htc"] },
  }));
}
