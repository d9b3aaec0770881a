import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { build } from "esbuild";
import { glob } from "tinyglobby";
import { ZipFile } from "yazl";
import { bundleDashboard } from "./dashboard.ts";
import { englishOnly } from "./english-only.ts";

const root = resolve(import.meta.dirname, "../..");

/** Azure takes larger ones; below this a cold start does not wait for its package. */
const mostBytes = 20 * 1024 * 1024;
/** The same time in every archive, so that the same sources give the same bytes. */
const modified = new Date(1980, 0, 1);

/**
 * What the worker loads. It turns source maps on before the app is compiled, so that stacks point into the sources. Node.js reads
 * the map when the app is loaded, and works it out when a stack is first looked at. Compiled code is kept in the temporary
 * folder: the next worker of an instance starts faster.
 */
const start = [
  'require("node:module").enableCompileCache?.();',
  "process.setSourceMapsEnabled(true);",
  'require("./app.cjs");',
  "",
].join("\n");

export interface Package {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly files: readonly string[];
}

/**
 * Makes the deployment package: one script with every function and every dependency, its source map, host.json and a package.json.
 * Loading one file instead of a thousand is most of what a cold start can be spared of; see infra/package/cold-start.ts.
 * Throws when the package is larger than it should be.
 */
export async function buildPackage(folder: string): Promise<Package> {
  const files = new Map<string, Uint8Array>([
    ["dist/main.cjs", Buffer.from(start)],
    ...(await bundle()),
    ...[...(await bundleDashboard())].map(([name, content]) => [`dist/dashboard/${name}`, content] as const),
    ["host.json", await readFile(join(root, "host.json"))],
    ["package.json", await manifest()],
  ]);
  await rm(folder, { recursive: true, force: true });
  const app = join(folder, "app");
  for (const [name, content] of files) {
    await mkdir(dirname(join(app, name)), { recursive: true });
    await writeFile(join(app, name), content);
  }
  const path = join(folder, "autoscaler.zip");
  await zip(path, files);
  const content = await readFile(path);
  if (content.length > mostBytes)
    throw new Error(`Cannot package: ${content.length} bytes, expected at most ${mostBytes}`);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { path, bytes: content.length, sha256, files: [...files.keys()] };
}

/** The app and its source map. */
async function bundle(): Promise<readonly (readonly [string, Uint8Array])[]> {
  const functions = (await glob("functions/*.ts", { cwd: root })).toSorted();
  const { outputFiles } = await build({
    stdin: {
      contents: functions.map((file) => `import "./${file}";`).join("\n"),
      resolveDir: root,
    },
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    // A script that can be required: the worker loads it without the module loader's round trips.
    format: "cjs",
    target: "node22",
    // A script has no `import.meta`.
    define: { "import.meta.dirname": "__dirname" },
    // Given by the worker that loads us.
    external: ["@azure/functions-core"],
    // Stacks and error names stay readable; the rest is a third smaller.
    minifyWhitespace: true,
    minifySyntax: true,
    keepNames: true,
    legalComments: "eof",
    plugins: [englishOnly],
    // Places only: the sources' text would make the map three times as large, and is in the repository.
    sourcemap: "linked",
    sourcesContent: false,
    outfile: "dist/app.cjs",
    logLevel: "warning",
    write: false,
  });
  if (outputFiles.length !== 2) throw new Error(`Cannot package: ${outputFiles.length} files were built`);
  return outputFiles.map(({ path, contents }) => [`dist/${basename(path)}`, contents] as const);
}

async function manifest(): Promise<Buffer> {
  const { name, version, license, engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const content = { name, version, license, private: true, engines, main: "dist/main.cjs" };
  return Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
}

async function zip(path: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const archive = new ZipFile();
  for (const [name, content] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    archive.addBuffer(Buffer.from(content), name, {
      mtime: modified,
      mode: 0o100644,
      forceDosTimestamp: true,
    });
  archive.end();
  await pipeline(archive.outputStream, createWriteStream(path));
}
