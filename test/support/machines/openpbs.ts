import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { machinesAreMissing, Network } from "./network.ts";
import { untilItWorks } from "./until-it-works.ts";
import { addUsers } from "./users.ts";

const prefix = "/opt/pbs";
const home = "/var/spool/pbs";
const head = "pbs-head";

/** Why OpenPBS cannot be run here; undefined when it can. Debian has none: it is built from its source release into /opt/pbs. */
export const openPbsIsMissing =
  machinesAreMissing ??
  (existsSync(`${prefix}/bin/qstat`) && existsSync(`${prefix}/libexec/pbs_postinstall`)
    ? undefined
    : "OpenPBS is not installed in /opt/pbs");

/** Users that PBS knows beside those of this machine. PBS runs no job of root. */
const pbsUsers = ["ann", "bob", "cat"];

/** A real OpenPBS server with its scheduler on a head, and node daemons on machines that come and go. */
export interface OpenPbs {
  readonly network: Network;
  /** Runs a program of PBS's on the head, as root. Throws when it fails. */
  run(program: string, ...args: readonly string[]): Promise<string>;
  /** Submits a job that sleeps; gives its id. */
  submit(args: readonly string[], user?: string, seconds?: number): Promise<string>;
  /** The machine boots and runs pbs_mom. The server does not know of it yet. */
  bootNode(host: string, address: string): Promise<void>;
  /** The scheduler looks at all jobs soon. */
  schedule(): Promise<void>;
  /** The line `resources` of sched_config; the scheduler reads it again. */
  scheduleBy(resources: readonly string[]): Promise<void>;
  /** The server goes away, without a word to anybody. */
  kill(): Promise<void>;
  /** It comes back, with what it had in its database. */
  restart(): Promise<void>;
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** On a busy machine PBS's own script does not wait until its database has started, or gives it up: it is begun anew. */
const mostStarts = 4;

export async function startOpenPbs(): Promise<OpenPbs> {
  for (let starts = 1; ; starts++) {
    const network = await Network.start(head);
    try {
      return await startOn(network);
    } catch (error) {
      await network.stop();
      if (starts >= mostStarts) throw error;
    }
  }
}

/** Every file that PBS expects in a fixed place lies in the network's folder. */
async function startOn(network: Network): Promise<OpenPbs> {
  const spool = join(network.folder, "spool");
  const conf = join(network.folder, "pbs.conf");
  await mkdir(spool);
  await chmod(spool, 0o755);
  await mkdir(home, { recursive: true });
  await writeFile(conf, pbsConf(home, head, { isHead: true }));
  if (!existsSync("/etc/pbs.conf")) await writeFile("/etc/pbs.conf", "");
  network.cover(home, spool);
  network.cover("/etc/pbs.conf", conf);
  await addUsers(network, pbsUsers);
  const env = { PATH: `${prefix}/bin:${prefix}/sbin:${process.env.PATH}` };
  const run = (program: string, ...args: readonly string[]) => network.run(head, program, args, { env });
  await run(`${prefix}/libexec/pbs_postinstall`);
  // It writes the file anew, with a node daemon.
  await writeFile(conf, pbsConf(home, head, { isHead: true }));
  await run(`${prefix}/libexec/pbs_init.d`, "start");
  await untilItWorks(() => run("qstat", "-B"));
  await run("qmgr", "-c", "set server flatuid = true, scheduler_iteration = 5");
  return {
    network,
    run,
    submit: async (args, user = "ann", seconds = 600) => {
      const line = ["qsub", "-j", "oe", "-o", "/dev/null", ...args, "--", "/bin/sleep", String(seconds)];
      return (await network.run(head, "env", ["-C", "/tmp", ...line], { env, user })).trim();
    },
    bootNode: async (host, address) => {
      await network.switchOn(host, address);
      // PBS refuses a folder in which anybody may write, such as /tmp: it is seen below the server's.
      await makeMomHome(join(spool, "hosts", host), join(home, "hosts", host));
      const own = join(home, "hosts", host);
      const config = join(network.folder, `pbs-${host}.conf`);
      await writeFile(
        config,
        `${pbsConf(own, host, { isHead: false })}PBS_MOM_HOME=${own}\nPBS_MOM_NODE_NAME=${host}\n`,
      );
      await network.run(host, `${prefix}/sbin/pbs_mom`, [], { env: { ...env, PBS_CONF_FILE: config } });
    },
    schedule: async () => {
      await run("qmgr", "-c", "set server scheduling = true");
    },
    scheduleBy: async (resources) => {
      const path = join(spool, "sched_priv/sched_config");
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replace(/^resources:.*$/m, `resources: "${resources.join(", ")}"`));
      const pid = await readFile(join(spool, "sched_priv/sched.lock"), "utf8");
      process.kill(Number.parseInt(pid, 10), "SIGHUP");
    },
    kill: async () => {
      const pid = Number.parseInt(await readFile(join(spool, "server_priv/server.lock"), "utf8"), 10);
      process.kill(pid, "SIGKILL");
      while (isAlive(pid)) await sleep(50);
    },
    restart: async () => {
      await run(`${prefix}/sbin/pbs_server`);
      await untilItWorks(() => run("qstat", "-B"));
    },
    log: async () => {
      const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
      return readFile(join(spool, `sched_logs/${day}`), "utf8").catch(() => "");
    },
    stop: async () => {
      // The database ends by itself when it is asked; the machine of the head is switched off otherwise.
      await network
        .run(head, `${prefix}/libexec/pbs_init.d`, ["stop"], { env, timeoutMilliseconds: 60_000 })
        .catch(() => "");
      await network.stop();
    },
  };
}

function pbsConf(folder: string, name: string, { isHead }: { readonly isHead: boolean }): string {
  const [onHead, onHost] = isHead ? [1, 0] : [0, 1];
  return `PBS_SERVER=${head}
PBS_START_SERVER=${onHead}
PBS_START_SCHED=${onHead}
PBS_START_COMM=${onHead}
PBS_START_MOM=${onHost}
PBS_EXEC=${prefix}
PBS_HOME=${folder}
PBS_LEAF_NAME=${name}
`;
}

/** What pbs_postinstall makes for a node daemon. */
async function makeMomHome(folder: string, seenAs: string): Promise<void> {
  const modes = {
    "": 0o755,
    mom_priv: 0o751,
    "mom_priv/jobs": 0o751,
    "mom_priv/hooks": 0o755,
    "mom_priv/hooks/tmp": 0o700,
    mom_logs: 0o755,
    aux: 0o755,
    tmp: 0o1777,
    spool: 0o1777,
    undelivered: 0o1777,
    checkpoint: 0o700,
  };
  for (const [name, mode] of Object.entries(modes)) {
    await mkdir(join(folder, name), { recursive: true });
    await chmod(join(folder, name), mode);
  }
  await writeFile(
    join(folder, "mom_priv/config"),
    `$clienthost ${head}\n$usecp *:/ /\n$tmpdir ${seenAs}/tmp\n`,
  );
  await writeFile(join(folder, "pbs_environment"), `PATH=/bin:/usr/bin\n`);
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
