import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { parseJson } from "../../shared/json/json.ts";

const zip = promisify(gzip);

export interface DashboardFiles {
  /** Name of the script, which holds a digest of it. */
  readonly script: string;
  /** What it always imports: the page asks for these at the same time. */
  readonly imported: readonly string[];
  readonly style: string;
  readonly files: ReadonlyMap<
    string,
    { readonly type: string; readonly content: Buffer; readonly zipped: Buffer }
  >;
}

/** Where `npm run build` puts the page, from a package, from `dist`, and from the sources. */
const places = ["dashboard", "../../dashboard", "../../dist/dashboard"].map((place) =>
  join(import.meta.dirname, place),
);

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

const names = z.object({
  script: z.string(),
  imported: z.array(z.string()),
  style: z.string(),
  all: z.array(z.string()),
});

const loaded = new Map<string, Promise<DashboardFiles>>();

/** The files of the page, read once. Undefined: the app was built without them. */
export async function dashboardFiles(given?: string): Promise<DashboardFiles | undefined> {
  const folder = (given === undefined ? places : [given]).find((place) =>
    existsSync(join(place, "files.json")),
  );
  if (folder === undefined) return undefined;
  const files = loaded.get(folder) ?? load(folder);
  loaded.set(folder, files);
  // A file that cannot be read now may be there the next time.
  files.catch(() => loaded.delete(folder));
  return files;
}

async function load(folder: string): Promise<DashboardFiles> {
  const { all, ...named } = names.parse(parseJson(await readFile(join(folder, "files.json"), "utf8")));
  const files = await Promise.all(
    all.map(async (name) => {
      const content = await readFile(join(folder, name));
      const type = types[name.slice(name.lastIndexOf("."))] ?? "application/octet-stream";
      return [name, { type, content, zipped: await zip(content, { level: 9 }) }] as const;
    }),
  );
  return { ...named, files: new Map(files) };
}
