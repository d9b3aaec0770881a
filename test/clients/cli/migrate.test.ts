import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { parseAgentConfig } from "../../../clients/agent/config.ts";
import { fromAzslurm } from "../../../clients/cli/migrate/from-azslurm.ts";
import { cases } from "../../support/cases.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { ccscale } from "./in-process.ts";

const folder = ownFolder(afterEach);
const autoscale = {
  cluster_name: "hpc",
  url: "https://cyclecloud.example.com",
  username: "hpcadmin",
  password: "s3cret-word",
  idle_timeout: 600,
  lock_file: "/tmp/scalelib.lock",
  accounting: { enabled: true },
};
const slurmConf = `ClusterName=hpc
# ReturnToService=1
ReturnToService=2
ResumeProgram=/opt/azurehpc/slurm/resume_program.sh
SuspendTime=300
ResumeTimeout=1200
ResumeRate=100
TopologyPlugin=topology/tree
PrologSlurmctld=/opt/azurehpc/slurm/prolog.sh
include azure.conf
`;
const azureConf = `PartitionName=hpc Nodes=c1-hpc-[1-16] Default=YES DefMemPerCPU=3000 MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE
Nodename=c1-hpc-[1-16] Feature=cloud STATE=CLOUD CPUs=120 ThreadsPerCore=1 RealMemory=436224
PartitionName=work Nodes=c1-htc-[1-50],c1-big-1 \\
  SuspendTime=900 State=UP
Nodename=c1-htc-[1-50] Feature=cloud,local_ssd STATE=FUTURE CPUs=4 RealMemory=15564
Nodename=c1-big-1 Feature=cloud STATE=CLOUD CPUs=96 RealMemory=600000 Gres=gpu:8
Nodename=headless Feature=cloud STATE=CLOUD CPUs=1
Nodeset=dynns Feature=dyn
PartitionName=dyn Nodes=dynns State=UP
ResumeTimeout=1800
`;
const files = {
  "autoscale.json": JSON.stringify(autoscale),
  "slurm.conf": slurmConf,
  "azure.conf": azureConf,
  "gres.conf": "Nodename=c1-big-1 Name=gpu Count=8 File=/dev/dri/renderD[128,136]\n",
  "keep_alive.conf": "SuspendExcNodes = c1-htc-3\nSuspendExcNodes=c1-htc-3,c1-htc-4\nSuspendExcParts=work\n",
};
const put = async (given: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(given)) await writeFile(folder(name), text);
};
const out = () => folder("out");
const written = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(out(), name), "utf8"));

describe("from azslurm", () => {
  test("partitions, names of nodes, GPUs' devices and time-outs are taken over; the agent can read its settings", async () => {
    await put(files);
    const { code, stdout } = await ccscale([
      "migrate",
      "azslurm",
      folder(),
      "--node-prefix",
      "c1-",
      "-O",
      out(),
    ]);
    expect(code).toBe(0);
    expect(await written("autoscale.json")).toEqual({
      cluster_name: "hpc",
      url: "https://cyclecloud.example.com",
      username: "hpcadmin",
      idle_timeout: 600,
      boot_timeout: 1800,
      read_only: true,
    });
    const agent = await written("agent.json");
    expect(agent).toEqual({
      cluster: "hpc",
      source: "slurm",
      driver: "slurm",
      slurm: {
        node_prefix: "c1-",
        partitions: {
          hpc: { node_array: "hpc", exclusive: true, options: { DefMemPerCPU: "3000" } },
          work: { node_array: ["htc", "big"] },
        },
        config: {
          folder: folder(),
          default_partition: "hpc",
          topology: "tree",
          arrays: {
            hpc: { max_nodes: 16 },
            htc: { max_nodes: 50, features: ["local_ssd"] },
            big: { max_nodes: 1, gpu_devices: "/dev/dri/renderD[128,136]" },
          },
        },
      },
    });
    expect(parseAgentConfig(agent).ok).toBe(true);
    expect(await readFile(join(out(), "report.md"), "utf8")).toBe(stdout);
  });

  test("the report names what is different and what has no counterpart, and no secret", async () => {
    await put(files);
    const { stdout } = await ccscale(["migrate", "azslurm", folder(), "--node-prefix", "c1-"]);
    const [, differs = "", without = ""] =
      /## Different here([\s\S]*)## Without counterpart([\s\S]*)/.exec(stdout) ?? [];
    for (const sentence of [
      "password, goes into the app setting",
      "ReturnToService=2: 1 in cyclecloud.conf",
      "line 5 (Nodename=c1-htc-[1-50]): STATE=FUTURE, CLOUD here",
      "Nodename=headless Feature=cloud STATE=CLOUD CPUs=1, not a name that CycleCloud gives",
      "line 3 (PartitionName=work): SuspendTime=900, idle_timeout of its arrays",
      "keep-alive on -N htc-3,htc-4",
      "SuspendExcParts=work",
      "PrologSlurmctld",
      "include azure.conf, cyclecloud.conf in its place",
      "azslurmd and the cron line",
    ])
      expect(differs).toContain(sentence);
    for (const key of ["lock_file", "accounting", "partition dyn: dynamic nodes", "ResumeRate=100"])
      expect(without).toContain(key);
    expect(stdout).not.toContain("s3cret-word");
  });

  test("without azure.conf it says which file is missing; what was written once is not replaced", async () => {
    await put({ "autoscale.json": files["autoscale.json"] });
    expect(await ccscale(["migrate", "azslurm", folder()])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("azure.conf"),
    });
    await put(files);
    const argv = ["migrate", "azslurm", folder(), "-O", out()];
    expect(await ccscale(argv)).toMatchObject({ code: 0 });
    expect(await ccscale(argv)).toMatchObject({ code: 1, stderr: expect.stringContaining("Cannot write") });
  });
});

describe("partitions of an administrator", () => {
  const conf = `PartitionName=DEFAULT AllowGroups=staff SuspendTimeout=9
PartitionName=hpc Nodes=hpc-[1-16] Default=YES MaxTime=2-00:00:00 DefMemPerCPU=3635 AllowAccounts=chem,phys AllowQos=long QOS=big PriorityTier=10 OverSubscribe=FORCE:4 State=UP SuspendTime=-1 TRESBillingWeights="CPU=1.0,Mem=0.25G" Colour=red
Nodename=hpc-[1-16] Feature=cloud STATE=CLOUD CPUs=120 RealMemory=436224 CoreSpecCount=2
`;
  const own = `NodeName=login-1 CPUs=4
PartitionName=login Nodes=login-1 MaxTime=60
PartitionName=debug Nodes=hpc-[1-2] Default=YES MaxTime=30
include site-azure.conf
include site_specific.conf
this is nothing
`;

  test("options are taken over, and stand in cyclecloud.conf again; what cannot be is named", async () => {
    const included = {
      "site-azure.conf": "AccountingStoragePass=s3cret-word",
      "site_specific.conf": "SuspendExcParts=hpc\nPartitionName=night Nodes=hpc-[3-4] MaxTime=10",
    };
    await put({
      "autoscale.json": files["autoscale.json"],
      "azure.conf": conf,
      "slurm.conf": own,
      ...included,
    });
    const { code, stdout } = await ccscale(["migrate", "azslurm", folder(), "-O", out()]);
    expect(code).toBe(1);
    const options = {
      MaxTime: "2-00:00:00",
      AllowAccounts: "chem,phys",
      AllowQos: "long",
      QOS: "big",
      PriorityTier: "10",
      OverSubscribe: "FORCE:4",
      TRESBillingWeights: "CPU=1.0,Mem=0.25G",
      AllowGroups: "staff",
    };
    const agent = await written("agent.json");
    expect(agent).toMatchObject({
      slurm: {
        partitions: {
          hpc: { node_array: "hpc", options },
          debug: { node_array: "hpc", options: { MaxTime: "30" } },
          night: { node_array: "hpc", options: { MaxTime: "10" } },
        },
        config: { default_partition: "hpc" },
      },
    });
    expect(parseAgentConfig(agent).ok).toBe(true);
    for (const sentence of [
      "slurm.conf, line 6: not all of it can be read",
      "azure.conf, line 2 (PartitionName=hpc): SuspendTime=-1, never",
      "azure.conf, line 2 (PartitionName=hpc): DefMemPerCPU=3635, drawn up from the VM size here",
      "azure.conf, line 2 (PartitionName=hpc): Colour=red",
      "azure.conf, line 1 (PartitionName=DEFAULT): SuspendTimeout=9",
      "azure.conf, line 3 (Nodename=hpc-[1-16]): CoreSpecCount=2",
      "site_specific.conf, line 1: SuspendExcParts=hpc: ccscale keep-alive on -a ARRAY",
      "slurm.conf, line 3: PartitionName=debug, in cyclecloud.conf here",
      "partition debug: some nodes of its arrays there, all of them here",
      "slurm.conf, line 2: PartitionName=login, without CycleCloud's nodes",
      "these stay as they are: include site-azure.conf, include site_specific.conf, AccountingStoragePass",
    ])
      expect(stdout).toContain(sentence);
    expect(stdout).not.toContain("s3cret-word");
  });

  const keys = [
    ...["SuspendTime", "ResumeTimeout", "ReturnToService", "PrivateData", "SelectType", "SuspendExcNodes"],
    ...["TopologyPlugin", "GresTypes", "ResumeRate", "AllowAccounts", "AllowQos", "QOS", "MaxTime", "State"],
    ...["RealMemory", "DefMemPerCPU", "PriorityTier", "OverSubscribe", "CPUs", "Gres", "Feature", "Weight"],
    ...["Default", "File", "Count", "Type", "CoreSpecCount", "Colour", "__proto__x", "constructor"],
  ];
  const values = [
    "1",
    "-1",
    "UP",
    "INFINITE",
    "EXCLUSIVE",
    "gpu:8",
    "nvme:1",
    "a,b",
    "CLOUD",
    "/dev/x",
    "x-[1-4]",
  ];
  const heads = [
    ...[
      "NodeName=hpc-[1-16]",
      "NodeName=headless",
      "NodeName=DEFAULT",
      "Nodeset=dyn",
      "PartitionName=DEFAULT",
    ],
    ...["PartitionName=p Nodes=hpc-[1-16]", "PartitionName=q Nodes=dyn", "PartitionName=r Nodes=ALL", ""],
  ];
  const line = fc
    .tuple(
      fc.constantFrom(...heads),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values)), {
        selector: ([key]) => key,
        maxLength: 6,
      }),
    )
    .map(([head, pairs]) => [head, ...pairs.map(([key, value]) => `${key}=${value}`)].join(" ").trim());
  const file = fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n"));

  test("every key of every line ends in one list of the report, and only there", () => {
    const drawn = fc.record({
      "slurm.conf": file,
      "azure.conf": file,
      "gres.conf": file,
      "keep_alive.conf": file,
    });
    fc.assert(
      fc.property(drawn, (texts) => {
        const { taken, differs, without, problems } = fromAzslurm(texts, "/etc/slurm", "");
        expect(problems).toEqual([]);
        const staying =
          taken
            .find((text) => text.startsWith("these stay"))
            ?.split(": ")[1]
            ?.split(", ") ?? [];
        const lists = [taken, differs, without].map((sentences) =>
          sentences.map((text) => text.replace(/ \([^)]*\): /, ": ")),
        );
        for (const [name, text] of Object.entries(texts))
          for (const [index, each] of text.split("\n").entries())
            for (const pair of each.split(" ").filter((word) => word !== "")) {
              const before = `${name}, line ${index + 1}: `;
              const isIn = (sentence: string) =>
                sentence.startsWith(before) &&
                sentence.slice(before.length).split(/[,:] /)[0]?.split(" ").includes(pair);
              const there = lists.map((sentences) => sentences.filter((sentence) => isIn(sentence)).length);
              const [key = ""] = pair.split("=");
              const isNamed = /^(NodeName|Nodeset|PartitionName)=/.test(each);
              const stays = !isNamed && name !== "gres.conf" && staying.includes(key) ? 1 : 0;
              const sum = there.reduce((all, count) => all + count, 0);
              if (sum !== 1 && !(sum === 0 && stays === 1))
                throw new Error(
                  `${name}, line ${index + 1}: ${pair} is in ${JSON.stringify(there)} of the lists\n${JSON.stringify(lists, null, 1)}`,
                );
            }
      }),
      cases(300),
    );
  });

  test("no key of autoscale.json is left out, or stands in two lists", async () => {
    const json = {
      ...autoscale,
      read_only: false,
      include: ["more.json"],
      idle_timeout: "soon",
      _mock: 1,
      colour: "red",
      nodearrays: { default: { placement_groups: [] } },
      pbspro: {
        ignore_queues: ["login"],
        read_only_resources: ["host"],
        ignore_onprem: true,
        driver: "x.y",
        extra: {},
      },
    };
    await put({ "autoscale.json": JSON.stringify(json) });
    const { stdout } = await ccscale(["migrate", "azpbs", folder(), "-O", out()]);
    const { pbspro, ...others } = json;
    for (const key of [...Object.keys(others), ...Object.keys(pbspro).map((each) => `pbspro.${each}`)]) {
      const lines = stdout
        .split("\n")
        .filter((each) => new RegExp(`^- autoscale\\.json: ${key}\\b(?!\\.\\w)`).test(each));
      expect({ key, lines: lines.length }).toEqual({ key, lines: 1 });
    }
    expect(await written("agent.json")).toMatchObject({
      pbs: { ignore_queues: ["login"], read_only_resources: ["host"] },
    });
  });

  test("azge: each part of its section has its place", async () => {
    const gridengine = {
      relevant_complexes: ["slots"],
      pes: { mpi: { requires_placement_groups: true }, smp: { other: 1 } },
      queues: { "short.q": { autoscale_enabled: false, hostlist: [] } },
      hostgroups: { "@hpc": { constraints: [] } },
    };
    await put({ "autoscale.json": JSON.stringify({ ...autoscale, gridengine }) });
    const { code, stdout } = await ccscale(["migrate", "azge", folder(), "-a", "htc", "-O", out()]);
    expect(code).toBe(0);
    expect(await written("agent.json")).toMatchObject({
      gridengine: { parallel_environments: { mpi: { colocated: true } }, ignore_queues: ["short.q"] },
    });
    for (const path of [
      "relevant_complexes",
      "pes.mpi.requires_placement_groups",
      "pes.smp.other",
      "queues.short.q.autoscale_enabled",
      "queues.short.q.hostlist",
      "hostgroups.@hpc.constraints",
    ])
      expect(stdout.split(`autoscale.json: gridengine.${path}`)).toHaveLength(2);
  });
});

describe("from the others", () => {
  test("azpbs: its autoscale.json, and an agent of PBS", async () => {
    await put({ "autoscale.json": JSON.stringify({ ...autoscale, pbspro: {} }) });
    const { code, stdout } = await ccscale(["migrate", "azpbs", folder(), "-O", out()]);
    expect(code).toBe(0);
    expect(await written("agent.json")).toEqual({ cluster: "hpc", source: "pbs", driver: "pbs" });
    expect(stdout).toContain("qmgr -c");
  });

  test("azge: node arrays are those that are named; without any, the report says what to correct and it ends with 1", async () => {
    await put({
      "autoscale.json": JSON.stringify({ ...autoscale, gridengine: { relevant_complexes: ["slots"] } }),
    });
    const { code, stdout } = await ccscale(["migrate", "azge", folder(), "-a", "htc", "mpi", "-O", out()]);
    expect(code).toBe(0);
    expect(await written("agent.json")).toMatchObject({ gridengine: { node_arrays: { htc: {}, mpi: {} } } });
    expect(stdout).toContain("gridengine.relevant_complexes");
    const none = await ccscale(["migrate", "azge", folder()]);
    expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining("To correct first") });
    expect(none.stderr).toContain("need --nodearray NAME");
  });

  test("what the service would refuse is named before it is pushed", async () => {
    await put({ "autoscale.json": JSON.stringify({ ...autoscale, idle_timeout: "soon", url: 7 }) });
    const { code, stderr } = await ccscale(["migrate", "azpbs", folder()]);
    expect(code).toBe(1);
    expect(stderr).toContain("idle_timeout");
    expect(stderr).toContain("url");
  });
});
