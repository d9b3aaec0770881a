import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "..");
const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
const lock = z.object({
  packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })),
});
const manifest = z.object({ allowScripts: z.record(z.string(), z.boolean()) });

test("every dependency with an install script is allowed it or denied it: npm asks about the others", () => {
  const { packages } = lock.parse(read("package-lock.json"));
  const having = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
  expect([...new Set(having)].sort()).toEqual(
    Object.keys(manifest.parse(read("package.json")).allowScripts).sort(),
  );
});
