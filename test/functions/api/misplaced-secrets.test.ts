import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HttpResponse, type HttpResponseInit } from "@azure/functions";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { routes } from "../../../shared/api/index.ts";
import { readConfig } from "../../../shared/config/read-config.ts";
import { kindOf } from "../../../shared/errors/errors.ts";
import { supportParts } from "../../../shared/names/support-parts.ts";
import { archiveOf } from "../../clients/cli/archived-world.ts";
import { ccscale } from "../../clients/cli/in-process.ts";
import { operatorsOf, served } from "../../fuzz/served-world.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { cluster, jobFor } from "../../support/world.ts";
import { handlers } from "./handlers.ts";
import { apiOf, type RouteId } from "./routes.ts";

const api = apiOf(handlers, cluster);

const usable = { url: "https://cyclecloud.example", username: "autoscale", verify_certificates: true };
const password = "hunter2-Geheim";

/** Where people write passwords that belong into an app setting; most when they take over another autoscaler's file. */
const mistakes: readonly (readonly [where: string, config: unknown])[] = [
  ["password_setting", { ...usable, password_setting: password }],
  ["password_setting, as a list", { ...usable, password_setting: [password] }],
  [
    "password_setting, behind its usual name",
    { ...usable, password_setting: `CYCLECLOUD_PASSWORD${password}` },
  ],
  ["password_setting and password", { ...usable, password_setting: password, password }],
  ["password", { ...usable, password, idle_timeout: "soon" }],
  ["username", { ...usable, username: `autoscale:${password}` }],
  ["username, as an object", { ...usable, username: { name: "autoscale", password } }],
  ["url", { ...usable, url: `https://autoscale:${password}@cyclecloud.example` }],
  ["url, without its scheme", { ...usable, url: `autoscale:${password}@cyclecloud.example` }],
  ["url, as a query", { ...usable, url: `https://cyclecloud.example?password=${password}` }],
  ["certificate_authority", { ...usable, certificate_authority: `-----BEGIN PRIVATE KEY-----\n${password}` }],
  ["autostop.password_setting", { ...usable, autostop: { username: "node", password_setting: password } }],
  ["autostop.username", { ...usable, autostop: { username: `node:${password}` } }],
  ["url_setting", { ...usable, notifications: [{ format: "teams", url_setting: password }] }],
  [
    "url_setting, as an address",
    {
      ...usable,
      notifications: [{ format: "slack", url_setting: `https://hooks.slack.com/services/T0/B0/${password}` }],
    },
  ],
  [
    "the address of a webhook",
    {
      ...usable,
      notifications: [
        { format: "slack", url: `https://hooks.slack.com/services/T0/B0/${password}` },
        { format: "teams", webhook_url: `https://receiver.example/hooks/${password}` },
      ],
    },
  ],
  ["a section for it", { ...usable, autostop: [{ password }] }],
  ["include", { ...usable, include: [{ password }] }],
  ["a file that is not closed", `{"url": "https://cyclecloud.example", "password": "${password}"`],
  ["a file without quotes", `{"url": "https://cyclecloud.example", "password": ${password}}`],
];

const folder = ownFolder();
/** The service has read the file as it does, and holds what it makes of it. */
async function store(config: unknown): Promise<string> {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  served.renew();
  const { world } = served;
  await world.post([jobFor(3)]);
  await world.round();
  operatorsOf(world).configFiles.put(cluster, text);
  try {
    world.ports.configs.put(await readConfig(cluster, text, async () => undefined));
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    world.ports.configs.putBroken(cluster, (error as Error & { problems: readonly string[] }).problems);
  }
  return text;
}

async function bodyOf(answer: HttpResponseInit): Promise<string> {
  return `${answer.status} ${await new HttpResponse(answer).text()}`;
}

const ids = routes.map(({ id }) => id).filter((id): id is RouteId => Object.hasOwn(handlers, id));
const who = { by: "ann", reason: "test", dryRun: true };

/** Everything that anybody is shown, by where. */
async function views(config: unknown): Promise<ReadonlyMap<string, string>> {
  const text = await store(config);
  const { world } = served;
  const planId = (await api.read<{ plans: { planId: string }[] }>("plans").catch(() => undefined))?.plans[0]
    ?.planId;
  const seen = new Map<string, string>();
  for (const id of ids) {
    const params = {
      planId: planId ?? "p",
      part: "config",
      node: "htc-1",
      job: "a",
      actionId: "a",
      rejectionId: "r",
    };
    const body = id === "put-config" ? { config, ...who } : { kind: "pause", ...who };
    const isGet = routes.find((route) => route.id === id)?.method === "GET";
    const headers = { "if-match": "*" };
    seen.set(`http ${id}`, await bodyOf(await api.call(id, { params, headers, ...(isGet ? {} : { body }) })));
  }
  for (const part of supportParts)
    seen.set(`support ${part}`, await bodyOf(await api.call("support", { params: { part } })));
  for (const [name, work] of Object.entries({ snapshot: () => world.snapshot(), round: () => world.round() }))
    seen.set(name, await work().then((value) => JSON.stringify(value) ?? "", String));
  seen.set("log", world.log.join("\n"));

  const file = folder(`${cluster}.json`);
  await writeFile(file, text);
  if (typeof config === "object") {
    const archive = await archiveOf(world, folder("archive"), { ...config });
    for (const name of globSync("**/*.json", { cwd: archive }))
      seen.set(`archive ${name}`, await readFile(join(archive, name), "utf8"));
    for (const command of ["status", "nodes", "jobs", "limits"]) {
      const { code, stdout, stderr } = await ccscale([command, "--offline", archive]);
      seen.set(`ccscale ${command} --offline`, `${code} ${stdout} ${stderr}`);
    }
  }
  const { code, stdout, stderr } = await ccscale(["config", "validate", file]);
  seen.set("ccscale config validate", `${code} ${stdout} ${stderr}`);
  const push = await ccscale(["config", "push", file, "--dry-run", "--url", "http://127.0.0.1:1"]);
  seen.set("ccscale config push", `${push.code} ${push.stdout} ${push.stderr}`);
  return seen;
}

describe.each(mistakes)("a password in %s", (_, config) => {
  test("is in no view, answer, problem or log", async () => {
    const seen = await views(config);
    for (const view of [
      "http config",
      "http status",
      "http put-config",
      "support config",
      "log",
      "ccscale config push",
    ])
      expect([...seen.keys()]).toContain(view);
    expect([...seen].filter(([, text]) => text.includes(password)).map(([view]) => view)).toEqual([]);
  });
});

test("an archive that somebody else made, with a password in it, is shown without", async () => {
  const archive = await archiveOf(served.world, folder("theirs"));
  const config = JSON.parse(await readFile(join(archive, "config.json"), "utf8")) as object;
  await writeFile(join(archive, "config.json"), JSON.stringify({ ...config, password_setting: password }));
  for (const command of ["status", "nodes", "jobs", "limits"]) {
    const { stdout, stderr } = await ccscale([command, "--offline", archive]);
    expect(`${stdout} ${stderr}`).not.toContain(password);
  }
});

test.each([
  ["--password-setting", password],
  ["--username", `a:${password}`],
])("ccscale config init does not repeat what is given as %s", async (option, value) => {
  const wanted = { "--cluster-name": "hpc", "--server-url": usable.url, "--username": "a", [option]: value };
  const { code, stdout, stderr } = await ccscale(["config", "init", ...Object.entries(wanted).flat()]);
  expect(code).toBe(1);
  expect(`${stdout} ${stderr}`).not.toContain(password);
});

test("what is shown says all the same which key is wrong, and what is wanted", async () => {
  const seen = await views({ ...usable, password_setting: password, username: `a:${password}` });
  for (const view of ["http config", "ccscale config validate"]) {
    expect(seen.get(view)).toMatch(
      /password_setting: expected the name of the app setting that holds the password/,
    );
    expect(seen.get(view)).toMatch(/username: expected a user name without a colon/);
  }
});
