import type { DefinitionInput } from "../../../shared/simulated-cyclecloud/index.ts";

/** A workload, and the cluster that it runs on. */
export interface TwinCase {
  readonly name: string;
  readonly definition: DefinitionInput & { readonly name: string };
  /** Of its `autoscale.json`; none of them a time. */
  readonly keys?: Readonly<Record<string, unknown>>;
  /** A job list as `npm start -- --jobs` takes it. */
  readonly jobs: readonly Readonly<Record<string, unknown>>[];
}

const one = {
  region: "westeurope",
  quotas: { westeurope: { cores: 500 } },
  nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], maxCount: 20 }],
};

/**
 * Run times are long beside the seconds that a message takes on its way, because these are minutes here; and no job ends within
 * some minutes of another's submission, where those seconds would decide whether a node is used again.
 */
export const twinCases: readonly TwinCase[] = [
  {
    // Three waves of tasks that each take a node. When the third comes, two nodes of the first are idle and run it, the others of
    // the first are gone, and those of the second are busy.
    name: "waves",
    definition: { name: "waves", ...one },
    jobs: [
      ...several(5, (index) => ({
        name: `first${index}`,
        runSeconds: index < 2 ? 3_840 : 2_700,
        constraints: { ncpus: 4 },
      })),
      ...several(4, (index) => ({
        name: `second${index}`,
        submitSeconds: 1_800,
        runSeconds: 4_800 + 240 * index,
        constraints: { ncpus: 4 },
      })),
      ...several(4, (index) => ({
        name: `third${index}`,
        submitSeconds: 4_140,
        runSeconds: 3_000 + 240 * index,
        constraints: { ncpus: 4 },
      })),
    ],
  },
  {
    // Several jobs share a node, and end at different times.
    name: "shared",
    definition: {
      name: "shared",
      ...one,
      nodearrays: [{ name: "htc", machineTypes: ["Standard_F16s_v2"], maxCount: 8 }],
    },
    jobs: several(16, (index) => ({
      submitSeconds: index < 10 ? 0 : 1_500,
      runSeconds: 5_400 + 360 * (index % 6),
      constraints: { ncpus: 2 + 2 * (index % 2) },
    })),
  },
  {
    // Two parallel jobs, each in a placement group of its own size.
    name: "parallel",
    definition: {
      name: "parallel",
      ...one,
      nodearrays: [{ name: "hpc", machineTypes: ["Standard_HB120rs_v3"], maxCount: 12 }],
      quotas: { westeurope: { cores: 2_000 } },
    },
    jobs: [
      { name: "wide", runSeconds: 6_000, nodeCount: 4, colocated: true, constraints: { exclusive: true } },
      {
        name: "later",
        submitSeconds: 1_500,
        runSeconds: 5_700,
        nodeCount: 3,
        colocated: true,
        constraints: { exclusive: true },
      },
    ],
  },
  {
    // A limit of four nodes: half of the jobs wait for the ends of others, and run on their nodes.
    name: "limited",
    definition: {
      name: "limited",
      ...one,
      nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], maxCount: 4 }],
    },
    jobs: several(8, (index) => ({ runSeconds: 3_000 + 300 * (index % 4), constraints: { ncpus: 4 } })),
  },
  {
    // Two node arrays, jobs by name of the array: else the order in which nodes boot would decide where they run.
    name: "two-arrays",
    definition: {
      name: "two-arrays",
      ...one,
      nodearrays: [
        { name: "htc", machineTypes: ["Standard_F4s_v2", "Standard_F16s_v2"], maxCount: 10 },
        { name: "big", machineTypes: ["Standard_E16s_v5"], maxCount: 4 },
      ],
    },
    jobs: [
      { name: "tasks", runSeconds: 6_000, iterations: 6, constraints: { ncpus: 4, "node.nodearray": "htc" } },
      { name: "fat1", runSeconds: 7_200, constraints: { ncpus: 8, memgb: 100, "node.nodearray": "big" } },
      {
        name: "fat2",
        submitSeconds: 1_500,
        runSeconds: 6_600,
        constraints: { ncpus: 12, memgb: 100, "node.nodearray": "big" },
      },
    ],
  },
];

function several(
  count: number,
  of: (index: number) => Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
  return Array.from({ length: count }, (_, index) => ({ name: `j${index}`, ...of(index) }));
}
