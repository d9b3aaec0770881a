import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { handlerOf } from "../../support/http-handlers.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { cluster } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";

let server: ApiServer;

beforeAll(async () => {
  served.renew();
  await served.world.round();
  server = await serveApi({ autoscale: handlerOf("autoscale"), usage: handlerOf("usage") });
});

afterAll(() => server?.stop());

const autoscale = (...argv: string[]) =>
  ccscale(["autoscale", "--name", "htc", ...argv, "--url", server.url, "--cluster", cluster]);

test("a dry run says what was understood and what would be done; nothing is asked for", async () => {
  const { code, stdout, stderr } = await autoscale("--instancecount", "2", "--dry-run");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain('Request set "standard" would hold for 5m:');
  expect(stdout).toContain("Would create 2 more nodes and start 0 more.");
  expect(stdout).toMatch(/create 2 Standard_\w+ of htc/);
  expect(await served.world.ports.targets.list(cluster)).toEqual([]);
});

test("what cannot be met is said with its reasons", async () => {
  const { stdout } = await autoscale("--instancecount", "100000", "--dry-run");
  expect(stdout).toMatch(/htc: \d+ of 100000 nodes/);
});

test("GPUs are asked for as such", async () => {
  const { code, stdout } = await autoscale("--gpucount", "4", "--dry-run");
  expect(code).toBe(0);
  expect(stdout).toContain("htc/Standard_F4s_v2: the VM size has no GPUs.");
});

test("without it the wish is taken", async () => {
  const { stdout } = await autoscale("--instancecount", "2");
  expect(stdout).toContain('Request set "standard" holds for 5m:');
  expect(stdout).not.toContain("Would");
  expect(await served.world.ports.targets.list(cluster)).toHaveLength(1);
});

const misspelt = ["--name", "htcc", "--instancecount", "2"];
const warning =
  'warning: request set "standard": htcc: the cluster has no node array "htcc", expected one of htc; did you mean "htc"?';

test("a dry run of a node array that the cluster has not fails, with the name that may be meant", async () => {
  const before = await served.world.ports.targets.list(cluster);
  const { code, stderr } = await autoscale(...misspelt, "--dry-run");
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(warning) });
  expect(await served.world.ports.targets.list(cluster)).toEqual(before);
});

test.each([[[]], [["--format", "json"]]])(
  "without it the wish is taken %j, since the array may come yet, and stderr warns",
  async (flags) => {
    const { code, stderr } = await autoscale(...misspelt, ...flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(warning) });
    expect(stderr).toContain("The request replaces the set's earlier one");
    const [set] = await served.world.ports.targets.list(cluster);
    expect(set?.arrays).toMatchObject([{ Name: "htcc" }]);
  },
);

test("a set that asks for nothing any more is told in a sentence, without a table", async () => {
  const file = ownFolder(onTestFinished)("arrays.json");
  await writeFile(file, "[]");
  const { code, stdout } = await ccscale([
    ...["autoscale", "--file", file, "--url", server.url, "--cluster", cluster],
  ]);
  expect(code).toBe(0);
  expect(stdout).toBe('Request set "standard" wants nothing: nodes without other demand may be deleted.\n');
});

test("usage: CycleCloud's account by node array, the whole cluster last", async () => {
  const flags = ["--url", server.url, "--cluster", cluster, "--format", "csv"];
  const { code, stdout } = await ccscale(["usage", "--timeframe", "lastMonth", ...flags]);
  expect({ code, calls: served.world.cycleCloud.calls.at(-1) }).toEqual({
    code: 0,
    calls: "usage lastMonth",
  });
  expect(
    stdout
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(",").slice(2)),
  ).toEqual([
    ["name", "category", "core_hours", "cost"],
    ["htc", "nodearray", "12.5", ""],
    ["all", "cluster", "12.5", ""],
  ]);
  expect(await ccscale(["usage", "--from", "2026-11-01T00:00:00Z", ...flags])).toMatchObject({ code: 2 });
});
