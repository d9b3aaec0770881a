import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseAgentConfig } from "../../../clients/agent/config.ts";
import { ownFolder } from "../../support/own-folder.ts";

const project = join(import.meta.dirname, "../../../clients/celery");
const scripts = globSync(["stage.sh", "specs/**/*.sh"], { cwd: project }).sort();

function run(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: project, encoding: "utf8" });
  return { isThere: error === undefined, status, output: `${stdout}${stderr}` };
}

const noPython = run("python3", "--version").isThere ? "" : " (skipped: python3 is not installed)";

describe("the CycleCloud project", () => {
  test("has scripts for broker, workers and both", () => {
    const specs = scripts.flatMap((script) => /^specs\/(\w+)\//.exec(script)?.[1] ?? []);
    expect(new Set(specs)).toEqual(new Set(["broker", "default", "worker"]));
  });

  test.skipIf(noPython !== "")(
    `writes settings that the agent takes, whatever the cluster is called${noPython}`,
    async () => {
      const output = ownFolder(onTestFinished)("agent.json");
      const cluster = `Bob's "cluster" $(reboot)`;
      const values = ["--cluster", cluster, "--source", "celery", "--minimum", "8", "--buffer", "0"];
      const script = "specs/broker/cluster-init/files/write_agent_config.py";
      expect(run("python3", script, ...values, "--output", output)).toMatchObject({ status: 0 });
      const parsed = parseAgentConfig(JSON.parse(await readFile(output, "utf8")));
      expect(parsed).toMatchObject({ ok: true, config: { cluster, source: "celery" } });
    },
  );

  test("its template names this project's specs and version, and declares every parameter that it uses", async () => {
    const template = await readFile(join(project, "templates/celery.txt"), "utf8");
    const ini = await readFile(join(project, "project.ini"), "utf8");
    const [name, version] = ["name", "version"].map(
      (key) => new RegExp(`^${key} = (.*)$`, "m").exec(ini)?.[1] ?? "",
    );
    const specs = [...template.matchAll(/\[\[\[cluster-init ([^\]]+)\]\]\]/g)].map(([, spec]) => spec);
    expect(specs).toEqual(["default", "broker", "worker"].map((spec) => `${name}:${spec}:${version}`));
    const used = [...template.matchAll(/= \$(\w+)/g)].map(([, parameter]) => parameter ?? "");
    const declared = [...template.matchAll(/\[\[\[parameter (\w+)\]\]\]/g)].map(([, parameter]) => parameter);
    expect(new Set(used)).toEqual(new Set(declared));
  });

  test("what its scripts ask jetpack for is set by the template, or has a default", async () => {
    const template = await readFile(join(project, "templates/celery.txt"), "utf8");
    for (const script of scripts) {
      const text = await readFile(join(project, script), "utf8");
      for (const [, key, fallback] of text.matchAll(/jetpack config (ccscale\.\S+?)( [^)]+)?\)/g)) {
        expect(fallback !== undefined || template.includes(`${key} = `), `${key} of ${script}`).toBe(true);
      }
    }
  });
});
