import { existsSync } from "node:fs";
import { mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compile } from "../../../infra/package/compile.ts";
import { ownFolder } from "../../support/own-folder.ts";

const root = join(import.meta.dirname, "../../..");
const folder = ownFolder(afterEach);

beforeEach(async () => {
  for (const part of ["functions", "shared"]) await mkdir(folder(part));
  for (const name of ["tsconfig.json", "tsconfig.build.json"])
    await writeFile(folder(name), await readFile(join(root, name)));
  await symlink(join(root, "node_modules"), folder("node_modules"));
  await writeFile(folder("package.json"), '{ "type": "module" }');
  await write("shared/a.ts", "export const a = 1;\n");
  await write("functions/b.ts", 'export { a } from "../shared/a.ts";\n');
  await mkdir(folder("clients/dashboard"), { recursive: true });
  await write("clients/dashboard/d.ts", "export const d = 1;\n");
  await compile(folder());
});
const write = (name: string, text: string) => writeFile(folder(name), text);
const isThere = (name: string) => existsSync(folder(name));

test("compile: every source has its script", () => {
  expect(["dist/shared/a.js", "dist/functions/b.js"].map(isThere)).toEqual([true, true]);
});

test("compile: a script whose source is gone goes too, so that no host loads it", async () => {
  await rm(folder("functions/b.ts"));
  await compile(folder());
  expect(isThere("dist/functions/b.js")).toBe(false);
  expect(isThere("dist/functions/b.js.map")).toBe(false);
  expect(isThere("dist/shared/a.js")).toBe(true);
});

test("compile: a script that somebody removed is written again", async () => {
  await rm(folder("dist/functions"), { recursive: true });
  await compile(folder());
  expect(isThere("dist/functions/b.js")).toBe(true);
});

test("compile: what has not changed is not written again, what has changed is", async () => {
  const before = await stat(folder("dist/functions/b.js"));
  await write("shared/a.ts", "export const a = 2;\n");
  await compile(folder());
  expect(await readFile(folder("dist/shared/a.js"), "utf8")).toContain("a = 2");
  expect((await stat(folder("dist/functions/b.js"))).mtimeMs).toBe(before.mtimeMs);
});

test("compile: an error names file and line, also when it is asked again", async () => {
  await write("shared/a.ts", 'export const a: number = "one";\n');
  await expect(compile(folder())).rejects.toThrow(/shared\/a\.ts.*\n?.*TS2322/);
  await expect(compile(folder())).rejects.toThrow(/TS2322/);
});

test("compile: where it may not write it says so once, not for every file", async () => {
  await rm(folder("dist"), { recursive: true });
  await write("dist", "a file where a folder is wanted");
  await expect(compile(folder())).rejects.toThrow(`Cannot write to "${folder("dist")}": EEXIST`);
});
