import type { Need, WorkloadJob } from "./workload.ts";

const plain: Need = { ncpus: 1, memoryGiB: 1, ngpus: 0, exclusive: false, nodeArrays: [] };

/**
 * What `npm start` runs when it is given no jobs, on cluster `small-cpu`. `assemble` leaves cores of its nodes free, which
 * `render` can have (`reuse`) or not (`order`). `fold` needs more memory than cores: nodes of the second array are cheaper for
 * it than those of the first (`cost`). What needs most comes first, so that the jobs behind it fit into what it leaves.
 */
export const sampleWorkload: readonly WorkloadJob[] = [
  ...[1, 2].map(
    (number): WorkloadJob => ({
      name: `mpi-${number}`,
      submitSeconds: 0,
      runSeconds: 1_200,
      shape: { kind: "nodes", nodes: 3, colocated: false },
      need: { ...plain, ncpus: 4, exclusive: true },
    }),
  ),
  {
    name: "assemble",
    submitSeconds: 0,
    runSeconds: 1_500,
    shape: { kind: "slots", slots: 4 },
    need: { ...plain, ncpus: 2, memoryGiB: 26, nodeArrays: ["memory"] },
  },
  {
    name: "fold",
    submitSeconds: 0,
    runSeconds: 1_500,
    shape: { kind: "slots", slots: 12 },
    need: { ...plain, memoryGiB: 8 },
  },
  { name: "render", submitSeconds: 0, runSeconds: 1_500, shape: { kind: "slots", slots: 24 }, need: plain },
  {
    name: "report",
    submitSeconds: 1_560,
    runSeconds: 900,
    shape: { kind: "slots", slots: 12 },
    need: { ...plain, ncpus: 2, memoryGiB: 2 },
  },
];
