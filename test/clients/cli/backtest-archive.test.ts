import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { RunFigures } from "../../../shared/backtest/index.ts";
import { bucketOf, nodeArrayOf } from "../../support/cluster.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { worldWith } from "../../support/world.ts";
import { archiveOf } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";

const folder = ownFolder();
beforeAll(async () => {
  const nodeArrays = [nodeArrayOf({ buckets: [bucketOf({ availableCount: 10 })] })];
  const world = worldWith({ nodeArrays });
  const waits = { name: "1", constraints: { ncpus: 1 } };
  const begins = { name: "2", constraints: { ncpus: 1 } };
  const posted = [[waits], [{ ...waits, executingHostnames: ["htc-1"] }, begins], [begins]];
  for (const jobs of posted) {
    await world.post(jobs);
    await world.round();
    world.advance(600);
  }
  await archiveOf(world, folder("archive"), { idle_timeout: 120 });
});

const from = (span: string, ...more: readonly string[]) =>
  ccscale(["backtest", "--from-archive", span, "--offline", folder("archive"), "--workers", "1", ...more]);

describe("ccscale backtest --from-archive", () => {
  test("runs what the archived plans saw, on the cluster and with the configuration as archived", async () => {
    const { code, stdout, stderr } = await from("7d", "--format", "json", "--vary", "idle_timeout=60,300");
    expect(stderr.split("\n")).toEqual([
      "left out: 1 record: it still waits when the archive ends (2)",
      expect.stringMatching(/^The simulator's usual boot times .*fewer than 3 boots .*: htc\//),
      "",
    ]);
    expect(code).toBe(0);
    const runs = JSON.parse(stdout) as readonly RunFigures[];
    expect(runs.map(({ setup }) => setup.varied)).toEqual([{ idle_timeout: 60 }, { idle_timeout: 300 }]);
    for (const { jobs, setup, nodes } of runs) {
      expect(jobs).toMatchObject({ submitted: 1, ended: 1 });
      expect(setup.cluster).toBe("hpc");
      expect(nodes.bought).toBe(1);
    }
  });

  test("nodes boot, and fail to, as the archive remembers them", async () => {
    const recorded = folder("with-history");
    await cp(folder("archive"), recorded, { recursive: true });
    const { takenAtSeconds } = JSON.parse(await readFile(join(recorded, "archive.json"), "utf8"));
    const [{ nodeArray, vmSize }] = JSON.parse(await readFile(join(recorded, "history.json"), "utf8"));
    const rows = [200, 777, 777, 777].map((seconds, index) => ({
      nodeId: `n${index}`,
      name: `htc-${index}`,
      hostname: null,
      instanceId: null,
      nodeArray,
      vmSize,
      createdSeconds: takenAtSeconds - 5_000,
      readySeconds: takenAtSeconds - 5_000 + seconds,
      lastMatchSeconds: null,
      deletedSeconds: takenAtSeconds - 100,
    }));
    await writeFile(join(recorded, "history.json"), JSON.stringify(rows));
    const of = ["--offline", recorded, "--format", "json", "--workers", "1"];
    const { stdout, stderr } = await ccscale(["backtest", "--from-archive", "7d", ...of]);
    const [run] = JSON.parse(stdout) as readonly RunFigures[];
    expect(stderr).toContain(
      `Boot times and failures as the service recorded them in the last 7 days: ${nodeArray}/${vmSize} (4 boots, 0 failed, median 12m57s).`,
    );
    expect(run?.setup.boots).toEqual([expect.stringContaining("median 12m57s")]);
    expect([200, 777]).toContain(run?.nodes.bootSeconds?.max);
    // A snapshot alone says so, too.
    const jobs = join(recorded, "jobs-to-run.txt");
    await writeFile(jobs, JSON.stringify([{ name: "a", runSeconds: 60 }]));
    const config = ["--config", join(recorded, "config.json"), "--format", "json"];
    const seen = await ccscale(["backtest", "--trace", jobs, "--snapshot", recorded, ...config]);
    expect(seen.stderr).toContain("median 12m57s");
  });

  test.each([
    [["backtest", "--from-archive", "week"], "expected days or hours such as 7d or 12h"],
    [["backtest", "--from-archive", "7d", "--trace", "a.swf"], "cannot be used with"],
  ])("%j is refused", async (argv, says) => {
    const { code, stderr } = await ccscale(argv);
    expect(code).not.toBe(0);
    expect(stderr).toContain(says);
  });
});
