import type { DemandJob } from "../../shared/messages/job-demand.ts";
import { numbers } from "./clusters.ts";

/** A kind of demand; `jobs` makes that many of them. */
export interface Case {
  readonly name: string;
  readonly jobs: (count: number) => readonly DemandJob[];
  /** Largest number of jobs that it is run with. */
  readonly most?: number;
}

function many(
  count: number,
  make: (index: number, below: (n: number) => number) => DemandJob,
): readonly DemandJob[] {
  const below = numbers(42);
  return Array.from({ length: count }, (_, index) => make(index, below));
}

/** A job that asks for processors and memory, and for whatever else. */
export function jobOf(index: number, constraints: object, fields: Partial<DemandJob> = {}): DemandJob {
  return {
    name: `job-${index}`,
    constraints,
    iterations: 1,
    nodeCount: 0,
    priority: 0,
    colocated: false,
    exclusive: false,
    executingHostnames: [],
    ...fields,
  };
}

export const benchCases: readonly Case[] = [
  { name: "one shape", jobs: (count) => many(count, (i) => jobOf(i, { ncpus: 1, memgb: 2 })) },
  {
    name: "100 shapes",
    jobs: (count) =>
      many(count, (i) => jobOf(i, { ncpus: 1 + (i % 10), memgb: 1 + (Math.floor(i / 10) % 10) })),
  },
  {
    name: "own shapes",
    jobs: (count) =>
      many(count, (i, below) => jobOf(i, { ncpus: 1 + below(16), memgb: 1 + below(30_000) / 1000 })),
  },
  {
    name: "or list",
    jobs: (count) => many(count, (i) => jobOf(i, [{ ncpus: 1 + (i % 4), memgb: 2 }, { or: sizes(i) }])),
  },
  {
    name: "exclusive",
    jobs: (count) => many(count, (i) => jobOf(i, { ncpus: 1, memgb: 1, exclusive: true })),
    most: 10_000,
  },
  {
    name: "8 nodes each",
    jobs: (count) =>
      many(count, (i) =>
        jobOf(i, { ncpus: 1 + (i % 16), memgb: 1 }, { nodeCount: 8, packingStrategy: "scatter" }),
      ),
    most: 10_000,
  },
  {
    name: "array jobs of 1000",
    jobs: (count) =>
      many(Math.ceil(count / 1000), (i) => jobOf(i, { ncpus: 1 + (i % 3), memgb: 1 }, { iterations: 1000 })),
  },
  {
    name: "slots of one array",
    jobs: (count) => [jobOf(0, { ncpus: 1, memgb: 1 }, { iterations: count })],
  },
];

function sizes(index: number): readonly object[] {
  const options = ["Standard_D32s_v5", "Standard_E64s_v5", "Standard_HB120rs_v3"];
  return options.map((_, k) => ({ "node.vm_size": options[(k + index) % 3] ?? "" }));
}
