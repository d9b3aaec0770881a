import { cp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { publint } from "publint";
import { beforeAll, describe, expect, test } from "vitest";
import { topics } from "../../../clients/cli/help/topics.ts";
import { buildLibrary, reportFolder } from "../../../infra/package/library.ts";
import { isAll } from "../../support/cases.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { deadLinks, deadPathsInComments } from "./dead-links.ts";
import { blockOf, install, pack, requireBuild, root, run, runNode } from "./packed.ts";
import { testOnStack } from "./packed-stack.ts";

const folder = ownFolder();
/** An empty folder with nothing but the package. */
let app: string;
let tarball: string;
let files: readonly string[];
let reports: ReadonlyMap<string, string>;
const entries = ["engine", "schedulers", "schedulers/contract", "client", "messages"];

beforeAll(async () => {
  requireBuild();
  reports = await buildLibrary(join(root, "dist/library"));
  ({ tarball, files } = await pack(folder()));
  app = folder("app");
  await install(tarball, app);
}, 300_000);
const installed = (path: string) => join(app, "node_modules/cyclecloud-autoscale", path);

describe("the tarball", () => {
  test("lists what a user needs, and nothing else", () => {
    const wanted =
      /^(package\.json|(README|AGENTS|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE|docs\/(decisions\/)?[\w-]+\.md|docs\/pictures\/(README\.md|[\w-]+\.(svg|webp))|examples\/([\w-]+\/)*[\w-]+\.(json|lua|md|py|ts)|clients\/agent\/(ccscale-agent\.service|wake-agent\.sh|drivers\/driver\.ts|drivers\/example\/[\w-]+\.ts)|clients\/(autostop|celery|celery\/examples|jetpack|python|scheduled-events)\/README\.md|clients\/library\/api\/[\w-]+\.api\.md|shared\/api\/openapi\.json|shared\/engine\/README\.md|shared\/messages\/(README\.md|[\w-]+\.schema\.json)|dist\/ccscale\/([\w-]+\/)*[\w.-]+\.js|dist\/ccscale\/printed\/[\w-]+\.txt|dist\/library\/([\w.-]+\/)*[\w.-]+\.js|dist\/library\/[\w-]+\.d\.ts)$/;
    expect(files.filter((file) => !wanted.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "dist/ccscale/main.js", "docs/library.md"]));
    // Rooms of the service that no entry point has a use for.
    expect(
      files.filter((file) =>
        /^dist\/library\/(functions|infra|shared\/(cyclecloud|stores|cycle|service|telemetry))\//.test(file),
      ),
    ).toEqual([]);
  });

  test("has no page with a link to a file that it lacks, and no hover text that names one", async () => {
    const has = new Set(files);
    const pages = files.filter((file) => file.endsWith(".md"));
    const declared = files.filter((file) => file.endsWith(".d.ts"));
    expect(pages.length).toBeGreaterThan(50);
    expect(declared).toHaveLength(entries.length);
    const dead = await Promise.all([
      ...pages.map(async (page) => deadLinks(page, await readFile(installed(page), "utf8"), has)),
      ...declared.map(async (file) => deadPathsInComments(await readFile(installed(file), "utf8"), has)),
    ]);
    expect(dead.flat()).toEqual([]);
  });

  test("has no problem that publint finds", async () => {
    const { messages } = await publint({ pkgDir: installed(""), pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test("has types that are not wrong, for Node.js's own modules and for bundlers", async () => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
    if (result.types === false) throw new Error("no types");
    expect(Object.keys(result.entrypoints).sort()).toEqual(
      [...entries.map((entry) => `./${entry}`), "./package.json"].sort(),
    );
    // The package is of ES modules alone, and `node10` knows no exports.
    const ours = result.problems.filter((problem) => {
      if (!("resolutionKind" in problem)) return true;
      return problem.resolutionKind === "node16-esm" || problem.resolutionKind === "bundler";
    });
    expect(ours).toEqual([]);
  });

  test.each(entries)(
    "%s: the public API is the one that is kept as text; `npm run library` writes it",
    async (entry) => {
      const name = `${entry.replace("/", "-")}.api.md`;
      expect(reports.get(name)).toBe(await readFile(join(reportFolder, name), "utf8"));
    },
  );

  test("is less than 30 MB installed, and brings no SDK", async () => {
    const packages = await readdir(join(app, "node_modules"));
    expect(packages.filter((name) => !name.startsWith(".")).sort()).toEqual([
      "cyclecloud-autoscale",
      "openapi-fetch",
      "openapi-typescript-helpers",
      "zod",
    ]);
    expect(await bytesIn(join(app, "node_modules"))).toBeLessThan(30_000_000);
  });
});

async function bytesIn(path: string): Promise<number> {
  const all = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = all
    .filter((each) => each.isFile())
    .map(async (each) => (await stat(join(each.parentPath, each.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** What an entry point loads when it is imported: packages and Node.js's modules by name. */
async function loadedWith(entry: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const open = [installed(`dist/library/${entry.replace("/", "-")}.js`)];
  for (const file of open) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, specifier = ""] of (await readFile(file, "utf8")).matchAll(
      /^(?:import|export) (?:[^"]*? from )?"([^"]+)";$/gm,
    ))
      if (specifier.startsWith(".")) open.push(join(dirname(file), specifier));
      else names.add(specifier);
  }
  expect(seen.size).toBeGreaterThan(1);
  return names;
}

describe("importing", () => {
  test("the engine loads no package, and nothing of Node.js", async () => {
    expect([...(await loadedWith("engine"))]).toEqual([]);
  });

  test.each([
    ["schedulers", ["zod"]],
    ["schedulers/contract", ["zod"]],
    ["client", ["openapi-fetch"]],
    ["messages", ["zod"]],
  ])("%s loads %j and no SDK", async (entry, packages) => {
    const names = [...(await loadedWith(entry))].filter(
      (name) => !builtinModules.includes(name.replace("node:", "")),
    );
    expect(names.sort()).toEqual(packages);
  });

  test.each(entries)(
    "%s prints nothing, leaves nothing running and changes nothing that all share",
    async (entry) => {
      const script = [
        '// zod keeps its registry there.\nconst keys = () => Object.keys(globalThis).filter((key) => !key.startsWith("__zod_")).join();\nconst before = keys();',
        "const listeners = process.eventNames().join();",
        `await import("cyclecloud-autoscale/${entry}");`,
        'if (keys() !== before || process.eventNames().join() !== listeners) throw new Error("changed");',
        'if (process.getActiveResourcesInfo().some((each) => each !== "FSReqPromise")) throw new Error(process.getActiveResourcesInfo().join());',
      ].join("\n");
      expect(await runNode(["--input-type=module", "-e", script], app)).toEqual({ stdout: "", stderr: "" });
    },
  );

  test("what is used of the engine is all that a bundler keeps", async () => {
    const bundle = async (text: string) => {
      const options = {
        bundle: true,
        write: false,
        format: "esm",
        platform: "neutral",
        minify: true,
      } as const;
      const { outputFiles } = await build({ ...options, stdin: { contents: text, resolveDir: app } });
      return outputFiles[0]?.contents.length ?? 0;
    };
    const some = await bundle(
      'import { and, ncpus } from "cyclecloud-autoscale/engine"; console.log(and(ncpus(1)));',
    );
    const all = await bundle('import * as engine from "cyclecloud-autoscale/engine"; console.log(engine);');
    expect(some).toBeLessThan(1_000);
    expect(some).toBeLessThan(all / 100);
  });
});

describe("ccscale help of the installed package", () => {
  const help = (topic: string) => runNode([installed("dist/ccscale/main.js"), "help", topic], app);

  test("the page of a command has what its examples print", async () => {
    const { stdout, stderr } = await help("explain");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^NAME\n {2}ccscale explain - /);
    expect(stdout).toMatch(/\$ ccscale explain \S+\n {4}Job "/);
  });

  test.each(topics)("the page of the topic $name is there", async ({ name, file }) => {
    const { stdout, stderr } = await help(name);
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(`docs/${file}`);
  });
});

describe("docs/library.md", () => {
  test.each(["plan.mjs", "constraints.mjs"])("%s prints what the page says", async (name) => {
    await writeFile(join(app, name), await blockOf("docs/library.md", `js ${name}`));
    const { stdout } = await runNode([name], app);
    expect(stdout.trimEnd()).toBe(await blockOf("docs/library.md", `text ${name}`));
  });

  test("ten jobs are planned and the demand table printed in under 15 lines", async () => {
    const text = await blockOf("docs/library.md", "js plan.mjs");
    expect(text).toContain("length: 10");
    expect(text).toContain("printDemand(");
    expect(text.split("\n").length).toBeLessThan(15);
  });
});

test("without Azure's SDKs the sender says what to install", async () => {
  const script = [
    'import { DemandSender } from "cyclecloud-autoscale/messages";',
    'const sender = new DemandSender({ cluster: "hpc", source: "own", storage: { connectionString: "UseDevelopmentStorage=true" } });',
    "await sender.snapshot([]).catch((error) => console.log(error.message));",
  ].join("\n");
  const { stdout } = await runNode(["--input-type=module", "-e", script], app);
  expect(stdout).toBe(
    'Cannot find package "@azure/storage-queue": it is optional, install it with "npm install @azure/storage-queue"\n',
  );
});

test.runIf(isAll)(
  "examples/own-scheduler is built from the tarball in an empty folder, and its driver keeps to the contract",
  async () => {
    const project = folder("own-scheduler");
    await cp(join(root, "examples/own-scheduler"), project, { recursive: true });
    // The package from this tarball, and the compiler of this project: nothing is fetched.
    await cp(join(app, "node_modules"), join(project, "node_modules"), { recursive: true });
    for (const name of ["@types/node", "undici-types"])
      await cp(join(root, "node_modules", name), join(project, "node_modules", name), { recursive: true });
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project], project);
    expect(await runNode(["dist/check.js"], project)).toEqual({ stdout: "0 problems\n", stderr: "" });
    const ccscale = join(project, "node_modules/cyclecloud-autoscale/dist/ccscale/main.js");
    const args = ["agent", "--driver", "./dist/driver.js", "--config", "agent.json", "--once", "--dry-run"];
    const reading = run(
      process.execPath,
      [ccscale, ...args, "--state-folder", join(project, "state")],
      project,
    );
    // The scheduler does not exist: the reading is unknown, and never "no demand".
    await expect(reading).rejects.toThrow(/"known": false,\s+"reason": "Cannot run \\"toyq --queue=all\\"/);
  },
);

describe("on the local stack", () => testOnStack(() => app));
