import { describe, expect, test } from "vitest";
import type { Reading } from "../../../../clients/agent/drivers/driver.ts";
import { array, bucket } from "../../../shared/engine/tiny.ts";
import { planReading } from "./plan-reading.ts";
import { readSlurm, type SlurmWorld, slurmNode, waitingJob } from "./slurm-reading.ts";

type Known = Extract<Reading, { known: true }>;
type Fields = Readonly<Record<string, unknown>>;

/** Nodes that slurm.conf has and that are not there, as Slurm prints them. */
function away(name: string, count: number, fields: Fields = {}): readonly Fields[] {
  return Array.from({ length: count }, (_, index) =>
    slurmNode(index + 1, {
      name: `${name}-${index + 1}`,
      hostname: `${name}-${index + 1}`,
      state: ["DOWN", "CLOUD", "POWERED_DOWN"],
      partitions: [name],
      slurmd_version: "",
      version: "",
      ...fields,
    }),
  );
}

function read(world: SlurmWorld): Known {
  const reading = readSlurm(world);
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}

/** What the engine buys for a reading: VMs of 4 vCPUs and 16 GiB in "htc" and "l", of 44 in "hpc". */
function bought(reading: Known): readonly string[] {
  const f4 = { vcpus: 4, memoryGiB: 16, available: 20 };
  const nodeArrays = [
    array({ buckets: [bucket(f4)] }),
    array({ name: "l", buckets: [bucket({ ...f4, vmSize: "Standard_L4" })] }),
    array({ name: "hpc", buckets: [bucket({ vcpus: 44, memoryGiB: 352 })] }),
  ];
  return planReading("slurm", reading, nodeArrays).create.flatMap(({ names }) => names);
}

const oneJob = (fields: Fields) => [waitingJob(fields)];
const partition = (name: string, more = "") =>
  `PartitionName=${name} OverSubscribe=NO MaxNodes=UNLIMITED State=UP ${more}\n`;

describe("what is bought is what Slurm uses of its own nodes", () => {
  test("two jobs of 7,600 MB where RealMemory is 15000", () => {
    const job = { memory_per_cpu: 0, memory_per_node: 7600, tres_req_str: "cpu=1,mem=7600M,node=1" };
    const jobs = [waitingJob(job), waitingJob({ ...job, job_id: 8 })];
    expect(bought(read({ jobs, nodes: away("htc", 4) }))).toHaveLength(2);
  });

  test("-n 8 --mem-per-cpu=3800M: three tasks fit a node", () => {
    const jobs = oneJob({
      cpus: 8,
      tasks: 8,
      node_count: 3,
      memory_per_cpu: 3800,
      tres_req_str: "cpu=8,mem=30400M,node=1",
    });
    expect(bought(read({ jobs, nodes: away("htc", 4) }))).toHaveLength(3);
  });

  test.each([
    ["CoreSpecCount=1, by the effective number", { effective_cpus: 3 }],
    ["CoreSpecCount=1, by what Slurm 22.05 says of it", { tres: "cpu=3,mem=15000M,billing=3" }],
  ])("%s: -n 4 --mem-per-cpu=1G", (_, node) => {
    const jobs = oneJob({
      cpus: 4,
      tasks: 4,
      memory_per_cpu: 1024,
      tres_req_str: "cpu=4,mem=4G,node=1",
    });
    const reading = read({ jobs, nodes: away("htc", 4, node) });
    expect(reading.shapes).toEqual([{ nodeArray: "htc", resources: { ncpus: 3, memmb: 15_000, ngpus: 0 } }]);
    expect(bought(reading)).toHaveLength(2);
  });

  test("CPUs=2 on a VM of 4 vCPUs: four jobs of two", () => {
    const jobs = [7, 8, 9, 10].map((job_id) =>
      waitingJob({ job_id, cpus: 2, tasks: 2, memory_per_cpu: 100, tres_req_str: "cpu=2,mem=200M,node=1" }),
    );
    expect(bought(read({ jobs, nodes: away("htc", 6, { cpus: 2, cores: 2, threads: 2 }) }))).toHaveLength(4);
  });

  test("MemSpecLimit, which Slurm 22.05 has in its text only", () => {
    const nodes = `${["htc-1", "htc-2"]
      .map((name) => `NodeName=${name} CPUTot=4 RealMemory=15000 MemSpecLimit=1000 State=DOWN+CLOUD`)
      .join("\n")}\n`;
    const reading = read({ jobs: [], nodes: away("htc", 2), specs: nodes });
    expect(reading.shapes).toMatchObject([{ resources: { memmb: 14_000 } }]);
    const newer = read({ jobs: [], nodes: away("htc", 2, { specialized_memory: 1000 }) });
    expect(newer.shapes).toMatchObject([{ resources: { memmb: 14_000 } }]);
  });

  test("MaxCPUsPerNode=2: -n 4, and what a job of another partition may still have there", () => {
    const nodes = away("htc", 6, { partitions: ["htc", "capped"] });
    const partitions = `${partition("htc")}${partition("capped", "MaxCPUsPerNode=2")}`;
    const job = {
      partition: "capped",
      cpus: 4,
      tasks: 4,
      memory_per_cpu: 1024,
      node_count: 2,
      tres_req_str: "cpu=4,mem=4G,node=1",
    };
    const capped = read({ jobs: oneJob(job), nodes, partitions });
    expect(bought(capped)).toEqual(["htc-1", "htc-2"]);
    const both = read({
      jobs: [
        waitingJob({ ...job, cpus: 2, tasks: 2, node_count: 1, tres_req_str: "cpu=2,mem=2G,node=1" }),
        waitingJob({ job_id: 8, cpus: 2, tasks: 1, minimum_cpus_per_node: 2 }),
      ],
      nodes,
      partitions,
    });
    expect(bought(both)).toEqual(["htc-1"]);
  });

  test("--gres=nvme:1, of nodes of which some have one", () => {
    const nodes = [
      ...away("htc", 4, { partitions: ["all"] }),
      ...away("l", 4, { gres: "nvme:1", partitions: ["all"] }),
    ];
    const nvme = waitingJob({ partition: "all", tres_per_node: "gres:nvme:1" });
    const partitions = partition("all");
    expect(bought(read({ jobs: [nvme], nodes, partitions }))).toEqual(["l-1"]);
    // One of them each.
    const two = [nvme, waitingJob({ partition: "all", job_id: 8, tres_per_node: "gres/nvme:1" })];
    expect(bought(read({ jobs: two, nodes, partitions }))).toEqual(["l-1", "l-2"]);
  });

  test("--gres=nvme:1 where no node has one is left out, and says so", () => {
    const jobs = oneJob({ tres_per_node: "gres:nvme:1" });
    const reading = read({ jobs, nodes: away("htc", 2) });
    expect(reading.jobs).toEqual([]);
    expect(reading.setAside).toMatchObject([{ reason: 'partition "htc" has no node that would do' }]);
  });

  test("a type of gres is asked of that type", () => {
    const nodes = [
      ...away("htc", 2, { gres: "fpga:xilinx:1", partitions: ["all"] }),
      ...away("l", 2, { gres: "fpga:intel:2(S:0)", partitions: ["all"] }),
    ];
    const partitions = partition("all");
    const of = (tres: string) =>
      bought(read({ jobs: oneJob({ partition: "all", tres_per_node: tres }), nodes, partitions }));
    expect(of("gres:fpga:intel:1")).toEqual(["l-1"]);
    expect(of("gres:fpga:2")).toEqual(["l-1"]);
    expect(of("gres:fpga")).toEqual(["htc-1"]);
  });

  test("a gres that is not consumed is none", () => {
    const jobs = [7, 8].map((job_id) => waitingJob({ job_id, tres_per_node: "gres:lustre:1" }));
    const nodes = away("htc", 2, { gres: "lustre:no_consume:4G" });
    expect(bought(read({ jobs, nodes }))).toEqual(["htc-1"]);
  });
});

describe("what jobs take of nodes, as SelectTypeParameters have it", () => {
  const counts = (parameters: string, type = "cons_tres") =>
    `SelectType              = select/${type}\n${parameters === "" ? "" : `SelectTypeParameters    = ${parameters}\n`}`;
  /** Two threads a core. */
  const smt = away("htc", 6, { cpus: 8, sockets: 2, cores: 2, threads: 2, real_memory: 32_000 });
  const array = { array_task_string: "1-6", array_job_id: 7, memory_per_cpu: 1000 };
  const tasks = (count: number, fields: Fields = {}) => ({
    tasks: count,
    cpus: count,
    tres_req_str: `cpu=${count},mem=${count}000M,node=1`,
    ...fields,
  });
  const noMemory = { memory_per_cpu: 0, tres_req_str: "cpu=1,mem=32000M,node=1" };
  const fours = { ...array, array_task_string: "1-4" };
  const large = { memory_per_cpu: 7000, tres_req_str: "cpu=1,mem=7000M,node=1" };

  test.each([
    ["one cpu: the other thread of its core is nobody's", "CR_CORE_MEMORY", array, 2],
    ["the same, where Slurm speaks of CPUs", "CR_CPU_MEMORY", array, 2],
    ["three tasks, which take two cores", "CR_CORE_MEMORY", { ...array, ...tasks(3) }, 3],
    ["nine tasks, which may sit anywhere", "CR_CORE_MEMORY", tasks(9), 2],
    ["two tasks, whose core has 12,000 MB", "CR_CORE_MEMORY", { ...array, memory_per_cpu: 6000 }, 3],
    ["no memory, which is the default of a CPU", "CR_CORE_MEMORY", { ...array, ...noMemory }, 2],
    [
      "five tasks without any, which may sit anywhere",
      "CR_CORE_MEMORY",
      { ...fours, ...tasks(5, noMemory) },
      3,
    ],
    ["all memory of a node", "CR_CORE_MEMORY", { ...array, ...noMemory, memory_per_cpu: null }, 6],
    ["one cpu: the rest of its socket is nobody's", "CR_SOCKET_MEMORY", array, 3],
    ["two tasks, one on each socket", "CR_SOCKET_MEMORY", { ...array, ...tasks(2) }, 6],
    [
      "two cpus of a task that has its core alone",
      "CR_CORE_MEMORY",
      { ...array, cpus: 2, tasks: 1, tasks_per_core: 1 },
      2,
    ],
  ])("%s (%s)", (_, parameters, fields, nodes) => {
    expect(bought(read({ jobs: oneJob(fields), nodes: smt, config: counts(parameters) }))).toHaveLength(
      nodes,
    );
  });

  test.each([
    ["uses up memory", "CR_CORE_MEMORY", 3],
    ["only wants it to be there", "CR_CORE", 2],
    ["the same", "CR_CPU", 2],
  ])("a job %s with %s", (_, parameters, nodes) => {
    const jobs = oneJob({ ...array, ...large });
    const reading = read({ jobs, nodes: away("htc", 6), config: counts(parameters) });
    expect(bought(reading)).toHaveLength(nodes);
  });

  test("memory that is not used up has to be there: only one of two node arrays has it", () => {
    const nodes = [
      ...away("htc", 4, { partitions: ["all"] }),
      ...away("hpc", 4, { partitions: ["all"], cpus: 44, cores: 44, real_memory: 340_000 }),
    ];
    const job = { partition: "all", memory_per_cpu: 0, memory_per_node: 20_000 };
    const world = { jobs: oneJob(job), nodes, partitions: partition("all"), config: counts("CR_CORE") };
    expect(bought(read(world))).toEqual(["hpc-1"]);
  });

  test("with select/linear and no parameters a job has whole nodes, and memory is no matter", () => {
    const job = { ...tasks(6), memory_per_cpu: 6000, shared: ["none"], node_count: 2 };
    const config = counts("", "linear");
    expect(bought(read({ jobs: oneJob(job), nodes: away("htc", 4), config }))).toHaveLength(2);
    const single = { ...tasks(8), threads_per_core: 1, shared: ["none"] };
    expect(bought(read({ jobs: oneJob(single), nodes: smt, config }))).toHaveLength(1);
  });

  test.each([
    ["takes no such account", "AllowAccounts=chem,bio"],
    ["denies the account", "DenyAccounts=proj"],
    ["takes no such QOS", "AllowQos=high"],
    ["denies the QOS", "DenyQos=low,normal"],
    ["is root's", "RootOnly=YES"],
  ])("of two partitions the first %s: the other one's node is bought", (_, own) => {
    const nodes = [...away("htc", 4), ...away("hpc", 4, { cpus: 44, cores: 44 })];
    const job = {
      partition: "hpc,htc",
      account: "proj",
      qos: "normal",
      user_name: "ann",
      state_reason: "PartitionConfig",
    };
    const partitions = `${partition("htc")}${partition("hpc", own)}`;
    expect(bought(read({ jobs: oneJob(job), nodes, partitions }))).toEqual(["htc-1"]);
  });

  test.each([
    ["may have its own", "CR_CORE_MEMORY", 3],
    ["has none that counts where Slurm speaks of CPUs", "CR_CPU_MEMORY", 2],
  ])("a partition %s", (_, parameters, nodes) => {
    const partitions = partition("htc", "SelectTypeParameters=CR_SOCKET_MEMORY");
    const config = counts(parameters);
    expect(bought(read({ jobs: oneJob(array), nodes: smt, partitions, config }))).toHaveLength(nodes);
  });

  test("they are remembered beside the limits", () => {
    const config = counts("CR_CORE");
    const { memory } = read({ jobs: [], nodes: smt, config });
    expect(memory).toMatchObject({ limits: { counting: { isOfMemory: false, by: "core" } } });
  });
});

describe("a partition over two node arrays", () => {
  const nodes = [
    ...away("htc", 4, { partitions: ["two"] }),
    ...away("hpc", 4, { partitions: ["two"], cpus: 44, cores: 44, real_memory: 340_000 }),
  ];
  const world = { nodes, partitions: partition("two") };
  const large = { partition: "two", cpus: 44, tasks: 44, max_nodes: 1, memory_per_cpu: 100 };

  test("-N1 -n 44 goes where it fits", () => {
    const jobs = oneJob({ ...large, tres_req_str: "cpu=44,mem=4400M,node=1" });
    expect(bought(read({ jobs, ...world }))).toEqual(["hpc-1"]);
  });

  test("a small job may go to either", () => {
    const reading = read({ jobs: oneJob({ partition: "two" }), ...world });
    expect(reading.jobs).toMatchObject([{ constraints: { "node.nodearray": ["htc", "hpc"] } }]);
    expect(reading.shapes).toMatchObject([{ nodeArray: "hpc" }, { nodeArray: "htc" }]);
  });

  test.each([
    ["a", ["htc", "htc"]],
    ["a|b", ["htc", "htc"]],
    ["[a|b]", ["htc", "htc"]],
    ["[a*1&b*1]", ["htc", "hpc"]],
    ["b", ["hpc", "hpc"]],
  ])("two nodes with features %s, each of which all nodes of one array have", (features, arrays) => {
    const having = nodes.map((node) => ({
      ...node,
      features: node.partitions && String(node.name).startsWith("htc") ? "a" : "b",
    }));
    const job = {
      partition: "two",
      features,
      node_count: 2,
      tasks: 2,
      cpus: 2,
      max_nodes: 2,
      tres_req_str: "cpu=2,mem=2000M,node=2",
    };
    const reading = read({ ...world, nodes: having, jobs: oneJob(job) });
    expect(reading.setAside).toEqual([]);
    expect(bought(reading).map((name) => name.split("-")[0])).toEqual(arrays);
  });

  test("--tmp goes where there is such a disk", () => {
    const jobs = oneJob({ partition: "two", minimum_tmp_disk_per_node: 10_240 });
    const disks = nodes.map((node) => ({
      ...node,
      temporary_disk: String(node.name).startsWith("hpc") ? 50_000 : 0,
    }));
    expect(bought(read({ ...world, nodes: disks, jobs }))).toEqual(["hpc-1"]);
  });

  test("the setting overrides the names, and may list several", () => {
    const of = (node_array: unknown) =>
      read({
        jobs: oneJob({ partition: "two" }),
        ...world,
        section: { partitions: { two: { node_array } } },
      }).jobs;
    expect(of("other")).toMatchObject([{ constraints: { "node.nodearray": "other" } }]);
    expect(of(["htc", "extra"])).toMatchObject([{ constraints: { "node.nodearray": ["htc", "extra"] } }]);
  });
});

describe("shapes", () => {
  test("are of the sizes that features name, and of the array for the others", () => {
    const nodes = [
      ...away("htc", 1, { features: "cloud,standard_f8s_v2", cpus: 8, real_memory: 31_000 }),
      ...away("htc", 2).slice(1),
    ];
    expect(read({ jobs: [], nodes }).shapes).toEqual([
      { nodeArray: "htc", resources: { ncpus: 4, memmb: 15_000, ngpus: 0 } },
      { nodeArray: "htc", vmSize: "standard_f8s_v2", resources: { ncpus: 8, memmb: 31_000, ngpus: 0 } },
    ]);
  });

  test("are the least where the nodes of one kind differ, with a word about it", () => {
    const nodes = [...away("htc", 1, { gres: "nvme:1" }), ...away("htc", 2, { cpus: 8 }).slice(1)];
    const reading = read({ jobs: [], nodes });
    expect(reading.shapes).toEqual([
      { nodeArray: "htc", resources: { ncpus: 4, memmb: 15_000, ngpus: 0, nvme: 0 } },
    ]);
    expect(reading.setAside).toEqual([
      {
        record: 'nodes of "htc"',
        reason: "differ in ncpus (4 to 8), nvme (0 to 1): new ones count as the least",
      },
    ]);
  });

  test("have what nodes that have joined have, which report all of it", () => {
    const nodes = [
      slurmNode(1, { gres: "gpu:a100:2,nvme:1", partitions: ["htc"], effective_cpus: 3 }),
      ...away("l", 1, { gres: "craynetwork:4" }),
    ];
    const reading = read({ jobs: [], nodes });
    expect(reading.nodes).toMatchObject([
      { resources: { ncpus: 3, memmb: 15_000, ngpus: 2, nvme: 1, craynetwork: 0 } },
    ]);
  });

  test("leave out nodes of partitions that are ignored", () => {
    const section = { ignore_partitions: ["login"] };
    expect(read({ jobs: [], nodes: away("login", 2), section }).shapes).toEqual([]);
  });
});

test("a job that waits says why in Slurm's words, or that others come first", () => {
  const jobs = [
    waitingJob({ state_reason: "Resources", state_description: "Nodes required for job are DOWN" }),
    waitingJob({ job_id: 8, state_reason: "Priority", state_description: "" }),
    waitingJob({ job_id: 9, state_reason: "None" }),
  ];
  expect(read({ jobs, nodes: away("htc", 2) }).jobs).toMatchObject([
    { name: "7", waitingReason: "Resources: Nodes required for job are DOWN" },
    { name: "8", behindOthers: true },
    { name: "9", behindOthers: true },
  ]);
});
