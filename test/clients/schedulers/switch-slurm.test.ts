import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Child } from "../../../infra/local/environment/child.ts";
import { shellWord } from "../../../shared/text/shell-word.ts";
import { builtCcscale, type LocalStack, type NodeRecord, never } from "../../support/local-stack.ts";
import { whileItMoves } from "../../support/machines/agent.ts";
import { onCluster } from "../../support/machines/cluster-of-arrays.ts";
import { followCycleCloud } from "../../support/machines/follow-cyclecloud.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../../support/machines/slurm.ts";
import { startSlurmAgent, watched } from "../../support/machines/slurm-agent.ts";

/** An azslurm cluster is handed to ccscale and back, with jobs that run and jobs that wait. */

const describeHere = slurmIsMissing === undefined ? describe : describe.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;
const root = join(import.meta.dirname, "../../..");
const script = join(root, "clients/schedulers/specs/slurm/cluster-init/files/switch_slurm.sh");
const run = promisify(execFile);

/** What azslurm's own files say, of an array of four nodes. */
const azureConf = `NodeName=htc-[1-4] Feature=cloud State=CLOUD CPUs=4 ThreadsPerCore=2 RealMemory=15360
PartitionName=htc Nodes=htc-[1-4] Default=YES DefMemPerCPU=3840 MaxTime=INFINITE State=UP
`;
const conf = (folder: string) => `SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
PrivateData=cloud
TreeWidth=16
ReconfigFlags=KeepPowerSaveSettings
SlurmctldParameters=idle_on_node_suspend
ResumeTimeout=1800
SuspendTimeout=600
SuspendTime=300
ResumeProgram=${folder}/resume
SuspendProgram=/bin/true
ResumeFailProgram=/bin/true
Include azure.conf
Include keep_alive.conf
`;

describeHere(`a cluster of azslurm changes hands${reason}`, { timeout: 600_000 }, () => {
  test("to ccscale and back: each job runs once, and slurm.conf is what it was", async () => {
    const folder = await mkdtemp(join(tmpdir(), "switch-"));
    try {
      await writeFile(
        join(folder, "resume"),
        `#!/bin/sh\nscontrol show hostnames "$1" >>${folder}/resumed\n`,
      );
      await writeFile(join(folder, "resumed"), "");
      await chmod(join(folder, "resume"), 0o755);
      const slurm = await startSlurm({
        conf: conf(folder),
        files: { "azure.conf": azureConf, "keep_alive.conf": "# by azslurmd\n" },
      });
      try {
        const htc = { name: "htc", machineTypes: ["Standard_D4s_v5"], maxCount: 4 };
        await onCluster(
          {
            name: "was-azslurm",
            nodearrays: [{ ...htc, configuration: { autoscale: { enabled: true } } }],
          },
          {
            config: { idle_timeout: 600, boot_timeout: 1200, read_only: true },
            // What reads the whole cluster wants a snapshot that is the same from its first page to the last, on any machine.
            snapshotSchedule: never,
          },
          (stack) => changeHands(slurm, stack, folder),
        );
      } finally {
        await slurm.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function changeHands(slurm: Slurm, stack: LocalStack, folder: string): Promise<void> {
  const conf = join(slurm.network.folder, "slurm.conf");
  const before = await readFile(conf, "utf8");
  const head = await standIns(slurm, stack, folder);
  const azslurm = actAsAzslurm(slurm, stack, folder);
  const followed = followCycleCloud(stack, slurm.network, async (node, host, address) => {
    // As azslurm's project starts it.
    await slurm.bootNode(node.Name, host, address, "-b");
    await azslurm.booted(node);
  });
  let agent: Child | undefined;
  try {
    // While azslurm acts, the agent reads and the service plans: both want one node for one job, and nothing of Slurm changes.
    agent = await startSlurmAgent(slurm, stack, { options: ["--read-only"] });
    // What is there when the first plan is made is nobody's decision.
    await stack.withSnapshots(() =>
      whileItMoves(stack.readStatus, ({ plans }) => plans.length > 0, watched(slurm, stack)),
    );
    const first = await slurm.submit("-n 4");
    await runs(slurm, stack, [first], azslurm);
    const compared = async () => {
      const answer = await head.ccscale("migrate", "compare", "--local", stack.local, "--format", "json");
      const { total, hours } = JSON.parse(answer);
      return { they: total.they, we: total.we, hours };
    };
    const one = { created: 1, deleted: 0 };
    await stack.withSnapshots(() =>
      whileItMoves(compared, ({ they, we }) => they.created + we.created >= 2, watched(slurm, stack)),
    );
    expect(await compared()).toMatchObject({ they: one, we: one, hours: [{ moreNodes: 0, reasons: [] }] });
    expect(await slurm.run("sinfo", "--noheader", "--list-reasons")).toBe("");
    await agent.stop();
    agent = undefined;
    const held = await slurm.submit("-n 4 --hold");

    azslurm.rests = true;
    await head.set({ node_prefix: "other-" });
    await expect(head.changeTo("ccscale")).rejects.toThrow(
      /Nothing was changed: these nodes have jobs and would have no line: htc-1/,
    );
    expect([await head.calls(), await readFile(conf, "utf8")]).toEqual([[], before]);
    await head.set({});
    await head.changeTo("ccscale");
    expect(await head.calls()).toEqual([
      "daemon-reload",
      "stop azslurmd",
      "restart slurmctld",
      "enable ccscale-agent",
      "restart ccscale-agent",
    ]);
    expect(await head.cronTable()).toContain("#ccscale# */5 * * * * /opt/azurehpc/slurm/return_to_idle.sh");
    agent = await startSlurmAgent(slurm, stack);
    await head.ccscale("config", "set", "read_only", "false", "--local", stack.local, "--yes");
    await slurm.run("scontrol", "release", String(held));
    await runs(slurm, stack, [first, held]);
    await agent.stop();
    agent = undefined;

    await head.changeTo("azslurm");
    await head.ccscale("config", "set", "read_only", "true", "--local", stack.local, "--yes");
    expect(await readFile(conf, "utf8")).toBe(before);
    expect(await head.cronTable()).toBe(cronTable);
    azslurm.rests = false;
    const last = await slurm.submit("-n 4");
    await runs(slurm, stack, [first, held, last], azslurm);

    const { nodes: created } = await stack.simulator.ledger(stack.cluster);
    expect(created.map(({ name }) => name)).toHaveLength(3);
    expect(await slurm.log()).not.toContain("Requeuing JobId");
    expect(followed.problems).toEqual([]);
  } finally {
    await agent?.stop();
    await followed.stop();
  }
}

const cronTable = "# return_to_idle\n*/5 * * * * /opt/azurehpc/slurm/return_to_idle.sh\n";

interface Head {
  /** The agent's settings for Slurm. */
  set(section: object): Promise<void>;
  changeTo(owner: "ccscale" | "azslurm"): Promise<void>;
  ccscale(...args: readonly string[]): Promise<string>;
  /** What systemd was told since the last change of hands began. */
  calls(): Promise<readonly string[]>;
  cronTable(): Promise<string>;
}

/** The scheduler's host: Slurm's programs are the real ones; systemd, cron and azslurm's own program note what they were told. */
async function standIns(slurm: Slurm, stack: LocalStack, folder: string): Promise<Head> {
  const { network, env } = slurm;
  const bin = join(folder, "bin");
  const home = join(folder, "home");
  const settings = join(folder, "settings");
  const units = join(folder, "units");
  for (const each of [bin, join(home, "bin"), settings, units]) await mkdir(each, { recursive: true });
  const onHead = (program: string) =>
    network.entering(network.headName, program, []).map(shellWord).join(" ");
  const pidFile = join(network.folder, "slurmctld.pid");
  const programs = {
    ...Object.fromEntries(
      ["scontrol", "squeue", "sinfo"].map(
        (name) => [name, `exec ${onHead(`/usr/bin/${name}`)} "$@"`] as const,
      ),
    ),
    systemctl: `[ "$*" = "is-active --quiet azslurmd" ] && exit 0
[ "$1" = is-active ] && exec kill -0 "$(cat ${pidFile})"
echo "$@" >>${folder}/calls
case "$*" in
  "restart slurmctld")
    pid=$(cat ${pidFile})
    kill "$pid"
    # Nobody may wait for it here: what has ended has no program.
    while [ -e "/proc/$pid/exe" ]; do sleep 0.1; done
    ${onHead("/usr/sbin/slurmctld")}
    ;;
esac`,
    crontab: `if [ "$1" = -l ]; then cat ${folder}/cron; else cat >${folder}/cron; fi`,
    azslurm: `echo "azslurm $*" >>${folder}/calls`,
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(bin, name), 0o755);
  }
  await writeFile(join(folder, "cron"), cronTable);
  await symlink(process.execPath, join(home, "bin/node"));
  await writeFile(join(home, "ccscale.mjs"), `import ${JSON.stringify(builtCcscale)};\n`);
  await writeFile(
    join(settings, "agent.env"),
    `# as systemd reads it\nAutoscaleStorage=${stack.environment.storageConnectionString}\n`,
  );
  const ownEnv = {
    ...process.env,
    ...env,
    PATH: `${bin}:${process.env.PATH}`,
    CCSCALE_HOME: home,
    CCSCALE_SETTINGS: settings,
    CCSCALE_UNITS: units,
  };
  return {
    set: (slurm) => {
      const agent = { cluster: stack.cluster, source: "slurm", driver: "slurm", slurm };
      return writeFile(join(settings, "agent.json"), JSON.stringify(agent));
    },
    changeTo: async (owner) => {
      await writeFile(join(folder, "calls"), "");
      await run("bash", [script, owner], { env: ownEnv });
      expect(existsSync(join(settings, "has-slurm"))).toBe(owner === "ccscale");
    },
    ccscale: async (...args) => {
      const { stdout } = await run(process.execPath, [builtCcscale, ...args]);
      return stdout;
    },
    calls: async () => (await readFile(join(folder, "calls"), "utf8")).split("\n").filter(Boolean),
    cronTable: () => readFile(join(folder, "cron"), "utf8"),
  };
}

interface Azslurm {
  /** It orders nothing. */
  rests: boolean;
  booted(node: NodeRecord): Promise<void>;
  /** Orders what Slurm has asked for. */
  order(): Promise<void>;
}

/** Slurm asks for nodes by name; each is ordered by its name, and gets its address when it is there. */
function actAsAzslurm(slurm: Slurm, stack: LocalStack, folder: string): Azslurm {
  const ordered = new Set<string>();
  const { cycleCloudUrl, account } = stack.environment;
  const login = Buffer.from(`${account.username}:${account.password}`).toString("base64");
  const azslurm: Azslurm = {
    rests: false,
    booted: async ({ Name, PrivateIp = "", Hostname = "" }) => {
      if (azslurm.rests) return;
      await slurm.run(
        "scontrol",
        "update",
        `NodeName=${Name}`,
        `NodeAddr=${PrivateIp}`,
        `NodeHostName=${Hostname}`,
      );
    },
    order: async () => {
      if (azslurm.rests) return;
      const names = (await readFile(join(folder, "resumed"), "utf8")).split("\n").filter(Boolean);
      for (const name of names.filter((each) => !ordered.has(each))) {
        ordered.add(name);
        const [, array, number] = /^(.+)-(\d+)$/.exec(name) ?? [];
        const set = { nodearray: array, count: 1, nameFormat: `${array}-%d`, nameOffset: Number(number) };
        const response = await fetch(
          `${cycleCloudUrl}/clusters/${encodeURIComponent(stack.cluster)}/nodes/create`,
          {
            method: "POST",
            headers: { authorization: `Basic ${login}`, "content-type": "application/json" },
            body: JSON.stringify({ requestId: name, sets: [set] }),
          },
        );
        expect(response.status, await response.clone().text()).toBe(202);
      }
    },
  };
  return azslurm;
}

/** Waits until these run and nothing else does; `azslurm` orders nodes meanwhile. */
async function runs(
  slurm: Slurm,
  stack: LocalStack,
  ids: readonly number[],
  azslurm?: Azslurm,
): Promise<void> {
  const running = async () => {
    await azslurm?.order();
    const lines = await slurm.run("squeue", "--noheader", "--states=RUNNING", "--format=%A");
    return lines.split("\n").filter(Boolean).map(Number).sort();
  };
  const isSo = (now: readonly number[]) => ids.every((id) => now.includes(id));
  const agent = azslurm === undefined ? watched(slurm, stack) : undefined;
  await stack.withSnapshots(() => whileItMoves(running, isSo, agent));
  expect(await running()).toEqual(ids);
}
