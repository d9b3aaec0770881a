import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { appFiles } from "../../../infra/local/environment/app-files.ts";

const root = join(import.meta.dirname, "../../..");
const manifestSchema = z.object({
  name: z.string(),
  workspaces: z.array(z.string()).default([]),
  exports: z.unknown(),
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});
const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifestOf = (folder: string) => manifestSchema.parse(JSON.parse(read(join(folder, "package.json"))));
const { workspaces, ...product } = manifestOf(".");

const statement =
  /^\s*(?:import|export)\s[^"';]*?from\s*"([^"]+)"|^\s*import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
/** Own modules as paths from the root, packages by name. */
const importsOf = (file: string): readonly string[] =>
  [...read(file).matchAll(statement)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? "";
    return specifier.startsWith(".") ? relative(root, join(root, dirname(file), specifier)) : specifier;
  });
const filesIn = (...patterns: string[]) => globSync(patterns, { cwd: root });
const packageOf = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

test("the emulators are workspaces", () => {
  expect(workspaces).toEqual(["infra/local/service-bus", "infra/local/functions-host"]);
});

test.each(["docs/local.md", "infra/local/functions-host/README.md"])(
  "%s starts the host with files, since package.json names no app",
  (page) => {
    expect(JSON.parse(read("package.json"))).not.toHaveProperty("main");
    const commands = read(page)
      .split("\n")
      .filter((line) => line.includes("npm start -w @cyclecloud-autoscale/functions-host"));
    expect(commands.map((line) => line.includes("--main")).filter((names) => !names)).toEqual([]);
    expect(commands.join()).toContain(`-- --main '${appFiles}'`);
  },
);

describe.each(workspaces)("%s", (folder) => {
  const manifest = manifestOf(folder);
  const own = filesIn(`${folder}/**/*.ts`);

  test("stands alone: it imports nothing of this project", () => {
    const ours = own.flatMap((file) =>
      importsOf(file).filter((of) => /^(shared|functions|clients|infra|test)\//.test(of)),
    );
    expect(ours.filter((of) => !of.startsWith(`${folder}/`))).toEqual([]);
  });

  test("names each package that it imports, at the versions of the project", () => {
    const packages = new Set(
      own
        .flatMap(importsOf)
        .filter((of) => !/^(node:|shared\/|infra\/)/.test(of))
        .map(packageOf),
    );
    expect([...packages].sort()).toEqual(Object.keys(manifest.dependencies).sort());
    const known = { ...product.dependencies, ...product.devDependencies };
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies }))
      expect([name, known[name] ?? version]).toEqual([name, version]);
  });

  test("is used through its door, but for the tests of its insides", () => {
    const outside = filesIn("{shared,functions,clients,infra,test}/**/*.ts").filter(
      (file) => !file.startsWith(`${folder}/`) && !file.startsWith(`test/${folder}/`),
    );
    // What a test needs to load the app without a host: the whole host would cost every test file half a second.
    const doors = [`${folder}/index.ts`, "infra/local/functions-host/core.ts"];
    const breaches = outside.flatMap((file) =>
      importsOf(file)
        .filter((of) => of.startsWith(`${folder}/`) && !doors.includes(of))
        .map((of) => `${file} → ${of}`),
    );
    expect(breaches).toEqual([]);
  });

  test("has a door, a start command and a README of at most 60 lines", () => {
    expect(manifest.exports).toBe("./index.ts");
    expect(manifest.scripts.start).toMatch(/^node cli\.ts /);
    expect(read(`${folder}/README.md`)).toContain(`npm start -w ${manifest.name}`);
    expect(read(`${folder}/README.md`).trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  });
});
