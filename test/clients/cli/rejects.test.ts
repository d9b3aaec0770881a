import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { ClusterStatus } from "../../../shared/api/index.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { ccscale } from "./in-process.ts";

const cluster = "small-cpu";
let stack: LocalStack;

beforeAll(async () => {
  stack = await startStack();
  await postBadMessages();
});

afterAll(() => stack?.stop());

afterEach(() => vi.unstubAllEnvs());

const demand = {
  version: 1,
  kind: "snapshot",
  cluster,
  source: "pbs",
  sequence: 5,
  // All of it is refused: a bad job alone would be set aside.
  sentAt: "b\u001b[2J\u009b",
  ttlSeconds: -4,
  jobs: [{ name: "a", iterations: 4 }],
};
const planRequest = { version: 1, cluster, reason: "test", atSeconds: "no number" };
const action = { version: 1, cluster, actionId: "a-1", kind: "reboot-nodes" };

/** One that is refused, two that the broker gives up. */
async function postBadMessages(): Promise<void> {
  await stack.send(demand);
  const bus = new ServiceBusClient(stack.environment.serviceBusConnectionString);
  const sessionId = `cluster:${cluster}`;
  await bus
    .createSender("plan-requests")
    .sendMessages({ body: planRequest, sessionId, messageId: "bad-plan" });
  await bus.createSender("scale-actions").sendMessages({ body: action, sessionId, messageId: "bad-action" });
  await bus.close();
  await eventually(stack.readStatus, ({ rejections }) => rejections.length === 3);
}

async function rejected(queue: string): Promise<ClusterStatus["rejections"][number]> {
  const { rejections } = await stack.readStatus();
  const found = rejections.find((rejection) => rejection.queue === queue);
  if (found === undefined) throw new Error(`nothing of ${queue} was rejected`);
  return found;
}

const rejects = (argv: readonly string[], input: readonly string[] = []) =>
  ccscale(["rejects", ...argv, "--local", stack.local], input);

const right = { sentAt: "2026-11-21T10:00:00Z", ttlSeconds: 900 };

async function fixedFile(changed: object): Promise<string> {
  const file = join(stack.folder, "fixed.json");
  await writeFile(file, JSON.stringify({ ...demand, ...right, ...changed }));
  return file;
}

describe("rejects list", () => {
  test("all queues, newest first, as a table that no message can write over", async () => {
    const { code, stdout } = await rejects(["list"]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +RECEIVED +KIND +CLUSTER +SOURCE +QUEUE +REPLAYED +PROBLEM$/);
    expect(lines).toHaveLength(4);
    expect(stdout).toMatch(/bad-action .* dead-letter +small-cpu +- +scale-actions +- +message: given up/);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  test("as JSON, with a limit, of one cluster", async () => {
    const { stdout } = await rejects(["list", "--format", "json", "--limit", "2", "--cluster", cluster]);
    expect(JSON.parse(stdout)).toHaveLength(2);
    const none = await rejects(["list", "--cluster", "elsewhere"]);
    expect(none.stderr).toContain('No cluster "elsewhere" is configured');
  });
});

describe("rejects show", () => {
  test("every problem and the whole message", async () => {
    const { rejectionId } = await rejected("job-demand");
    const { code, stdout } = await rejects(["show", rejectionId]);
    expect(code).toBe(0);
    expect(stdout).toContain("  - sentAt: ");
    expect(stdout).toContain("  - ttlSeconds: -4, ");
    expect(stdout).toContain('  "ttlSeconds": -4');
    expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    const { stdout: json } = await rejects(["show", rejectionId, "--format", "json"]);
    expect(JSON.parse(JSON.parse(json).message)).toEqual(demand);
  });

  test("an id that nobody has", async () => {
    const { code, stderr } = await rejects(["show", "nobody's"]);
    expect(code).toBe(1);
    expect(stderr).toContain('No rejected message "nobody\'s" is kept');
  });
});

describe("rejects replay", () => {
  test("a message that is still wrong is refused with every problem, and nothing is sent", async () => {
    const { rejectionId } = await rejected("job-demand");
    const { code, stderr } = await rejects(["replay", rejectionId, "--yes"]);
    expect(code).toBe(1);
    expect(stderr).toContain("  - ttlSeconds: -4, ");
    expect((await rejected("job-demand")).replayedAtSeconds).toBeUndefined();
  });

  test.each([["n\n"], [""]])("the answer %j sends nothing", async (answer) => {
    const { rejectionId } = await rejected("job-demand");
    const file = await fixedFile({});
    const { code, stdout, stderr } = await rejects(["replay", rejectionId, "--file", file], [answer]);
    expect(code).toBe(1);
    expect(stdout).toBe(
      'Would post snapshot 5 of source "pbs", sent 2026-11-21T10:00:00Z, with 1 job, for cluster "small-cpu".\n',
    );
    expect(stderr).toContain("Nothing was sent.");
  });

  test("a plan request asks for a plan", async () => {
    const beforeSeconds = Date.now() / 1000;
    const { code } = await rejects(["replay", "bad-plan", "--yes"]);
    expect(code).toBe(0);
    // Asked in the window of another request it is one with that, and the plan carries the other's reason.
    const isNewer = (plan: { readonly atSeconds: number }) => plan.atSeconds >= beforeSeconds;
    const { plans } = await eventually(stack.readStatus, (status) => status.plans.some(isNewer));
    expect(plans.some(isNewer)).toBe(true);
  });

  test("a fixed message takes effect, is remembered, and does not take effect twice", async () => {
    const { rejectionId } = await rejected("job-demand");
    const argv = ["replay", rejectionId, "--file", await fixedFile({})];
    expect(await rejects(argv, ["y\n"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Posted snapshot 5/m),
    });
    const { demand: sources } = await eventually(stack.readStatus, (status) => status.demand.length > 0);
    expect(sources).toMatchObject([{ source: "pbs", sequence: 5, jobs: 1 }]);
    expect((await rejected("job-demand")).replayedAtSeconds).toBeGreaterThan(0);
    const { code, stderr } = await rejects([...argv, "--yes"]);
    expect(code).toBe(1);
    expect(stderr).toContain('sequence: 5, expected above 5, which source "pbs" has posted since');
  });

  test.each([
    ["a delta that skips a number", { kind: "delta", sequence: 8 }, "sequence: 8 of a delta, expected 6"],
    ["a delta of a new source", { kind: "delta", source: "new" }, "expected a snapshot first"],
    ["another cluster", { cluster: "elsewhere" }, 'cluster: "elsewhere", expected one of small-cpu'],
    ["too large for the queue", { sequence: 9, padding: "x".repeat(66_000) }, "<=65536 characters"],
    ["a blob that is not there", { sequence: 9, blob: "gone.json" }, 'blob: "gone.json", expected'],
  ])("a fixed message: %s is refused", async (_case, changed, words) => {
    const { rejectionId } = await rejected("job-demand");
    const file = await fixedFile(changed);
    const { code, stderr } = await rejects(["replay", rejectionId, "--yes", "--file", file]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
  });

  test("an action is refused, because plans make new ones", async () => {
    const { code, stderr } = await rejects(["replay", "bad-action", "--yes"]);
    expect(code).toBe(1);
    expect(stderr).toContain("the next plan makes what is still right");
  });

  test("a file in place of a plan request is refused", async () => {
    const { stderr } = await rejects(["replay", "bad-plan", "--yes", "--file", await fixedFile({})]);
    expect(stderr).toContain("expected a demand message to fix");
  });
});

describe("rejects: where the service is", () => {
  test("the settings of the app lead there too", async () => {
    vi.stubEnv("AutoscaleStorage", stack.environment.storageConnectionString);
    const { code, stdout } = await ccscale(["rejects", "list", "--storage"]);
    expect(code).toBe(0);
    expect(stdout).toContain("bad-plan");
  });

  test("no settings", async () => {
    const { code, stderr } = await ccscale(["rejects", "list", "--storage"]);
    expect(code).toBe(1);
    expect(stderr).toContain("AutoscaleStorage__accountName is not set");
  });

  test("a plan without Service Bus", async () => {
    vi.stubEnv("AutoscaleStorage", stack.environment.storageConnectionString);
    const { code, stderr } = await ccscale(["rejects", "replay", "bad-plan", "--yes", "--storage"]);
    expect(code).toBe(1);
    expect(stderr).toContain("ServiceBusConnection__fullyQualifiedNamespace is not set");
  });

  test("a connection string that is none is not repeated", async () => {
    vi.stubEnv("AutoscaleStorage", "AccountKey=geheim");
    const { code, stderr } = await ccscale(["rejects", "list", "--storage"]);
    expect(code).toBe(1);
    expect(stderr).toContain("Cannot use the connection string of the storage account");
    expect(stderr).not.toContain("geheim");
  });

  test.each([
    ["is missing", "no-such.json", 2, 'No such file, expected the one that "npm start" writes'],
    ["is something else", import.meta.filename, 1, 'is not what "npm start" writes'],
  ])("a local environment that %s", async (_case, file, code, words) => {
    const ended = await ccscale(["rejects", "list", "--local", file]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(words);
  });
});
