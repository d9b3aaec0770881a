import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { examples } from "../../../clients/cli/reference/examples.ts";
import { valueAt, withoutValue, withValue } from "../../../shared/json/config-path.ts";
import { operatorsOf, served } from "../../fuzz/served-world.ts";
import { handlerOf } from "../../support/http-handlers.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { cluster } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";
import { expectPrinted } from "./printed-page.ts";

let server: ApiServer;

beforeAll(async () => {
  const ids = ["config", "config-versions", "put-config", "buckets"] as const;
  server = await serveApi(Object.fromEntries(ids.map((id) => [id, handlerOf(id)])));
});
beforeEach(async () => {
  served.renew();
  await served.world.snapshot();
});
afterAll(() => server?.stop());

const config = (...argv: string[]) => ccscale(["config", ...argv, "--url", server.url, "--cluster", cluster]);
const files = () => operatorsOf(served.world).configFiles;
const stored = async () => JSON.parse((await files().read(cluster))?.text ?? "null");
const usable = { url: "https://cyclecloud.example", username: "autoscale" };

describe("single values of the stored configuration", () => {
  test("set shows what differs, stores it, and get prints it", async () => {
    const set = await config("set", "idle_timeout.htc", "600", "--yes", "--by", "ann", "--reason", "quiet");
    expect(set).toMatchObject({ code: 0 });
    expect(set.stdout).toContain('  idle_timeout: (absent) -> {"htc":600}');
    expect(await stored()).toEqual({ ...usable, idle_timeout: { htc: 600 } });
    expect(await config("get", "idle_timeout.htc")).toEqual({ code: 0, stdout: "600\n", stderr: "" });
    const again = await config("set", "idle_timeout.htc", "60", "--dry-run");
    expect(again.stdout).toContain("  idle_timeout.htc: 600 -> 60");
    expect(await stored()).toEqual({ ...usable, idle_timeout: { htc: 600 } });
  });

  test("a length of time may be written as people write it, and stays so", async () => {
    expect(await config("set", "idle_timeout.htc", "1h30m", "--yes")).toMatchObject({ code: 0 });
    expect(await stored()).toEqual({ ...usable, idle_timeout: { htc: "1h30m" } });
    const wrong = await config("set", "idle_timeout.htc", "1h 30m", "--yes");
    expect(wrong.stderr).toContain(
      'idle_timeout.htc: "1h 30m", expected a number of seconds, 0 or more, such as 600 or "10m", or "auto"',
    );
  });

  test("a schedule is paused and goes on by one value; a bad one is refused, and what is stored stays", async () => {
    const office = { start: "0 8 * * *", end: "0 18 * * *", targets: [{ Name: "htc", TargetCount: 4 }] };
    await config("set", "schedules.office", JSON.stringify(office), "--yes");
    const configured = async () => {
      const checked = await files().check(cluster, await stored());
      return checked.ok ? checked.config.schedules : "unusable";
    };
    expect(await configured()).toHaveLength(1);
    await config("set", "schedules.office.paused", "true", "--yes");
    expect(await configured()).toBeUndefined();
    await config("unset", "schedules.office.paused", "--yes");
    expect(await stored()).toEqual({ ...usable, schedules: { office } });
    for (const [key, value, wanted] of [
      ["time_zone", "Europe/Berln", "expected an IANA time zone"],
      ["start", "0 0 8 * * *", "expected a cron expression of five fields"],
      ["duration", "0", "expected a number of seconds above 0"],
    ] as const) {
      const { code, stderr } = await config("set", `schedules.office.${key}`, value, "--yes");
      expect(code).toBe(1);
      expect(stderr).toContain(`schedules.office.${key}: `);
      expect(stderr).toContain(wanted);
    }
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`s${index}`, office]));
    const { stderr } = await config("set", "schedules", JSON.stringify(many), "--yes");
    expect(stderr).toContain("schedules: 10000, expected at most 200 schedules");
    expect(await stored()).toEqual({ ...usable, schedules: { office } });
    const early = { ...office, start: "0 7 * * *" };
    const warned = await config("set", "schedules.early", JSON.stringify(early), "--yes");
    expect(warned.stderr).toContain('schedules.office: asks for nodes of "htc" while schedules.early does');
  });

  test("schedules are added in one line, listed, paused until a time, and removed", async () => {
    const schedules = (...argv: string[]) =>
      ccscale(["schedules", ...argv, "--url", server.url, "--cluster", cluster]);
    expect((await schedules()).stdout).toBe("There are no schedules.\n");
    const when = ["--start", "0 8 * * *", "--end", "0 18 * * *", "--time-zone", "Europe/Berlin"];
    const gpus = '{"Name": "htc", "TargetGpuCount": 8, "MachineType": "Standard_NC6"}';
    const add = ["add", "office", ...when, "--keep", "htc=4", "--yes"];
    expect(await schedules(...add)).toMatchObject({ code: 0 });
    expect((await schedules(...add)).stderr).toContain('There is a schedule "office" already');
    expect(await schedules("add", "floor", "--keep", gpus, "--yes")).toMatchObject({ code: 0 });
    const office = {
      start: "0 8 * * *",
      end: "0 18 * * *",
      time_zone: "Europe/Berlin",
      targets: [{ Name: "htc", TargetCount: 4 }],
    };
    expect((await stored()).schedules.office).toEqual(office);
    const list = (await schedules("list")).stdout;
    expect(list).toMatch(/^office +htc: 4 nodes +0 8 \* \* \* +Europe\/Berlin +(open until|from) 20/m);
    expect(list).toMatch(/^floor +htc: 8 GPUs +always +UTC +open$/m);
    const next = (await schedules("next", "--for", "7d")).stdout;
    expect(next).toContain("Always: htc: 8 GPUs (floor).");
    expect(next.match(/office/g)?.length).toBeGreaterThanOrEqual(7);
    expect(await schedules("pause", "office", "--until", "2099-12-01T08:00Z", "--yes")).toMatchObject({
      code: 0,
    });
    expect((await stored()).schedules.office.paused).toBe("2099-12-01T09:00");
    expect((await schedules("list")).stdout).toMatch(/^office .* from 2099-12-01T08:00:00Z until/m);
    await schedules("pause", "floor", "--until", "2099-12-01T08:00Z", "--yes");
    expect((await schedules("next")).stdout).toMatch(/^Always from 2099-12-01T08:00:00Z: .*\(floor\)\.$/m);
    await schedules("pause", "office", "--yes");
    expect((await schedules("list")).stdout).toMatch(/^office .* paused$/m);
    expect((await schedules("next")).stdout).toContain("No window begins");
    await schedules("pause", "office", "--off", "--yes");
    expect((await stored()).schedules.office).toEqual(office);
    const wrong = await schedules(
      "add",
      "night",
      "--start",
      "0 0 8 * * *",
      "--duration",
      "8h",
      "--keep",
      "htc=1",
    );
    expect(wrong.stderr).toContain("schedules.night.start: ");
    expect((await schedules("pause", "ofice", "--yes")).stderr).toContain('There is "office" and "floor".');
    for (const name of ["office", "floor"]) await schedules("remove", name, "--yes");
    expect(await stored()).toEqual(usable);
    await config(
      "set",
      "schedules.office",
      JSON.stringify({ ...office, paused: "2026-13-01T08:00" }),
      "--yes",
    );
    expect(await stored()).toEqual(usable);
  });

  test("a place that the list does not have is named, and nothing is said to be stored", async () => {
    const budget = { node_array: "htc", monthly_usd: 100 };
    await config("set", "budgets", JSON.stringify([budget]), "--yes");
    expect(await config("set", "budgets.7.monthly_usd", "5", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The stored configuration has no place "budgets.7.monthly_usd"'),
    });
    const other = { user: "ann", daily_usd: 7 };
    expect(await config("set", "budgets.1", JSON.stringify(other), "--yes")).toMatchObject({ code: 0 });
    expect(await stored()).toEqual({ ...usable, budgets: [budget, other] });
  });

  test("a list grows from nothing, at its end, changes in one place, and shrinks to nothing", async () => {
    const geo = { account: "geo", monthly_usd: 500 };
    const ann = { user: "ann", daily_usd: 7 };
    const steps: readonly (readonly [argv: readonly string[], budgets: readonly object[]])[] = [
      [["set", "budgets.0", JSON.stringify(geo)], [geo]],
      [
        ["set", "budgets.-", JSON.stringify(ann)],
        [geo, ann],
      ],
      [
        ["set", "budgets.0.monthly_usd", "600"],
        [{ ...geo, monthly_usd: 600 }, ann],
      ],
      [["unset", "budgets.0"], [ann]],
      [["unset", "budgets.0"], []],
      [["set", "budgets.-", JSON.stringify(geo)], [geo]],
    ];
    for (const [argv, budgets] of steps) {
      expect(await config(...argv, "--yes")).toMatchObject({ code: 0 });
      expect(await stored()).toEqual({ ...usable, budgets });
    }
    expect(await config("set", "default_resources.1", "{}", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("default_resources"),
    });
    expect(await stored()).toEqual({ ...usable, budgets: [geo] });
  });

  test("accounts that are numbers, users with dots, and quoted names have caps of their own", async () => {
    const steps: readonly (readonly [path: string, value: string])[] = [
      ["max_cores_per_account.12345", "100"],
      ["max_cores_per_account.67", "8"],
      ['max_cores_per_user."ann.lee"', "200"],
      ['max_cores_per_user."ann.lee"', "300"],
      ['max_cores_per_queue."0"', "4"],
      ['max_cores_per_queue."a \\"b\\".c"', "5"],
    ];
    for (const [path, value] of steps) {
      expect(await config("set", path, value, "--yes")).toMatchObject({ code: 0 });
      expect(await config("get", path)).toMatchObject({ code: 0, stdout: `${value}\n` });
    }
    const caps = {
      max_cores_per_account: { "12345": 100, "67": 8 },
      max_cores_per_user: { "ann.lee": 300 },
    };
    expect(await stored()).toEqual({
      ...usable,
      ...caps,
      max_cores_per_queue: { "0": 4, 'a "b".c': 5 },
    });
    expect(await config("unset", 'max_cores_per_queue."a \\"b\\".c"', "--yes")).toMatchObject({ code: 0 });
    expect(await stored()).toEqual({ ...usable, ...caps, max_cores_per_queue: { "0": 4 } });
  });

  test("a name of a node array that is not there is a warning, and a value that is wrong is refused", async () => {
    const odd = await config("set", "idle_timeout.htcc", "600", "--dry-run");
    expect(odd.stderr).toContain('the cluster has no node array "htcc"; did you mean "htc"?');
    const budgets = '[{"node_array": "htcc", "monthly_usd": 100}]';
    const budget = await config("set", "budgets", budgets, "--dry-run");
    expect(budget.stderr).toContain(
      'budgets.0.node_array: the cluster has no node array "htcc"; did you mean "htc"?',
    );
    const bad = await config("set", "idle_timeout.htc", "soon", "--yes");
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain("idle_timeout.htc");
    expect(await stored()).toEqual(usable);
  });

  test("a key that nobody reads is refused with what was meant, and stored with --force", async () => {
    const slip = await config("set", "idle_timout", "600", "--yes");
    expect(slip).toMatchObject({ code: 1, stdout: "" });
    expect(slip.stderr).toContain('did you mean "idle_timeout"?');
    const nested = await config("set", "spot.max_runtme", "600", "--yes");
    expect(nested.stderr).toContain('did you mean "max_runtime"?');
    expect(await stored()).toEqual(usable);
    expect(await config("set", "my_note", "x", "--yes", "--force")).toMatchObject({ code: 0 });
    expect(await stored()).toEqual({ ...usable, my_note: "x" });
    const get = await config("get", "idle_timout");
    expect(get).toMatchObject({ code: 1, stdout: "" });
    expect(get.stderr).toContain('No setting is called "idle_timout"');
    expect((await config("get", "idle_timeout")).stderr).toContain("It has its default");
  });

  test("unset lets the default hold; of what is not there it says so", async () => {
    await config("set", "read_only", "true", "--yes");
    expect((await config("unset", "read_only", "--yes")).stdout).toContain("read_only: true -> (absent)");
    expect(await stored()).toEqual(usable);
    expect((await config("unset", "read_only", "--yes")).stdout).toContain("Nothing to do");
    expect(await config("get", "read_only")).toMatchObject({ code: 1 });
  });

  test("what somebody else stored between the look and the change is not overwritten", async () => {
    const { configFiles } = operatorsOf(served.world);
    const check = configFiles.check.bind(configFiles);
    const theirs = JSON.stringify({ ...usable, read_only: false });
    let checks = 0;
    vi.spyOn(configFiles, "check").mockImplementation(async (...args) => {
      checks += 1;
      // After the dry run has answered, and before the change itself compares.
      if (checks === 4) configFiles.put(cluster, theirs);
      return check(...args);
    });
    const { code, stderr } = await config("set", "idle_timeout", "60", "--yes");
    vi.restoreAllMocks();
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not the one that was seen"),
    });
    expect(await stored()).toEqual({ ...usable, read_only: false });
  });
});

describe("versions of the configuration", () => {
  test("who changed what, when and why, the newest first; the one before versions were kept is there too", async () => {
    await config("set", "idle_timeout", "600", "--yes", "--by", "ann", "--reason", "quiet week");
    served.world.advance(60);
    await config("set", "idle_timeout", "60", "--yes", "--by", "bob", "--reason", "money");
    const { stdout } = await config("history");
    const lines = stdout.split("\n").filter((line) => /^\d/.test(line));
    expect(lines.map((line) => line.replace(/\S+Z/, "TIME"))).toEqual([
      "3  TIME  bob: money",
      "2  TIME  ann: quiet week",
      "1  TIME  (unknown): as it was before versions were kept",
    ]);
    expect(stdout).toContain("     idle_timeout: 600 -> 60");
    expect((await config("history", "--limit", "1")).stdout.split("\n")[0]).toMatch(/^3 /);
  });

  test("rollback stores the version before, or the one that is named, as a new one", async () => {
    await config("set", "idle_timeout", "600", "--yes");
    await config("set", "idle_timeout", "60", "--yes");
    const back = await config("rollback", "--yes");
    expect(back.stdout).toContain("idle_timeout: 60 -> 600");
    expect(await stored()).toEqual({ ...usable, idle_timeout: 600 });
    expect((await config("rollback", "1", "--yes")).stdout).toContain("idle_timeout: 600 -> (absent)");
    expect(await stored()).toEqual(usable);
    expect(await config("rollback", "99", "--yes")).toMatchObject({ code: 1 });
    const versions = await served.world.ports.configVersions.list(cluster, 10);
    expect(versions.map(({ reason }) => reason)[0]).toBe("ccscale config rollback 1");
  });

  test("what was changed in the storage account itself is a version of nobody, and without secrets when it is shown", async () => {
    await config("set", "idle_timeout", "600", "--yes");
    files().put(cluster, JSON.stringify({ ...usable, password: "hunter2hunter2" }));
    const { code, stderr } = await config("set", "idle_timeout", "60", "--yes");
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("looks like a secret"),
    });
    files().put(cluster, JSON.stringify({ ...usable, read_only: true }));
    await config("set", "idle_timeout", "60", "--yes", "--by", "ann");
    const { stdout } = await config("history");
    expect(stdout).toContain("(unknown): changed in the storage account\n     idle_timeout: 600 -> (absent)");
  });

  test("a store that does not answer keeps no version, and the change holds", async () => {
    served.world.ports.configVersions.list = () => Promise.reject(new Error("storage is down"));
    expect(await config("set", "idle_timeout", "600", "--yes")).toMatchObject({ code: 0 });
    expect(await stored()).toMatchObject({ idle_timeout: 600 });
    expect(served.world.log.join("\n")).toContain("warn config-version-not-kept");
  });

  test("config validate asks for the node arrays where a service is named, and nobody where none is", async () => {
    const file = ownFolder(onTestFinished)("autoscale.json");
    await writeFile(file, JSON.stringify({ ...usable, idle_timeout: { htcc: 60 } }));
    const words = 'no node array "htcc"; did you mean "htc"?';
    const validate = ["config", "validate", file, "--cluster", cluster];
    const calls = server.calls.length;
    expect((await ccscale(validate)).stderr).not.toContain(words);
    expect(server.calls).toHaveLength(calls);
    const asked = await ccscale([...validate, "--url", server.url]);
    expect(asked).toMatchObject({ code: 0, stderr: expect.stringContaining(words) });
  });
});

test.each([
  ["config-change", ["config get", "config set", "config history", "config unset", "config rollback"]],
  ["schedules", ["list", "next", "add", "pause", "remove"].map((verb) => `schedules ${verb}`)],
])("the examples of the command page: %s", async (page, names) => {
  const configured = { ...usable, verify_certificates: true, idle_timeout: { default: 300 } };
  files().put(cluster, JSON.stringify(configured));
  const lines = names.flatMap((name) => (examples[name] ?? []).map(({ line }) => line));
  await expectPrinted(page, lines, {
    at: ["--url", server.url, "--cluster", cluster],
    after: () => served.world.advance(60),
  });
});

describe("a value by its path", () => {
  const json = { idle_timeout: 300, spot: { pairs: [{ spot: "a" }, { spot: "b" }] } };

  test.each<[string, unknown, object]>([
    ["read_only", true, { ...json, read_only: true }],
    ["idle_timeout.htc", 60, { ...json, idle_timeout: { default: 300, htc: 60 } }],
    ["spot.pairs.1.spot", "c", { ...json, spot: { pairs: [{ spot: "a" }, { spot: "c" }] } }],
    ["spot.pairs.2.spot", "c", { ...json, spot: { pairs: [{ spot: "a" }, { spot: "b" }, { spot: "c" }] } }],
    ["constructor.name", "x", { ...json, constructor: { name: "x" } }],
    ["budgets.0.user", "ann", { ...json, budgets: [{ user: "ann" }] }],
    ["max_cores_per_account.12345", 8, { ...json, max_cores_per_account: { "12345": 8 } }],
    ['max_cores_per_account."0"', 8, { ...json, max_cores_per_account: { "0": 8 } }],
    ['max_cores_per_user."ann.lee"', 8, { ...json, max_cores_per_user: { "ann.lee": 8 } }],
    ['x."a.b".c', 8, { ...json, x: { "a.b": { c: 8 } } }],
    ['x."a', 8, { ...json, x: { '"a': 8 } }],
    ["nodearrays.htc.placement", "cost", { ...json, nodearrays: { htc: { placement: "cost" } } }],
  ])("%s becomes %j", (path, value, expected) => {
    const changed = withValue(json, path, value);
    expect(changed).toEqual(expected);
    expect(valueAt(changed, path)).toEqual(value);
  });

  test.each<[string, object]>([
    ["spot.pairs.-", { ...json, spot: { pairs: [...json.spot.pairs, 7] } }],
    ["budgets.-", { ...json, budgets: [7] }],
    ["budgets.-.users.-", { ...json, budgets: [{ users: [7] }] }],
  ])("%s is the place behind the last", (path, expected) => {
    expect(withValue(json, path, 7)).toEqual(expected);
  });

  test.each([
    "spot.pairs.3.spot",
    'spot.pairs."1"',
    "spot.pairs.-1",
    "spot.pairs.1e0",
    "spot.pairs.",
    "spot.pairs.length",
  ])("%s is no place of the list", (path) => {
    expect(valueAt(json, path)).toBeUndefined();
    expect(withValue(json, path, 7)).toBeUndefined();
  });

  test.each<[string, object]>([
    ["idle_timeout", { spot: json.spot }],
    ["spot.pairs.0", { idle_timeout: 300, spot: { pairs: [{ spot: "b" }] } }],
    ["spot.patience", json],
    ["toString", json],
  ])("%s is removed", (path, expected) => {
    expect(withoutValue(json, path)).toEqual(expected);
  });
});
