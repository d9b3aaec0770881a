import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readScenario } from "../../clients/cli/scenario/scenario.ts";
import { plan } from "../../shared/engine/index.ts";

const path = join(import.meta.dirname, "../../examples/scenarios/lab.json");
const lab = JSON.parse(readFileSync(path, "utf8"));
// As a cluster is that has just started: every node of a job is a new one.
const empty = { ...lab, nodeList: { nodes: [] }, schedulerNodes: [] };
const groups = {
  nodearrays: { gpu: { placement_groups: ["pg0"] }, hpc: { placement_groups: ["pg0", "pg1"] } },
};

/** The new nodes that a plan for these jobs asks for, in the spelling of scalelib's Python. */
async function planned(...jobs: readonly object[]) {
  const named = jobs.map((job, index) => ({ name: `job-${index}`, ...job }));
  const scenario = { ...empty, name: "celery", config: { ...lab.config, ...groups }, jobs: named };
  const { input } = await readScenario(scenario, { path, compatibility: "none" });
  const { create } = plan(input);
  return create.flatMap(({ vmSize, placementGroup, names }) => names.map(() => ({ vmSize, placementGroup })));
}

const sizesOf = async (...jobs: readonly object[]) => (await planned(...jobs)).map(({ vmSize }) => vmSize);

describe("Celery page, table of default constraints", () => {
  const f4 = "Standard_F4s_v2";
  const f16 = "Standard_F16s_v2";
  test.each([
    ["ncpus: virtual CPUs", { ncpus: 4 }, f4],
    ["ncpus: one more than the size has", { ncpus: 5 }, f16],
    ["pcpus: physical CPUs, without hyper-threads", { pcpus: 2 }, f4],
    ["pcpus: one more than the size has", { pcpus: 3 }, f16],
    ["ngpus: GPUs", { ngpus: 1 }, "Standard_NC24ads_A100_v4"],
    ["ngpus: one more than any size has", { ngpus: 2 }, undefined],
    ["memmb: memory in MB", { memmb: 8 * 1024 }, f4],
    ["memmb: one more than the size has", { memmb: 8 * 1024 + 1 }, f16],
    ["memgb: memory in GB", { memgb: 8 }, f4],
    ["memgb: one more than the size has", { memgb: 9 }, f16],
    ["memtb: memory in TB", { memtb: 8 / 1024 }, f4],
    ["memtb: more than any size has", { memtb: 1 }, undefined],
    ["all at once", { ncpus: 1, memgb: 200, ngpus: 1 }, "Standard_NC24ads_A100_v4"],
  ])("%s", async (_, constraints, size) => {
    expect(await sizesOf({ constraints })).toEqual(size === undefined ? [] : [size]);
  });
});

describe("Celery page, table of additional job requirements", () => {
  const job = { constraints: { ncpus: 1 } };

  test("node_count: the same amount on each of so many nodes", async () => {
    expect(await planned(job)).toHaveLength(1);
    expect(await planned({ ...job, node_count: 3 })).toHaveLength(3);
  });

  test("colocated: the nodes of the job are in one placement group", async () => {
    expect(await planned({ ...job, node_count: 2 })).toMatchObject([
      { placementGroup: null },
      { placementGroup: null },
    ]);
    const [first, second, ...more] = await planned({ ...job, node_count: 2, colocated: true });
    expect(more).toEqual([]);
    expect(first?.placementGroup).toMatch(/pg\d/);
    expect(second?.placementGroup).toBe(first?.placementGroup);
  });

  test("exclusive: the whole node, even if the job leaves resources unused", async () => {
    expect(await planned(job, job)).toHaveLength(1);
    const exclusive = { ...job, exclusive: true };
    expect(await planned(exclusive, exclusive)).toHaveLength(2);
    expect(await planned(exclusive, job)).toHaveLength(2);
  });

  test("all of them: two whole nodes with a GPU and 200 GB in one placement group", async () => {
    const constraints = { ncpus: 1, memgb: 200, ngpus: 1 };
    const all = await planned({ constraints, node_count: 2, colocated: true, exclusive: true });
    expect(all).toEqual(
      Array(2).fill({ vmSize: "Standard_NC24ads_A100_v4", placementGroup: expect.stringMatching(/pg/) }),
    );
    expect(new Set(all.map(({ placementGroup }) => placementGroup)).size).toBe(1);
  });
});
