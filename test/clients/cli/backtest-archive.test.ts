import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunFigures } from "../../../shared/backtest/index.ts";
import { bucketOf, clusterOf, nodeArrayOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { createWorld } from "../../support/world.ts";
import { archiveOf } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "backtest-archive-"));
  const nodeArrays = [nodeArrayOf({ buckets: [bucketOf({ availableCount: 10 })] })];
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays })));
  const waits = { name: "1", constraints: { ncpus: 1 } };
  const begins = { name: "2", constraints: { ncpus: 1 } };
  const posted = [[waits], [{ ...waits, executingHostnames: ["htc-1"] }, begins], [begins]];
  for (const jobs of posted) {
    await world.post(jobs);
    await world.round();
    world.advance(600);
  }
  await archiveOf(world, folder, { idle_timeout: 120 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const from = (span: string, ...more: readonly string[]) =>
  ccscale(["backtest", "--from-archive", span, "--offline", folder, "--workers", "1", ...more]);

describe("ccscale backtest --from-archive", () => {
  test("runs what the archived plans saw, on the cluster and with the configuration as archived", async () => {
    const { code, stdout, stderr } = await from("7d", "--format", "json", "--vary", "idle_timeout=60,300");
    expect(stderr).toBe("left out: 1 record: it still waits when the archive ends (2)\n");
    expect(code).toBe(0);
    const runs = JSON.parse(stdout) as readonly RunFigures[];
    expect(runs.map(({ setup }) => setup.varied)).toEqual([{ idle_timeout: 60 }, { idle_timeout: 300 }]);
    for (const { jobs, setup, nodes } of runs) {
      expect(jobs).toMatchObject({ submitted: 1, ended: 1 });
      expect(setup.cluster).toBe("hpc");
      expect(nodes.bought).toBe(1);
    }
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
