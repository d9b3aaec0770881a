import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseAgentConfig } from "../../../clients/agent/config.ts";
import { ccscale } from "./in-process.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "migrate-"));
});
afterEach(() => rm(folder, { recursive: true }));

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
ResumeTimeout=1800
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
`;
const files = {
  "autoscale.json": JSON.stringify(autoscale),
  "slurm.conf": slurmConf,
  "azure.conf": azureConf,
  "gres.conf": "Nodename=c1-big-1 Name=gpu Count=8 File=/dev/dri/renderD[128,136]\n",
  "keep_alive.conf": "SuspendExcNodes = c1-htc-3\nSuspendExcNodes=c1-htc-3,c1-htc-4\nSuspendExcParts=work\n",
};
const put = async (given: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(given)) await writeFile(join(folder, name), text);
};
const out = () => join(folder, "out");
const written = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(out(), name), "utf8"));

describe("from azslurm", () => {
  test("partitions, names of nodes, GPUs' devices and time-outs are taken over; the agent can read its settings", async () => {
    await put(files);
    const { code, stdout } = await ccscale([
      "migrate",
      "azslurm",
      folder,
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
          hpc: { node_array: "hpc", exclusive: true },
          work: { node_array: ["htc", "big"] },
        },
        config: {
          folder,
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
    const { stdout } = await ccscale(["migrate", "azslurm", folder, "--node-prefix", "c1-"]);
    const [, differs = "", without = ""] =
      /## Different here([\s\S]*)## Without counterpart([\s\S]*)/.exec(stdout) ?? [];
    for (const sentence of [
      "password: goes into the app setting",
      "ReturnToService=2: 1 here",
      "nodes of htc: CLOUD here, FUTURE there",
      "NodeName=headless: not a name that CycleCloud gives",
      "SuspendTime=900 of partition work",
      "keep-alive on -N htc-3,htc-4",
      "SuspendExcParts=work",
      "PrologSlurmctld",
      "azslurmd and the cron line",
    ])
      expect(differs).toContain(sentence);
    for (const key of ["lock_file", "accounting", "partition dyn: dynamic nodes", "resumerate, 100"])
      expect(without).toContain(key);
    expect(stdout).not.toContain("s3cret-word");
  });

  test("without azure.conf it says which file is missing; what was written once is not replaced", async () => {
    await put({ "autoscale.json": files["autoscale.json"] });
    expect(await ccscale(["migrate", "azslurm", folder])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("azure.conf"),
    });
    await put(files);
    const argv = ["migrate", "azslurm", folder, "-O", out()];
    expect(await ccscale(argv)).toMatchObject({ code: 0 });
    expect(await ccscale(argv)).toMatchObject({ code: 1, stderr: expect.stringContaining("Cannot write") });
  });
});

describe("from the others", () => {
  test("azpbs: its autoscale.json, and an agent of PBS", async () => {
    await put({ "autoscale.json": JSON.stringify({ ...autoscale, pbspro: {} }) });
    const { code, stdout } = await ccscale(["migrate", "azpbs", folder, "-O", out()]);
    expect(code).toBe(0);
    expect(await written("agent.json")).toEqual({ cluster: "hpc", source: "pbs", driver: "pbs" });
    expect(stdout).toContain("qmgr -c");
  });

  test("azge: node arrays are those that are named; without any, the report says what to correct and it ends with 1", async () => {
    await put({
      "autoscale.json": JSON.stringify({ ...autoscale, gridengine: { relevant_complexes: ["slots"] } }),
    });
    const { code, stdout } = await ccscale(["migrate", "azge", folder, "-a", "htc", "mpi", "-O", out()]);
    expect(code).toBe(0);
    expect(await written("agent.json")).toMatchObject({ gridengine: { node_arrays: { htc: {}, mpi: {} } } });
    expect(stdout).toContain("gridengine.relevant_complexes");
    const none = await ccscale(["migrate", "azge", folder]);
    expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining("To correct first") });
    expect(none.stderr).toContain("node_arrays");
  });

  test("what the service would refuse is named before it is pushed", async () => {
    await put({ "autoscale.json": JSON.stringify({ ...autoscale, idle_timeout: "soon", url: 7 }) });
    const { code, stderr } = await ccscale(["migrate", "azpbs", folder]);
    expect(code).toBe(1);
    expect(stderr).toContain("idle_timeout");
    expect(stderr).toContain("url");
  });
});
