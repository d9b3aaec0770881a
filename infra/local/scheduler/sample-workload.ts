import type { Need, WorkloadJob } from "./workload.ts";

const plain: Need = { ncpus: 1, memoryGiB: 1, ngpus: 0, exclusive: false, nodeArrays: [] };

/** What `npm start` runs when it is given no jobs: an array, a burst, multi-node jobs, then a late straggler. */
export const sampleWorkload: readonly WorkloadJob[] = [
  {
    name: "render",
    submitSeconds: 0,
    runSeconds: 90,
    shape: { kind: "slots", slots: 24 },
    need: plain,
  },
  ...range(6).map(
    (index): WorkloadJob => ({
      name: `simulate-${index + 1}`,
      submitSeconds: 60,
      runSeconds: 150 + 30 * index,
      shape: { kind: "slots", slots: 1 },
      need: { ...plain, ncpus: 4, memoryGiB: 6 },
    }),
  ),
  ...range(2).map(
    (index): WorkloadJob => ({
      name: `mpi-${index + 1}`,
      submitSeconds: 180,
      runSeconds: 200,
      shape: { kind: "nodes", nodes: 3, colocated: false },
      need: { ...plain, ncpus: 4, exclusive: true },
    }),
  ),
  {
    name: "report",
    submitSeconds: 500,
    runSeconds: 60,
    shape: { kind: "slots", slots: 2 },
    need: { ...plain, ncpus: 2, memoryGiB: 4 },
  },
];

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
