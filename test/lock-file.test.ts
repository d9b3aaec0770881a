import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "..");
const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
      dependencies: z.record(z.string(), z.string()).default({}),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
const manifest = z.object({ allowScripts: z.record(z.string(), z.boolean()) });
const { packages } = lock.parse(read("package-lock.json"));

const folder = "node_modules/";
const nameOf = (path: string): string => path.slice(path.lastIndexOf(folder) + folder.length);
/** Packages of the registry: neither this project (""), nor its workspaces, nor the links to those. */
const fetched = Object.entries(packages).filter(([path, { link }]) => path.includes(folder) && link !== true);

/** Where Node.js looks for a package that `path` requires: beside it, then in each folder further up. */
const placesOf = (name: string, path: string): string[] => {
  const places = [`${path === "" ? "" : `${path}/`}${folder}${name}`];
  for (let above = path; above !== ""; ) {
    above = above.slice(0, Math.max(0, above.lastIndexOf(`/${folder}`)));
    places.push(above === "" ? `${folder}${name}` : `${above}/${folder}${name}`);
  }
  return places;
};

test("every package has a version and a checksum, without which `npm ci` refuses or cannot check it", () => {
  const lacking = fetched.filter(([, { version, integrity }]) => !version || !integrity);
  expect(lacking.map(([path]) => path)).toEqual([]);
});

test("no package has a download address: everybody installs from the registry of their own settings", () => {
  const addressed = fetched.filter(([, { resolved }]) => resolved !== undefined);
  expect(addressed.map(([path]) => path)).toEqual([]);
});

test("what a package depends on is there, also the packages for other platforms: `npm ci` names those that are not", () => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !placesOf(name, path).some((place) => packages[place] !== undefined))
      .map((name) => `${path || "this project"} → ${name}`),
  );
  expect(missing).toEqual([]);
});

test("every dependency with an install script is allowed it or denied it: npm asks about the others", () => {
  const having = fetched
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => nameOf(path));
  expect([...new Set(having)].sort()).toEqual(
    Object.keys(manifest.parse(read("package.json")).allowScripts).sort(),
  );
});
