import { readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StateFolder } from "../../../clients/agent/state.ts";
import { ownFolder } from "../../support/own-folder.ts";

const agent = { cluster: "hpc", source: "slurm" };
/** Larger than any pid of Linux. */
const deadPid = 4_999_999;
/** Started this one, and waits for it. */
const livePid = process.ppid;

const folder = ownFolder(afterEach);
let path: string;

beforeEach(async () => {
  path = folder("hpc.slurm.lock.json");
});

function take(source = agent.source) {
  return new StateFolder(folder(), { ...agent, source }).lock();
}

async function lockedBy(holder: object, ageSeconds = 0): Promise<void> {
  await writeFile(path, JSON.stringify({ id: "other", host: hostname(), ...holder }));
  const at = new Date(Date.now() - ageSeconds * 1000);
  await utimes(path, at, at);
}

async function holder(): Promise<number> {
  return JSON.parse(await readFile(path, "utf8")).pid;
}

describe("the lock of an agent's state folder", () => {
  test("is taken, and given back", async () => {
    const lock = await take();
    expect(await holder()).toBe(process.pid);
    await lock.release();
    await expect(readFile(path)).rejects.toThrow("ENOENT");
  });

  test("refuses a second agent of the source, with the process and the folder", async () => {
    await lockedBy({ pid: livePid });
    await expect(take()).rejects.toThrow(
      `Cannot use state folder "${folder()}": an agent of source "slurm" already runs there, process ${livePid}. Stop it first, or give this one another --state-folder and another --source`,
    );
    expect(await holder()).toBe(livePid);
  });

  test("lets an agent of another source into the same folder", async () => {
    await lockedBy({ pid: livePid });
    await (await take("celery")).release();
    expect(await holder()).toBe(livePid);
  });

  test.each([
    ["of a process that is gone", { pid: deadPid }, 0],
    ["of a former life of this container, which had the same pid", { pid: process.pid }, 0],
    ["that nobody has renewed for long: its pid is another program's by now", { pid: livePid }, 120],
    ["of another machine that has not renewed it for long", { pid: 1, host: "elsewhere" }, 120],
    ["that was never written whole", { pid: "none" }, 120],
  ])("takes over a lock %s", async (_, content, ageSeconds) => {
    await lockedBy(content, ageSeconds);
    const lock = await take();
    expect(await holder()).toBe(process.pid);
    await lock.release();
  });

  test.each([
    ["of another machine that renews it", { pid: 1, host: "elsewhere" }, 'process 1 of machine "elsewhere"'],
    ["that is just being written", { pid: "none" }, "another process"],
  ])("cannot tell about a lock %s, and refuses", async (_, content, who) => {
    await lockedBy(content);
    await expect(take()).rejects.toThrow(who);
  });

  test("gives back nothing that another agent has taken over", async () => {
    const lock = await take();
    await lockedBy({ pid: livePid });
    await lock.release();
    expect(await holder()).toBe(livePid);
  });
});
