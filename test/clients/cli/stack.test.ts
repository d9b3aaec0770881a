import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { QueueClient } from "@azure/storage-queue";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromZip } from "../../../clients/cli/archive/files.ts";
import { examples, wordsOf } from "../../../clients/cli/reference/examples.ts";
import { type Environment, startEnvironment } from "../../../infra/local/environment/environment.ts";
import type { ActionAnswer } from "../../../shared/api/index.ts";
import { ccscale, type Finished } from "./in-process.ts";

const cluster = "small-cpu";
let folder: string;
let local: string;
let environment: Environment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stack-"));
  environment = await startEnvironment({
    clusterFile: join(import.meta.dirname, `../../../infra/local/cyclecloud/clusters/${cluster}.json`),
    cluster,
    config: { idle_timeout: 3600, output_columns: ["name", "state"] },
    speed: 60,
    seed: 7,
    folder,
    snapshotSchedule: "*/1 * * * * *",
  });
  local = join(folder, "environment.json");
  await writeFile(local, JSON.stringify(environment));
  const queue = new QueueClient(environment.storageConnectionString, "job-demand");
  const demand = {
    version: 1,
    kind: "snapshot",
    cluster,
    source: "pbs",
    sequence: 1,
    sentAt: new Date().toISOString(),
    ttlSeconds: 3600,
    jobs: [
      { name: "fits", iterations: 4, constraints: { ncpus: 1 } },
      { name: "huge", constraints: { ncpus: 4096 } },
    ],
  };
  await queue.sendMessage(Buffer.from(JSON.stringify(demand)).toString("base64"));
  await queue.sendMessage(Buffer.from(JSON.stringify({ ...demand, sequence: -2 })).toString("base64"));
  await until(["nodes", "--state", "Ready", "--format", "table-headerless"], ({ stdout }) => stdout !== "");
}, 180_000);

afterAll(async () => {
  await environment?.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = (argv: readonly string[], input: readonly string[] = []) =>
  ccscale([...argv, "--local", local], input);

async function until(argv: readonly string[], isThere: (finished: Finished) => boolean): Promise<Finished> {
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    const finished = await run(argv);
    if (isThere(finished) || Date.now() > giveUpAt) return finished;
    await sleep(200);
  }
}

describe("a running service", () => {
  test.each([
    ["status", ["status"], /^snapshot +\d+s ago$/m],
    ["nodes", ["nodes"], /^NAME +HOSTNAME +STATE/],
    ["buckets", ["buckets"], /^NODEARRAY +VM_SIZE/],
    ["limits", ["limits"], /^LIMIT +SCOPE/],
    ["jobs", ["jobs"], /^huge +pbs +waiting/m],
    ["demand", ["demand"], /^Waiting: 1 jobs$/m],
    ["plans", ["plans"], /^PLAN_ID +MADE/],
    ["a plan", ["plans", "last"], /^plan +\S+$/m],
    ["operations", ["operations"], /create-nodes +visible/],
    ["rejects", ["rejects", "list"], /sequence: -2/],
    ["explain", ["explain", "huge"], /asks for 4096 ncpus/],
    ["validate-constraint", ["validate-constraint", "ncpus=1"], /^Nodes that match: \d+/m],
    [
      "what-if",
      ["what-if", "--job", '{"constraints": {"ncpus": 1}, "iterations": 64}'],
      /more nodes would be created/,
    ],
    ["config show", ["config", "show", "--cluster", cluster], /"idle_timeout": 3600/],
  ])("%s", async (_, argv, expected) => {
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(expected);
  });

  test("history of a node", async () => {
    const { stdout: names } = await run([
      "nodes",
      "--state",
      "Ready",
      "-o",
      "name",
      "--format",
      "table-headerless",
    ]);
    const [name = ""] = names.split("\n");
    const { code, stdout } = await run(["history", name]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^first seen +20/m);
    expect(stdout).toContain("create-nodes");
  });

  const created = async (...more: string[]): Promise<string> => {
    const argv = [
      "create-nodes",
      "--count",
      "1",
      "--nodearray",
      "htc",
      "--reason",
      "test",
      "--format",
      "json",
      ...more,
    ];
    const { stdout } = await run(argv);
    const { actions } = JSON.parse(stdout) as ActionAnswer;
    return actions[0]?.create[0]?.names[0] ?? "";
  };

  /** Until a snapshot shows it: before that nobody can act on it. */
  const isReported = (name: string) =>
    until(
      ["nodes", "-N", name, "--state", "?*", "--format", "table-headerless"],
      ({ stdout }) => stdout !== "",
    );

  test("a node is created and deleted, and seen to be", async () => {
    const create = ["create-nodes", "--count", "1", "--nodearray", "htc", "--wait", "60"];
    expect(await run(create)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/create-nodes .*: visible/),
    });
    const name = await created();
    await isReported(name);
    const deleted = await run(["delete-nodes", "-N", name, "--force", "--wait", "60"], ["y\n"]);
    expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining(": visible") });
  }, 150_000);

  test("a keep-alive node is refused to be deleted", async () => {
    const name = await created("--keep-alive");
    await isReported(name);
    const { stdout, stderr } = await run(["delete-nodes", "-N", name, "--yes", "--force"]);
    expect(stdout + stderr).toMatch(/keep-alive/i);
    const { stdout: nodes } = await run([
      "nodes",
      "-N",
      name,
      "-o",
      "keep_alive",
      "--format",
      "table-headerless",
    ]);
    expect(nodes).toBe("true\n");
  }, 90_000);

  test.each([["keep-alive", ["keep-alive", "on", "-N", "*"], "keep-alive"]])(
    "%s that cannot be done is refused with the reason",
    async (_, argv, words) => {
      const { code, stderr } = await run(argv);
      expect(code).toBe(1);
      expect(stderr.toLowerCase()).toContain(words);
    },
  );

  test.each([
    ["drain"],
    ["undrain"],
    ["start"],
    ["deallocate"],
    ["restart"],
    ["reimage"],
    ["remove-nodes"],
    ["retry-failed"],
    ["ignore"],
    ["unignore"],
  ])("%s says what it would do", async (name) => {
    const { code, stdout, stderr } = await run([name, "-N", "*", "--dry-run"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toBe("");
  });

  test("a support archive holds what is known, opens offline, and holds no secret", async () => {
    const zip = join(folder, "archive.zip");
    const { code, stdout } = await run(["support-archive", "--cluster", cluster, "--output", zip]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Wrote "${zip}"`);
    const files = fromZip(zip, await readFile(zip));
    const names = Object.keys(files);
    for (const name of ["archive", "config", "snapshot", "demand", "operations", "rejects", "plans/index"])
      expect(names).toContain(`${name}.json`);
    const keys = [environment.storageConnectionString, environment.serviceBusConnectionString].map(
      (text) => /Key=([^;]+)/.exec(text)?.[1] ?? "no key",
    );
    const text = JSON.stringify(files);
    for (const secret of [...keys, environment.account.password]) expect(text).not.toContain(secret);
    const offline = await ccscale(["explain", "huge", "--offline", zip]);
    expect(offline.stdout).toContain("asks for 4096 ncpus");
  });

  test("every example of the command page that needs a running service", async () => {
    const lines = Object.values(examples).flatMap((each) => each.filter((example) => example.on === "local"));
    for (const { line } of lines) {
      const output = line.startsWith("support-archive") ? ["--output", join(folder, "example.zip")] : [];
      const { code, stderr } = await ccscale([
        ...wordsOf(line).filter((word) => word !== "--local"),
        "--local",
        local,
        ...output,
      ]);
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
    }
  });

  test("an unknown cluster, and an unknown job, say what to do", async () => {
    const elsewhere = await run(["status", "--cluster", "elsewhere"]);
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No cluster "elsewhere" is configured'),
    });
    const nobody = await run(["explain", "nobody"]);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining("No source wants such a job") });
  });

  test("the address and the only cluster are enough", async () => {
    const { code, stdout } = await ccscale(["status", "--url", environment.functionsUrl]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cluster +small-cpu$/m);
  });
});
