import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { isProcessAlive } from "../../../shared/machine/process-alive.ts";
import { emptyAccount } from "../../support/azurite.ts";
import { ownFolder } from "../../support/own-folder.ts";

const root = join(import.meta.dirname, "../../..");

const folder = ownFolder();
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const { connectionString } = await emptyAccount();
  env = { ...process.env, AutoscaleStorage: connectionString };
});

// A scheduler that is not there: its reading is unknown, and the agent runs on.
const agent = () => [
  "agent",
  "--driver",
  "slurm",
  "--cluster",
  "hpc",
  "--source",
  "slurm",
  "--state-folder",
  folder(),
];

function second(): Promise<{ readonly code: unknown; readonly stderr: string }> {
  return new Promise((done) =>
    execFile(
      process.execPath,
      ["clients/cli/main.ts", ...agent(), "--once"],
      { cwd: root, env },
      (error, _, stderr) => done({ code: error?.code ?? 0, stderr }),
    ),
  );
}

test("the documented command holds the state folder against a second agent, and ends with the signal that npm gets", {
  timeout: 240_000,
}, async () => {
  const npm = spawn("npm", ["run", "-s", "ccscale", "--", ...agent()], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => npm.once("exit", () => resolve()));
  try {
    for await (const line of createInterface(npm.stdout)) if (line.includes('"event":"pass"')) break;
    const { pid } = JSON.parse(await readFile(folder("hpc.slurm.lock.json"), "utf8"));
    expect(isProcessAlive(pid)).toBe(true);

    const { code, stderr } = await second();
    expect(code).toBe(1);
    expect(stderr).toContain(
      `state folder "${folder()}": an agent of source "slurm" already runs there, process ${pid}`,
    );

    // npm alone gets it, as from a supervisor.
    process.kill(npm.pid ?? -1, "SIGTERM");
    await ended;
    while (isProcessAlive(pid)) await sleep(50);
  } finally {
    // The whole group: what the signal did not reach must not outlive the test.
    try {
      process.kill(-(npm.pid ?? 0), "SIGKILL");
    } catch {}
  }
});
