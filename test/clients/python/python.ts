import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { globSync } from "tinyglobby";

/** Debian's own: the one that nodes have, whatever else is first on the path. */
export const python = "/usr/bin/python3";
export const root = join(import.meta.dirname, "../../..");

export interface Ran {
  readonly code: number | null;
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly errors: string;
}

/** Whether Debian's python3 can do this; the text is for the name of a test that is left out. */
export function withoutPython(...modules: readonly string[]): string {
  const imports = modules.map((name) => `import ${name}`).join("\n");
  if (spawnSync(python, ["-c", imports || "pass"]).status === 0) return "";
  const packages = ["python3", ...modules.map((name) => `python3-${name}`)].join(" ");
  return ` (skipped: apt-get install ${packages})`;
}

/** Runs a program to its end; nothing of this process's environment but the path and what is given. */
export function run(
  program: string,
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly input?: string;
  } = {},
): Promise<Ran> {
  const { PATH = "" } = process.env;
  const env = { PATH, LC_ALL: "C.UTF-8", PYTHONDONTWRITEBYTECODE: "1", ...options.env };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd ?? root, env });
    let out = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, errors }));
    // A program that reads nothing may be gone before all of it is written.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}

/** All our Python files below a folder, from the root. */
export function pythonFiles(...folders: readonly string[]): readonly string[] {
  return globSync(
    folders.map((folder) => `${folder}/**/*.py`),
    { cwd: root },
  ).toSorted();
}
