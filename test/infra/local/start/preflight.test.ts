import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimFolder, releaseFolder } from "../../../../infra/local/start/preflight.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "claim-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a folder is emptied for one process, and of two starts at once only one gets it", async () => {
  const own = join(folder, "new");
  await mkdir(join(own, "old"), { recursive: true });
  await writeFile(join(own, "old/a.log"), "");
  // Claims are of processes, so that three are needed.
  const preflight = new URL("../../../../infra/local/start/preflight.ts", import.meta.url).href;
  const script = `
    const { claimFolder } = await import(${JSON.stringify(preflight)});
    await claimFolder(${JSON.stringify(own)}).then(() => console.log("mine"), (error) => console.log(error.message));
    process.stdin.resume();`;
  const children = [1, 2, 3].map(() => spawn(process.execPath, ["--input-type=module", "--eval", script]));
  const said = await Promise.all(
    children.map(async (child) => String((await once(child.stdout, "data"))[0]).trim()),
  );
  expect(said.filter((text) => text === "mine")).toHaveLength(1);
  const winner = children[said.indexOf("mine")]?.pid;
  for (const text of said.filter((each) => each !== "mine"))
    expect(text).toContain(`process ${winner} runs one in this folder already`);
  expect(await readdir(own)).toEqual(["start.pid"]);
  for (const child of children) child.kill();
});

test("the claim of a process that has ended does not count, and a release lets another take the folder", async () => {
  const own = join(folder, "stale");
  const child = spawn(process.execPath, ["--eval", ""]);
  await once(child, "close");
  await mkdir(own);
  await symlink(String(child.pid), join(own, "start.pid"));
  await claimFolder(own);
  expect(await readlink(join(own, "start.pid"))).toBe(String(process.pid));
  await releaseFolder(own);
  expect(await readdir(own)).toEqual([]);
});
