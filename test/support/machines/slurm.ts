import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "../../../shared/text/shell-word.ts";
import { machinesAreMissing, Network, type RunOptions } from "./network.ts";
import { startAccounting } from "./slurm-accounting.ts";
import { untilItWorks } from "./until-it-works.ts";
import { addUsers } from "./users.ts";

const programs = ["/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/bin/sbatch", "/usr/bin/squeue"];

/** Why Slurm cannot be run here; undefined when it can. */
export const slurmIsMissing =
  machinesAreMissing ??
  (programs.every(existsSync) ? undefined : "Debian's slurmctld, slurmd and slurm-client are not installed");

const head = "slurm-head";

/** Users that Slurm's programs know beside those of this machine. */
const slurmUsers = ["ann", "bob", "cat"];

export interface SlurmOptions {
  /** The lines of slurm.conf about nodes and partitions, and what differs from the usual settings. */
  readonly conf: string;
  readonly gres?: string;
  /** Others beside slurm.conf, by name: what it includes. */
  readonly files?: Readonly<Record<string, string>>;
  /** With slurmdbd, a cluster, and limits that count. */
  readonly accounting?: boolean;
}

/** A real slurmctld on a head, and slurmd on machines that come and go. */
export interface Slurm {
  readonly network: Network;
  /** For programs that are run by others. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a program of Slurm's on the head. Throws when it fails. */
  run(program: string, ...args: readonly string[]): Promise<string>;
  /** Gives sbatch each of these lists of options, in one shell; gives the ids of the jobs, which sleep. */
  submitAll(options: readonly (readonly string[])[], seconds?: number): Promise<readonly number[]>;
  /** Submits a job for a user that sleeps; gives its id. */
  submit(options: string, user?: string, seconds?: number): Promise<number>;
  /** The machine `host` boots if it is not on yet, and runs slurmd as `node`; `-b` tells Slurm that it has just booted. */
  bootNode(node: string, host: string, address: string, ...options: readonly string[]): Promise<void>;
  /** The controller is stopped and started again; `change` may write another slurm.conf in between. */
  restart(change?: (conf: string) => string): Promise<void>;
  /** slurmdbd goes away. */
  stopAccounting(): Promise<void>;
  log(): Promise<string>;
  stop(): Promise<void>;
}

export async function startSlurm(options: SlurmOptions): Promise<Slurm> {
  const network = await Network.start(head);
  try {
    return await startOn(network, options);
  } catch (error) {
    await network.stop();
    throw error;
  }
}

async function startOn(
  network: Network,
  { conf: lines, gres = "", files = {}, accounting = false }: SlurmOptions,
): Promise<Slurm> {
  const { folder } = network;
  const config = join(folder, "slurm.conf");
  const env = { SLURM_CONF: config };
  const run = (program: string, ...args: readonly string[]) => network.run(head, program, args, { env });
  await mkdir(join(folder, "state"));
  await writeFile(config, slurmConf(folder, lines, accounting));
  for (const [name, text] of Object.entries({ ...files, "gres.conf": gres }))
    await writeFile(join(folder, name), text);
  await writeFile(join(folder, "cgroup.conf"), "CgroupAutomount=no\n");
  await addUsers(network, slurmUsers);
  const database = accounting ? await startAccounting(network, head, env) : undefined;
  let controller = startController(network, env);
  await untilItAnswers(run);
  return {
    network,
    env,
    run,
    submitAll: async (all, seconds = 600) => {
      const lines = all.map((options) => {
        const words = ["--parsable", "--output=/dev/null", ...options, "--wrap", `sleep ${seconds}`];
        return `sbatch ${words.map(shellWord).join(" ")}`;
      });
      const text = await readFile(config, "utf8");
      const short = join(folder, "short.conf");
      // What submits reads all nodes and partitions each time, and needs none of them.
      await writeFile(short, `${text.replaceAll(/^(Node|Partition)Name=.*$/gm, "")}\nNodeName=none\n`);
      const printed = await network.run(head, "sh", ["-ec", lines.join("\n")], {
        env: { SLURM_CONF: short },
      });
      return printed
        .trimEnd()
        .split("\n")
        .map((id) => Number.parseInt(id, 10));
    },
    submit: async (options, user, seconds = 600) => {
      const as = user === undefined ? [] : [`--uid=${user}`];
      const args = ["--parsable", ...as, "--output=/dev/null", "--chdir=/tmp", ...options.split(" ")];
      return Number.parseInt(await run("sbatch", ...args, "--wrap", `sleep ${seconds}`), 10);
    },
    bootNode: async (node, host, address, ...options) => {
      if (!network.hosts().includes(host)) await network.switchOn(host, address);
      await mkdir(join(folder, `spool-${node}`), { recursive: true });
      network.start(host, "/usr/sbin/slurmd", ["-D", "-N", node, "-f", config, ...options], { env });
    },
    restart: async (change = (conf) => conf) => {
      await end(controller);
      await writeFile(config, change(await readFile(config, "utf8")));
      controller = startController(network, env);
      await untilItAnswers(run);
    },
    stopAccounting: async () => {
      if (database !== undefined) await end(database);
    },
    log: () => readFile(join(folder, "slurmctld.log"), "utf8"),
    stop: () => network.stop(),
  };
}

function startController(network: Network, env: RunOptions["env"]): ChildProcess {
  return network.start(head, "/usr/sbin/slurmctld", ["-D"], env === undefined ? {} : { env });
}

async function end(daemon: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => daemon.once("exit", resolve));
  daemon.kill("SIGTERM");
  await ended;
}

function untilItAnswers(run: Slurm["run"]): Promise<void> {
  return untilItWorks(async () => {
    await run("scontrol", "ping");
    if ((await run("sinfo", "--noheader")) === "") throw new Error("slurmctld has no partition");
  });
}

/** No authentication: nobody else is here. */
function slurmConf(folder: string, lines: string, accounting: boolean): string {
  const storage = `AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=${head}
AccountingStorageEnforce=limits,qos
AccountingStorageTRES=gres/gpu
`;
  return `ClusterName=test
SlurmctldHost=${head}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
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
MailProg=/bin/true
MaxArraySize=20001
MaxJobCount=50000
GresTypes=gpu,nvme
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=1
# This machine has fewer cpus than its nodes claim.
SlurmdParameters=config_overrides
${accounting ? storage : ""}${lines}`;
}
