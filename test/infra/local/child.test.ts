import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { beforeAll, expect, test } from "vitest";
import { startChild } from "../../../infra/local/environment/child.ts";
import { ownFolder } from "../../support/own-folder.ts";

const folder = ownFolder();
let idle: string;

beforeAll(async () => {
  idle = folder("idle.mjs");
  // Serves for ever, and listens to no signal.
  await writeFile(idle, 'setInterval(() => {}, 1000); console.log("ready", process.pid);');
});
test("startChild: a child ends when its parent is killed, though nobody told it to", async () => {
  const child = JSON.stringify(new URL("../../../infra/local/environment/child.ts", import.meta.url).href);
  const parent = folder("parent.mjs");
  const options = JSON.stringify({ name: "idle", args: [idle], logFile: folder("idle.log") });
  await writeFile(
    parent,
    `import { startChild } from ${child};
     const started = await startChild({ ...${options}, isReady: (line) => line.startsWith("ready") });
     console.log(started.pid);
     setInterval(() => {}, 1000);`,
  );
  const process_ = spawn(process.execPath, [parent], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: process_.stdout }), "line")) as [string];
  const pid = Number(line);
  expect(isAlive(pid)).toBe(true);
  process_.kill("SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test("startChild: a child whose work is done ends by itself", async () => {
  const brief = folder("brief.mjs");
  await writeFile(brief, 'console.log("ready");');
  const logFile = folder("brief.log");
  const child = await startChild({
    name: "brief",
    args: [brief],
    logFile,
    isReady: (line) => line === "ready",
  });
  await child.ended;
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
