import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";

const programs = ["/usr/sbin/slurmctld", "/usr/bin/sbatch", "/usr/bin/squeue"];

/** Why Slurm cannot be run here; undefined when it can. */
export const slurmIsMissing = programs.every(existsSync)
  ? undefined
  : "Debian's slurmctld, slurmd and slurm-client are not installed";

/** A real slurmctld on this machine, with nodes that are to come, and a real slurmd for one of them. */
export interface SlurmController {
  /** Runs a program of Slurm's against it. Throws when it fails. */
  run(program: string, ...args: readonly string[]): Promise<string>;
  /** For programs that are run by others. */
  readonly env: Readonly<Record<string, string | undefined>>;
  startNode(name: string): void;
  stop(): Promise<void>;
}

/** The lines of slurm.conf about nodes and partitions, and what goes with them. */
export interface SlurmNodes {
  readonly conf: string;
  readonly gres: string;
  /** A hostlist of the nodes that are to come. */
  readonly toCome: string;
}

const fewNodes: SlurmNodes = {
  conf: `SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SuspendTime=-1
NodeName=htc-[1-4] CPUs=4 RealMemory=15000 State=CLOUD Feature=cloud,Standard_D4s_v5
NodeName=hpc-[1-4] CPUs=44 RealMemory=340000 State=CLOUD Feature=cloud
NodeName=gpu-[1-2] CPUs=24 RealMemory=210000 Gres=gpu:4 State=CLOUD Feature=cloud
NodeName=local1 NodeAddr=127.0.0.1 NodeHostname=${hostname()} CPUs=1 RealMemory=500 State=UNKNOWN
PartitionName=htc Nodes=htc-[1-4] Default=YES MaxTime=INFINITE State=UP
PartitionName=hpc Nodes=hpc-[1-4] MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE
PartitionName=gpu Nodes=gpu-[1-2] MaxTime=INFINITE State=UP
PartitionName=local Nodes=local1 MaxTime=INFINITE State=UP
`,
  gres: "NodeName=gpu-[1-2] Name=gpu Count=4\n",
  toCome: "htc-[1-4],hpc-[1-4],gpu-[1-2]",
};

/** All nodes are down, as the README of the driver has it. No job accounting, no authentication: nobody else is here. */
export async function startSlurm(nodes: SlurmNodes = fewNodes): Promise<SlurmController> {
  const folder = await mkdtemp(join(tmpdir(), "slurm-"));
  const config = join(folder, "slurm.conf");
  await mkdir(join(folder, "state"));
  await writeFile(config, slurmConf(folder, nodes.conf, await getPort(), await getPort()));
  await writeFile(join(folder, "gres.conf"), nodes.gres);
  await writeFile(join(folder, "cgroup.conf"), "CgroupAutomount=no\n");
  const env = { ...process.env, SLURM_CONF: config };
  const started = [spawn("/usr/sbin/slurmctld", ["-D", "-c", "-f", config], { env, stdio: "ignore" })];
  const run = async (program: string, ...args: readonly string[]) => {
    const options = { env, timeout: 240_000, maxBuffer: 256 * 1024 * 1024, cwd: folder };
    return (await promisify(execFile)(program, args, options)).stdout;
  };
  const controller: SlurmController = {
    run,
    env,
    startNode: (name) => {
      started.push(spawn("/usr/sbin/slurmd", ["-D", "-N", name, "-f", config], { env, stdio: "ignore" }));
    },
    stop: async () => {
      for (const child of started) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await untilItAnswers(run);
    await run("scontrol", "update", `NodeName=${nodes.toCome}`, "State=DOWN", "Reason=cyclecloud");
  } catch (error) {
    await controller.stop();
    throw error;
  }
  return controller;
}

async function untilItAnswers(run: SlurmController["run"]): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await run("scontrol", "ping");
      if ((await run("sinfo", "--noheader")) !== "") return;
    } catch (error) {
      if (tries > 60) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function slurmConf(folder: string, nodes: string, controllerPort: number, nodePort: number): string {
  const { username } = userInfo();
  return `ClusterName=test
SlurmctldHost=localhost
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
AuthType=auth/none
CredType=cred/none
SlurmUser=${username}
SlurmdUser=${username}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool-%n
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd-%n.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/backfill
ReturnToService=2
MaxArraySize=20001
MaxJobCount=50000
GresTypes=gpu
PrivateData=cloud
SuspendProgram=/bin/true
ResumeProgram=/bin/true
CommunicationParameters=NoAddrCache
# This machine has fewer cpus than its nodes claim.
SlurmdParameters=config_overrides
${nodes}`;
}
