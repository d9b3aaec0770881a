import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { QueueServiceClient } from "@azure/storage-queue";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Account, emptyAccount } from "../../../support/azurite.ts";
import { ownFolder } from "../../../support/own-folder.ts";
import { type Child, startChild } from "./child-process.ts";

const cli = "infra/local/functions-host/cli.ts";
const app = join(import.meta.dirname, "app");
let account: Account;

beforeAll(async () => {
  account = await emptyAccount();
});

interface CliOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function startCli({ args = [], env = {} }: CliOptions): Promise<Child & { url: string }> {
  const child = await startChild({
    args: [cli, "--app", app, "--port", "0", "--ready-line", ...args],
    env: { Store: account.connectionString, ...env },
    isReady: (line) => line.startsWith('{"ready":true'),
  });
  onTestFinished(async () => void (await child.kill("SIGKILL")));
  return { ...child, url: JSON.parse(child.ready).url };
}

async function linesMatching({ lines }: Child, pattern: RegExp, count = 1): Promise<void> {
  await expect.poll(() => lines.filter((line) => pattern.test(line)).length).toBe(count);
}

describe("cli", () => {
  test("prints one line per invocation and ends in order on SIGTERM, answering what it has begun", async () => {
    const host = await startCli({});
    const answer = fetch(`${host.url}/api/slow`).then((response) => response.text());
    await fetch(`${host.url}/api/nothing`);
    await linesMatching(host, /nothing \[[0-9a-f]{8}\] succeeded in \d+ ms/);
    expect(await host.kill("SIGTERM")).toBe(0);
    expect(await answer).toBe("late");
  });

  test("a second signal ends it at once", async () => {
    const env = { AzureFunctionsJobHost__functionTimeout: "00:01:00" };
    const host = await startCli({ env, args: ["--grace-seconds", "60"] });
    fetch(`${host.url}/api/stuck`).catch(() => undefined);
    await expect.poll(() => fetch(`${host.url}/api/nothing`).then(({ status }) => status)).toBe(204);
    void host.kill("SIGINT");
    // The first signal has been seen when no new connection is taken.
    await expect.poll(() => fetch(`${host.url}/api/nothing`).catch(() => "refused")).toBe("refused");
    expect(await host.kill("SIGTERM")).toBe(1);
  });

  test("a message in the hands of a host that is killed is worked on by the next one", async () => {
    const args = ["--queue-lease-seconds", "2"];
    const env = { JOB_QUEUE: "killed", AzureFunctionsJobHost__functionTimeout: "00:01:00" };
    const first = await startCli({ args, env });
    const queue = QueueServiceClient.fromConnectionString(account.connectionString).getQueueClient("killed");
    await queue.createIfNotExists();
    await queue.sendMessage(Buffer.from('{"n": 1, "sleepMs": 1000}').toString("base64"));
    await linesMatching(first, /on-job .*"dequeueCount":1/);
    await first.kill("SIGKILL");
    const second = await startCli({ args, env });
    await linesMatching(second, /on-job .*"dequeueCount":2/);
    await linesMatching(second, /on-job .*succeeded/);
  });

  test("--log-level overrides host.json", async () => {
    const host = await startCli({ args: ["--log-level", "error"] });
    await fetch(`${host.url}/api/nothing`);
    await fetch(`${host.url}/api/broken`);
    await linesMatching(host, /broken .*failed/);
    expect(host.lines.filter((line) => line.includes("nothing ["))).toEqual([]);
  });

  test.each([
    ["a folder without host.json", [], "host.json"],
    ["an app without files", ["--main", "none/*.js"], 'no file matches "none/*.js"'],
    ["an app that throws", ["--main", "thrower.js"], "thrown at load time"],
    ["a bad port", ["--port", "many"], "whole number"],
  ])("%s ends with a message", async (name, args, message) => {
    const folder = ownFolder(onTestFinished);
    if (!name.includes("host.json")) writeFileSync(folder("host.json"), '{"version": "2.0"}');
    writeFileSync(folder("package.json"), '{"main": "x.js"}');
    writeFileSync(folder("thrower.js"), 'throw new Error("thrown at load time");');
    const started = startChild({ args: [cli, "--app", folder(), ...args], isReady: () => false });
    await expect(started).rejects.toThrow(message);
  });
});

test("an app can be started again in the same process", async () => {
  const code = `
    import { start } from "./infra/local/functions-host/host.ts";
    for (const round of [1, 2]) {
      const host = await start({ appDir: process.env.APP });
      const { status } = await fetch(host.url + "/api/echo/x/1");
      console.log("round " + round + ": " + status);
      await host.stop();
    }
    console.log("done");`;
  const child = await startChild({
    args: ["--input-type=module", "--eval", code],
    env: { APP: app },
    isReady: (line) => line === "done",
  });
  expect(child.lines).toEqual(["round 1: 201", "round 2: 201", "done"]);
  expect(await child.exited).toBe(0);
});
