import { expect, test } from "vitest";
import { drawUpFiles } from "../../../clients/agent/drivers/slurm/config/draw-up-files.ts";
import { slurmSettingsSchema } from "../../../clients/agent/drivers/slurm/slurm-settings.ts";
import type { LocalStack } from "../../support/local-stack.ts";
import { whileItMoves } from "../../support/machines/agent.ts";
import { onCluster } from "../../support/machines/cluster-of-arrays.ts";
import { followCycleCloud } from "../../support/machines/follow-cyclecloud.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../../support/machines/slurm.ts";
import { startSlurmAgent, usedBy, watched } from "../../support/machines/slurm-agent.ts";
import { bucket, partsOf } from "./drivers/cluster-parts.ts";

const testHere = slurmIsMissing === undefined ? test : test.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;
const section = { partitions: { htc: { nodes: "dynamic" } } };

testHere(
  `nodes that slurm.conf does not name: jobs wait without one, run on what was bought, and the records go with the machines${reason}`,
  { timeout: 600_000 },
  async () => {
    const drawn = drawUpFiles(partsOf([bucket({ most: 12 })]), slurmSettingsSchema.parse(section));
    if ("refused" in drawn) throw new Error(drawn.refused);
    const [{ text } = { text: "" }] = drawn.files;
    const slurm = await startSlurm({
      conf: "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nInclude cyclecloud.conf\n",
      files: { "cyclecloud.conf": text },
    });
    try {
      const nodearrays = [
        {
          name: "htc",
          machineTypes: ["Standard_D4s_v5"],
          maxCount: 12,
          configuration: { autoscale: { enabled: true } },
        },
      ];
      const config = { idle_timeout: 5, boot_timeout: 1200 };
      const [, conf = ""] = /^NodeName=htc-0 (.*) State=CLOUD$/m.exec(text) ?? [];
      await onCluster({ nodearrays }, { config }, (stack) => checkOn(slurm, stack, conf));
    } finally {
      await slurm.stop();
    }
  },
);

async function checkOn(slurm: Slurm, stack: LocalStack, conf: string): Promise<void> {
  // Without -b: it sets the boot a second after the first answer, and a controller that starts again takes that for a reboot and requeues jobs.
  const followed = followCycleCloud(stack, slurm.network, ({ Name }, host, address) =>
    slurm.bootNode(Name, host, address, "-Z", "--conf", conf),
  );
  const agent = await startSlurmAgent(slurm, stack, { section });
  const states = async () => (await slurm.run("squeue", "--noheader", "--array", "--format=%A %T %r")).trim();
  const records = async () =>
    (await slurm.run("sinfo", "--noheader", "--Node", "--format=%N")).trim().split(/\s+/).toSorted();
  const machines = async () => (await stack.nodes()).map(({ Name }) => Name).toSorted();
  try {
    // Two nodes, two whole nodes, one node and two tasks of an array: 7 nodes of 4 CPUs.
    const ids = [
      await slurm.submit("-N2 -n8"),
      await slurm.submit("-n8 --exclusive"),
      await slurm.submit("-n4 -C htc"),
      await slurm.submit("--array=1-2 -n4 -C Standard_D4s_v5"),
    ];
    await whileItMoves(
      states,
      (now) => now.split("\n").every((line) => line.includes("RUNNING")),
      watched(slurm, stack),
    );
    expect(await usedBy(slurm, ids)).toEqual([2, 2, 1, 2]);
    const bought = await machines();
    expect(bought).toHaveLength(7);
    expect(await records()).toEqual(["htc-0", ...bought].toSorted());

    // Jobs and records outlive the controller.
    await slurm.restart();
    expect(await records()).toEqual(["htc-0", ...bought].toSorted());
    expect((await states()).split("\n").every((line) => line.includes("RUNNING"))).toBe(true);

    // Idle machines go, and their records; a job keeps its own.
    const [first = 0, ...others] = ids;
    await slurm.run("scancel", ...others.map(String));
    await whileItMoves(machines, (names) => names.length === 2, watched(slurm, stack));
    await whileItMoves(records, (names) => names.length === 3, watched(slurm, stack));
    expect(await records()).toEqual(["htc-0", ...(await machines())]);
    expect(await usedBy(slurm, [first])).toEqual([2]);
    expect(followed.problems).toEqual([]);
  } finally {
    await agent.stop();
    await followed.stop();
  }
}
