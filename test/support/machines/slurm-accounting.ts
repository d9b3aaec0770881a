import { type ChildProcess, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Network, RunOptions } from "./network.ts";
import { untilItWorks } from "./until-it-works.ts";

const programs = ["/usr/sbin/slurmdbd", "/usr/sbin/mariadbd", "/usr/bin/sacctmgr"];

/** Why there can be no accounting here; undefined when there can. */
export const accountingIsMissing = programs.every(existsSync)
  ? undefined
  : "Debian's slurmdbd and mariadb-server are not installed";

/** A database and slurmdbd on the head, with cluster "test". Gives slurmdbd. */
export async function startAccounting(
  network: Network,
  head: string,
  env: NonNullable<RunOptions["env"]>,
): Promise<ChildProcess> {
  const data = join(network.folder, "mysql");
  const socket = join(data, "mysql.sock");
  const run = (program: string, args: readonly string[]) => network.run(head, program, args, { env });
  await mkdir(data);
  execFileSync("chown", ["mysql", data]);
  await run("mariadb-install-db", ["--user=mysql", `--datadir=${data}`, "--skip-test-db"]);
  network.start(head, "/usr/sbin/mariadbd", [
    "--no-defaults",
    "--user=mysql",
    `--datadir=${data}`,
    `--socket=${socket}`,
    `--pid-file=${join(data, "mysql.pid")}`,
    "--bind-address=127.0.0.1",
  ]);
  await untilItWorks(() => run("mariadb-admin", [`--socket=${socket}`, "ping"]));
  const statements = ["localhost", "127.0.0.1"].map(
    (from) => `create user slurm@'${from}' identified by 'test'; grant all on accounts.* to slurm@'${from}';`,
  );
  await run("mariadb", [`--socket=${socket}`, "-e", `create database accounts; ${statements.join(" ")}`]);
  const config = join(network.folder, "slurmdbd.conf");
  const lines = [
    "AuthType=auth/none",
    `DbdHost=${head}`,
    "SlurmUser=root",
    "StorageType=accounting_storage/mysql",
    "StorageHost=127.0.0.1",
    "StorageUser=slurm",
    "StoragePass=test",
    "StorageLoc=accounts",
    `LogFile=${join(network.folder, "slurmdbd.log")}`,
    `PidFile=${join(network.folder, "slurmdbd.pid")}`,
  ];
  await writeFile(config, `${lines.join("\n")}\n`);
  await chmod(config, 0o600);
  const daemon = network.start(head, "/usr/sbin/slurmdbd", ["-D"], { env });
  await untilItWorks(() => run("sacctmgr", ["--noheader", "list", "cluster"]));
  await run("sacctmgr", ["--immediate", "add", "cluster", "test"]);
  return daemon;
}
