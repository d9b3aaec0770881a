import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSbatch } from "../../../clients/cli/slurm/sbatch-options.ts";
import { splitWords } from "../../../shared/text/shell-word.ts";
import { nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { builtCcscale } from "../../support/local-stack.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../../support/machines/slurm.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { worldWith } from "../../support/world.ts";
import { archiveOf } from "./archived-world.ts";

const describeHere = slurmIsMissing === undefined ? describe : describe.skip;
const root = join(import.meta.dirname, "../../..");
const filterName = "cli_filter.lua";

/** Nodes of four cpus, one of which is there and idle. */
const conf =
  "CliFilterPlugins=lua\nNodeName=htc-[1-4] CPUs=4 RealMemory=7000 Gres=gpu:1 State=CLOUD\nPartitionName=htc Nodes=ALL Default=YES State=UP\n";

describeHere("examples/slurm/cli_filter.lua with a real sbatch", { timeout: 240_000 }, () => {
  const folder = ownFolder();
  let slurm: Slurm;

  beforeAll(async () => {
    const nodes = [nodeOf({ name: "htc-1" })];
    const world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
    await world.snapshot();
    await archiveOf(world, folder("archive"));
    slurm = await startSlurm({ conf, gres: "NodeName=htc-[1-4] Name=gpu Count=1 File=/dev/null\n" });
  }, 240_000);

  afterAll(async () => {
    await slurm.stop();
  });

  /** What sbatch prints, with this in place of `timeout 5 ccscale quote`. */
  async function submit(command: string, options: string): Promise<string> {
    const text = await readFile(join(root, "examples/slurm", filterName), "utf8");
    const usual = "timeout 5 ccscale quote";
    expect(text).toContain(`"${usual}"`);
    await writeFile(join(slurm.network.folder, filterName), text.replace(usual, command));
    return slurm.run("sh", "-c", `sbatch --output=/dev/null --chdir=/tmp ${options} --wrap 'sleep 1' 2>&1`);
  }

  test("the quote is printed, and the job is submitted", async () => {
    const ccscale = `${process.execPath} ${builtCcscale} quote --offline ${folder("archive")} --cluster hpc`;
    const printed = await submit(ccscale, "-n 4 --mem=1G -t 1:00:00");
    expect(printed).toMatch(/as it is +1 Standard_F4s_v2 in htc +0s +1h +\S+ +0\.19 USD/);
    expect(printed).toMatch(/Submitted batch job \d+/);
  });

  test("what was asked for reaches it as one argument that it can read, whatever stands in it", async () => {
    const options = `-J "it's \\"so\\"" -N 2-3 --exclusive --gres=gpu:1 --array=1-3 --no-requeue --mem=0 -O -k`;
    const [printed = "", ...rest] = (await submit("printf '%s\\\\n'", options))
      .split("\n")
      .filter((line) => line.startsWith("sbatch "));
    expect(rest).toEqual([]);
    const words = splitWords(printed.slice("sbatch ".length)) ?? [];
    expect(readSbatch(words)).toEqual({
      ok: true,
      script: undefined,
      options: {
        jobName: `it's "so"`,
        nodes: { least: 2, most: 3 },
        exclusive: "node",
        gres: "gres:gpu:1",
        array: "1-3",
        requeue: false,
        mem: 0,
        overcommit: true,
      },
    });
  });

  test.each([
    ["is not there", "/no/such/ccscale"],
    ["fails", "sh -c 'echo broken; exit 1' x"],
    ["does not end in time", "timeout 0.2 sleep 60 #"],
  ])("a ccscale that %s holds no job up", async (_, command) => {
    expect(await submit(command, "-n 1")).toMatch(/Submitted batch job \d+/);
  });
});
