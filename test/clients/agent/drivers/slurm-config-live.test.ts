import { expect, test } from "vitest";
import { applyFiles } from "../../../../clients/agent/drivers/slurm/config/apply-files.ts";
import { drawUpFiles } from "../../../../clients/agent/drivers/slurm/config/draw-up-files.ts";
import { nodeKindOf, resourcesOf } from "../../../../clients/agent/drivers/slurm/config/node-kind.ts";
import {
  comparable,
  readsOfController,
} from "../../../../clients/agent/drivers/slurm/config/running-controller.ts";
import { slurmSettingsSchema } from "../../../../clients/agent/drivers/slurm/slurm-settings.ts";
import { slurmIsMissing, startSlurm } from "../../../support/machines/slurm.ts";
import { bucket, partsOf } from "./cluster-parts.ts";
import { DrivenSlurm } from "./driven-slurm.ts";

const testHere = slurmIsMissing === undefined ? test : test.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;

const buckets = (most: number) => [
  bucket({ most }),
  bucket({ nodeArray: "htcspot", spot: true, usdPerHour: 0.05, most: 4 }),
  bucket({
    nodeArray: "gpu",
    vmSize: "Standard_NC24",
    vm: { vcpuCount: 24, pcpuCount: 12, gpuCount: 4, memoryBytes: 224 * 1024 ** 3 },
    most: 2,
  }),
];

testHere(
  `drawn-up files in a real controller: it counts nodes as the files mean them, keeps them away, and takes what changes${reason}`,
  { timeout: 300_000 },
  async () => {
    const section = {
      partitions: { work: { node_array: ["htc", "htcspot"] } },
      config: { folder: "/etc/slurm", topology: "tree" },
    };
    const settings = slurmSettingsSchema.parse(section);
    const drawn = (most: number) => {
      const drawnUp = drawUpFiles(partsOf(buckets(most)), settings);
      if ("refused" in drawnUp) throw new Error(drawnUp.refused);
      return drawnUp.files;
    };
    const textOf = (name: string, most: number) => drawn(most).find((file) => file.name === name)?.text ?? "";
    const conf = (most: number) =>
      `SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n${textOf("cyclecloud.conf", most)}`.replace(
        /^TopologyPlugin=.*$/m,
        "",
      );
    const slurm = await startSlurm({ conf: conf(6), gres: textOf("gres.conf", 6) });
    try {
      const driven = new DrivenSlurm(slurm, section);
      await driven.pass();
      const settled = await driven.pass();
      expect(settled).toMatchObject({ nodes: [], corrections: [], setAside: [] });
      for (const { nodeArray, resources } of settled.shapes ?? []) {
        const kind = nodeKindOf(nodeArray, partsOf(buckets(6)), settings);
        if (kind === undefined || "refused" in kind) throw new Error(`no nodes of ${nodeArray}`);
        expect(resources, nodeArray).toEqual(resourcesOf(kind));
      }
      expect(settled.shapes?.map(({ nodeArray }) => nodeArray)).toEqual(["gpu", "htc", "htcspot"]);

      // What a running controller has, as its files mean it; and what differs when they would be others.
      const compare = async (most: number) => {
        const answers: Record<string, { text: string; exitCode: number }> = {};
        for (const { name, program, args } of readsOfController(settings))
          answers[name] = { text: await slurm.run(program, ...args), exitCode: 0 };
        const files = drawn(most).map(({ name, text }) => ({
          name,
          text: text.replace(/^TopologyPlugin=.*$/m, ""),
        }));
        const compared = comparable(files, answers, settings);
        if ("unreadable" in compared) throw new Error(compared.unreadable);
        return compared;
      };
      const alike = await compare(6);
      expect(alike.running.replace("GresTypes=gpu,nvme", "GresTypes=gpu")).toBe(alike.wanted);
      const others = await compare(8);
      expect(others.running).toContain("NodeName=htc-[1-6] ");
      expect(others.wanted).toContain("NodeName=htc-[1-8] ");

      const states = async () =>
        new Set((await slurm.run("sinfo", "--noheader", "-N", "--format=%T")).trim().split(/\s+/));
      const isAway = async () => {
        await driven.pass();
        return [...(await states())].every((state) => state.startsWith("down"));
      };
      expect(await isAway()).toBe(true);

      // The features of the files mean something without a word in the settings.
      await slurm.submit("-p work -n 1 --mem=1G -C spot");
      await slurm.submit("-p work -n 1 --mem=1G -C htc");
      await slurm.submit("-p gpu --gres=gpu:2 --mem=1G");
      const { jobs } = await driven.pass();
      expect(jobs.map(({ constraints }) => [constraints].flat()[0]?.["node.nodearray"])).toEqual([
        "htcspot",
        "htc",
        "gpu",
      ]);

      const decide = async (most: number) => {
        const { reads, apply, whyNotNow } = applyFiles(settings);
        const answers: Record<string, { text: string; exitCode: number }> = {};
        for (const { name, program, args } of reads)
          answers[name] = { text: await slurm.run(program, ...args), exitCode: 0 };
        const kept = whyNotNow(drawn(most), answers);
        return kept === undefined ? apply(drawn(most), answers) : { kept };
      };
      const same = await decide(6);
      expect(same).toHaveProperty("command");
      if ("command" in same) await slurm.run(same.command.program, ...same.command.args);
      expect(await isAway()).toBe(true);

      // A controller before 23.11 ends when it reads files with new names, so the agent does not ask it to.
      const more = await decide(9);
      const { version } = JSON.parse(await slurm.run("sinfo", "--json")).meta.Slurm;
      if (Number(version.major) < 23)
        expect(more).toEqual({ refused: expect.stringContaining("does not know 3 of the nodes") });
      await slurm.restart((before) =>
        before.replace("htc-[1-6]", "htc-[1-9]").replace("htc-[1-6]", "htc-[1-9]"),
      );
      expect(await isAway()).toBe(true);
      expect(await decide(9)).toHaveProperty("command");

      // A name that would go and has a job, running or suspended: neither the files nor the controller change.
      await slurm.bootNode("htc-8", "ip-8", "10.0.0.8");
      await driven.send("node-joined", [{ name: "htc-8", hostname: "ip-8" }]);
      const job = String(await slurm.submit("-p work -n 1 --mem=1G -w htc-8"));
      const stateIs = (state: string) => async () =>
        (await slurm.run("squeue", "--noheader", `--jobs=${job}`, "--format=%T")).trim() === state;
      await driven.until(stateIs("RUNNING"));
      const goes = { kept: expect.stringContaining("htc-8 would go and has a job") };
      expect(await decide(6)).toEqual(goes);
      await slurm.run("scontrol", "suspend", job);
      await driven.until(stateIs("SUSPENDED"));
      expect(await decide(6)).toEqual(goes);
    } finally {
      await slurm.stop();
    }
  },
);
