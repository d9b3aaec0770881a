import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownFolder } from "../support/own-folder.ts";

const root = join(import.meta.dirname, "../..");
const plugins: readonly string[] = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")).plugins;

/** What the linter, with this repository's own rules, prints of a source. */
function lint(source: string): { readonly exitCode: number | null; readonly printed: string } {
  const folder = ownFolder(onTestFinished);
  const config = { plugins: plugins.map((plugin) => join(root, plugin)) };
  writeFileSync(folder("biome.json"), JSON.stringify(config));
  writeFileSync(folder("planted.ts"), source);
  const biome = join(root, "node_modules/.bin/biome");
  const { status, stdout, stderr } = spawnSync(biome, ["lint", "."], { cwd: folder(), encoding: "utf8" });
  return { exitCode: status, printed: stdout + stderr };
}

test("an object literal that is spread into another one is refused", () => {
  const { exitCode, printed } = lint("const a = 1;\nexport const x = { b: 2, ...{ a, c: 3 } };\n");
  expect(printed).toContain("Write the fields one by one");
  expect(exitCode).toBe(1);
});

test("a spread of a value or of a choice is not", () => {
  const source = "const a = { b: 1 };\nexport const x = { ...a, ...(a.b === 1 ? { c: 2 } : {}) };\n";
  expect(lint(source)).toMatchObject({ exitCode: 0 });
});
