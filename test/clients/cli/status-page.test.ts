import { beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../../shared/config/index.ts";
import { pauseCluster } from "../../../shared/operate/index.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { cluster, createWorld } from "../../support/world.ts";
import { archiveOf, busyWorld } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";

const root = ownFolder();
let folder: string;
const longName = "x".repeat(256);

/** Many sources, a job with the longest name, and a cluster that is paused. */
beforeAll(async () => {
  const world = await busyWorld();
  await world.post([{ name: longName, constraints: { ncpus: 64 } }], { source: "slurm" });
  for (let index = 0; index < 30; index += 1)
    await world.post([{ name: "1", constraints: { ncpus: 64 } }], { source: `source-${index}` });
  await pauseCluster(world.ports, { cluster, by: "ann", reason: "quota talks" });
  await world.round();
  folder = await archiveOf(world, root("large"));
});

test("a large cluster has 40 lines, and the commands that have the rest; --all has everything", async () => {
  const { stdout } = await ccscale(["status", "--offline", folder]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(lines[0]).toContain("Paused by ann");
  expect(stdout).toContain('more: "ccscale status --all"');
  const all = (await ccscale(["status", "--all", "--offline", folder])).stdout;
  expect(all.split("\n").length).toBeGreaterThan(60);
  expect(all).toContain("source-29");
});

test("a long name is cut, and pads nothing", async () => {
  for (const argv of [["status"], ["status", "--all"]]) {
    const { stdout } = await ccscale([...argv, "--offline", folder]);
    expect(stdout).not.toContain("x".repeat(100));
  }
  const { stdout } = await ccscale(["jobs", "--offline", folder]);
  const [head = "", first = ""] = stdout.split("\n");
  expect(stdout).toContain(longName);
  expect(head.indexOf("SOURCE")).toBeLessThan(20);
  expect(first.length).toBeLessThan(200);
});

test("of a paused cluster no node counts down, and a dry run shows what would be done", async () => {
  const { stdout } = await ccscale(["nodes", "-o", "name,delete_in:-", "--offline", folder]);
  expect(stdout).not.toMatch(/\d+s/);
  expect(stdout).toMatch(/ held/);
});

test("a window that only sets other values is named, and they hold, for as long as it is open", async () => {
  const night = { start: "0 7 * * *", duration: "8h", settings: { idle_timeout: 60, read_only: true } };
  const always = { targets: [{ Name: "htc", SpareCount: 1 }] };
  const config = { schedules: { night, always } };
  const parsed = parseConfig({ cluster, json: { url: "https://x.example", username: "u", ...config } });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const world = createWorld();
  world.configure({ schedules: parsed.config.schedules });
  await world.round();
  const archive = await archiveOf(world, root("night"), config);
  const { stdout } = await ccscale(["status", "--offline", archive]);
  expect(stdout).toContain(
    'Request set "schedule/night" asks for no nodes, and its settings hold: expires in 6h59m.',
  );
  expect(stdout).not.toContain("Nothing is requested any more.");
  expect(stdout).toContain("read_only");
  const explained = await ccscale(["explain", "--target", "htc:spare", "--offline", archive]);
  expect(explained.stdout).toContain("Requested by source autoscale.json at all times.");
});
