import { describe, expect, test } from "vitest";
import { applyFiles } from "../../../../clients/agent/drivers/slurm/config/apply-files.ts";
import { drawUpFiles } from "../../../../clients/agent/drivers/slurm/config/draw-up-files.ts";
import { nodeKindOf, resourcesOf } from "../../../../clients/agent/drivers/slurm/config/node-kind.ts";
import { slurmSettingsSchema } from "../../../../clients/agent/drivers/slurm/slurm-settings.ts";
import { bucket, existing, partsOf } from "./cluster-parts.ts";

const gigabyte = 1024 ** 3;
const settings = (given: object = {}, config: object = {}) =>
  slurmSettingsSchema.parse({ ...given, config: { folder: "/etc/slurm", ...config } });
const gpus = bucket({
  nodeArray: "gpu",
  vmSize: "Standard_NC24",
  vm: { vcpuCount: 24, pcpuCount: 24, gpuCount: 4, memoryBytes: 224 * gigabyte },
  most: 8,
  usdPerHour: 3.96,
});
const spot = bucket({ nodeArray: "htcspot", spot: true, usdPerHour: 0.05, most: 20 });

type Arguments = Parameters<typeof drawUpFiles>;

function drawnUp(...args: Arguments) {
  const drawn = drawUpFiles(...args);
  if ("refused" in drawn) throw new Error(drawn.refused);
  return drawn;
}
function refusal(...args: Arguments): string | undefined {
  const drawn = drawUpFiles(...args);
  return "refused" in drawn ? drawn.refused : undefined;
}
function textOf(name: string, ...args: Arguments): string {
  return drawnUp(...args).files.find((file) => file.name === name)?.text ?? "";
}
function kindOf(...args: Parameters<typeof nodeKindOf>) {
  const kind = nodeKindOf(...args);
  if (kind !== undefined && "refused" in kind) throw new Error(kind.refused);
  return kind;
}
const linesOf = (text: string, key: string) => text.split("\n").filter((line) => line.startsWith(key));

describe("the files of a cluster", () => {
  test("a node line for each array, a partition for each; the cheapest nodes weigh least; GPUs have their devices", () => {
    const cluster = partsOf([bucket(), gpus, spot]);
    const main = textOf("cyclecloud.conf", cluster, settings());
    expect(linesOf(main, "NodeName=")).toEqual([
      "NodeName=htc-[1-100] CPUs=4 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15360 Weight=2 Feature=cloud,Standard_D4s_v5,htc,regular,westeurope State=CLOUD",
      "NodeName=gpu-[1-8] CPUs=24 Sockets=1 CoresPerSocket=24 ThreadsPerCore=1 RealMemory=217907 Gres=gpu:4 Weight=3 Feature=cloud,Standard_NC24,gpu,regular,westeurope State=CLOUD",
      "NodeName=htcspot-[1-20] CPUs=4 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15360 Weight=1 Feature=cloud,Standard_D4s_v5,htcspot,spot,westeurope State=CLOUD",
    ]);
    expect(linesOf(main, "PartitionName=")).toEqual([
      "PartitionName=htc Nodes=htc-[1-100] Default=YES DefMemPerCPU=3840 MaxTime=INFINITE State=UP",
      "PartitionName=gpu Nodes=gpu-[1-8] Default=NO DefMemPerCPU=9079 MaxTime=INFINITE State=UP",
      "PartitionName=htcspot Nodes=htcspot-[1-20] Default=NO DefMemPerCPU=3840 MaxTime=INFINITE State=UP",
    ]);
    expect(textOf("gres.conf", cluster, settings())).toContain(
      "NodeName=gpu-[1-8] Name=gpu Count=4 File=/dev/nvidia[0-3]",
    );
  });

  test("every key has a comment above it that says why", () => {
    const lines = textOf("cyclecloud.conf", partsOf([gpus]), settings()).split("\n");
    for (const key of ["SuspendTime", "ResumeProgram", "PrivateData", "ReturnToService", "GresTypes"]) {
      const at = lines.findIndex((line) => line.startsWith(`${key}=`));
      expect(lines[at - 1], key).toMatch(/^# \w/);
    }
  });

  test("several arrays in one partition, a partition that is exclusive, one that is left out", () => {
    const given = settings(
      {
        partitions: { work: { node_array: ["htc", "htcspot"], exclusive: true } },
        ignore_partitions: ["gpu"],
        node_prefix: "c1-",
      },
      { default_partition: "work" },
    );
    const main = textOf("cyclecloud.conf", partsOf([bucket(), gpus, spot]), given);
    expect(linesOf(main, "PartitionName=")).toEqual([
      "PartitionName=work Nodes=c1-htc-[1-100],c1-htcspot-[1-20] Default=YES DefMemPerCPU=3840 OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP",
    ]);
  });

  test("a partition's own options win over the usual ones, by Slurm's names, and each stands once", () => {
    const options = {
      maxtime: "2-00:00:00",
      DefMemPerNode: "4000",
      AllowAccounts: "chem,phys",
      OverSubscribe: "NO",
    };
    const given = settings({ partitions: { htc: { exclusive: true, options } } });
    const main = textOf("cyclecloud.conf", partsOf([bucket()]), given);
    expect(linesOf(main, "PartitionName=")).toEqual([
      "PartitionName=htc Nodes=htc-[1-100] Default=YES State=UP MaxTime=2-00:00:00 DefMemPerNode=4000 AllowAccounts=chem,phys OverSubscribe=NO",
    ]);
  });

  test("a partition in power-saving mode has its times, and Slurm's programs wake the agent; those of the planner stay out of it", () => {
    const hpc = { mode: "power-saving", options: { suspendtime: "900" } };
    const cluster = partsOf([bucket(), bucket({ nodeArray: "hpc", most: 8 })]);
    const main = textOf("cyclecloud.conf", cluster, settings({ partitions: { hpc, htc: {} } }));
    expect(linesOf(main, "PartitionName=")).toEqual([
      "PartitionName=htc Nodes=htc-[1-100] Default=YES DefMemPerCPU=3840 MaxTime=INFINITE State=UP",
      "PartitionName=hpc Nodes=hpc-[1-8] Default=NO DefMemPerCPU=3840 MaxTime=INFINITE State=UP ResumeTimeout=1800 SuspendTimeout=600 SuspendTime=900",
    ]);
    const programs = ["ResumeProgram", "SuspendProgram", "ResumeFailProgram"];
    const programsIn = (text: string) => programs.flatMap((key) => linesOf(text, `${key}=`));
    expect(programsIn(main)).toEqual(programs.map((key) => `${key}=/opt/ccscale/bin/wake-agent.sh`));
    expect(linesOf(main, "SuspendTime")).toEqual(["SuspendTime=-1"]);
    const parametersIn = (text: string) => linesOf(text, "SlurmctldParameters");
    expect(parametersIn(main)).toEqual([]);
    const without = textOf("cyclecloud.conf", cluster, settings());
    expect(parametersIn(without)).toEqual([]);
    expect(programsIn(without)).toEqual(["ResumeProgram=/bin/true", "SuspendProgram=/bin/true"]);
  });

  const parametersOf = "SlurmctldParameters";
  test.each([
    ["slurm.conf is not at hand", undefined, undefined, undefined],
    ["slurm.conf has none", "ClusterName=c\nInclude cyclecloud.conf\n", undefined, ""],
    [
      "slurm.conf has some",
      `${parametersOf}=idle_on_node_suspend # ours\n`,
      undefined,
      "idle_on_node_suspend,",
    ],
    ["slurm.conf has others by now", `${parametersOf}=a\n`, "b,cloud_reg_addrs", "a,"],
    ["they may be in an included file", "include /etc/slurm/site.conf\n", undefined, undefined],
    ["the controller has them from there", "include site.conf\n", "enable_configless", "enable_configless,"],
    ["the controller has none", "include site.conf\n", "(null)", ""],
  ])("the parameters of slurmctld are never lost: %s", (_, text, parameters, before) => {
    const given = settings({ partitions: { htc: { mode: "power-saving" } } });
    const present = text === undefined ? [] : [{ name: "slurm.conf", text }];
    const drawn = drawUpFiles(partsOf([bucket()]), given, present, { parameters });
    const main = "files" in drawn ? (drawn.files[0]?.text ?? "") : "";
    const line = before === undefined ? [] : [`${parametersOf}=${before}cloud_reg_addrs`];
    expect(linesOf(main, `${parametersOf}=`)).toEqual(line);
    expect(main).toContain("cloud_reg_addrs");
  });

  test.each([
    ["is not at hand", undefined, []],
    ["has them", "SelectType=select/cons_tres\ninclude /etc/slurm/cyclecloud.conf\n", []],
    ["lacks both", "ClusterName=c\n", ["does not include cyclecloud.conf", "has no SelectType"]],
    ["lacks one", "include cyclecloud.conf\n", ["has no SelectType"]],
    ["includes another file, which may have them", "include site.conf\n", []],
  ])("a note names the lines that only slurm.conf can have: it %s", (_, text, missing) => {
    const present = text === undefined ? [] : [{ name: "slurm.conf", text }];
    const drawn = drawUpFiles(partsOf([bucket()]), settings(), present);
    expect(drawn).toHaveProperty(
      "notes",
      missing.map((each) => expect.stringContaining(`slurm.conf ${each}`)),
    );
  });

  test.each([
    [{}, {}, 15_360],
    [{ memory_dampening_percent: 0 }, {}, 16_384],
    [{ memory_dampening_percent: 10, arrays: { htc: { memory_dampening_percent: 20 } } }, {}, 13_107],
    [{}, { slurm_memory: 12_000 }, 12_000],
    [{ memory_dampening_percent: 10 }, { slurm_memory: 12_000 }, 14_745],
  ])("memory with %j and default resources %j is %d MB", (config, resources, memoryMb) => {
    expect(kindOf("htc", partsOf([bucket({ resources })]), settings({}, config))).toMatchObject({ memoryMb });
  });

  test("an array of several sizes counts as the least of each, with a note; one that is off or has a strange name is left out with one", () => {
    const large = bucket({
      vmSize: "Standard_D8s_v5",
      vm: { vcpuCount: 8, pcpuCount: 4, gpuCount: 0, memoryBytes: 32 * gigabyte },
    });
    const off = bucket({ nodeArray: "off", enabled: false });
    const strange = bucket({ nodeArray: "a b\nSlurmUser=root" });
    const { files, notes } = drawnUp(partsOf([large, bucket(), off, strange]), settings());
    expect(files[0]?.text).toContain("NodeName=htc-[1-200] CPUs=4 ");
    expect(files[0]?.text).not.toContain("Standard_");
    expect(notes).toEqual([
      'node array "off" is left out: it is switched off, or has no valid VM size',
      'node array "a b\\nSlurmUser=root" is left out: Slurm takes no such name',
      expect.stringContaining("htc has 2 sizes: Slurm counts each node as 4 CPUs and 15360 MB"),
    ]);
    expect(linesOf(files[0]?.text ?? "", "SlurmUser")).toEqual([]);
  });

  test("a node that is there keeps its line when limits shrink below it", () => {
    const cluster = partsOf([bucket({ most: 10 })], [existing("htc-117")]);
    expect(kindOf("htc", cluster, settings())).toMatchObject({ count: 117 });
  });

  test("a node that is not called after its array has its name in the line, the partition and the topology", () => {
    const nodes = [existing("exec7", { nodeArray: "htc" }), existing("htc-007", { nodeArray: "htc" })];
    const cluster = partsOf([bucket({ most: 2 })], nodes);
    const given = settings({ node_prefix: "c1-" }, { topology: "tree" });
    expect(textOf("cyclecloud.conf", cluster, given)).toMatch(
      /^NodeName=c1-htc-\[1-2\],c1-exec7,c1-htc-007 CPUs/m,
    );
    expect(textOf("cyclecloud.conf", cluster, given)).toContain(" Nodes=c1-htc-[1-2],c1-exec7,c1-htc-007 ");
    expect(textOf("topology.conf", cluster, given)).toContain(" Nodes=c1-htc-[1-2],c1-exec7,c1-htc-007\n");
  });

  test.each([
    [
      "tree",
      "topology.conf",
      "SwitchName=htc_pg1 Nodes=htc-1,htc-2\nSwitchName=cyclecloud-others Nodes=htc-[3-100]\nSwitchName=cyclecloud Switches=htc_pg1,cyclecloud-others\n",
    ],
    ["block", "topology.conf", "BlockName=htc_pg1 Nodes=htc-1,htc-2\nBlockSizes=2\n"],
    ["yaml", "topology.yaml", "      - switch: htc_pg1\n        nodes: htc-1,htc-2\n"],
  ])("topology %s has a leaf for each placement group", (topology, name, text) => {
    const nodes = ["htc-1", "htc-2"].map((each) => existing(each, { placementGroup: "pg1" }));
    expect(textOf(name, partsOf([bucket()], nodes), settings({}, { topology }))).toContain(text);
  });

  test("what the line says of a node is what the driver will tell the planner", () => {
    const kind = kindOf("gpu", partsOf([gpus]), settings());
    expect(kind && resourcesOf(kind)).toEqual({ ncpus: 24, memmb: 217_907, ngpus: 4 });
  });
});

const small = bucket({
  vmSize: "Standard_D2s_v5",
  vm: { vcpuCount: 2, pcpuCount: 1, gpuCount: 0, memoryBytes: 8 * gigabyte },
});

describe("nodes that are there", () => {
  const before = drawnUp(partsOf([bucket(), spot]), settings()).files;

  test.each([
    ["switched off", { enabled: false }],
    ["no longer valid", { valid: false }],
  ])("an array that is %s keeps the lines of its nodes, and loses them with the last", (_, given) => {
    const off = bucket(given);
    const main = textOf("cyclecloud.conf", partsOf([off, spot], [existing("htc-7")]), settings(), before);
    expect(linesOf(main, "NodeName=htc-")).toEqual([
      "NodeName=htc-[1-7] CPUs=4 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15360 Weight=2 Feature=cloud,Standard_D4s_v5,htc,regular,westeurope State=CLOUD",
    ]);
    expect(main).toContain("PartitionName=htc Nodes=htc-[1-7] ");
    expect(
      linesOf(textOf("cyclecloud.conf", partsOf([off, spot]), settings(), before), "NodeName=htc-"),
    ).toEqual([]);
  });

  test.each([
    ["gone from the cluster", partsOf([spot], [existing("htc-7"), existing("htc-9")])],
    ["renamed", partsOf([spot, bucket({ nodeArray: "work" })], [existing("htc-7"), existing("htc-9")])],
  ])("an array that is %s keeps the lines of its nodes as they were, and others get theirs", (_, cluster) => {
    const main = textOf("cyclecloud.conf", cluster, settings(), before);
    expect(linesOf(main, "NodeName=htc-")).toEqual([
      expect.stringMatching(
        /^NodeName=htc-7,htc-9 CPUs=4 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15360 Weight=\d Feature=cloud,Standard_D4s_v5,htc,regular,westeurope State=CLOUD$/,
      ),
    ]);
    expect(main).toContain("PartitionName=htc Nodes=htc-7,htc-9 ");
    expect(linesOf(main, "NodeName=work-")).toHaveLength(cluster.buckets.length - 1);
  });

  test("an array that is off and never had a line gets none, such as the nodes that people log in to", () => {
    const login = bucket({ nodeArray: "login", enabled: false });
    const cluster = partsOf([login, bucket()], [existing("login-1")]);
    expect(textOf("cyclecloud.conf", cluster, settings(), before)).not.toContain("login-");
  });

  test("a node of a size that does not come any more counts for the least of each figure", () => {
    const gone = { ...small, valid: false };
    const nodes = [existing("htc-3", { vmSize: small.vmSize })];
    const line = { cpus: 2, memoryMb: 7_168, vmSizes: ["Standard_D4s_v5", "Standard_D2s_v5"] };
    expect(kindOf("htc", partsOf([bucket(), gone], nodes), settings())).toMatchObject(line);
    expect(kindOf("htc", partsOf([bucket(), gone]), settings())).toMatchObject({ cpus: 4, memoryMb: 15_360 });
  });
});

describe("what is not known is not nothing: the files stay", () => {
  test.each([
    ["no node array", partsOf([]), "no node array"],
    [
      "a record that could not be understood",
      partsOf([bucket()], [], ['Left out node array "gpu": location: null']),
      'records are missing. Left out node array "gpu"',
    ],
    [
      "a node of a size without a bucket",
      partsOf([bucket()], [existing("htc-3", { vmSize: "Standard_X" })]),
      'node "htc-3" of VM size "Standard_X", of which cores and memory are not known',
    ],
  ])("%s", (_, cluster, sentence) => {
    expect(refusal(cluster, settings())).toContain(sentence);
  });
});

describe("no value makes another key, or another line", () => {
  const evil = "x\nSlurmUser=root";
  test.each([
    ["VM size", partsOf([bucket({ vmSize: evil })])],
    ["location", partsOf([bucket({ location: "a b" })])],
    ["location", partsOf([bucket({ location: "west,State=UP" })])],
    ["name of a node", partsOf([bucket()], [existing("htc-1 Gres=gpu", { nodeArray: "htc" })])],
    ["name of a node", partsOf([bucket()], [existing("htc-1#", { nodeArray: "htc" })])],
  ])("%s: refused with the value", (field, cluster) => {
    expect(refusal(cluster, settings())).toMatch(new RegExp(`^${field} of .* is ".*", expected letters`));
  });

  test.each([
    [{ partitions: { [`p${evil}`]: {} } }, "partitions"],
    [{ partitions: { DEFAULT: {} } }, "partitions"],
    [{ partitions: { htc: { options: { Nodes: "ALL" } } } }, "options"],
    [{ partitions: { htc: { options: { SuspendTime: "60" } } } }, "options"],
    [{ partitions: { htc: { options: { MaxTime: `1${evil}` } } } }, "options"],
    [{ partitions: { htc: { options: { MaxTime: "1 State=DOWN" } } } }, "options"],
    [{ partitions: { htc: { options: { MaxTime: "1#" } } } }, "options"],
    [{ node_prefix: "c1=" }, "node_prefix"],
    [{ config: { folder: "/etc/slurm", arrays: { htc: { features: ["a,b"] } } } }, "features"],
    [{ config: { folder: "/etc/slurm", default_partition: "a b" } }, "default_partition"],
  ])("settings %j: refused with the key", (given, key) => {
    const parsed = slurmSettingsSchema.safeParse(given);
    expect(parsed.error?.issues.map(({ path }) => path.join("."))).toEqual([expect.stringContaining(key)]);
  });
});

describe("what can wait until there is more to change", () => {
  const start = [bucket(), gpus];
  const given = settings({}, { topology: "tree" });
  const there = drawnUp(partsOf(start, [existing("htc-117")]), given).files;
  const priced = (usdPerHour: number) => [bucket({ usdPerHour }), gpus];

  test("a price that keeps the order changes no file", () => {
    expect(drawnUp(partsOf(priced(0.31), [existing("htc-117")]), given, there).files).toEqual(there);
  });

  test.each([
    ["the order of prices", true, partsOf(priced(9), [existing("htc-117")])],
    ["a node that went", true, partsOf(start)],
    ["a placement group", true, partsOf(start, [existing("htc-117", { placementGroup: "pg1" })])],
    ["a node without a line", false, partsOf(start, [existing("htc-117"), existing("htc-118")])],
    ["another array", false, partsOf([...start, spot], [existing("htc-117")])],
    ["another size", false, partsOf([small, gpus], [existing("htc-117", { vmSize: small.vmSize })])],
  ])("%s: %s", (_, canWait, cluster) => {
    const next = drawnUp(cluster, given, there);
    expect(next.files).not.toEqual(there);
    expect(next.canWait).toBe(canWait);
  });
});

describe("whether the controller may read its files again", () => {
  const drawn = (most: number) => drawnUp(partsOf([bucket({ most })]), settings()).files;
  const printed = (count: number, more = "") =>
    Array.from(
      { length: count },
      (_, index) => `NodeName=htc-${index + 1} CPUAlloc=0 State=IDLE+CLOUD Partitions=htc \n`,
    ).join("") + more;
  const checks = applyFiles(settings({ ignore_partitions: ["login"] }));
  const answers = (version: string, nodes: string, jobs = "") => ({
    version: { text: version, exitCode: 0 },
    nodes: { text: nodes, exitCode: 0 },
    jobs: { text: jobs, exitCode: 0 },
  });
  const others =
    "NodeName=login-1 CPUAlloc=2 State=MIXED Partitions=htc \nNodeName=viz-1 State=IDLE+CLOUD Partitions=login \n";

  test.each([
    ["the same names", "slurm-wlm 22.05.8", 3, printed(3, others)],
    ["other names, and a release that takes them", "slurm 23.11.4", 4, printed(3)],
    ["names that go and have no job, and a release that takes them", "slurm 23.11.4", 2, printed(3)],
  ])("%s: yes", (_, version, most, nodes) => {
    expect(checks.apply(drawn(most), answers(version, nodes))).toMatchObject({
      command: { args: ["reconfigure"] },
    });
    expect(checks.whyNotNow(drawn(most), answers(version, nodes))).toBeUndefined();
  });

  test.each([
    ["new names", "slurm-wlm 22.05.8", 4, printed(3), "22.05.8 does not know 1 of the nodes: restart it"],
    ["names that are gone", "slurm 23.02.1", 2, printed(3), "has 1 nodes that are not in the files any more"],
    ["an unknown release and new names", "?", 4, printed(3), "of an unknown release does not know 1"],
  ])("%s: no, it would end", (_, version, most, nodes, sentence) => {
    const given = answers(version, nodes);
    expect(checks.apply(drawn(most), given)).toEqual({ refused: expect.stringContaining(sentence) });
    expect(checks.whyNotNow(drawn(most), given)).toBeUndefined();
  });

  const went = (state: string, cpus = 0, reason = "") =>
    printed(2, `NodeName=htc-3 CPUAlloc=${cpus} State=${state} Partitions=htc${reason} \n`);
  test.each([
    ["is allocated", went("ALLOCATED+CLOUD")],
    ["is mixed, and does not answer", went("MIXED*+CLOUD")],
    ["is completing", went("IDLE+CLOUD+COMPLETING")],
    ["has CPUs in use while it is down", went("DOWN+CLOUD", 4)],
    ["has a suspended job", went("IDLE+CLOUD"), "htc-[2-3]\n"],
    [
      "is allocated, with a reason like another state",
      went("ALLOCATED+CLOUD", 4, " Reason=was State=IDLE CPUAlloc=0"),
    ],
  ])("a name that would go %s: the files stay, on every release", (_, nodes, jobs = "") => {
    for (const version of ["slurm 23.11.4", "slurm-wlm 22.05.8"]) {
      const given = answers(version, nodes, jobs);
      expect(checks.whyNotNow(drawn(2), given)).toContain("htc-3 would go and has a job");
      expect(checks.apply(drawn(2), given)).toEqual({ refused: expect.stringContaining("htc-3 would go") });
    }
  });

  test.each([
    ["no nodes", "", ""],
    ["nodes that end within a line", "NodeName=htc-1 State=ID", ""],
    ["a list of hosts that is none", printed(2), "htc-[1\n"],
  ])("%s: whether a name has a job is not known, and the files stay", (_, nodes, jobs) => {
    expect(checks.whyNotNow(drawn(2), answers("slurm 23.11.4", nodes, jobs))).toContain("is not known");
  });
});
