import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { groupsAlike, jobsAlike } from "../../../clients/cli/output/alike.ts";
import { run } from "../../../clients/cli/program.ts";
import { bucketOf, clusterOf, nodeArrayOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { createWorld } from "../../support/world.ts";
import { archiveOf } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";
import { screen } from "./output/screen.ts";

const folder = ownFolder();

/** Two arrays of one size each, one with twelve placement groups; five jobs that no size holds. */
beforeAll(async () => {
  const placementGroups = Array.from({ length: 12 }, (_, at) => ({ name: `pg${at}`, activeCount: 0 }));
  const there = clusterOf({
    nodeArrays: [
      nodeArrayOf(),
      nodeArrayOf({
        name: "mpi",
        allowsColocation: true,
        buckets: [bucketOf({ bucketId: "bucket-hb", vmSize: "Standard_HB120rs_v3", placementGroups })],
      }),
    ],
  });
  const world = createWorld(new FakeCycleCloud(there));
  const jobs = Array.from({ length: 5 }, (_, at) => ({ name: `${1300 + at}`, constraints: { ncpus: 64 } }));
  await world.post(jobs, { source: "pbs" });
  await world.round();
  await archiveOf(world, folder());
});

const shown = (...argv: string[]) => ccscale([...argv, "--offline", folder(), "--cluster", "hpc"]);

const linesOf = (text: string) => text.trimEnd().split("\n");

describe("what differs only by name is printed once", () => {
  test("buckets: twelve placement groups are one row, and --all shows each", async () => {
    const { stdout, stderr } = await shown("buckets");
    const [head, ...rows] = linesOf(stdout);
    expect(head).toMatch(/^NODEARRAY +VM_SIZE +GROUP +ACTIVE/);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 3))).toEqual([
      ["htc", "Standard_F4s_v2", "-"],
      ["mpi", "Standard_HB120rs_v3", "-"],
      ["mpi", "Standard_HB120rs_v3", "12 groups"],
    ]);
    expect(stderr).toBe("14 buckets in 3 rows; --all shows each\n");
    expect(linesOf((await shown("buckets", "--all")).stdout)).toHaveLength(15);
    expect(linesOf((await shown("buckets", "--format", "csv")).stdout)).toHaveLength(15);
    expect(linesOf((await shown("buckets", "-o", "nodearray,vm_size")).stdout)).toHaveLength(15);
  });

  test("buckets: no line is wider than 80 columns, and the limit that binds stays", async () => {
    const terminal = screen({ columns: 80 });
    await run(["buckets", "--offline", folder(), "--cluster", "hpc"], terminal);
    const lines = linesOf(stripVTControlCharacters(terminal.text()));
    expect(lines).toHaveLength(4);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/AVAILABLE +BINDING +NODE-ARRAY/);
    expect(lines[3]).toMatch(/^mpi +HB120rs_v3 +12 groups/);
  });

  test("explain: buckets that refuse alike are one row, and --all shows each", async () => {
    const { stdout } = await shown("explain", "1300");
    expect(stdout).toContain("\n14 buckets of htc and mpi  ncpus >= 64  64     4     too small\n");
    const { stdout: all } = await shown("explain", "1300", "--all");
    expect(all.match(/too small$/gm)).toHaveLength(14);
  });

  test("validate-constraint: values of the buckets are named together", async () => {
    const { stdout } = await shown("validate-constraint", "node.nodearray=gpu");
    expect(stdout).toMatch(/\n14 buckets of htc and mpi +no +node\.nodearray = gpu +gpu +htc or mpi\n/);
    const { stdout: all } = await shown("validate-constraint", "node.nodearray=gpu", "--all");
    expect(all.match(/ no {2}/g)).toHaveLength(14);
  });

  test("demand: jobs that wait for the same are one line with one list of reasons, and --all shows each", async () => {
    const { stdout } = await shown("demand");
    expect(stdout).toContain(
      "\n5 jobs wait: 1300, 1301, 1302, 1303, 1304\n  - htc/Standard_F4s_v2, mpi/Standard_HB120rs_v3 (13 buckets): too small, ",
    );
    const { stdout: all } = await shown("demand", "--all");
    expect(all.match(/^130\d: waits$/gm)).toHaveLength(5);
  });
});

describe("groups", () => {
  test("stand where their first one was; fewer than the least stay apart", () => {
    const groups = groupsAlike(["a1", "b1", "a2", "c1", "b2", "a3"], ([letter = ""]) => letter);
    expect(groups).toEqual([["a1", "a2", "a3"], ["b1"], ["c1"], ["b2"]]);
    expect(groupsAlike(["a1", "a2"], ([letter = ""]) => letter, 2)).toEqual([["a1", "a2"]]);
    expect(groupsAlike([], String)).toEqual([]);
  });

  test("name the first of many jobs", () => {
    const names = Array.from({ length: 12 }, (_, at) => `${at}`);
    const said = { one: "waits", many: "wait" };
    expect(jobsAlike(names, said)).toBe("12 jobs wait: 0, 1, 2, 3, 4 and 7 more");
    expect(jobsAlike(["7"], said)).toBe("7: waits");
  });
});
