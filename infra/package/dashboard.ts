/** Bundles the dashboard into `dist/dashboard`: scripts, a style sheet, and their names. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "../..");

/** A file by its name, which holds a digest of its content: it may be cached for ever. */
export type DashboardFiles = ReadonlyMap<string, Uint8Array>;

/** What the function serves: `files.json` has the names of the script, of what it always imports, of the style sheet, and of all files. */
export async function bundleDashboard(): Promise<DashboardFiles> {
  const { outputFiles, metafile } = await build({
    entryPoints: { app: "clients/dashboard/main.tsx", style: "clients/dashboard/style.css" },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    // The other one needs Buffer of Node.js.
    alias: { "csv-stringify/sync": "csv-stringify/browser/esm/sync" },
    minify: true,
    legalComments: "eof",
    // What only some deployments need is a file of its own.
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    outdir: "dashboard",
    logLevel: "warning",
    write: false,
    metafile: true,
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents] as const));
  const madeOf = (entry: string) =>
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry);
  const [script = "", app] = madeOf("clients/dashboard/main.tsx") ?? [];
  const [style = ""] = madeOf("clients/dashboard/style.css") ?? [];
  const names = {
    script: basename(script),
    imported: app?.imports.flatMap(({ kind, path }) => (kind === "import-statement" ? basename(path) : [])),
    style: basename(style),
    all: [...files.keys()],
  };
  return files.set("files.json", Buffer.from(JSON.stringify(names)));
}

export async function writeDashboard(folder: string): Promise<void> {
  const files = await bundleDashboard();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
}

if (import.meta.main) await writeDashboard(join(root, "dist/dashboard"));
