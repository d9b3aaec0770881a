import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { drawUpFiles } from "../../../clients/agent/drivers/slurm/config/draw-up-files.ts";
import { slurmSettingsSchema } from "../../../clients/agent/drivers/slurm/slurm-settings.ts";
import type { LocalStack } from "../../support/local-stack.ts";
import { morePasses, whileItMoves } from "../../support/machines/agent.ts";
import { onCluster } from "../../support/machines/cluster-of-arrays.ts";
import { followCycleCloud } from "../../support/machines/follow-cyclecloud.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../../support/machines/slurm.ts";
import { startSlurmAgent, watched } from "../../support/machines/slurm-agent.ts";
import { bucket, partsOf } from "./drivers/cluster-parts.ts";

/** A partition whose nodes Slurm chooses by name, and beside it one of the planner. */

const describeHere = slurmIsMissing === undefined ? describe : describe.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;
const run = promisify(execFile);
const wakeAgent = join(import.meta.dirname, "../../../clients/agent/wake-agent.sh");

const mostOfHpc = 3;
/** Longer than a daemon takes to start on a busy machine: until then nobody knows that the node is reserved. */
const reservedIdleSeconds = 20;
/** A pass takes two seconds. */
const passesInIdleness = 15;

describeHere(`nodes that Slurm powers up and down by name${reason}`, { timeout: 600_000 }, () => {
  test("its jobs get exactly the nodes that Slurm chose, one without room is given back at once, idle machines go, a drain ends with its machine, and an agent that is killed orders nothing twice", () =>
    onPowerSaving({ lines: mostOfHpc + 1, suspendSeconds: 6 }, checkOn));
  test("a node that is kept alive, and one that a person named in slurm.conf, outlive idleness and a restart of the controller", () =>
    onPowerSaving({ lines: mostOfHpc, suspendSeconds: 6, conf: "SuspendExcNodes=hpc-2\n" }, checkKeptAlive));
  test("nodes of a reservation are up before it begins, outlive idleness, run its jobs, and go when it is over; in power saving those that slurm.conf spares", () =>
    onPowerSaving(
      {
        lines: mostOfHpc,
        suspendSeconds: 6,
        idleSeconds: reservedIdleSeconds,
        conf: "SuspendExcNodes=hpc-1\n",
      },
      checkReserved,
    ));
});

/** Slurm with a partition of power saving and one of the planner, the whole service, and the agent's settings for it. */
async function onPowerSaving(
  options: {
    readonly lines: number;
    readonly suspendSeconds: number;
    readonly idleSeconds?: number;
    readonly conf?: string;
  },
  check: (slurm: Slurm, stack: LocalStack, section: object, wakeFile: string) => Promise<void>,
): Promise<void> {
  const { lines, suspendSeconds, idleSeconds = 1200, conf = "" } = options;
  const folder = await mkdtemp(join(tmpdir(), "power-"));
  try {
    const program = join(folder, "wake-agent");
    await writeFile(program, `#!/bin/sh\nCCSCALE_WAKE_FILE=${folder}/wake exec ${wakeAgent} "$@"\n`);
    await chmod(program, 0o755);
    await run(program, ["hpc-[1-2]"]);
    expect(existsSync(join(folder, "wake"))).toBe(true);
    const power = { SuspendTime: String(suspendSeconds), SuspendTimeout: "10" };
    const hpc = { mode: "power-saving", options: power };
    const section = { partitions: { hpc, htc: {} }, power_program: program };
    const parts = partsOf([bucket({ most: 2 }), bucket({ nodeArray: "hpc", most: lines })]);
    const present = [{ name: "slurm.conf", text: conf }];
    const drawn = drawUpFiles(parts, slurmSettingsSchema.parse(section), present);
    if ("refused" in drawn) throw new Error(drawn.refused);
    const [{ text } = { text: "" }] = drawn.files;
    const slurm = await startSlurm({
      conf: `SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n${conf}Include cyclecloud.conf\n`,
      files: { "cyclecloud.conf": text },
    });
    try {
      const arrays = Object.entries({ htc: 2, hpc: mostOfHpc }).map(([name, maxCount]) => ({
        name,
        machineTypes: ["Standard_D4s_v5"],
        maxCount,
        configuration: { autoscale: { enabled: true } },
      }));
      await onCluster(
        { nodearrays: arrays },
        { config: { idle_timeout: idleSeconds, boot_timeout: 1200 } },
        (stack) => check(slurm, stack, section, join(folder, "wake")),
      );
    } finally {
      await slurm.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkOn(slurm: Slurm, stack: LocalStack, section: object, wakeFile: string): Promise<void> {
  const followed = followCycleCloud(stack, slurm.network, ({ Name }, host, address) =>
    slurm.bootNode(Name, host, address, "-b"),
  );
  // Before the agent's first pass Slurm puts it on a node of the planner that is not there.
  const planned = await slurm.submit("-p htc -n 1");
  const isOnItsWay = async () => (await slurm.run("squeue", "--noheader", "--format=%T")).trim();
  await whileItMoves(isOnItsWay, (state) => state === "CONFIGURING");
  const start = () =>
    startSlurmAgent(slurm, stack, {
      section,
      env: { CCSCALE_URL: stack.environment.functionsUrl },
      others: { wake_file: wakeFile },
    });
  let agent = await start();
  const lines = async (...args: readonly string[]) =>
    (await slurm.run("squeue", "--noheader", "--format=%A %T %N", ...args)).split("\n").filter(Boolean);
  const namesOf = async (array: string) =>
    (await stack.nodes())
      .map(({ Name }) => Name)
      .filter((name) => name.startsWith(`${array}-`))
      .sort();
  try {
    const named = await slurm.submit("-p hpc -N2 -n2 --exclusive");
    // Wherever it is in a pass: nothing is ordered twice.
    for (let kills = 0; kills < 3; kills++) {
      await agent.kill();
      agent = await start();
    }
    await whileItMoves(
      lines,
      (now) => now.filter((line) => line.includes("RUNNING")).length === 2,
      watched(slurm, stack),
    );
    expect((await lines()).toSorted()).toEqual([`${planned} RUNNING htc-1`, `${named} RUNNING hpc-[1-2]`]);
    expect([await namesOf("hpc"), await namesOf("htc")]).toEqual([["hpc-1", "hpc-2"], ["htc-1"]]);

    const submittedAt = performance.now();
    const tooLarge = await slurm.submit("-p hpc -N2 -n2 --exclusive --no-requeue");
    const reasons = () => slurm.run("sinfo", "--noheader", "--Node", "--partition=hpc", "--format=%N %E");
    await whileItMoves(
      reasons,
      (now) => now.split("\n").filter((line) => line.includes("cyclecloud: ")).length === 2,
      watched(slurm, stack),
    );
    const givenBackSeconds = (performance.now() - submittedAt) / 1000;
    expect(await reasons()).toMatch(
      /hpc-3 cyclecloud: 1 of 2 nodes can be had now; hpc\/Standard_D4s_v5: .*the node array's limit leaves 0 new/,
    );
    expect(await lines(`--jobs=${tooLarge}`)).toEqual([`${tooLarge} PENDING `]);
    expect(await namesOf("hpc")).toEqual(["hpc-1", "hpc-2"]);

    // As NHC does it.
    await slurm.run("scontrol", "update", "NodeName=hpc-1", "State=DRAIN", "Reason=NHC: no /scratch");
    await slurm.run("scancel", String(named), String(tooLarge));
    await whileItMoves(
      () => namesOf("hpc"),
      (names) => names.length === 0,
      watched(slurm, stack),
    );
    const stateOf = (node: string) => slurm.run("sinfo", "--noheader", `--nodes=${node}`, "--format=%T");
    await whileItMoves(
      () => stateOf("hpc-1"),
      (state) => state === "idle~\n",
      watched(slurm, stack),
    );
    expect([await namesOf("hpc"), await lines()]).toEqual([[], [`${planned} RUNNING htc-1`]]);
    expect(followed.problems).toEqual([]);
    console.info(`given back ${givenBackSeconds.toFixed(1)} s after sbatch`);
  } finally {
    await agent.stop();
    await followed.stop();
  }
}

async function checkKeptAlive(slurm: Slurm, stack: LocalStack, section: object, wakeFile: string) {
  const followed = followCycleCloud(stack, slurm.network, ({ Name }, host, address) =>
    slurm.bootNode(Name, host, address, "-b"),
  );
  const { functionsUrl: url } = stack.environment;
  const config = { folder: slurm.network.folder, apply: "reconfigure" };
  const start = () =>
    startSlurmAgent(slurm, stack, {
      section: { ...section, config },
      env: { CCSCALE_URL: url },
      others: { wake_file: wakeFile },
    });
  const cluster = `${url}/api/clusters/${stack.cluster}`;
  const keepAlive = async (on: boolean) => {
    const body = { kind: "keep-alive", by: "ann", reason: "debugging", nodes: { names: ["hpc-1"] }, on };
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${cluster}/actions`, { method: "POST", headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
  };
  const kept = async () => {
    const answer = await fetch(`${cluster}/nodes?name=hpc-*`);
    const { nodes } = (await answer.json()) as {
      nodes: readonly {
        readonly name: string;
        readonly kept: readonly { readonly reason?: string | null }[];
      }[];
    };
    return nodes
      .flatMap(({ name, kept: holds }) => holds.map(({ reason }) => `${name}: ${reason}`))
      .toSorted();
  };
  const spared = async () =>
    /^SuspendExcNodes *= (.*)$/m.exec(await slurm.run("scontrol", "show", "config"))?.[1];
  const there = async () => {
    const names = (await stack.nodes()).map(({ Name }) => Name);
    return names.filter((name) => name.startsWith("hpc-")).toSorted();
  };
  const until = <T>(look: () => Promise<T>, expected: T) =>
    whileItMoves(look, (now) => JSON.stringify(now) === JSON.stringify(expected), watched(slurm, stack));
  const forSlurm = "hpc-2: the scheduler never switches it off (SuspendExcNodes)";
  let agent = await start();
  try {
    const job = await slurm.submit("-p hpc -N3 -n3 --exclusive");
    await until(() => slurm.run("squeue", "--noheader", "--format=%T"), "RUNNING\n");
    await until(kept, [forSlurm]);
    await keepAlive(true);
    await agent.stop();
    agent = await start();
    await until(spared, "hpc-2,hpc-1");
    await slurm.restart();
    await slurm.run("scancel", String(job));
    await until(there, ["hpc-1", "hpc-2"]);
    expect([await spared(), await kept()]).toEqual(["hpc-2,hpc-1", ["hpc-1: debugging", forSlurm]]);

    await keepAlive(false);
    await agent.stop();
    agent = await start();
    await until(there, ["hpc-2"]);
    expect([await spared(), await kept(), followed.problems]).toEqual(["hpc-2", [forSlurm], []]);
  } finally {
    await agent.stop();
    await followed.stop();
  }
}

async function checkReserved(slurm: Slurm, stack: LocalStack, section: object, wakeFile: string) {
  const followed = followCycleCloud(stack, slurm.network, ({ Name }, host, address) =>
    slurm.bootNode(Name, host, address, "-b"),
  );
  const agent = await startSlurmAgent(slurm, stack, {
    section: { ...section, reservation_lead_seconds: 7200 },
    env: { CCSCALE_URL: stack.environment.functionsUrl },
    others: { wake_file: wakeFile },
  });
  const there = async () => (await stack.nodes()).map(({ Name }) => Name).toSorted();
  const states = async () =>
    (await slurm.run("sinfo", "--noheader", "--Node", "--nodes=htc-[1-2],hpc-[1-2]", "--format=%N %T"))
      .split("\n")
      .slice(0, -1);
  const until = <T>(look: () => Promise<T>, expected: T) =>
    whileItMoves(look, (now) => JSON.stringify(now) === JSON.stringify(expected), watched(slurm, stack));
  const times = ["StartTime=now+1hour", "Duration=01:00:00"];
  try {
    await slurm.run(
      "scontrol",
      "create",
      "reservation=early",
      "Users=root",
      "Nodes=htc-[1-2],hpc-[1-2]",
      ...times,
    );
    await until(states, ["hpc-1 idle", "hpc-2 idle~", "htc-1 idle", "htc-2 idle"]);
    await morePasses(stack, passesInIdleness, watched(slurm, stack));
    expect(await there()).toEqual(["hpc-1", "htc-1", "htc-2"]);

    await slurm.run("scontrol", "update", "reservation=early", "StartTime=now");
    for (const partition of ["htc", "hpc"])
      await slurm.submit(`-p ${partition} --reservation=early -N2 -n2 --exclusive`);
    const running = () => slurm.run("squeue", "--noheader", "--sort=i", "--format=%T %N");
    await until(running, "RUNNING htc-[1-2]\nRUNNING hpc-[1-2]\n");
    await slurm.run("scancel", "--user=root");
    await until(there, ["hpc-1", "htc-1", "htc-2"]);
    await morePasses(stack, passesInIdleness, watched(slurm, stack));
    expect(await states()).toEqual(["hpc-1 reserved", "hpc-2 idle~", "htc-1 reserved", "htc-2 reserved"]);

    await slurm.run("scontrol", "delete", "reservation=early");
    await until(there, ["hpc-1"]);
    const { nodes: created } = await stack.simulator.ledger(stack.cluster);
    const names = ["hpc-1", "hpc-2", "htc-1", "htc-2"];
    expect([created.map(({ name }) => name).toSorted(), followed.problems]).toEqual([names, []]);
  } finally {
    await agent.stop();
    await followed.stop();
  }
}
