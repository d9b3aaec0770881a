import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseAgentConfig } from "../../../clients/agent/config.ts";
import { gridengine } from "../../../clients/agent/drivers/gridengine/gridengine.ts";
import { pbs } from "../../../clients/agent/drivers/pbs/pbs.ts";
import { slurm } from "../../../clients/agent/drivers/slurm/slurm.ts";
import { ownFolder } from "../../support/own-folder.ts";

const project = join(import.meta.dirname, "../../../clients/schedulers");
const scripts = globSync(["stage.sh", "specs/**/*.sh"], { cwd: project }).sort();

function run(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: project, encoding: "utf8" });
  return { isThere: error === undefined, status, output: `${stdout}${stderr}` };
}

const noPython = run("python3", "--version").isThere ? "" : " (skipped: python3 is not installed)";

describe("the CycleCloud project for Slurm, PBS and Grid Engine", () => {
  test("has scripts for the agent, the schedulers, and nodes of Grid Engine", () => {
    const specs = scripts.flatMap((script) => /^specs\/([\w-]+)\//.exec(script)?.[1] ?? []);
    expect([...new Set(specs)]).toEqual(["agent", "gridengine-node", "gridengine", "pbs", "slurm"]);
  });

  test.skipIf(noPython !== "").each([
    { kind: pbs, section: { node_arrays: { gpu: { resources: { ngpus: 1 } } } } },
    { kind: gridengine, section: { node_arrays: { htc: { slots: 4 } } } },
    { kind: slurm, section: { partitions: { hpc: { colocated: true } } } },
  ])(
    `writes settings that the agent takes, whatever the cluster is called${noPython}`,
    async ({ kind, section }) => {
      const output = ownFolder(onTestFinished)("agent.json");
      const cluster = `Bob's "cluster" $(reboot)`;
      const values = ["--cluster", cluster, "--driver", kind.name, "--section", JSON.stringify(section)];
      const script = "specs/agent/cluster-init/files/write_agent_config.py";
      expect(run("python3", script, ...values, "--output", output)).toMatchObject({ status: 0, output: "" });
      const written: unknown = JSON.parse(await readFile(output, "utf8"));
      expect(parseAgentConfig(written)).toMatchObject({ ok: true, config: { cluster, source: kind.name } });
      expect(written).toMatchObject({ [kind.name]: section });
      expect(kind.configure(section)).toMatchObject({ ok: true });
    },
  );

  test("the manager of a cell with very many managers is found, wherever the list names it", async () => {
    const folder = ownFolder(onTestFinished);
    const bin = folder("bin");
    const common = folder("default/common");
    for (const each of [bin, common]) await mkdir(each, { recursive: true });
    await writeFile(join(common, "settings.sh"), `PATH=${bin}:$PATH\n`);
    const jetpack = `case $2 in gridengine.root) echo ${folder()} ;; ccscale.manager) echo "$MANAGER" ;; *) echo "$3" ;; esac`;
    await writeFile(join(bin, "jetpack"), `#!/bin/bash\n${jetpack}\n`, { mode: 0o755 });
    await writeFile(join(bin, "qconf"), "#!/bin/bash\necho root\nseq 200000\n", { mode: 0o755 });
    const said = (manager: string) =>
      spawnSync("bash", [join(project, "specs/gridengine/cluster-init/scripts/20-gridengine.sh")], {
        env: { PATH: `${bin}:${process.env.PATH}`, MANAGER: manager },
        encoding: "utf8",
      }).stderr;
    expect(said("root")).not.toContain("is no manager");
    expect(said("mallory")).toContain("User mallory is no manager of the cell");
  });
});
