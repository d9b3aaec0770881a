import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { fromMarkdown } from "mdast-util-from-markdown";
import { visit } from "unist-util-visit";
import { z } from "zod";

export const root = join(import.meta.dirname, "../../..");

/** What npm tells its scripts would lead it back to this project. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_")),
);

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program and returns what it printed. Throws an Error with that when it fails. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  try {
    return await promisify(execFile)(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as Partial<Ran>;
    throw new Error(`${program} ${args.join(" ")} failed: ${stdout}${stderr}`, { cause: error });
  }
}

/** Runs a script with the Node.js of this process. */
export const runNode = (args: readonly string[], cwd: string): Promise<Ran> =>
  run(process.execPath, args, cwd);

const packed = z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) });

/** `npm test` builds first; a run of one file does not. Throws an Error when `dist` has no ccscale. */
export function requireBuild(): void {
  const main = "dist/ccscale/main.js";
  if (!existsSync(join(root, main)))
    throw new Error(`Cannot pack this project: ${main} is missing, expected a build (\`npm run -s build\`)`);
}

/** Packs this project as it is built; the scripts of the package would build it again under other tests' feet. */
export async function pack(
  folder: string,
): Promise<{ readonly tarball: string; readonly files: readonly string[] }> {
  await mkdir(folder, { recursive: true });
  const { stdout } = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    root,
  );
  const told: unknown = JSON.parse(stdout);
  // A list in some versions of npm, an object by name in others.
  const [first] = Object.values(told as object);
  const { filename, files } = packed.parse(first);
  return { tarball: join(folder, filename), files: files.map(({ path }) => path) };
}

/** Installs the tarball alone in an empty folder; what it depends on comes from npm's cache where it is there. */
export async function install(tarball: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{"name": "empty", "private": true, "type": "module"}');
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  await run("npm", ["install", ...quiet, tarball], folder);
}

/** The text of a page's block by its language and what stands beside it, such as `js my-driver.mjs`. */
export async function blockOf(page: string, info: string): Promise<string> {
  const found: string[] = [];
  visit(fromMarkdown(await readFile(join(root, page), "utf8")), "code", ({ lang, meta, value }) => {
    if (`${lang} ${meta}` === info) found.push(value);
  });
  const [text] = found;
  if (text === undefined || found.length > 1)
    throw new Error(`${page}: ${found.length} blocks "${info}", expected one`);
  return text;
}
