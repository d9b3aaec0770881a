import { readdir, readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { ownFolder } from "../../support/own-folder.ts";
import { archiveOf, busyWorld } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";

const folder = ownFolder(afterEach);
const archive = ownFolder();
beforeAll(async () => {
  await archiveOf(await busyWorld(), archive());
});
const slurmConfig = (argv: readonly string[], input?: readonly string[]) =>
  ccscale(["slurm", "config", "--offline", archive(), ...argv], input);
const main = () => folder("cyclecloud.conf");

describe("slurm config", () => {
  test("prints the files of the cluster", async () => {
    const { code, stdout, stderr } = await slurmConfig([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^### cyclecloud\.conf\n# Written by ccscale/);
    expect(stdout).toMatch(/^NodeName=htc-\[1-\d+\] CPUs=4 /m);
    expect(stdout).toMatch(/^PartitionName=mpi Nodes=mpi-/m);
  });

  test("shows what would change and ends with 1; writes nothing without an answer; writes with one, and then nothing differs", async () => {
    const different = await slurmConfig(["--diff", folder()]);
    expect(different).toMatchObject({ code: 1, stdout: expect.stringContaining("\n+PartitionName=htc ") });
    const unanswered = await slurmConfig(["--write", folder()]);
    expect(unanswered).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was written") });
    expect(unanswered.stdout).toBe(different.stdout);
    expect(await readdir(folder())).toEqual([]);
    const written = await slurmConfig(["--write", folder()], ["y\n"]);
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(`Wrote ${main()}.`) });
    expect(await slurmConfig(["--diff", folder()])).toMatchObject({ code: 0, stdout: "" });
  });

  test("replaces somebody else's file only with its difference shown, and keeps it", async () => {
    await writeFile(main(), "NodeName=mine\n");
    const { code, stdout, stderr } = await slurmConfig(["--write", folder(), "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain("\n-NodeName=mine\n");
    expect(stderr).toContain("written by somebody else");
    for (const end of [".bak", ".orig"])
      expect(await readFile(`${main()}${end}`, "utf8")).toBe("NodeName=mine\n");
  });

  test("writes nothing that Slurm's programs cannot read: they try a copy first", async () => {
    await writeFile(folder("slurm.conf"), "include cyclecloud.conf\n");
    const agent = folder("agent.json");
    await writeFile(
      agent,
      JSON.stringify({ driver: "slurm", slurm: { scontrol: ["sh", folder("scontrol")] } }),
    );
    const scontrol = async (script: string) => {
      await writeFile(folder("scontrol"), script);
      return slurmConfig(["--agent", agent, "--write", folder(), "--yes"]);
    };
    const line = `NodeName=${"htc-1,".repeat(60)}htc-2`;
    const tried = 'grep -q "^PartitionName=htc " "$(dirname "$SLURM_CONF")/cyclecloud.conf" || exit 0; ';
    const refused = await scontrol(`${tried}echo 'scontrol: error: line 3: ${line}' >&2; exit 1`);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Nothing was written: the scheduler cannot read the new ones: scontrol: error: line 3: ${line}`,
      ),
    });
    expect(await readdir(folder())).not.toContain("cyclecloud.conf");
    expect(await scontrol("exit 0")).toMatchObject({ code: 0, stdout: expect.stringContaining("Wrote ") });
  });

  test("where Slurm's programs are not installed, the files are written, with a warning that nothing tried them", async () => {
    await writeFile(folder("slurm.conf"), "include cyclecloud.conf\n");
    const agent = folder("agent.json");
    const scontrol = ["no-such-scontrol"];
    await writeFile(agent, JSON.stringify({ driver: "slurm", slurm: { scontrol } }));
    const written = await slurmConfig(["--agent", agent, "--write", folder(), "--yes"]);
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(`Wrote ${main()}.`) });
    expect(written.stderr).toMatch(
      /^warning: .*: whether Slurm can read .* was not tried: .*no-such-scontrol/m,
    );
  });

  test("without a folder it asks the controller that runs: what differs is shown, and one that cannot be asked is no difference", async () => {
    const agent = folder("agent.json");
    const scontrol = async (script: string) => {
      await writeFile(folder("scontrol"), script);
      const slurm = { scontrol: ["sh", folder("scontrol")] };
      await writeFile(agent, JSON.stringify({ driver: "slurm", slurm }));
      return slurmConfig(["--agent", agent, "--diff"]);
    };
    const answers = `case "$2" in
config) echo "SuspendTime = 300 sec" ;;
nodes) echo "NodeName=htc-1 CPUTot=4 State=IDLE+CLOUD Partitions=htc" ;;
partitions) echo "PartitionName=htc Nodes=htc-1 State=UP" ;;
esac`;
    const different = await scontrol(answers);
    expect(different).toMatchObject({ code: 1, stderr: expect.stringContaining("scontrol reconfigure") });
    expect(different.stdout).toContain("\n-SuspendTime=300\n");
    expect(different.stdout).toContain("\n-NodeName=htc-1 CPUs=4\n");
    expect(different.stdout).toMatch(/\n\+NodeName=htc-\[1-\d+\] CPUs=4 /);
    const away = await scontrol("echo slurmctld is away >&2; exit 1");
    expect(away).toMatchObject({ code: 1, stdout: "" });
    expect(away.stderr).toMatch(/Cannot ask the controller: .*slurmctld is away/);
  });

  test("partitions are as the agent's settings have them; a setting that is none is refused by name", async () => {
    const agent = folder("agent.json");
    const settings = (slurm: object) => writeFile(agent, JSON.stringify({ driver: "slurm", slurm }));
    await settings({ partitions: { work: { node_array: ["htc", "mpi"] } } });
    const { stdout } = await slurmConfig(["--agent", agent]);
    expect(stdout).toMatch(/^PartitionName=work Nodes=htc-\[1-\d+\],mpi-\[1-\d+\] Default=YES/m);
    await settings({ config: { folder: "here" } });
    expect(await slurmConfig(["--agent", agent])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("slurm.config.folder"),
    });
  });
});
