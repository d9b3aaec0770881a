/**
 * Makes what the package `cyclecloud-autoscale` offers to import, `dist/library`: one module for each source that an entry point
 * reaches, so that those who bundle it get no more than they use, and one file of declarations for each entry point.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
} from "@microsoft/api-extractor";
import { rolldown } from "rolldown";
import { runCompiler } from "./compile.ts";

const root = resolve(import.meta.dirname, "../..");
const sources = join(root, "clients/library");
/** Not below node_modules: the extractor takes everything there for packages of others. */
const declarations = join(root, ".package/declarations");

/** Where the public API is kept as text, so that a change of it is seen in review. */
export const reportFolder = join(sources, "api");

/**
 * Builds into a folder that is emptied before, and returns the public API as text, by the names of the files in `reportFolder`.
 * Throws an Error when the declarations do not compile; types inside functions are checked by `npm run types` alone.
 */
export async function buildLibrary(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await entryPoints();
  await rm(folder, { recursive: true, force: true });
  await Promise.all([bundle(entries, folder), declare()]);
  const reports = join(root, ".package/api");
  await mkdir(reports, { recursive: true });
  const configs = Object.entries(entries).map(([name, source]) =>
    extractorConfig({ name, source, folder, reports }),
  );
  const [first, ...others] = configs;
  if (first === undefined) throw new Error("package.json has no exports");
  // Read once for all: most declarations are behind several entry points.
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
  });
  const reported = configs.map(async (config) => {
    const report = await extract(config, compilerState);
    return [basename(config.reportFilePath), report] as const;
  });
  return new Map(await Promise.all(reported));
}

/** The exports of package.json, and the source of each: `./engine` is `clients/library/engine/index.ts`. */
async function entryPoints(): Promise<Readonly<Record<string, string>>> {
  const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const names = Object.keys(exports).filter((name) => name !== "./package.json");
  return Object.fromEntries(
    names.map((name) => {
      const [entry = "", file = "index"] = name.slice("./".length).split("/");
      return [`${entry}${file === "index" ? "" : `/${file}`}`, `${entry}/${file}.ts`];
    }),
  );
}

const fileName = (entry: string): string => entry.replaceAll("/", "-");

async function bundle(entries: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const { dependencies, peerDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      Object.entries(entries).map(([name, source]) => [fileName(name), join(sources, source)]),
    ),
    platform: "node",
    external: (id) =>
      id.startsWith("node:") || installed.some((name) => id === name || id.startsWith(`${name}/`)),
    treeshake: { moduleSideEffects: false },
    logLevel: "warn",
  });
  await build.write({
    dir: folder,
    format: "esm",
    preserveModules: true,
    preserveModulesRoot: root,
    // npm leaves out folders of that name wherever they are.
    entryFileNames: ({ name }) => `${name.replace(/^node_modules\//, "bundled/")}.js`,
    comments: { legal: true, annotation: true, jsdoc: false },
  });
  await build.close();
}

async function declare(): Promise<void> {
  await rm(declarations, { recursive: true, force: true });
  await mkdir(declarations, { recursive: true });
  await runCompiler(["-p", join(root, "tsconfig.library.json"), "--noCheck"]);
}

interface Extraction {
  readonly name: string;
  readonly source: string;
  readonly folder: string;
  readonly reports: string;
}

function extractorConfig({ name, source, folder, reports }: Extraction): ExtractorConfig {
  const entry = join(declarations, "clients/library", source.replace(/\.ts$/, ".d.ts"));
  const reportFileName = `${fileName(name)}.api.md`;
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, "package.json"),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: entry,
      compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
      apiReport: { enabled: true, reportFileName, reportFolder: reports, reportTempFolder: reports },
      docModel: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: join(folder, `${fileName(name)}.d.ts`) },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        extractorMessageReporting: {
          ...silent,
          "ae-forgotten-export": { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
        },
        tsdocMessageReporting: silent,
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Warning } },
      },
    },
  });
}

/** Joins the declarations of an entry point into one file, and returns the report of its API. */
async function extract(config: ExtractorConfig, compilerState: CompilerState): Promise<string> {
  const problems: string[] = [];
  const messageCallback = (message: ExtractorMessage) => {
    const { category, logLevel, text } = message;
    if (category === "Compiler" || logLevel === ExtractorLogLevel.Error) problems.push(text);
    message.handled = true;
  };
  Extractor.invoke(config, { localBuild: true, messageCallback, compilerState });
  if (problems.length > 0)
    throw new Error(
      `Cannot join the declarations of ${config.mainEntryPointFilePath}: ${problems.join("; ")}`,
    );
  const report = await readFile(config.reportFilePath, "utf8");
  // Which of zod's types the schemas have is no part of the API, and changes with each of them.
  // All of it is public, and what is not documented shows.
  return report
    .replaceAll(/^ *\/\/(?: @public)?(?: \(undocumented\))?\n/gm, "")
    .replaceAll(/^import \{ \S+ \} from 'zod(\/.*)?';\n/gm, "")
    .replaceAll(/^( *)\/\/ .*\(ae-forgotten-export\) The symbol "(\w+)".*$/gm, "$1// Not exported: $2")
    .replaceAll(/^\/\/ (?:Warnings were encountered|\(No @packageDocumentation comment).*\n\n?/gm, "");
}

const compilerOptions = {
  module: "nodenext",
  target: "es2024",
  lib: ["es2024"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  noEmit: true,
};

if (import.meta.main)
  for (const [name, report] of await buildLibrary(join(root, "dist/library")))
    await writeFile(join(reportFolder, name), report);
