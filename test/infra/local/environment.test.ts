import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { BlobServiceClient } from "@azure/storage-blob";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runThrough } from "../../faults/run.ts";
import { inTurn, killHost, restartServiceBus, unavailable } from "../../faults/troubles.ts";
import { waves } from "../../faults/workload.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";

const speed = 60;
let stack: LocalStack;

beforeAll(async () => {
  const config = { idle_timeout: 4, boot_timeout: 60, demand_ttl: 60, operation_timeout: 30 };
  stack = await startStack({ config });
});

afterAll(() => stack?.stop());

test("a host killed again and again, an emulator killed, a CycleCloud that answers 503: no node is bought twice, no job loses its node", async () => {
  const { summary, faults } = await runThrough({
    environment: stack.environment,
    // Two waves of four: the second comes while the emulator is down or just back.
    jobs: waves({ count: 2, jobsPerWave: 4, gapSeconds: 12 * speed, runSeconds: 32 * speed }),
    speed,
    trouble: inTurn(killHost(3, [0.5, 3]), restartServiceBus(1), unavailable(0.5, 6)),
    seed: 7,
    timeoutSeconds: 540,
  });
  expect({ faults, done: summary.done }).toEqual({ faults: [], done: 8 });
}, 600_000);

describe("malformed messages", () => {
  const good = {
    version: 1,
    kind: "snapshot",
    cluster: "small-cpu",
    source: "tester",
    sequence: 1,
    sentAt: "2026-11-21T10:00:00Z",
    jobs: [],
  };
  const bad: readonly (readonly [string, string, RegExp])[] = [
    ["not JSON", "}{", /expected a JSON object/],
    ["wrong version", JSON.stringify({ ...good, version: 99 }), /^version: 99/],
    [
      "unknown cluster",
      JSON.stringify({ ...good, cluster: "elsewhere" }),
      /^cluster: "elsewhere", expected one of/,
    ],
    [
      "a job with a negative count, which is set aside",
      JSON.stringify({ ...good, source: "careless", jobs: [{ name: "a", iterations: -4 }] }),
      /iterations: -4/,
    ],
    ["a megabyte of nonsense", JSON.stringify({ ...good, blob: "nonsense.json" }), /expected a JSON object/],
  ];

  test("each is refused or set aside with every problem named, shown in the status, and holds nothing up", async () => {
    const uploads = BlobServiceClient.fromConnectionString(stack.environment.storageConnectionString);
    const container = uploads.getContainerClient("demand-uploads");
    await container.createIfNotExists();
    const nonsense = "x".repeat(2 ** 20);
    await container.getBlockBlobClient("nonsense.json").upload(nonsense, nonsense.length);
    for (const [, text] of bad) await stack.send(Buffer.from(text).toString("base64"));
    // Forgotten base64: as good as encoded when it is JSON, and refused with the same reasons when it is not.
    await stack.send(JSON.stringify({ ...good, version: 98 }));
    await stack.send("neither base64 nor JSON!");
    await stack.send(good);

    const { rejections, demand } = await eventually(
      stack.readStatus,
      (status) =>
        status.rejections.length >= bad.length + 2 &&
        status.demand.some((source) => source.source === "tester"),
    );
    expect(demand).toContainEqual(expect.objectContaining({ source: "tester", sequence: 1, jobs: 0 }));
    const problems = rejections.map((rejection) => rejection.problems.join());
    expect(problems).toContainEqual(expect.stringMatching(/^version: 98/));
    expect(problems).toContainEqual(expect.stringMatching(/neither base64 nor JSON/));
    for (const [, , expected] of bad) expect(problems).toContainEqual(expect.stringMatching(expected));
  });
});

test("the simulator's account agrees: every node was made once, and is gone", async () => {
  const ledger = await stack.simulator.ledger(stack.cluster);
  expect(new Set(ledger.nodes.map((node) => node.nodeId)).size).toBe(ledger.created);
  expect(ledger.nodes.filter((node) => node.terminatedAt === null)).toEqual([]);
});

test("a cluster that is not configured is not found", async () => {
  const response = await fetch(`${stack.environment.functionsUrl}/api/clusters/nowhere/status`);
  expect(response.status).toBe(404);
});

test("the password is in no log", async () => {
  const { folder, environment } = stack;
  const logs = (await readdir(folder)).filter((file) => file.endsWith(".log"));
  expect(logs).toContain("functions-host.log");
  for (const file of logs) {
    const text = await readFile(join(folder, file), "utf8");
    expect(text).not.toContain(environment.account.password);
    expect(text).not.toContain(
      Buffer.from(`${environment.account.username}:${environment.account.password}`).toString("base64"),
    );
  }
});
