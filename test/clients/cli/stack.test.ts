import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromZip } from "../../../clients/cli/archive/files.ts";
import { examples, wordsOf } from "../../../clients/cli/reference/examples.ts";
import type { ActionAnswer } from "../../../shared/api/index.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { ccscale, type Finished } from "./in-process.ts";

const cluster = "small-cpu";
let stack: LocalStack;

beforeAll(async () => {
  stack = await startStack({ config: { idle_timeout: 3600, output_columns: ["name", "state"] } });
  const jobs = [
    { name: "fits", iterations: 4, constraints: { ncpus: 1 } },
    { name: "huge", constraints: { ncpus: 4096 } },
  ];
  await stack.post(jobs, { ttlSeconds: 3600 });
  await stack.post(jobs, { sequence: -2 });
  await until(["nodes", "--state", "Ready", "--format", "table-headerless"], ({ stdout }) => stdout !== "");
}, 180_000);

afterAll(() => stack?.stop());

const run = (argv: readonly string[], input: readonly string[] = []) =>
  ccscale([...argv, "--local", stack.local], input);

const until = (argv: readonly string[], isThere: (finished: Finished) => boolean): Promise<Finished> =>
  eventually(() => run(argv), isThere);

describe("a running service", () => {
  test.each([
    ["status", ["status"], /^snapshot +\d+s ago$/m],
    ["nodes, with the columns of its configuration", ["nodes"], /^NAME +STATE *$/m],
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

  test("a node that an operator keeps alive is refused to be deleted until that ends", async () => {
    const name = await created();
    await isReported(name);
    const kept = await run(["keep-alive", "on", "-N", name, "--reason", "a look at its disk", "--by", "ann"]);
    expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining(`keep-alive on ${name}`) });
    const refused = await run(["delete-nodes", "-N", name, "--yes", "--force"]);
    expect(refused.stdout).toContain("is kept alive by ann: a look at its disk");
    expect((await run(["status"])).stdout).toMatch(new RegExp(`Kept alive.*${name} +ann`, "s"));
    expect(await run(["keep-alive", "off", "-N", name])).toMatchObject({ code: 0 });
    expect(await run(["delete-nodes", "-N", name, "--yes"])).toMatchObject({ code: 0 });
  }, 90_000);

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
    const zip = join(stack.folder, "archive.zip");
    const { code, stdout } = await run(["support-archive", "--cluster", cluster, "--output", zip]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Wrote "${zip}"`);
    const files = fromZip(zip, await readFile(zip));
    const names = Object.keys(files);
    for (const name of ["archive", "config", "snapshot", "demand", "operations", "rejects", "plans/index"])
      expect(names).toContain(`${name}.json`);
    const keys = [
      stack.environment.storageConnectionString,
      stack.environment.serviceBusConnectionString,
    ].map((text) => /Key=([^;]+)/.exec(text)?.[1] ?? "no key");
    const text = JSON.stringify(files);
    for (const secret of [...keys, stack.environment.account.password]) expect(text).not.toContain(secret);
    const offline = await ccscale(["explain", "huge", "--offline", zip]);
    expect(offline.stdout).toContain("asks for 4096 ncpus");
  });

  test("every example of the command page that needs a running service", async () => {
    const lines = Object.values(examples).flatMap((each) => each.filter((example) => example.on === "local"));
    for (const { line } of lines) {
      const output = line.startsWith("support-archive")
        ? ["--output", join(stack.folder, "example.zip")]
        : [];
      const { code, stderr } = await ccscale([
        ...wordsOf(line).filter((word) => word !== "--local"),
        "--local",
        stack.local,
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
    const { code, stdout } = await ccscale(["status", "--url", stack.environment.functionsUrl]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cluster +small-cpu$/m);
  });

  test("a configuration is pushed, and counts; a long list of jobs is pushed, and taken", async () => {
    const { stdout } = await run(["config", "show"]);
    const file = join(stack.folder, "autoscale.json");
    await writeFile(file, JSON.stringify({ ...JSON.parse(stdout), read_only: true }));
    expect(await run(["config", "push", file, "--yes"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("  read_only: (absent) -> true\nStored the configuration"),
    });
    const jobs = Array.from({ length: 5_000 }, (_, index) => ({
      name: `many-${index}`,
      constraints: { ncpus: 1 },
    }));
    const pushed = await run(["push", "--source", "many", "--ttl", "600"], [JSON.stringify(jobs)]);
    expect(pushed.stdout).toMatch(/^Posted 5000 jobs of source "many"/);
    const isTaken = ({ stdout }: Finished) => /^many +5000 /m.test(stdout);
    const status = await until(["status"], isTaken);
    expect(isTaken(status)).toBe(true);
    expect(status.stdout).toContain("read-only");
  }, 90_000);
});
