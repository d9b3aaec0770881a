import { readdir, readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { logOf } from "../../../functions/support/process.ts";
import { requestFields } from "../../../shared/api/actions.ts";
import { checkConfig } from "../../../shared/config/index.ts";
import { MemoryConfigFiles } from "../../../shared/stores/in-memory/index.ts";
import { archiveOf, serviceOn } from "../../clients/cli/archived-world.ts";
import { ccscale } from "../../clients/cli/in-process.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";

const storageKey = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYg==";
/** None of them looks like one by itself: where they stand tells what they are. */
const secrets = ["hunter2", "opensesame", "q7%2Bpq", storageKey, "swordfish"];
const sas = "https://acct.blob.core.windows.net/c/b?sv=2026&sig=q7%2Bpq&se=1";
const connection = `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${storageKey};EndpointSuffix=x`;

/** Jobs as a careless sender writes them, and one that is as good as any. */
const jobs = [
  { name: "1", constraints: { ncpus: 2, password: "hunter2" } },
  { name: "2", constraints: { or: [{ password: "hunter2" }, { "db-token": ["opensesame"] }] } },
  { name: "3", constraints: { not: { secret: "swordfish" } } },
  { name: "4", constraints: { ncpus: 2, note: sas } },
  { name: "5", constraints: { ncpus: 2, storage: connection } },
  { name: "6", constraints: { ncpus: 2, license_token: 3, key_of_rack: "r7", queue: "long" } },
  { name: "7", constraints: { ncpus: "token=opensesame" } },
  { name: "8", iterations: "AccountKey=swordfish" },
];

const found = (text: string) => secrets.filter((secret) => text.includes(secret));

const folder = ownFolder(afterEach);
let world: World;

beforeEach(async () => {
  world = createWorld();
  await world.snapshot();
  await world.post(jobs, { source: "pbs" });
  await world.receive(
    JSON.stringify({
      version: 7,
      cluster,
      source: "pbs",
      note: `curl -H 'x' ${sas}`,
      why: "token=opensesame",
    }),
    "bad",
  );
  await world.receive(
    `{"version": 1, "cluster": "${cluster}", "source": "pbs", "db": {"password": "hunter2", `,
    "cut",
  );
  await world.round();
});

/** Every file of the archive by its name. */
async function archived(): Promise<ReadonlyMap<string, string>> {
  await archiveOf(world, folder(), {
    default_resources: [{ select: {}, name: "password", value: "swordfish" }],
  });
  const names = (await readdir(folder(), { recursive: true })).filter((name) => name.endsWith(".json"));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(folder(name), "utf8")] as const)),
  );
}

describe("secrets that somebody planted", () => {
  test("are in no file of a support archive, and what a job asks for otherwise is", async () => {
    const files = await archived();
    expect([...files.keys()].some((name) => name.startsWith("plans/") && !/head|index/.test(name))).toBe(
      true,
    );
    expect([...files].flatMap(([name, text]) => found(text).map((secret) => `${name}: ${secret}`))).toEqual(
      [],
    );
    const demand = files.get("demand.json") ?? "";
    for (const plain of ['"license_token":3', '"key_of_rack":"r7"', '"queue":"long"'])
      expect(demand).toContain(plain);
  });

  test.each([
    "jobs",
    "jobs --format json",
    "explain 1",
    "explain 2",
    "explain 3",
    "explain 1 --format json",
    "plans",
    "demand",
    "status",
    "rejects list",
    "events",
  ])("are in nothing that `ccscale %s` prints", async (words) => {
    await archived();
    const { stdout, stderr } = await ccscale([...words.split(" "), "--offline", folder()]);
    expect(found(stdout + stderr)).toEqual([]);
    expect(stdout).not.toBe("");
  });

  test.each([
    ["explain", { params: { job: "1" } }],
    ["explain", { params: { job: "2" } }],
    ["explain", { params: { job: "3" } }],
    ["jobs", {}],
    ["plans", {}],
    ["plan", { params: { planId: "plan-0001" } }],
    ["demand", {}],
    ["status", {}],
    ["events", {}],
    ["rejects", {}],
  ] as const)("are in no answer of the route %s %j", async (id, call) => {
    const configFiles = new MemoryConfigFiles(checkConfig);
    configFiles.put(cluster, "{}");
    const answer: unknown = await serviceOn({ ...world.ports, configFiles }).ask(id, call);
    expect(found(JSON.stringify(answer))).toEqual([]);
  });

  test("are in nothing that is shown of a refused message in a list", async () => {
    const { rejections } = world.ports;
    const shown = [...(await rejections.list(cluster, 100)), ...(await rejections.list(undefined, 100))];
    expect(shown.length).toBeGreaterThan(1);
    expect(found(JSON.stringify(shown))).toEqual([]);
  });

  test("a plan read back from the archive is whole", async () => {
    await archived();
    const planId = "plan-0001";
    const shown = await ccscale(["plans", planId, "--offline", folder()]);
    expect({ code: shown.code, found: found(shown.stdout) }).toEqual({ code: 0, found: [] });
    expect(shown.stdout).toContain("password = ***");
  });

  test("are in no line of the log", () => {
    const lines: string[] = [];
    const add = (line: string) => void lines.push(line);
    const log = logOf({ info: add, warn: add, error: add });
    for (const problems of [
      sas,
      connection,
      `jobs[0]: {"password": "hunter2"}, expected …`,
      `cut off: {"sig": "swordf`.replace("swordf", "swordfish"),
      "token=opensesame; more",
      `${"x".repeat(1_990)}${connection}`,
    ])
      log.warn("rejected", { cluster: "hpc", problems });
    log.warn("rejected", {
      problems: "Job 12 waits: key=ncpus, token 5 of 7, license_token=3, priority=swordfight",
    });
    expect(found(lines.join("\n"))).toEqual([]);
    expect(lines.at(-1)).toContain("key=ncpus, token 5 of 7, license_token=3, priority=swordfight");
  });

  test("are taken out of what a person gives as a reason, before it is kept", () => {
    const { reason } = requestFields;
    expect(reason.parse(` disk swap, token=opensesame, ${sas} `)).toBe(
      "disk swap, token=***, https://acct.blob.core.windows.net/c/b?sv=2026&sig=***&se=1",
    );
    expect(reason.parse("ran with --password hunter2 since noon")).toBe("ran with --password *** since noon");
    const plain = "secretary of group key-users asks: tokens of lab 7 = 12, see /pass/port?code-review";
    expect(reason.parse(plain)).toBe(plain);
  });
});
