import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claimFolder, releaseFolder } from "../../../../infra/local/start/preflight.ts";
import { ownFolder } from "../../../support/own-folder.ts";

const folder = ownFolder();

/** A process that has ended. */
async function endedPid(): Promise<number | undefined> {
  const child = spawn(process.execPath, ["--eval", ""]);
  await once(child, "close");
  return child.pid;
}

test.each<[name: string, claimOf: () => Promise<number | undefined>, left: string]>([
  ["an empty folder", async () => undefined, "start.pid.1"],
  ["a folder of a process that has ended", endedPid, "start.pid.8"],
])(
  "%s is emptied for one process, and of several starts at once only one gets it",
  async (_, claimOf, left) => {
    const own = await mkdtemp(folder("new-"));
    await mkdir(join(own, "old"), { recursive: true });
    await writeFile(join(own, "old/a.log"), "");
    const pid = await claimOf();
    if (pid !== undefined) await symlink(String(pid), join(own, "start.pid.7"));
    // Claims are of processes, so that several are needed.
    const preflight = new URL("../../../../infra/local/start/preflight.ts", import.meta.url).href;
    const script = `
    const { claimFolder } = await import(${JSON.stringify(preflight)});
    await claimFolder(${JSON.stringify(own)}).then(() => console.log("mine"), (error) => console.log(error.message));
    process.stdin.resume();`;
    const children = [1, 2, 3, 4].map(() =>
      spawn(process.execPath, ["--input-type=module", "--eval", script]),
    );
    const said = await Promise.all(
      children.map(async (child) => String((await once(child.stdout, "data"))[0]).trim()),
    );
    expect(said.filter((text) => text === "mine")).toHaveLength(1);
    const winner = children[said.indexOf("mine")]?.pid;
    for (const text of said.filter((each) => each !== "mine"))
      expect(text).toContain(`process ${winner} runs one in this folder already`);
    expect(await readdir(own)).toEqual([left]);
    for (const child of children) child.kill();
  },
);

test("a claim of a number that somebody had before does not count beside a higher one", async () => {
  const own = folder("numbers");
  await mkdir(own);
  await symlink(String(await endedPid()), join(own, "start.pid.3"));
  await symlink(String(await endedPid()), join(own, "start.pid.10"));
  await claimFolder(own);
  expect(await readdir(own)).toEqual(["start.pid.11"]);
});

test("a release lets another take the folder", async () => {
  const own = folder("released");
  await claimFolder(own);
  expect(await readlink(join(own, "start.pid.1"))).toBe(String(process.pid));
  await releaseFolder(own);
  expect(await readlink(join(own, "start.pid.2"))).toBe("free");
  expect(await readdir(own)).toEqual(["start.pid.2"]);
  await claimFolder(own);
  expect(await readdir(own)).toEqual(["start.pid.3"]);
});
