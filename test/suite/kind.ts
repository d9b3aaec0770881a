import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { globSync } from "tinyglobby";

const root = join(import.meta.dirname, "../..");

/**
 * A `unit` file leaves its process as it found it: such files share one, and with it every module that one of them loaded.
 * So does a `drawn` one, but it takes long: the simulation, the fuzz tests, queries of alerts, and thousands of drawn cases, `*.drawn.test.ts`.
 * A `live` file starts processes, and shares its own all the same. One that puts another module in the place of one is `alone`.
 */
export type Kind = "unit" | "drawn" | "live" | "alone";

/** Every test file, from the root. */
export function testFiles(): readonly string[] {
  return globSync("test/**/*.test.ts", { cwd: root }).sort();
}

/** Read off the file and what it imports of tests and of the local stack; nobody keeps a list. */
export function kindOf(testFile: string): Kind {
  const files = [...reach(testFile)];
  if (files.some(replacesModules)) return "alone";
  if (files.some(startsProcesses)) return "live";
  return /^test\/(sim|fuzz|infra\/kql)\/|\.drawn\.test\.ts$/.test(testFile) ? "drawn" : "unit";
}

function replacesModules(file: string): boolean {
  return /\bvi\.mock\(|\bimport \{ Module\b.* from "node:module"/.test(read(file).text);
}

function startsProcesses(file: string): boolean {
  const { imports } = read(file);
  return imports.includes("node:child_process") || imports.includes("playwright-core");
}

/** The file and what it imports of tests and of the local stack. The product is left out: what it starts, a test asks for. */
export function reach(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  // What is not there only looks like an import: the text of a program that a test writes.
  for (const imported of read(file).imports)
    if (/^(test|infra)\/.*\.ts$/.test(imported) && existsSync(join(root, imported))) reach(imported, seen);
  return seen;
}

interface Source {
  readonly text: string;
  /** Paths from the root for our own modules; types are not among them, for they start nothing. */
  readonly imports: readonly string[];
}

const sources = new Map<string, Source>();

const statement = /^\s*(?:import|export)\s+(?!type\b)(?:[^"';]*?from\s*)?"([^"]+)"|\bimport\("([^"]+)"\)/gm;

function read(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, file), "utf8");
  const imports = [...text.matchAll(statement)].map((match) => {
    const specifier = match[1] ?? match[2] ?? "";
    return specifier.startsWith(".") ? relative(root, join(root, dirname(file), specifier)) : specifier;
  });
  const source = { text, imports };
  sources.set(file, source);
  return source;
}
