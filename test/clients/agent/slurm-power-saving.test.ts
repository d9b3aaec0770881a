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
import { whileItMoves } from "../../support/machines/agent.ts";
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

/** Slurm's lines have one node more than CycleCloud gives. */
const linesOfHpc = 4;
const mostOfHpc = 3;

describeHere(`nodes that Slurm powers up and down by name${reason}`, { timeout: 600_000 }, () => {
  test("its jobs get exactly the nodes that Slurm chose, one without room is given back at once, idle machines go", async () => {
    const folder = await mkdtemp(join(tmpdir(), "power-"));
    try {
      const program = join(folder, "wake-agent");
      await writeFile(program, `#!/bin/sh\nCCSCALE_WAKE_FILE=${folder}/wake exec ${wakeAgent} "$@"\n`);
      await chmod(program, 0o755);
      await run(program, ["hpc-[1-2]"]);
      expect(existsSync(join(folder, "wake"))).toBe(true);
      const hpc = { mode: "power-saving", options: { SuspendTime: "6", SuspendTimeout: "10" } };
      const section = { partitions: { hpc, htc: {} }, power_program: program };
      const parts = partsOf([bucket({ most: 2 }), bucket({ nodeArray: "hpc", most: linesOfHpc })]);
      const drawn = drawUpFiles(parts, slurmSettingsSchema.parse(section));
      if ("refused" in drawn) throw new Error(drawn.refused);
      const [{ text } = { text: "" }] = drawn.files;
      const slurm = await startSlurm({
        conf: "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nInclude cyclecloud.conf\n",
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
          { config: { idle_timeout: 1200, boot_timeout: 1200 } },
          (stack) => checkOn(slurm, stack, section, join(folder, "wake")),
        );
      } finally {
        await slurm.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function checkOn(slurm: Slurm, stack: LocalStack, section: object, wakeFile: string): Promise<void> {
  const followed = followCycleCloud(stack, slurm.network, ({ Name }, host, address) =>
    slurm.bootNode(Name, host, address, "-b"),
  );
  // Before the agent's first pass Slurm puts it on a node of the planner that is not there.
  const planned = await slurm.submit("-p htc -n 1");
  const isOnItsWay = async () => (await slurm.run("squeue", "--noheader", "--format=%T")).trim();
  await whileItMoves(isOnItsWay, (state) => state === "CONFIGURING");
  const agent = await startSlurmAgent(slurm, stack, {
    section,
    env: { CCSCALE_URL: stack.environment.functionsUrl },
    others: { wake_file: wakeFile },
  });
  const lines = async (...args: readonly string[]) =>
    (await slurm.run("squeue", "--noheader", "--format=%A %T %N", ...args)).split("\n").filter(Boolean);
  const namesOf = async (array: string) =>
    (await stack.nodes())
      .map(({ Name }) => Name)
      .filter((name) => name.startsWith(`${array}-`))
      .sort();
  try {
    const named = await slurm.submit("-p hpc -N2 -n2 --exclusive");
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

    await slurm.run("scancel", String(named), String(tooLarge));
    await whileItMoves(
      () => namesOf("hpc"),
      (names) => names.length === 0,
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
