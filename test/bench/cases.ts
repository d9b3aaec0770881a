import { defineJob, type Job } from "../../shared/engine/index.ts";
import { numbers, serial } from "./clusters.ts";

/** A kind of demand; `jobs` makes that many of them. */
export interface Case {
  readonly name: string;
  readonly jobs: (count: number) => readonly Job[];
  /** Largest number of jobs that it is run with. */
  readonly most?: number;
}

function many(count: number, make: (index: number, below: (n: number) => number) => Job): readonly Job[] {
  const below = numbers(42);
  return Array.from({ length: count }, (_, index) => make(index, below));
}

export const CASES: readonly Case[] = [
  { name: "one shape", jobs: (count) => many(count, (i) => serial(i, { cpus: 1, memoryGiB: 2 })) },
  {
    name: "100 shapes",
    jobs: (count) =>
      many(count, (i) => serial(i, { cpus: 1 + (i % 10), memoryGiB: 1 + (Math.floor(i / 10) % 10) })),
  },
  {
    name: "own shapes",
    jobs: (count) =>
      many(count, (i, below) => serial(i, { cpus: 1 + below(16), memoryGiB: 1 + below(30_000) / 1000 })),
  },
  {
    name: "or list",
    jobs: (count) => many(count, (i) => serial(i, { cpus: 1 + (i % 4), memoryGiB: 2, more: [sizes(i)] })),
  },
  {
    name: "exclusive",
    jobs: (count) =>
      many(count, (i) =>
        serial(i, { cpus: 1, memoryGiB: 1, more: [{ kind: "exclusive", scope: "iteration" }] }),
      ),
    most: 10_000,
  },
  {
    name: "8 nodes each",
    jobs: (count) =>
      many(count, (i) =>
        defineJob({
          ...serial(i, { cpus: 1 + (i % 16), memoryGiB: 1 }),
          nodeCount: 8,
          packingStrategy: "scatter",
        }),
      ),
    most: 10_000,
  },
  {
    name: "array jobs of 1000",
    jobs: (count) =>
      many(Math.ceil(count / 1000), (i) =>
        defineJob({ ...serial(i, { cpus: 1 + (i % 3), memoryGiB: 1 }), iterations: 1000 }),
      ),
  },
  {
    name: "slots of one array",
    jobs: (count) => [defineJob({ ...serial(0, { cpus: 1, memoryGiB: 1 }), iterations: count })],
  },
];

function sizes(index: number) {
  const options = ["Standard_D32s_v5", "Standard_E64s_v5", "Standard_HB120rs_v3"];
  const any = options.map((_, k) => ({
    kind: "property-options" as const,
    property: "vm_size" as const,
    options: [options[(k + index) % 3] ?? ""],
  }));
  return { kind: "or" as const, any };
}
