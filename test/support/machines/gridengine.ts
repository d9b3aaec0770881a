import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { machinesAreMissing, Network } from "./network.ts";
import { untilItWorks } from "./until-it-works.ts";
import { addUsers } from "./users.ts";

const programs = ["/usr/sbin/sge_qmaster", "/usr/sbin/sge_execd", "/usr/bin/qconf"];
const share = "/usr/share/gridengine";
const root = "/var/lib/gridengine";
const spool = "/var/spool/gridengine";
/** Its administrator, whom Debian's packages make. */
const admin = "sgeadmin";
const head = "ge-head";

/** Why Grid Engine cannot be run here; undefined when it can. */
export const gridengineIsMissing =
  machinesAreMissing ??
  (programs.every(existsSync)
    ? undefined
    : "Debian's gridengine-master, -exec and -client are not installed");

/** Users beside those of this machine. Grid Engine runs no job of root. */
const users = ["ann", "bob", "cat"];

/** A real qmaster with its scheduler on a head, and sge_execd on machines that come and go. */
export interface GridEngine {
  readonly network: Network;
  /** Runs a program of Grid Engine's on the head, as root, who is a manager. Throws when it fails. */
  run(program: string, ...args: readonly string[]): Promise<string>;
  /** Gives qconf a file: `define("-Aq", "qname all.q\n…")`. */
  define(option: string, text: string): Promise<void>;
  /** Submits a job that sleeps; gives its number. */
  submit(args: readonly string[], user?: string, seconds?: number): Promise<number>;
  /** The machine boots and tries to run sge_execd, until the qmaster takes it for an administrative host. */
  bootNode(host: string, address: string): Promise<void>;
  /** The qmaster goes away, without a word to anybody. */
  kill(): Promise<void>;
  /** It comes back, with what it had on its disk. */
  restart(): Promise<void>;
  log(): Promise<string>;
  stop(): Promise<void>;
}

export async function startGridEngine(): Promise<GridEngine> {
  const network = await Network.start(head);
  try {
    return await startOn(network);
  } catch (error) {
    await network.stop();
    throw error;
  }
}

/** What Debian's packages keep in fixed places lies in the network's folder. */
async function startOn(network: Network): Promise<GridEngine> {
  const own = { cell: join(network.folder, "cell"), spool: join(network.folder, "spool") };
  for (const folder of ["cell/common", "spool/qmaster/job_scripts", "spool/spooldb", "spool/execd"])
    await mkdir(join(network.folder, folder), { recursive: true });
  await copyFile(`${share}/default-bootstrap`, join(own.cell, "common/bootstrap"));
  await writeFile(join(own.cell, "common/act_qmaster"), `${head}\n`);
  network.cover(join(root, "default"), own.cell);
  network.cover(spool, own.spool);
  // Each of its programs asks the compiler of C which machine this is, several times.
  const arch = join(network.folder, "arch");
  const machine = await network.run(head, `${share}/util/arch`, []);
  await writeFile(arch, `#!/bin/sh\necho ${machine}`, { mode: 0o755 });
  network.cover(`${share}/util/arch`, arch);
  await addUsers(network, users);
  const run = (program: string, ...args: readonly string[]) => network.run(head, program, args);
  await run("chown", "-R", `${admin}:${admin}`, join(root, "default"), spool);
  const asAdmin = (program: string, ...args: readonly string[]) =>
    network.run(head, program, args, { user: admin });
  await asAdmin(`${share}/scripts/init_cluster`, root, "default", `${spool}/spooldb`, admin);
  let qmaster = startQmaster(network);
  await untilItAnswers(asAdmin);
  await run("qconf", "-ah", head).catch(() => "");
  await run("qconf", "-as", head);
  const define = async (option: string, text: string) => {
    const file = join(network.folder, "definition");
    await writeFile(file, text);
    await run("qconf", option, file);
  };
  await define("-Msconf", quick(await run("qconf", "-ssconf")));
  const kill = async () => {
    const ended = new Promise((resolve) => qmaster.once("exit", resolve));
    qmaster.kill("SIGKILL");
    await ended;
  };
  return {
    network,
    run,
    define,
    submit: async (args, user = "ann", seconds = 600) => {
      const line = ["qsub", "-terse", "-b", "y", "-j", "y", "-o", "/dev/null", ...args];
      const text = await network.run(head, "env", ["-C", "/tmp", ...line, "/bin/sleep", String(seconds)], {
        user,
      });
      // An array's number has its tasks behind it; a warning may stand before it.
      return Number.parseInt(/^\d+/m.exec(text)?.[0] ?? "", 10);
    },
    bootNode: async (host, address) => {
      await network.switchOn(host, address);
      network.start(host, "sh", ["-c", "until sge_execd; do sleep 1; done"], { env: { SGE_ND: "1" } });
    },
    kill,
    restart: async () => {
      qmaster = startQmaster(network);
      await untilItAnswers(asAdmin);
    },
    log: () => readFile(join(own.spool, "qmaster/messages"), "utf8").catch(() => ""),
    stop: () => network.stop(),
  };
}

/** In the foreground, so that it ends with this process. */
function startQmaster(network: Network): ChildProcess {
  return network.start(head, "sge_qmaster", [], { env: { SGE_ND: "1" } });
}

function untilItAnswers(run: GridEngine["run"]): Promise<void> {
  return untilItWorks(() =>
    run("qconf", "-ss").catch((error: { stderr?: string }) => {
      // No submit host yet: it answers, and ends with 1.
      if (!/no submit host/i.test(String(error.stderr))) throw error;
    }),
  );
}

/** The scheduler looks each second, and says why jobs wait. */
function quick(settings: string): string {
  return settings
    .replace(/^schedule_interval .*$/m, "schedule_interval 0:0:1")
    .replace(/^flush_(submit|finish)_sec .*$/gm, "flush_$1_sec 1")
    .replace(/^schedd_job_info .*$/m, "schedd_job_info true");
}
