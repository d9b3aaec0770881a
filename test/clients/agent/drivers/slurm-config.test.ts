import { describe, expect, test } from "vitest";
import { applyFiles } from "../../../../clients/agent/drivers/slurm/config/apply-files.ts";
import { drawUpFiles } from "../../../../clients/agent/drivers/slurm/config/draw-up-files.ts";
import { nodeKindOf, resourcesOf } from "../../../../clients/agent/drivers/slurm/config/node-kind.ts";
import { slurmSettingsSchema } from "../../../../clients/agent/drivers/slurm/slurm-settings.ts";
import { bucket } from "./cluster-parts.ts";

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

function textOf(name: string, ...[cluster, given]: Parameters<typeof drawUpFiles>): string {
  return drawUpFiles(cluster, given).files.find((file) => file.name === name)?.text ?? "";
}
const linesOf = (text: string, key: string) => text.split("\n").filter((line) => line.startsWith(key));

describe("the files of a cluster", () => {
  test("a node line for each array, a partition for each; the cheapest nodes weigh least; GPUs have their devices", () => {
    const cluster = { buckets: [bucket(), gpus, spot], nodes: [] };
    const main = textOf("cyclecloud.conf", cluster, settings());
    expect(linesOf(main, "NodeName=")).toEqual([
      "NodeName=htc-[1-100] CPUs=4 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15360 Weight=230 Feature=cloud,Standard_D4s_v5,htc,regular,westeurope State=CLOUD",
      "NodeName=gpu-[1-8] CPUs=24 Sockets=1 CoresPerSocket=24 ThreadsPerCore=1 RealMemory=217907 Gres=gpu:4 Weight=3960 Feature=cloud,Standard_NC24,gpu,regular,westeurope State=CLOUD",
      "NodeName=htcspot-[1-20] CPUs=4 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15360 Weight=50 Feature=cloud,Standard_D4s_v5,htcspot,spot,westeurope State=CLOUD",
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
    const lines = textOf("cyclecloud.conf", { buckets: [gpus], nodes: [] }, settings()).split("\n");
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
    const main = textOf("cyclecloud.conf", { buckets: [bucket(), gpus, spot], nodes: [] }, given);
    expect(linesOf(main, "PartitionName=")).toEqual([
      "PartitionName=work Nodes=c1-htc-[1-100],c1-htcspot-[1-20] Default=YES DefMemPerCPU=3840 OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP",
    ]);
  });

  test.each([
    [{}, {}, 15_360],
    [{ memory_dampening_percent: 0 }, {}, 16_384],
    [{ memory_dampening_percent: 10, arrays: { htc: { memory_dampening_percent: 20 } } }, {}, 13_107],
    [{}, { slurm_memory: 12_000 }, 12_000],
    [{ memory_dampening_percent: 10 }, { slurm_memory: 12_000 }, 14_745],
  ])("memory with %j and default resources %j is %d MB", (config, resources, memoryMb) => {
    expect(nodeKindOf([bucket({ resources })], [], settings({}, config))).toMatchObject({ memoryMb });
  });

  test("an array of several sizes counts as the least of each, with a note; one that is off or has a strange name is left out with one", () => {
    const large = bucket({
      vmSize: "Standard_D8s_v5",
      vm: { vcpuCount: 8, pcpuCount: 4, gpuCount: 0, memoryBytes: 32 * gigabyte },
    });
    const off = bucket({ nodeArray: "off", enabled: false });
    const strange = bucket({ nodeArray: "a b\nSlurmUser=root" });
    const { files, notes } = drawUpFiles({ buckets: [large, bucket(), off, strange], nodes: [] }, settings());
    expect(files[0]?.text).toContain("NodeName=htc-[1-200] CPUs=4 ");
    expect(files[0]?.text).not.toContain("Standard_");
    expect(notes).toEqual([
      expect.stringContaining("htc has 2 sizes: Slurm counts each node as 4 CPUs and 15360 MB"),
      'node array "off" is left out: it is switched off, or has no valid VM size',
      'node array "a b\\nSlurmUser=root" is left out: Slurm takes no such name',
    ]);
    expect(linesOf(files[0]?.text ?? "", "SlurmUser")).toEqual([]);
  });

  test("a node that is there keeps its line when limits shrink below it", () => {
    const nodes = [{ name: "htc-117", nodeArray: "htc", placementGroup: null }];
    expect(nodeKindOf([bucket({ most: 10 })], nodes, settings())).toMatchObject({ count: 117 });
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
    const nodes = ["htc-1", "htc-2"].map((each) => ({
      name: each,
      nodeArray: "htc",
      placementGroup: "pg1",
    }));
    expect(textOf(name, { buckets: [bucket()], nodes }, settings({}, { topology }))).toContain(text);
  });

  test("what the line says of a node is what the driver will tell the planner", () => {
    const kind = nodeKindOf([gpus], [], settings());
    expect(kind && resourcesOf(kind)).toEqual({ ncpus: 24, memmb: 217_907, ngpus: 4 });
  });
});

describe("whether the controller may read its files again", () => {
  const drawn = (most: number) => drawUpFiles({ buckets: [bucket({ most })], nodes: [] }, settings()).files;
  const printed = (count: number, more = "") =>
    Array.from(
      { length: count },
      (_, index) => `NodeName=htc-${index + 1} State=IDLE+CLOUD Partitions=htc \n`,
    ).join("") + more;
  const decide = (version: string, most: number, nodes: string) =>
    applyFiles(drawn(most), settings({ ignore_partitions: ["login"] })).decide({
      version: { text: version, exitCode: 0 },
      nodes: { text: nodes, exitCode: 0 },
    });
  const others =
    "NodeName=login-1 State=IDLE Partitions=htc \nNodeName=viz-1 State=IDLE+CLOUD Partitions=login \n";

  test.each([
    ["the same names", "slurm-wlm 22.05.8", 3, printed(3, others)],
    ["other names, and a release that takes them", "slurm 23.11.4", 4, printed(3)],
  ])("%s: yes", (_, version, most, nodes) => {
    expect(decide(version, most, nodes)).toMatchObject({ command: { args: ["reconfigure"] } });
  });

  test.each([
    ["new names", "slurm-wlm 22.05.8", 4, printed(3), "22.05.8 does not know 1 of the nodes: restart it"],
    ["names that are gone", "slurm 23.02.1", 2, printed(3), "has 1 nodes that are not in the files any more"],
    ["an unknown release and new names", "?", 4, printed(3), "of an unknown release does not know 1"],
    ["an answer without nodes", "slurm 22.05", 3, "", "does not know 3 of the nodes"],
  ])("%s: no, it would end", (_, version, most, nodes, sentence) => {
    expect(decide(version, most, nodes)).toEqual({ refused: expect.stringContaining(sentence) });
  });
});
