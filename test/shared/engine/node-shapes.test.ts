import { describe, expect, test } from "vitest";
import { type NodeShape, plan, type Resources, survey } from "../../../shared/engine/index.ts";
import { jobSentences } from "../../../shared/views/index.ts";
import { array, bucket, cluster, createdNames, input, job, node, nodesOf, onOrder } from "./tiny.ts";

/** An F4 with 16 GiB, of which Slurm counts 15,000 MB. */
const htc = array({ buckets: [bucket({ memoryGiB: 16 })] });
const shape = (resources: Resources, fields: Partial<NodeShape> = {}): NodeShape => ({
  source: "slurm",
  nodeArray: "htc",
  vmSize: null,
  resources,
  ...fields,
});

const twoLargeJobs = ["a", "b"].map((name) => job(name, { ncpus: 1, memmb: 7600 }));

describe("a node that would come is what its scheduler counts", () => {
  test("two jobs of 7,600 MB need two nodes of 15,000 MB, whatever the VM has", () => {
    const world = { cluster: cluster({ nodeArrays: [htc] }), jobs: twoLargeJobs };
    expect(createdNames(plan(input(world)))).toEqual(["htc-1"]);
    const counted = plan(input({ ...world, nodeShapes: [shape({ memmb: 15_000 })] }));
    expect(createdNames(counted)).toEqual(["htc-1", "htc-2"]);
  });

  test("nodes on order count so, too", () => {
    const result = plan(
      input({
        cluster: cluster({ nodeArrays: [htc] }),
        jobs: twoLargeJobs,
        nodeShapes: [shape({ memmb: 15_000 })],
        pending: [onOrder(1, { names: ["htc-1"] })],
      }),
    );
    expect(createdNames(result)).toEqual(["htc-2"]);
  });

  test("nodes on order count so where a default resource is made from their names, too", () => {
    const host = {
      select: [],
      name: "host",
      value: { kind: "property", property: "name" },
      modifier: null,
    } as const;
    const result = plan(
      input({
        cluster: cluster({ nodeArrays: [htc] }),
        jobs: twoLargeJobs,
        nodeShapes: [shape({ memmb: 15_000 })],
        settings: { defaultResources: [host] },
        pending: [onOrder(1, { names: ["htc-1"] })],
      }),
    );
    expect(createdNames(result)).toEqual(["htc-2"]);
  });

  test("so does a node that has not joined, and one that joined counts as it was reported", () => {
    const booting = node("htc-1", { status: "Preparing" });
    const jobs = [1, 2].map((each) => job(`j${each}`, { ncpus: 2 }));
    const of = (schedulerNodes: readonly { hostname: string; resources: Resources }[]) =>
      createdNames(
        plan(
          input({
            jobs,
            schedulerNodes,
            nodeShapes: [shape({ ncpus: 2 })],
            cluster: cluster({ nodeArrays: [htc], nodes: [booting] }),
          }),
        ),
      );
    expect(of([])).toEqual(["htc-2"]);
    expect(of([{ hostname: "host-htc-1", resources: { ncpus: 4 } }])).toEqual([]);
    // What the report leaves out is as the shape has it.
    expect(of([{ hostname: "host-htc-1", resources: { memmb: 15_000 } }])).toEqual(["htc-2"]);
  });

  test("the shape of a VM size wins over that of its array, and the case of the size does not matter", () => {
    const two = array({
      buckets: [bucket({ memoryGiB: 16 }), bucket({ vmSize: "Standard_F8", vcpus: 8, memoryGiB: 32 })],
    });
    const result = plan(
      input({
        cluster: cluster({ nodeArrays: [two] }),
        jobs: [job("a", { ncpus: 4, nvme: 1 })],
        nodeShapes: [shape({ ncpus: 2 }), shape({ ncpus: 8, nvme: 1 }, { vmSize: "standard_f8" })],
      }),
    );
    expect(result.create).toMatchObject([{ vmSize: "Standard_F8", count: 1 }]);
  });

  test("what is said of memory in one unit holds in all", () => {
    const jobs = ["a", "b"].map((name) => job(name, { memgb: 7.5 }));
    const world = { cluster: cluster({ nodeArrays: [htc] }), jobs };
    expect(createdNames(plan(input({ ...world, nodeShapes: [shape({ memmb: 15_000 })] })))).toHaveLength(2);
    const joined = { hostname: "host-htc-1", resources: { memmb: 15_000 } };
    const there = plan(
      input({
        ...world,
        schedulerNodes: [joined],
        cluster: cluster({ nodeArrays: [htc], nodes: [node("htc-1")] }),
      }),
    );
    expect(nodesOf(there, "b")).toEqual(["htc-2"]);
  });
});

describe("what a scheduler does not count is not there", () => {
  const gpu = array({ name: "gpu", buckets: [bucket({ vmSize: "Standard_NC4" })] });
  const world = {
    cluster: cluster({ nodeArrays: [htc, gpu] }),
    jobs: [job("a", { nvme: 1, "node.nodearray": "htc" })],
  };
  const settings = {
    defaultResources: [
      { select: [], name: "nvme", value: { kind: "literal", value: 1 }, modifier: null } as const,
    ],
  };

  test("a consumable that it has on nodes of another array, not even where a default resource says so", () => {
    const nodeShapes = [
      shape({ memmb: 15_000 }),
      shape({ nvme: 1 }, { nodeArray: "gpu", vmSize: "Standard_NC4" }),
    ];
    const result = plan(input({ ...world, nodeShapes, settings }));
    expect(result.create).toEqual([]);
    const [outcome] = result.jobs;
    if (outcome === undefined) throw new Error("no job");
    const [reason] = outcome.reasons.filter(({ code }) => code === "UndefinedResource");
    expect(reason).toMatchObject({ countedBy: "slurm", bucket: { nodeArray: "htc" } });
    expect(jobSentences(outcome).join(" ")).toContain(
      'nodes have no "nvme", says the scheduler of source "slurm"',
    );
  });

  test("a resource that no shape knows is the operator's own", () => {
    const result = plan(input({ ...world, nodeShapes: [shape({ memmb: 15_000 })], settings }));
    expect(createdNames(result)).toEqual(["htc-1"]);
  });

  test("of too small an amount it is told who counts it", () => {
    const result = plan(
      input({
        cluster: cluster({ nodeArrays: [htc] }),
        jobs: [job("a", { memmb: 16_000 })],
        nodeShapes: [shape({ memmb: 15_000 })],
      }),
    );
    const [outcome] = result.jobs;
    if (outcome === undefined) throw new Error("no job");
    expect(outcome.reasons).toMatchObject([{ code: "InsufficientResource", countedBy: "slurm" }]);
    expect(jobSentences(outcome).join(" ")).toContain('as the scheduler of source "slurm" counts it');
  });
});

describe("two schedulers of one array", () => {
  test("the smaller amount counts, with a warning", () => {
    const result = plan(
      input({
        cluster: cluster({ nodeArrays: [htc] }),
        jobs: [1, 2].map((each) => job(`j${each}`, { ncpus: 2 })),
        nodeShapes: [shape({ ncpus: 4 }), shape({ ncpus: 2, memmb: 14_000 }, { source: "pbs" })],
      }),
    );
    expect(createdNames(result)).toEqual(["htc-1", "htc-2"]);
    expect(result.warnings).toMatchObject([
      {
        code: "node-shapes-differ",
        subject: "htc",
        message:
          'Sources "pbs" and "slurm" differ about ncpus of new nodes of "htc" (2 and 4): the smaller amount counts',
      },
    ]);
  });

  test("what only one of them knows is there", () => {
    const result = plan(
      input({
        cluster: cluster({ nodeArrays: [htc] }),
        jobs: [job("a", { nvme: 1 })],
        nodeShapes: [shape({ ncpus: 4 }), shape({ nvme: 2 }, { source: "pbs" })],
      }),
    );
    expect(createdNames(result)).toEqual(["htc-1"]);
    expect(result.warnings).toEqual([]);
  });
});

test("a survey shows what is counted of a new node, by whom, and what its VM has", () => {
  const [found] = survey(
    input({
      cluster: cluster({ nodeArrays: [htc] }),
      nodeShapes: [shape({ ncpus: 4, memmb: 15_000, nvme: 1 })],
    }),
  );
  expect(found?.counted).toEqual([
    {
      resource: "memmb",
      by: "slurm",
      amount: { bytes: 15_000 * 1024 ** 2, magnitude: "m" },
      ofVm: { bytes: 16 * 1024 ** 3, magnitude: "m" },
    },
    { resource: "nvme", by: "slurm", amount: 1, ofVm: null },
  ]);
});
