import { beforeEach, describe, expect, test } from "vitest";
import { snapshotCluster } from "../../../shared/cycle/index.ts";
import { handlers } from "../../functions/api/handlers.ts";
import { apiOf, type Fields } from "../../functions/api/routes.ts";
import { operatorsOf, served } from "../../fuzz/served-world.ts";
import { cluster } from "../../support/world.ts";

const api = apiOf(handlers, cluster);

beforeEach(() => served.renew());

const files = () => operatorsOf(served.world).configFiles;
const stored = async (name = cluster) => JSON.parse((await files().read(name))?.text ?? "null");
const etag = async () => (await files().read(cluster))?.etag ?? "";

const usable = { url: "https://cyclecloud.example", username: "autoscale" };

function put(config: object, fields: Fields & { readonly more?: object } = {}) {
  const { more, ...rest } = fields;
  return api.call("put-config", { ...rest, body: { config, by: "ann", reason: "test", ...more } });
}

describe("PUT config", () => {
  test("of many secrets with long names, some are named", async () => {
    const passwords = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`${"k".repeat(2_000)}${index}`, { password: "geheim" }]),
    );
    const { status, jsonBody } = await put({ ...usable, shared: passwords }, { more: { dryRun: true } });
    expect(status).toBe(400);
    expect((jsonBody as { problems: readonly string[] }).problems).toHaveLength(50);
    expect(JSON.stringify(jsonBody).length).toBeLessThan(60_000);
  });

  test("replaces what its caller has seen, and says who did it in the log", async () => {
    const ifMatch = { headers: { "if-match": await etag() } };
    const response = await put({ ...usable, idle_timeout: 60 }, ifMatch);
    expect(response.jsonBody).toMatchObject({
      outcome: "done",
      changes: ["idle_timeout: (absent) -> 60"],
      etag: await etag(),
    });
    expect(await stored()).toEqual({ ...usable, idle_timeout: 60 });
    expect(served.world.log.join()).toContain(
      `config-changed ${JSON.stringify({ cluster, requestedBy: "ann", reason: "test", keys: "idle_timeout" })}`,
    );
    expect(await put(usable, ifMatch)).toMatchObject({
      status: 412,
      jsonBody: { type: expect.stringContaining("conflict") },
    });
  });

  test("of two at once that have seen the same, one replaces it", async () => {
    const ifMatch = { headers: { "if-match": await etag() } };
    const both = await Promise.all([1, 2].map((idle_timeout) => put({ ...usable, idle_timeout }, ifMatch)));
    expect(both.map(({ status }) => status)).toEqual([undefined, 412]);
    expect(await stored()).toEqual({ ...usable, idle_timeout: 1 });
  });

  test("guarantees nothing of a quota that is guaranteed to another cluster", async () => {
    const { ports, now } = served.world;
    await snapshotCluster(ports, cluster, { amongOthers: true });
    const share = { guaranteed: 0.7, most: 1, weight: 1 };
    const claim = {
      cluster: "b",
      orderedBy: null,
      seenAtSeconds: now(),
      untilSeconds: now() + 600,
      share,
      uses: {},
    };
    await ports.quotaClaims.save({ subscription: "azure", claims: [claim] }, undefined);
    const config = { ...usable, shares: { guaranteed: 0.4, subscription: "azure" } };
    expect(await put(config, { headers: { "if-match": "*" } })).toMatchObject({
      status: 400,
      jsonBody: { problems: [expect.stringMatching(/^shares\.guaranteed: 0\.4, expected at most 0\.3/)] },
    });
  });

  test("each that was stored is kept as a version, and what somebody wrote beside the API too", async () => {
    const headers = { "if-match": "*" };
    await put({ ...usable, idle_timeout: 60 }, { headers });
    files().put(cluster, "no JSON");
    operatorsOf(served.world).configChanges = "all";
    await put(usable, { headers });
    await put({ ...usable, idle_timeout: 70 }, { headers });
    const kept = (await served.world.ports.configVersions.list(cluster, 9)).toReversed();
    expect(kept.map(({ version, by, reason, changes }) => [version, by, reason, changes.length])).toEqual([
      [1, null, "as it was before versions were kept", 0],
      [2, "ann", "test", 1],
      [3, null, "changed in the storage account", 3],
      [4, "ann", "test", 2],
      [5, "ann", "test", 1],
    ]);
  });

  test.each([
    ["says nothing of what it has seen", {}, 428],
    ["has seen another one", { "if-match": '"other"' }, 412],
    ["thinks that there is none", { "if-none-match": "*" }, 412],
  ])("a caller that %s replaces nothing", async (_, headers, status) => {
    const before = await stored();
    expect(await put({ ...usable, idle_timeout: 60 }, { headers })).toMatchObject({ status });
    expect(await stored()).toEqual(before);
  });

  test("a dry run says what would change, and needs to have seen nothing", async () => {
    const response = await put({ ...usable, idle_timeout: 60 }, { more: { dryRun: true } });
    expect(response.jsonBody).toMatchObject({ outcome: "would", etag: await etag() });
    expect(await stored()).toEqual(usable);
  });

  test("names node arrays that the cluster does not have, and what a plan would do differently", async () => {
    await served.world.post([{ name: "job-1", iterations: 2, constraints: [{ ncpus: 4 }] }]);
    await served.world.round();
    const config = {
      ...usable,
      idle_timeout: { default: 300, htcc: 600 },
      boot_timeout: { htc: 600 },
      nodearrays: { gpu: { keep_alive: true } },
      spot: { pairs: [{ spot: "htc", regular: "hct" }] },
      default_resources: [{ select: { "node.nodearray": ["htc", "hpc"] }, name: "a", value: 1 }],
    };
    const { jsonBody } = await put(config, { more: { dryRun: true } });
    const { warnings } = jsonBody as { readonly warnings: readonly string[] };
    expect(warnings.filter((warning) => warning.includes("node array"))).toEqual([
      'idle_timeout.htcc: the cluster has no node array "htcc"; did you mean "htc"?',
      'nodearrays.gpu: the cluster has no node array "gpu"; it has htc',
      'spot.pairs.0.regular: the cluster has no node array "hct"; did you mean "htc"?',
      'default_resources.0.select.node.nodearray: the cluster has no node array "hpc"; did you mean "htc"?',
    ]);
    await served.world.post([{ name: "job-2", iterations: 2, constraints: [{ ncpus: 4 }] }]);
    const capped = await put({ ...usable, max_cores: 4, read_only: true }, { more: { dryRun: true } });
    expect((capped.jsonBody as { effects: readonly string[] }).effects).toEqual([
      "Nothing would be sent: the cluster is read-only.",
    ]);
  });

  test("a change that would retire nodes, or leave jobs without a place, says so", async () => {
    const { world } = served;
    const headers = { "if-match": "*" };
    await put({ ...usable, idle_timeout: 3_600 }, { headers });
    await world.post([{ name: "job-1", iterations: 2, constraints: [{ ncpus: 4 }] }]);
    await world.round();
    await world.settle();
    await world.post([]);
    await world.settle();
    world.advance(120);
    await world.round();
    const { jsonBody } = await put({ ...usable, idle_timeout: 60 }, { more: { dryRun: true } });
    expect((jsonBody as { effects: readonly string[] }).effects).toContainEqual(
      expect.stringMatching(/^2 nodes would go at once, being idle for long enough: htc-1, htc-2\.$/),
    );
    const same = await put({ ...usable, idle_timeout: 3_600, boot_timeout: 900 }, { more: { dryRun: true } });
    expect((same.jsonBody as { effects: readonly string[] }).effects).toEqual([
      "A plan made now would be the same.",
    ]);
    // What runs where is unknown now, so nothing goes for being idle.
    await world.receive({ version: 1, kind: "snapshot", cluster, source: "lsf", ttlSeconds: -4 }, "refused");
    const doubted = await put({ ...usable, idle_timeout: 60 }, { more: { dryRun: true } });
    expect((doubted.jsonBody as { effects: readonly string[] }).effects).toContain(
      "2 nodes would go as soon as it is known again what runs where, being idle for long enough: htc-1, htc-2.",
    );
    await world.post([{ name: "job-3", iterations: 4, constraints: [{ ncpus: 4 }] }]);
    const capped = await put({ ...usable, max_cores: 8 }, { more: { dryRun: true } });
    expect((capped.jsonBody as { effects: readonly string[] }).effects).toEqual([
      "1 job that has a place would wait: job-3.",
      "The next plan would buy or start 2 nodes fewer.",
    ]);
  });

  test("names every problem, of includes too, and of the whole file at once", async () => {
    const config = { url: "ftp://x", include: ["a.json", "b.json"] };
    const includes = { "a.json": { idle_timeout: -1 } };
    const { status, jsonBody } = await put(config, { more: { includes, dryRun: true } });
    expect(status).toBe(400);
    const { problems } = jsonBody as { readonly problems: readonly string[] };
    for (const words of ["include[1]", "url: ", "username: missing"])
      expect(problems.join("\n")).toContain(words);
  });

  test("what it includes is merged when it comes along, and stays a link when it does not", async () => {
    const headers = { "if-match": "*" };
    const config = { ...usable, include: ["a.json"] };
    await put(config, { headers, more: { includes: { "a.json": { boot_timeout: 600 } } } });
    expect(await stored()).toEqual({ ...usable, boot_timeout: 600 });
  });

  test.each([
    ["by its name", { password: "geheim" }, "password"],
    ["by its look", { note: "Bearer geheimgeheim" }, "note"],
  ])("a secret %s is refused and not repeated", async (_, more, path) => {
    const { status, jsonBody } = await put({ ...usable, ...more }, { headers: { "if-match": "*" } });
    expect(status).toBe(400);
    expect(JSON.stringify(jsonBody)).toContain(`${path}: looks like a secret`);
    expect(JSON.stringify(jsonBody)).not.toContain("geheim");
  });

  test.each([
    ["url", { url: "https://elsewhere.example" }],
    ["username", { username: "somebody" }],
    ["password_setting", { password_setting: "CYCLECLOUD_PASSWORD_2" }],
    ["verify_certificates", { verify_certificates: false }],
    ["certificate_fingerprint", { certificate_fingerprint: "ab".repeat(32) }],
  ])("%s, which says where the password goes, is not changed unless the app lets it", async (key, more) => {
    const headers = { "if-match": "*" };
    const forbidden = await put({ ...usable, ...more }, { headers });
    expect(forbidden).toMatchObject({ status: 403, jsonBody: { problems: [expect.stringContaining(key)] } });
    const through = { include: ["a.json"] };
    const hidden = await put({ ...usable, ...through }, { headers, more: { includes: { "a.json": more } } });
    expect(hidden.status).toBe(403);
    expect(await stored()).toEqual(usable);
    operatorsOf(served.world).configChanges = "all";
    expect((await put({ ...usable, ...more }, { headers })).status).toBeUndefined();
  });

  test("a new cluster says where its server is, so the app has to let it", async () => {
    const fields = { params: { cluster: "new" }, headers: { "if-none-match": "*" } };
    expect(await put(usable, { ...fields, headers: { "if-match": "*" } })).toMatchObject({ status: 412 });
    expect(await put(usable, fields)).toMatchObject({ status: 403 });
    operatorsOf(served.world).configChanges = "all";
    expect((await put(usable, fields)).jsonBody).toMatchObject({ outcome: "done" });
    expect(await stored("new")).toEqual(usable);
  });

  test("nothing is changed where the app lets nothing be changed", async () => {
    operatorsOf(served.world).configChanges = "off";
    const response = await put({ ...usable, idle_timeout: 60 }, { headers: { "if-match": "*" } });
    expect(response).toMatchObject({ status: 403 });
  });
});
