import { describe, expect, test } from "vitest";
import type { Job, Memory } from "../../../../clients/agent/drivers/driver.ts";
import { array, bucket, node } from "../../../shared/engine/tiny.ts";
import { planReading } from "./plan-reading.ts";
import { readSlurm, type SlurmWorld, slurmNode, waitingJob } from "./slurm-reading.ts";

function known(world: SlurmWorld) {
  const reading = readSlurm(world);
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}
const jobsOf = (world: SlurmWorld): readonly Job[] => known(world).jobs;

const away = { hostname: "htc-9", name: "htc-9", slurmd_version: "", state: ["DOWN"] };
const gpuNode = (index: number, type: string) =>
  slurmNode(index, { name: `gpu-${index}`, gres: `gpu:${type}:2`, partitions: ["gpu"] });

const wherever = { partitions: { htc: { colocated: true } } };
test.each([
  ["that says nothing", {}, {}, "7 0\n", false],
  ["--switches=1", {}, {}, "7 1\n", true],
  ["--switches=2", {}, {}, "7 2\n", false],
  ["--switches=1 in its record", { required_switches: 1 }, {}, "7 0\n", true],
  ["of a partition that wants it", {}, wherever, "7 0\n", true],
])("two nodes of a job %s: in one placement group or not", (_, fields, section, pending, colocated) => {
  const job = waitingJob({
    node_count: 2,
    tasks: 2,
    cpus: 2,
    tres_req_str: "cpu=2,mem=2000M,node=2",
    ...fields,
  });
  expect(jobsOf({ jobs: [job], section, pending })[0]?.colocated).toBe(colocated);
});

describe("a job that gets the nodes of another one buys none", () => {
  const preempting = "PreemptType             = preempt/qos\n";
  const now = 1_795_400_000;
  const isNew = { state_reason: "None", eligible_time: now - 20 };
  test.each([
    ["that Slurm has not looked at, where it takes nodes from others", isNew, preempting, 0],
    ["that it has looked at", { ...isNew, state_reason: "Resources" }, preempting, 1],
    ["that came behind others just now", { state_reason: "Priority", eligible_time: now - 3 }, preempting, 0],
    ["that waits behind others", { ...isNew, state_reason: "Priority" }, preempting, 1],
    ["that it has not looked at for long", { ...isNew, eligible_time: now - 120 }, preempting, 1],
    ["where it takes nodes from nobody", isNew, "PreemptType             = preempt/none\n", 1],
  ])("one %s", (_, fields, config, count) => {
    expect(jobsOf({ jobs: [waitingJob(fields)], config })).toHaveLength(count);
  });

  // As 22.05 printed a job to which it gave a time of grace, and one that had just ended.
  const runs = {
    job_id: 9,
    job_state: ["RUNNING"],
    nodes: "htc-1",
    cpus: 4,
    tres_req_str: "cpu=4,mem=4000M,node=1",
  };
  test.each([
    ["runs", runs, 1],
    ["has a time of grace", { ...runs, preempt_time: now - 5, end_time: now + 15 }, 0],
    ["has just ended", { ...runs, job_state: ["COMPLETING"], end_time: now - 3 }, 0],
    ["goes back into the queue", { ...runs, job_state: ["COMPLETING"], end_time: 6_090_685_703 }, 0],
    ["has long ended, and holds its node", { ...runs, job_state: ["COMPLETING"], end_time: now - 60 }, 1],
    [
      "goes back into the queue for a job of another QOS",
      { ...runs, job_state: ["COMPLETING"], start_time: 0, end_time: 0, preempt_time: now - 2 },
      0,
    ],
  ])("the other one %s", (_, other, bought) => {
    const nodes = [slurmNode(1, { state: ["ALLOCATED"] })];
    const waits = waitingJob({ cpus: 4, tres_req_str: "cpu=4,mem=4000M,node=1" });
    const reading = known({ jobs: [other, waits], nodes });
    const { create } = planReading(
      "slurm",
      reading,
      [array({ name: "htc", buckets: [bucket({ vcpus: 4 })] })],
      [node("htc-1", { hostname: "ip-1" })],
    );
    expect(reading.jobs[0]).toMatchObject({ name: "9", executingHostnames: ["ip-1"] });
    expect(create.flatMap((set) => set.names)).toHaveLength(bought);
  });
});

test("a job that goes back into the queue, and is being cleared away for a minute, takes up its node again", () => {
  const job = {
    job_id: 9,
    job_state: ["COMPLETING"],
    nodes: "htc-1",
    cpus: 4,
    tres_req_str: "cpu=4,mem=4000M,node=1",
    end_time: 6_090_685_703,
  };
  const takesUp = (jobs: readonly unknown[], nowSeconds: number, memory: Memory = {}) => {
    const reading = known({ jobs, nodes: [slurmNode(1)], nowSeconds, memory });
    return {
      memory: reading.memory,
      isTaken: reading.jobs.some(({ constraints }) => JSON.stringify(constraints).includes("ncpus")),
    };
  };
  const first = takesUp([job], 1000);
  const later = takesUp([job], 1059, first.memory);
  expect([first.isTaken, later.isTaken, takesUp([job], 1060, later.memory).isTaken]).toEqual([
    false,
    false,
    true,
  ]);
  // It ran meanwhile.
  const ran = takesUp([{ ...job, job_state: ["RUNNING"] }], 1030, first.memory);
  expect(takesUp([job], 1090, ran.memory).isTaken).toBe(false);
});

describe("what is not understood, or cannot be ordered, leaves the job out with a reason", () => {
  const someHaveFeature = [slurmNode(1, { features: ["big"] }), slurmNode(2)];
  const cases: readonly (readonly [string, SlurmWorld, RegExp])[] = [
    [
      "a feature of some nodes",
      { jobs: [waitingJob({ features: "big" })], nodes: someHaveFeature },
      /only some nodes have them/,
    ],
    [
      "one of two features, of some nodes",
      { jobs: [waitingJob({ features: "big|x" })], nodes: someHaveFeature },
      /only some nodes/,
    ],
    ["features that do not end", { jobs: [waitingJob({ features: "(a&b" })] }, /features "\(a&b", expected/],
    ["features with a blank", { jobs: [waitingJob({ features: "a b" })] }, /features "a b"/],
    [
      "counts of alternatives",
      { jobs: [waitingJob({ features: "[a*2|b*1]" })] },
      /counts of single features/,
    ],
    ["more counts than nodes", { jobs: [waitingJob({ features: "a*2" })] }, /only some|counts/],
    ["a reservation", { jobs: [waitingJob({ resv_name: "maintenance" })] }, /reservation "maintenance"/],
    [
      "a licence that the cluster has not",
      { jobs: [waitingJob({ licenses: "ansys:1" })] },
      /licenses "ansys:1"/,
    ],
    ["a choice of licences", { jobs: [waitingJob({ licenses: "ansys:1|matlab:1" })] }, /licenses/],
    [
      "a partition that is down",
      { jobs: [waitingJob()], partitions: "PartitionName=htc State=DOWN\n" },
      /partition "htc" has no node/,
    ],
    [
      "nodes that are all excluded",
      { jobs: [waitingJob({ excluded_nodes: "htc-[1-2]" })] },
      /partition "htc" has no node/,
    ],
    [
      "excluded nodes that cannot be read",
      { jobs: [waitingJob({ excluded_nodes: "htc-[1-" })] },
      /expected a list of nodes/,
    ],
    [
      "a type of GPU of some nodes",
      {
        jobs: [waitingJob({ partition: "gpu", tres_per_node: "gres:gpu:a100:1" })],
        nodes: [gpuNode(1, "a100"), gpuNode(2, "t4")],
      },
      /"gpu:a100": only some nodes have it/,
    ],
    [
      "tasks of an array that cannot be counted",
      { jobs: [waitingJob({ array_task_string: "1,3,..." })] },
      /array_task_string/,
    ],
  ];

  test.each(cases)("%s", (_, world, reason) => {
    const { jobs, setAside } = known(world);
    expect(jobs).toEqual([]);
    expect(setAside).toMatchObject([{ record: "job 7", reason: expect.stringMatching(reason) }]);
  });
});

describe("features", () => {
  const section = { features: { big: { memgb: 64 }, "gpu:a100": { "node.vm_size": "Standard_ND96" } } };
  test.each([
    ["configured", "big", { memgb: 64 }],
    ["a VM size", "Standard_D4s_v5", { "node.vm_size": "Standard_D4s_v5" }],
    [
      "either VM size",
      "Standard_D4s_v5|Standard_D8s_v5",
      { "node.vm_size": ["Standard_D4s_v5", "Standard_D8s_v5"] },
    ],
    [
      "either of all kinds",
      "(Standard_D4s_v5|big)&cloud",
      { or: [{ "node.vm_size": "Standard_D4s_v5" }, { memgb: 64 }] },
    ],
    ["a feature that all nodes have", "cloud", {}],
    ["a choice that all nodes meet", "[cloud|big]", {}],
  ])("%s: %s", (_, features, expected) => {
    const nodes = [1, 2].map((index) =>
      slurmNode(index, { features: ["cloud", "big", "Standard_D4s_v5", "Standard_D8s_v5"] }),
    );
    const [job] = jobsOf({ jobs: [waitingJob({ features })], nodes, section });
    expect(job?.constraints).toEqual({ "node.nodearray": "htc", ...expected, ncpus: 1, memmb: 1000 });
  });

  test("of a node that tells none are Slurm's own affair", () => {
    const nodes = [slurmNode(1, { features: undefined })];
    expect(jobsOf({ jobs: [waitingJob({ features: "big" })], nodes })).toHaveLength(1);
  });

  test("a type of GPU means what is configured for it", () => {
    const record = waitingJob({ partition: "gpu", tres_per_node: "gres:gpu:a100:1" });
    const [job] = jobsOf({ jobs: [record], nodes: [gpuNode(1, "a100"), gpuNode(2, "t4")], section });
    expect(job?.constraints).toMatchObject({ "node.vm_size": "Standard_ND96", ngpus: 1 });
  });

  test("kinds of nodes of one job are a gang of its own, also where another job asks for the same", () => {
    const jobs = [7, 8].map((job_id) =>
      waitingJob({
        job_id,
        features: "[Standard_D8s_v5*2&Standard_D4s_v5*1]",
        node_count: 3,
        max_nodes: 3,
        tres_req_str: "cpu=3,node=3",
      }),
    );
    expect(jobsOf({ jobs }).map(({ name, gang }) => [name, gang])).toEqual([
      ["7.1", "7"],
      ["7.2", "7"],
      ["8.1", "8"],
      ["8.2", "8"],
    ]);
  });

  test.each([
    ["as the other", {}, ["7", "7"]],
    ["left out", { resv_name: "maint" }, []],
    ["never to run", { state_reason: "PartitionNodeLimit" }, []],
    ["ignored", { partition: "old" }, ["7"]],
    ["of Slurm's power saving", { partition: "cloud" }, ["7"]],
  ])("a heterogeneous job with a part that is %s", (_, fields, gangs) => {
    const part = (het_job_offset: number, own = {}) =>
      waitingJob({ job_id: 7 + het_job_offset, het_job_id: 7, het_job_offset, ...own });
    const settings = { ignore_partitions: ["old"], partitions: { cloud: { mode: "power-saving" } } };
    const jobs = jobsOf({ jobs: [part(0), part(1, fields)], section: settings });
    expect(jobs.map(({ gang }) => gang)).toEqual(gangs);
  });

  test("counts are jobs of their own, on different nodes", () => {
    const nodes = [slurmNode(1, { features: ["big"] }), slurmNode(2, { features: ["Standard_D4s_v5"] })];
    const record = waitingJob({
      features: "[big*2&Standard_D4s_v5*1]",
      node_count: 3,
      max_nodes: 3,
      tres_req_str: "node=3",
    });
    expect(jobsOf({ jobs: [record], nodes, section })).toMatchObject([
      { name: "7.1", nodeCount: 2, gangApart: true, constraints: { memgb: 64 } },
      { name: "7.2", nodeCount: 1, gangApart: true, constraints: { "node.vm_size": "Standard_D4s_v5" } },
    ]);
  });
});

describe("a job that names no memory, where that is the default (DefMemPerCPU=0)", () => {
  const counts = "SelectType = select/cons_tres\nSelectTypeParameters = CR_CORE_MEMORY\n";
  const job = (fields: object) =>
    waitingJob({
      memory_per_cpu: 0,
      memory_per_node: null,
      tres_req_str: "cpu=1,mem=15000M,node=1",
      ...fields,
    });

  const inUse = (index: number, fields = {}) => slurmNode(index, { alloc_memory: 2000, ...fields });
  const bought = (world: Partial<SlurmWorld>) => {
    const nodes = [inUse(1), slurmNode(2, { alloc_cpus: 1 })];
    const reading = known({ jobs: [job({})], nodes, config: counts, ...world });
    const there = (world.nodes ?? nodes).map((_, index) =>
      node(`htc-${index + 1}`, { hostname: `ip-${index + 1}` }),
    );
    const { create } = planReading(
      "slurm",
      reading,
      [array({ name: "htc", buckets: [bucket({ vcpus: 4 })] })],
      there,
    );
    return create.flatMap(({ names }) => names).length;
  };

  test.each([
    ["is planned on a node of which nobody has any", {}, [inUse(1), slurmNode(2)], 0],
    ["is not planned on nodes of which others have some", {}, [inUse(1), inUse(2)], 1],
    ["names some: it is", { memory_per_cpu: 1000 }, [inUse(1), inUse(2)], 0],
    ["has that of its GPUs: it is", { memory_per_tres: "gres:gpu:1000" }, [inUse(1), inUse(2)], 0],
  ])("%s", (_, fields, nodes, count) => {
    expect(bought({ jobs: [job(fields)], nodes })).toBe(count);
  });

  test("asks for the same whatever is in use, beside what it excludes itself", () => {
    const read = (nodes: readonly object[]) =>
      known({ jobs: [job({ excluded_nodes: "htc-2" })], nodes, config: counts });
    const [one, other] = [
      read([inUse(1), slurmNode(2), inUse(3)]),
      read([slurmNode(1), slurmNode(2), slurmNode(3)]),
    ];
    expect(one.jobs).toEqual(other.jobs);
    expect(one.shapes).toEqual(other.shapes);
    expect(JSON.stringify(one.jobs[0]?.constraints)).toContain('{"not":{"node.name":["htc-2"]}}');
    expect(one.nodes.map(({ resources }) => resources["slurm-memory-in-use"])).toEqual([
      true,
      undefined,
      true,
    ]);
  });

  test("nodes do not say so where every job names some", () => {
    const { nodes } = known({ jobs: [waitingJob()], nodes: [inUse(1)], config: counts });
    expect(nodes[0]?.resources).not.toHaveProperty("slurm-memory-in-use");
  });

  test("waits for no partition that is full, and counts memory where its partition does", () => {
    const nodes = [
      inUse(1),
      inUse(2),
      slurmNode(3),
      slurmNode(4),
      ...[1, 2, 3, 4].map((index) => slurmNode(index, { name: `hpc-${index}`, partitions: ["hpc"] })),
    ];
    const several = job({
      partition: "htc,hpc",
      node_count: 3,
      tasks: 3,
      cpus: 3,
      tres_req_str: "cpu=3,node=3",
    });
    const partitions =
      "PartitionName=htc State=UP\nPartitionName=hpc State=UP SelectTypeParameters=CR_CORE\n";
    const [planned] = jobsOf({ jobs: [several], nodes, config: counts, partitions });
    expect(planned?.constraints).toMatchObject({
      or: [
        { "node.nodearray": "htc", not: { "slurm-memory-in-use": true } },
        { "node.nodearray": "hpc", ncpus: 1 },
      ],
    });
  });

  test("has whole tasks on each node, of whichever node array", () => {
    const size = { cpus: 4, sockets: 4, cores: 1, threads: 1 };
    const nodes = [slurmNode(1, size), slurmNode(2, { ...size, name: "l-1" })];
    const tasks = { tasks: 10, cpus: 30, node_count: 8, tres_req_str: "cpu=30,mem=15000M,node=1" };
    const [planned] = jobsOf({ jobs: [job(tasks)], nodes, config: counts });
    expect(planned).toMatchObject({ iterations: 10, constraints: { ncpus: 3 } });
  });
});

describe("a job of a partition of unlike nodes", () => {
  const config = "SelectType = select/cons_tres\nSelectTypeParameters = CR_CORE_MEMORY\n";
  const few = Array.from({ length: 4 }, (_, index) => slurmNode(index + 1));
  const threads = Array.from({ length: 4 }, (_, index) =>
    slurmNode(index + 1, { name: `smt-${index + 1}`, cpus: 8, threads: 2 }),
  );
  const tasks = (count: number, fields: object = {}) =>
    waitingJob({
      tasks: count,
      cpus: count,
      memory_per_cpu: 100,
      tres_req_str: `cpu=${count},mem=${count}00M,node=1`,
      ...fields,
    });

  test.each([
    ["in either order", [...few, ...threads]],
    ["in the other", [...threads, ...few]],
  ])("takes its amounts of each node array: %s", (_, nodes) => {
    const ofCores = tasks(8, { threads_per_core: 1, node_count: 2 });
    const [planned, ...more] = jobsOf({ jobs: [ofCores], nodes, config });
    expect(more).toEqual([]);
    expect(planned).toMatchObject({ nodeCount: 2 });
    expect(amountsByArray(planned)).toEqual({ htc: 4, smt: 8 });
    const [three] = jobsOf({ jobs: [tasks(3)], nodes, config });
    expect(three).toMatchObject({ iterations: 1 });
    expect(amountsByArray(three)).toEqual({ htc: 3, smt: 4 });
  });

  function amountsByArray(job: Job | undefined) {
    const constraints = job?.constraints as { readonly or?: readonly Record<string, unknown>[] } | undefined;
    const or = constraints?.or ?? [];
    return Object.fromEntries(or.map((each) => [each["node.nodearray"], each.ncpus]));
  }

  test("is left out of a node array only if none of its nodes has enough", () => {
    const nodes = [
      slurmNode(1, { cpus: 64, real_memory: 250_000 }),
      slurmNode(2, { cpus: 64, real_memory: 500_000 }),
      slurmNode(3, { name: "hpc-1", partitions: ["hpc"], cpus: 64, real_memory: 500_000 }),
    ];
    const arraysFor = (memory_per_node: number) => {
      const fields = { partition: "htc,hpc", memory_per_cpu: null, memory_per_node };
      const job = waitingJob({ ...fields, tres_req_str: `cpu=1,mem=${memory_per_node}M,node=1` });
      return jobsOf({ jobs: [job], nodes, config }).map(({ constraints }) => constraints);
    };
    expect(arraysFor(400_000)).toMatchObject([{ "node.nodearray": ["htc", "hpc"] }]);
    expect(arraysFor(600_000)).toEqual([]);
  });
});

describe("node lists", () => {
  test("a node that is there is asked for by its name, and the others are ordered", () => {
    const record = waitingJob({
      required_nodes: "htc-1",
      node_count: 2,
      max_nodes: 2,
      tres_req_str: "node=2",
    });
    expect(jobsOf({ jobs: [record] })).toMatchObject([
      { name: "7.1", nodeCount: 1, constraints: { "node.name": ["htc-1"] } },
      { name: "7.2", nodeCount: 1, constraints: { not: { "node.name": ["htc-1"] } } },
    ]);
  });

  test("a node that is not there is waited for, without the others", () => {
    const record = waitingJob({
      required_nodes: "htc-9",
      node_count: 2,
      max_nodes: 2,
      tres_req_str: "node=2",
    });
    const [job, ...others] = jobsOf({ jobs: [record], nodes: [slurmNode(1), slurmNode(9, away)] });
    expect(job).toMatchObject({
      constraints: { "node.name": ["htc-9"] },
      notes: [expect.stringMatching(/htc-9/)],
    });
    expect(others).toEqual([]);
  });

  test("Slurm's prefix is not part of CycleCloud's names", () => {
    const nodes = [1, 2].map((index) => slurmNode(index, { name: `x-htc-${index}` }));
    const [job] = jobsOf({
      jobs: [waitingJob({ excluded_nodes: "x-htc-2" })],
      nodes,
      section: { node_prefix: "x-" },
    });
    expect(job?.constraints).toMatchObject({ not: { "node.name": ["htc-2"] } });
  });
});

test("tasks of an array with records of their own share its limit (%2) with those that run", () => {
  const whole = { cpus: 4, tres_req_str: "cpu=4,mem=4000M,node=1", array_job_id: 7, array_max_tasks: 2 };
  const runs = { job_state: ["RUNNING"], nodes: "htc-1", node_count: 1 };
  const task = (array_task_id: number, fields: object = {}) =>
    waitingJob({ ...whole, job_id: 7 + array_task_id, array_task_id, ...fields });
  // Without a job that runs, one of them gets the node that is there.
  const buys = (...jobs: readonly object[]) => {
    const reading = known({ jobs, nodes: [slurmNode(1, { state: ["ALLOCATED"] })] });
    const arrays = [array({ name: "htc", buckets: [bucket({ vcpus: 4 })] })];
    const { create } = planReading("slurm", reading, arrays, [node("htc-1", { hostname: "ip-1" })]);
    return create.flatMap((set) => set.names).length;
  };
  const others = waitingJob({ ...whole, array_task_string: "4-9" });
  expect([
    buys(task(1), task(2), task(3)),
    buys(task(1, runs), task(2), task(3)),
    buys(task(1, runs), task(2), others),
    buys(task(1, { state_reason: "JobArrayTaskLimit" }), { ...others, array_job_id: 8, job_id: 8 }),
  ]).toEqual([1, 1, 1, 2]);
});

describe("licences", () => {
  const licenses = "LicenseName=ansys Total=4 Used=1 Free=3 Reserved=0 Remote=no\n";
  const pool = { "resource-name": "license ansys", requested: 2, "initial-value": 4, "current-value": 3 };

  test("are a pool that every task of an array draws on", () => {
    const record = waitingJob({ licenses: "ansys:2", array_task_string: "1-5", array_job_id: 7 });
    expect(jobsOf({ jobs: [record], licenses })).toMatchObject([
      { iterations: 5, constraints: { "shared-consumable-constraint": [pool] } },
    ]);
  });

  test("that a reservation keeps are free for its own jobs alone, though Slurm counts them so", () => {
    const kept = licenses.replace("Reserved=0", "Reserved=2");
    const reservations =
      "ReservationName=m StartTime=1795400300 EndTime=1795403900 Nodes=(null) Flags=ANY_NODES Licenses=ansys:2\n";
    const jobs = ["", "m"].map((resv_name) => waitingJob({ licenses: "ansys:2", resv_name }));
    const free = (count: number) => [{ ...pool, "current-value": count }];
    expect(jobsOf({ jobs, licenses: kept, reservations })).toMatchObject([
      { constraints: { "shared-consumable-constraint": free(1) } },
      { constraints: { "shared-consumable-constraint": free(3) } },
    ]);
  });

  test("are drawn once by a job of several nodes or tasks", () => {
    const record = waitingJob({ licenses: "ansys:2", node_count: 2, max_nodes: 2, tres_req_str: "node=2" });
    expect(jobsOf({ jobs: [record], licenses })).toMatchObject([
      {
        nodeCount: 2,
        constraints: { "shared-consumable-constraint": [{ ...pool, "decrement-once": true }] },
      },
    ]);
  });
});

describe("whole nodes", () => {
  const partitions =
    "PartitionName=htc OverSubscribe=NO State=UP\nPartitionName=hpc OverSubscribe=EXCLUSIVE State=UP\n";
  const hpcNodes = [1, 2].map((index) =>
    slurmNode(index, { name: `hpc-${index}`, cpus: 44, partitions: ["hpc"] }),
  );
  const mpi = waitingJob({
    partition: "hpc",
    cpus: 88,
    tasks: 88,
    node_count: 2,
    shared: ["none"],
    tres_req_str: "node=1",
  });

  test("a job of 88 tasks takes two nodes that nobody shares", () => {
    expect(jobsOf({ jobs: [mpi], nodes: hpcNodes, partitions })).toEqual([
      expect.objectContaining({
        nodeCount: 2,
        exclusive: true,
        constraints: { "node.nodearray": "hpc", ncpus: 44, memmb: 44_000 },
      }),
    ]);
  });

  test("tasks of an array that take one node each share none", () => {
    const record = { ...mpi, cpus: 4, tasks: 4, node_count: 1, array_task_string: "1-3", array_job_id: 7 };
    expect(jobsOf({ jobs: [record], nodes: hpcNodes, partitions })).toMatchObject([
      { iterations: 3, exclusive: true, constraints: { ncpus: 4 } },
    ]);
  });

  test("tasks of an array that take several nodes are jobs of their own", () => {
    const record = { ...mpi, array_task_string: "1-3", array_job_id: 7 };
    const jobs = jobsOf({ jobs: [record], nodes: hpcNodes, partitions });
    expect(jobs.map(({ name, nodeCount, exclusive }) => [name, nodeCount, exclusive])).toEqual(
      [0, 1, 2].map((index) => [`7_*#${index}`, 2, true]),
    );
  });

  test("where one of two partitions is exclusive, only its nodes are whole", () => {
    const record = waitingJob({ partition: "htc,hpc", shared: ["none"] });
    expect(jobsOf({ jobs: [record], nodes: [slurmNode(1), ...hpcNodes], partitions })).toMatchObject([
      {
        exclusive: false,
        constraints: { or: [{ "node.nodearray": "htc" }, { "node.nodearray": "hpc", exclusive: true }] },
      },
    ]);
  });

  test("--exclusive is meant for every partition", () => {
    const record = waitingJob({ partition: "htc,mix", exclusive: ["true"] });
    expect(jobsOf({ jobs: [record], nodes: [], partitions })).toMatchObject([{ exclusive: true }]);
  });
});

test.each(["partitions", "licenses"] as const)(
  "a list of %s that was cut short makes the reading unknown",
  (name) => {
    expect(readSlurm({ jobs: [waitingJob()], [name]: "PartitionName=htc OverSub" })).toMatchObject({
      known: false,
    });
  },
);
