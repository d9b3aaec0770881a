import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { fromZip } from "../../../clients/cli/archive/files.ts";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import { readSettings } from "../../../functions/support/settings.ts";
import { createService, type Service } from "../../../functions/support/wire.ts";
import {
  parseConfig,
  type ServiceBusEmulator,
  startServiceBus,
} from "../../../infra/local/service-bus/index.ts";
import { checkNames } from "../../../shared/api/index.ts";
import { parseDemand } from "../../../shared/messages/job-demand.ts";
import type { RejectedMessage, WholePlan } from "../../../shared/ports/index.ts";
import { connectStorage, type StorageClients } from "../../../shared/stores/azure/index.ts";
import { handlers } from "../../functions/api/handlers.ts";
import { serve } from "../../fuzz/served-world.ts";
import { readBicep, stringsOf } from "../../infra/bicep/bicep-file.ts";
import { type Account, emptyAccount } from "../../support/azurite.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { notingWrites } from "../../support/storage-writes.ts";
import { createWorld, jobFor } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale, type Finished } from "./in-process.ts";

const passwords = { CYCLECLOUD_PASSWORD: "geheim-1" };
const queues = ["plan-requests", "scale-actions"].map((Name) => ({
  Name,
  Properties: { RequiresSession: true, RequiresDuplicateDetection: true },
}));

const folder = ownFolder();
let account: Account;
let emulator: ServiceBusEmulator;
let storage: StorageClients;
let service: Service;
let server: ApiServer;
let local: string;
let count = 0;
let cluster: string;

beforeAll(async () => {
  const config = parseConfig(JSON.stringify({ UserConfig: { Namespaces: [{ Queues: queues }] } }));
  [account, emulator] = await Promise.all([emptyAccount(), startServiceBus({ config, port: 0 })]);
  const environment = {
    ...passwords,
    AutoscaleStorage: account.connectionString,
    ServiceBusConnection: emulator.connectionString,
    SNAPSHOT_SCHEDULE: "0 * * * * *",
    PRICES_SCHEDULE: "0 0 0 1 1 *",
    AUTOSCALE_CONFIG_CHANGES: "all",
  };
  service = createService({ settings: readSettings(environment), environment });
  serve(service);
  storage = connectStorage({ connectionString: account.connectionString });
  await storage.queue.getQueueClient("job-demand").createIfNotExists();
  server = await serveApi(handlers);
  local = folder("environment.json");
  await writeFile(
    local,
    JSON.stringify({
      functionsUrl: server.url,
      cluster: "nobody",
      storageConnectionString: account.connectionString,
      serviceBusConnectionString: emulator.connectionString,
    }),
  );
});

afterAll(async () => {
  serve();
  await server?.stop();
  await emulator?.stop();
});

const usable = { url: "https://cyclecloud.example", username: "autoscale", verify_certificates: true };

/** Of every test its own cluster. */
beforeEach(async () => {
  count += 1;
  cluster = `hpc-${count}`;
  await put(usable);
});

const ports = () => service.portsFor({ debug() {}, log() {}, info() {}, warn() {}, error() {} } as never);

async function put(config: unknown): Promise<void> {
  const container = storage.blob.getContainerClient("config");
  await container.createIfNotExists();
  const text = typeof config === "string" ? config : JSON.stringify(config);
  await container.getBlockBlobClient(`${cluster}.json`).upload(text, Buffer.byteLength(text));
}

async function stored(): Promise<unknown> {
  const blob = storage.blob.getContainerClient("config").getBlobClient(`${cluster}.json`);
  return (await blob.exists()) ? JSON.parse((await blob.downloadToBuffer()).toString()) : undefined;
}

async function file(name: string, json: unknown): Promise<string> {
  const path = folder(name);
  await writeFile(path, typeof json === "string" ? json : JSON.stringify(json));
  return path;
}

/** What waits on the demand queue, taken off it. */
async function posted(): Promise<readonly string[]> {
  const queue = storage.queue.getQueueClient("job-demand");
  const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 32 });
  for (const { messageId, popReceipt } of receivedMessageItems)
    await queue.deleteMessage(messageId, popReceipt);
  return receivedMessageItems.map(({ messageText }) => Buffer.from(messageText, "base64").toString());
}

const control = async () => (await ports().controls.load(cluster))?.value;

describe.each([
  ["the HTTP API", []],
  ["the storage account", ["--storage"]],
])("through %s", (_, how) => {
  const written = new Set<string>();
  const run = (argv: readonly string[], input: readonly string[] = []): Promise<Finished> =>
    notingWrites(written, () => ccscale([...argv, "--cluster", cluster, "--local", local, ...how], input));

  test("doctor has a line of every check, and sees the queue", async () => {
    const read = async () => {
      const { stdout } = await run(["doctor", "--format", "json"]);
      const { checks } = JSON.parse(stdout) as {
        checks: readonly { check: string; state: string; text: string }[];
      };
      return Object.fromEntries(checks.map(({ check, state, text }) => [check, `${state}: ${text}`]));
    };
    await posted();
    const lines = await read();
    const ofService = how.length === 0 ? ["service", "clock", "rights"] : ["service", "rights"];
    expect(Object.keys(lines)).toEqual([...ofService, ...checkNames]);
    expect(lines).toMatchObject({
      service:
        how.length === 0 ? expect.stringMatching(/^ok/) : expect.stringMatching(/^notice: .* not asked/),
      rights:
        how.length === 0
          ? expect.stringMatching(/^ok/)
          : expect.stringMatching(/^notice: .* cannot be known/),
      configuration: expect.stringMatching(/^ok/),
      snapshot: expect.stringMatching(/^failed: No snapshot/),
      messages: expect.stringMatching(/^ok: At most 16/),
    });
    const queue = storage.queue.getQueueClient("job-demand");
    for (let sent = 0; sent < 17; sent += 1) await queue.sendMessage("e30=");
    expect((await read()).messages).toBe("notice: 17 messages of all clusters wait to be read.");
    await posted();
  });

  test("a pause is kept with who, when and why; a resume ends it", async () => {
    const why = ["--reason", "quota talks", "--by", "ann"];
    expect(await run(["pause", ...why, "--dry-run"])).toEqual({
      code: 0,
      stdout: `Would pause cluster "${cluster}".\n`,
      stderr: "",
    });
    expect(await control()).toBeUndefined();
    expect((await run(["pause", ...why])).stdout).toBe(
      `Paused cluster "${cluster}": plans are made, and nothing is sent until it is resumed.\n`,
    );
    expect(await control()).toMatchObject({ paused: { by: "ann", reason: "quota talks" } });
    expect((await run(["resume", ...why, "--dry-run"])).stdout).toBe(
      `Would resume cluster "${cluster}" from pause.\n`,
    );
    expect((await run(["resume", ...why])).stdout).toBe(
      `Resumed cluster "${cluster}" from pause, and asked for a plan.\n`,
    );
    expect(await control()).toMatchObject({ paused: null });
    expect((await run(["resume", ...why])).stdout).toBe(
      `Nothing to do: cluster "${cluster}" was not stopped.\n`,
    );
  });

  test("without a name it is the cluster that the local environment names, however many there are", async () => {
    const named = folder(`${cluster}.environment.json`);
    const json = JSON.parse(await readFile(local, "utf8"));
    await writeFile(named, JSON.stringify({ ...json, cluster }));
    const { code, stdout } = await ccscale(["pause", "--reason", "r", "--local", named, ...how]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Paused cluster "${cluster}"`);
  });

  test("a cluster whose configuration is broken can be paused", async () => {
    await put("{");
    expect(await run(["pause", "--reason", "r"])).toMatchObject({ code: 0 });
    expect(await control()).toMatchObject({ paused: { reason: "r" } });
  });

  test("push: what the service sets aside is named by its place in the file", async () => {
    const list = [
      { name: "b", iterations: -1 },
      { name: "a" },
      { name: "c", iterations: -1, executingHostnames: "h" },
    ];
    const { code, stderr } = await run(["push", "--source", "pbs"], [JSON.stringify(list)]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^2 items were set aside; the rest counts:\n {2}- jobs\[0\]\.iterations: -1.*\n {2}- jobs\[2\]\.iterations: -1/,
    );
  });

  test.each([
    ["pause", ["pause", "--reason", "r"]],
    ["resume", ["resume", "--reason", "r"]],
    ["config show", ["config", "show"]],
    ["push", ["push", "--source", "pbs"]],
    ["support-archive", ["support-archive"]],
  ])("%s: an unknown cluster is refused", async (_name, argv) => {
    const { code, stderr } = await ccscale(
      [...argv, "--cluster", "hcp", "--local", local, ...how],
      ['[{"name": "1"}]'],
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('No cluster "hcp" is configured'),
    });
  });

  const push = (path: string, argv: readonly string[] = [], input: readonly string[] = []) =>
    run(["config", "push", path, ...argv], input);

  test("a new configuration is stored with its includes merged, and shown again", async () => {
    await storage.blob.getContainerClient("config").deleteBlob(`${cluster}.json`);
    await file("shared.json", { idle_timeout: 90, include: ["more.json"] });
    await file("more.json", { boot_timeout: 900 });
    const path = await file("one.json", { ...usable, include: ["shared.json"] });
    const pushed = await push(path);
    expect(pushed).toMatchObject({ code: 0, stderr: "" });
    expect(pushed.stdout).toBe(
      `Would store the configuration of cluster "${cluster}".\n` +
        "  new, with the keys url, username, verify_certificates, idle_timeout, boot_timeout\n" +
        `Stored the configuration of cluster "${cluster}". It counts from the next snapshot on.\n`,
    );
    const merged = { ...usable, idle_timeout: 90, boot_timeout: 900 };
    expect(await stored()).toEqual(merged);
    expect(JSON.parse((await run(["config", "show"])).stdout)).toEqual(merged);
    expect((await push(path)).stdout).toBe(`Nothing to do: cluster "${cluster}" has this configuration.\n`);
  });

  test("a stored configuration is replaced when the operator agrees to what changes", async () => {
    await put({ ...usable, idle_timeout: 300 });
    const path = await file("two.json", { ...usable, idle_timeout: 60, boot_timeout: 900 });
    const would = `Would store the configuration of cluster "${cluster}".\n  idle_timeout: 300 -> 60\n  boot_timeout: (absent) -> 900\n`;
    expect((await push(path, ["--dry-run"])).stdout).toBe(would);
    expect(await push(path, [], ["n\n"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Nothing was stored."),
    });
    expect(await stored()).toEqual({ ...usable, idle_timeout: 300 });
    expect(await push(path, [], ["y\n"])).toMatchObject({ code: 0 });
    expect(await stored()).toEqual({ ...usable, idle_timeout: 60, boot_timeout: 900 });
  });

  test("a configuration that somebody else changed meanwhile is not replaced", async () => {
    const path = await file("race.json", { ...usable, idle_timeout: 60 });
    /** Changes it while the operator thinks. */
    async function* answers() {
      await put({ ...usable, idle_timeout: 7 });
      yield "y\n";
    }
    const argv = ["config", "push", path, "--cluster", cluster, "--local", local, ...how];
    const { code, stderr } = await ccscale(argv, answers());
    expect(code).toBe(1);
    expect(stderr).toContain(`The configuration of "${cluster}" is not the one that was seen`);
    expect(await stored()).toEqual({ ...usable, idle_timeout: 7 });
  });

  test("the password of a file of azpbs or azge stays here, of its includes too, and the rest is stored", async () => {
    await storage.blob.getContainerClient("config").deleteBlob(`${cluster}.json`);
    await file("login.json", { idle_timeout: 90, password: "geheim-2" });
    const path = await file("azge.json", { ...usable, include: ["login.json"], password: "geheim-2" });
    const { code, stdout, stderr } = await push(path);
    expect(code).toBe(0);
    expect(stderr).toContain('put it into app setting "CYCLECLOUD_PASSWORD"');
    expect(stderr).toContain("password: left out of what is stored");
    expect(stdout + stderr).not.toContain("geheim-2");
    expect(await stored()).toEqual({ ...usable, idle_timeout: 90 });
  });

  test("a secret that somebody stored is not shown", async () => {
    await put({ ...usable, password: "geheim-2" });
    const { stdout, stderr } = await run(["config", "show"]);
    expect(JSON.parse(stdout)).toEqual({ ...usable, password: "***" });
    expect(stderr).not.toContain("geheim-2");
  });

  test("a configuration that cannot be used is shown, with what is wrong", async () => {
    await put({ url: "https://c.example" });
    const { code, stdout, stderr } = await run(["config", "show"]);
    expect({ code, json: JSON.parse(stdout) }).toEqual({ code: 0, json: { url: "https://c.example" } });
    expect(stderr).toContain("cannot be used: username: missing");
  });

  test("a configuration that is no JSON is not shown, because nobody knows what it holds", async () => {
    await put("password=geheim-2");
    const { code, stdout, stderr } = await run(["config", "show"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("it is no JSON object");
    expect(stderr).not.toContain("geheim");
  });

  test("jobs are posted as a message that the service takes; large ones as an upload", async () => {
    // What an earlier test posted.
    await posted();
    const jobs = JSON.stringify([{ name: "1", constraints: { ncpus: 4 }, iterations: 3 }]);
    const argv = ["push", "--source", "pbs", "--ttl", "900"];
    expect((await run([...argv, "--dry-run"], [jobs])).stdout).toBe(
      `Would post 1 job of source "pbs" for cluster "${cluster}".\n`,
    );
    expect(await posted()).toEqual([]);
    expect((await run(argv, [jobs])).stdout).toBe(`Posted 1 job of source "pbs" for cluster "${cluster}".\n`);
    const [text = ""] = await posted();
    expect(parseDemand(text)).toMatchObject({
      ok: true,
      message: { cluster, source: "pbs", ttlSeconds: 900 },
    });
    const many = Array.from({ length: 20_000 }, (_each, index) => ({ name: `job-${index}` }));
    expect(await run(argv, [JSON.stringify(many)])).toMatchObject({ code: 0 });
    const [claim = ""] = await posted();
    const { blob } = JSON.parse(claim) as { readonly blob: string };
    const uploads = storage.blob.getContainerClient("demand-uploads");
    const content = JSON.parse((await uploads.getBlobClient(blob).downloadToBuffer()).toString());
    expect(content.jobs).toHaveLength(20_000);
  });

  async function reject(fields: Partial<RejectedMessage["rejection"]>, body: unknown): Promise<string> {
    count += 1;
    const rejectionId = `m-${count}`;
    const rejection = {
      rejectionId,
      kind: "invalid" as const,
      cluster,
      source: "pbs",
      queue: "job-demand",
      attempts: 1,
      receivedAtSeconds: Date.now() / 1000,
      problems: ["jobs: none", "and: more"],
      excerpt: "",
      ...fields,
    };
    await ports().rejections.add({ rejection, body: JSON.stringify(body) });
    return rejectionId;
  }

  const demand = () => ({
    version: 1,
    kind: "snapshot",
    cluster,
    source: "pbs",
    sequence: 5,
    sentAt: "2026-11-21T10:00:00Z",
    jobs: [{ name: "a", iterations: 4 }],
  });

  test("lists have the columns and the format of the stored configuration; a file of one's own wins", async () => {
    await put({ ...usable, output_columns: { rejects: ["queue", "from@source"] }, output_format: "csv" });
    await reject({}, demand());
    expect((await run(["rejects", "list"])).stdout).toBe("queue,from\njob-demand,pbs\n");
    const config = await file("own.json", { ...usable, output_columns: { rejects: ["source"] } });
    expect((await run(["rejects", "list", "--config", config])).stdout).toBe("SOURCE\npbs\n");
    expect((await run(["rejects", "list", "-o", "kind", "--format", "table"])).stdout).toMatch(/^KIND/);
  });

  test("a rejected message is listed, shown whole, and sent again", async () => {
    const id = await reject({ problems: ["jobs: \u001b[2Jnone", "and: more"] }, demand());
    const { stdout } = await run(["rejects", "list"]);
    expect(stdout).toContain("RECEIVED");
    expect(stdout).toContain(id);
    expect(stdout).toContain("jobs: \\u001b[2Jnone (and 1 more)");
    expect(JSON.parse((await run(["rejects", "list", "--format", "json"])).stdout)).toHaveLength(1);
    const { stdout: shown } = await run(["rejects", "show", id]);
    expect(shown).toContain("  - and: more");
    expect(shown.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    const { stdout: json } = await run(["rejects", "show", id, "--format", "json"]);
    expect(JSON.parse(JSON.parse(json).message)).toEqual(demand());

    const what = `post snapshot 5 of source "pbs", sent 2026-11-21T10:00:00Z, with 1 job, for cluster "${cluster}".`;
    expect((await run(["rejects", "replay", id, "--dry-run"])).stdout).toBe(`Would ${what}\n`);
    expect(await run(["rejects", "replay", id], ["n\n"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Nothing was sent."),
    });
    expect(await posted()).toEqual([]);
    const replayed = await run(["rejects", "replay", id, "--yes"]);
    expect(replayed.stdout).toBe(`${what.replace("post", "Posted")}\n`);
    expect((await posted()).map((text) => JSON.parse(text))).toEqual([demand()]);
    expect((await ports().rejections.load(cluster, id))?.rejection.replayedAtSeconds).toBeGreaterThan(0);
  });

  test("a corrected message is sent in place of a bad one; a bad one is refused with every problem", async () => {
    const id = await reject({}, { ...demand(), sequence: -1, sentAt: "yesterday" });
    const bad = await run(["rejects", "replay", id, "--yes"]);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain("  - sequence: -1, ");
    expect(bad.stderr).toContain('  - sentAt: "yesterday", ');
    expect(await posted()).toEqual([]);
    const path = await file("corrected.json", demand());
    expect(await run(["rejects", "replay", id, "--yes", "--file", path])).toMatchObject({ code: 0 });
    expect(await posted()).toHaveLength(1);
  });

  test("a plan request asks for a plan; an action is never sent again", async () => {
    const id = await reject({ queue: "plan-requests" }, {});
    expect((await run(["rejects", "replay", id, "--yes"])).stdout).toBe(
      `Asked for a plan of cluster "${cluster}".\n`,
    );
    const action = await reject({ queue: "scale-actions" }, {});
    expect(await run(["rejects", "replay", action, "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the next plan makes what is still right"),
    });
  });

  test("an id that nobody has", async () => {
    const shown = await run(["rejects", "show", "nobody's"]);
    expect(shown.code).toBe(1);
    const replayed = await run(["rejects", "replay", "nobody's", "--yes"]);
    expect(replayed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No rejected message "nobody\'s" is kept'),
    });
  });

  /** A plan of the whole cycle, clipped by a cap, and one whose archive was changed. */
  async function archivePlans(): Promise<WholePlan> {
    const world = createWorld();
    world.configure({ cycle: { caps: { maxNodesPerPlan: 2, maxCores: null, monthlyBudgetUsd: null } } });
    await world.snapshot();
    await world.post([jobFor(5), { name: "huge", constraints: { ncpus: 64 } }]);
    world.advance(1);
    await world.plan();
    const made = await world.ports.plans.load("hpc", "plan-0001");
    if (made?.archive !== "whole") throw new Error("the cycle archived no plan");
    const plan: WholePlan = { ...made, summary: { ...made.summary, cluster } };
    const { plans, snapshots } = ports();
    await plans.archive(plan);
    const [set] = plan.plan.create;
    await plans.archive({
      ...plan,
      summary: { ...plan.summary, planId: "tampered" },
      plan: { ...plan.plan, create: [{ ...set, count: 7 } as never] },
    });
    const snapshot = await world.ports.snapshots.load("hpc");
    if (snapshot !== undefined) await snapshots.save(cluster, snapshot.value);
    return plan;
  }

  test("an archived plan is the same when it is made again; one that was changed is not", async () => {
    const { plan } = await archivePlans();
    expect(plan.clipped).toMatchObject({ asked: 5, granted: 2 });
    expect(await run(["replay", "--plan", "plan-0001"])).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Same: plan "plan-0001" of cluster "hpc-\d+", made 2027-.*: 2 jobs, 2 nodes to create, 0 to start, 0 to retire\.\n$/,
      ),
      stderr: "",
    });
    expect(await run(["replay", "--plan", "tampered"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("create[0].count is 2 now, was 7 then"),
    });
    expect(await run(["replay", "--plan", "plan-9999"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No plan "plan-9999" is kept'),
    });
  });

  test("what two plans decided otherwise, and what another setting would give", async () => {
    await archivePlans();
    const differ = await run(["plans", "diff", "plan-0001", "tampered"]);
    expect(differ).toMatchObject({ code: 0, stdout: expect.stringMatching(/^create htc \S+: 2 -> 7\n$/) });
    expect(await run(["plans", "diff", "plan-0001", "plan-0001"])).toMatchObject({
      code: 0,
      stdout: "Nothing differs.\n",
    });
    expect(await run(["replay", "--plan", "plan-0001", "--set", "idle_timeout=77"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("setting idleTimeoutSeconds.default: 300 -> 77\n"),
    });
    const json = await run(["plans", "diff", "plan-0001", "tampered", "--format", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      changes: [{ about: "create", before: "2", after: "7" }],
      reason: null,
    });
    expect(await run(["plans", "diff", "plan-0001"])).toMatchObject({ code: 2 });
  });

  test("a support archive holds what is known, opens offline, and holds no secret", async () => {
    await archivePlans();
    await put({ ...usable, password: "geheim-2", note: passwords.CYCLECLOUD_PASSWORD });
    await reject({}, { ...demand(), metadata: { token: "geheim-3", note: passwords.CYCLECLOUD_PASSWORD } });
    const zip = folder(`${cluster}.zip`);
    vi.stubEnv("CYCLECLOUD_PASSWORD", passwords.CYCLECLOUD_PASSWORD);
    const { code, stderr } = await run(["support-archive", "--output", zip, "--plans", "1"]);
    vi.unstubAllEnvs();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const files = fromZip(zip, await readFile(zip));
    const names = [
      "archive",
      "config",
      "snapshot",
      "demand",
      "history",
      "operations",
      "rejects",
      "plans/index",
    ];
    expect(Object.keys(files)).toEqual(expect.arrayContaining(names.map((name) => `${name}.json`)));
    expect(Object.keys(files).filter((name) => /^plans\/(plan|tampered)/.test(name))).toHaveLength(1);
    expect(JSON.stringify(files)).not.toMatch(/geheim/);
    const offline = await ccscale(["replay", "--plan", "plan-0001", "--offline", zip]);
    expect(offline.stdout + offline.stderr).toMatch(/Same: plan|No plan "plan-0001" is kept/);
  });

  if (how.length > 0)
    test("nothing is written that operators have no right to write", async () => {
      await run(["pause", "--reason", "quota talks"]);
      const rights = readBicep(join(import.meta.dirname, "../../../infra/modules/operator-access.bicep"));
      // Batches are those of versions of the configuration, and of the note on a rejection that it was sent again.
      const tables = stringsOf(rights, "changedTables");
      expect(tables).toEqual(["ConfigVersions", "Rejections"]);
      const allowed = [...stringsOf(rights, "changedContainers"), ...tables, "job-demand", "$batch"];
      expect([...written]).toContain("control");
      expect([...written].filter((name) => !allowed.includes(name))).toEqual([]);
    });
});

test("with --storage the functions are not asked", async () => {
  const before = server.calls.length;
  const { code, stdout } = await ccscale(["status", "--storage", "--cluster", cluster, "--local", local]);
  expect(code).toBe(0);
  expect(stdout).toContain(cluster);
  expect(server.calls.length).toBe(before);
});

describe("rejects, where the service is", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("the settings of the app lead there too; without Service Bus nothing that needs it is sent", async () => {
    vi.stubEnv("AutoscaleStorage", account.connectionString);
    const rejection = {
      rejectionId: "bad-plan",
      kind: "dead-letter" as const,
      cluster,
      source: undefined,
      queue: "plan-requests",
      attempts: 1,
      receivedAtSeconds: Date.now() / 1000,
      problems: ["no number"],
      excerpt: "",
    };
    await ports().rejections.add({ rejection, body: "{}" });
    const listed = await ccscale(["rejects", "list", "--storage", "--cluster", cluster]);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining("bad-plan") });
    const replayed = await ccscale(wordsOf(`rejects replay bad-plan --yes --storage --cluster ${cluster}`));
    expect(replayed.code).toBe(1);
    expect(replayed.stderr).toContain("ServiceBusConnection__fullyQualifiedNamespace is not set");
  });

  test("no settings", async () => {
    const { code, stderr } = await ccscale(["rejects", "list", "--storage"]);
    expect(code).toBe(1);
    expect(stderr).toContain("AutoscaleStorage__accountName is not set");
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
  ])("a local environment that %s", async (_case, path, code, words) => {
    const ended = await ccscale(["rejects", "list", "--local", path]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(words);
  });
});
