/**
 * Which changes of the code does no test notice? Changes one operator or number at a time, and runs the unit tests of the mirrored folder.
 * By hand, because it takes minutes; the last lines are the score of each folder: `npm run mutants -- shared/engine [--count 30] [--seed 1] [--tests test/shared/engine] [--drawn]`.
 * `--drawn` runs the drawn tests too: the contract suites of the drivers are such.
 * Works on a copy of the repository, so that you can go on in your own. What survives is either a missing test or makes no difference.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";
import { globSync } from "tinyglobby";
import { BaseSequencer, createVitest, type TestSpecification } from "vitest/node";
import { mutantsIn } from "./mutants-in.ts";

const root = join(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", multiple: true },
    drawn: { type: "boolean", default: false },
  },
});
if (positionals.length === 0)
  throw new Error("Cannot mutate: no folder given, expected some, such as shared/engine/ledger");

const copy = mkdtempSync(join(tmpdir(), "mutants-"));
process.once("exit", () => rmSync(copy, { recursive: true }));
cpSync(root, copy, {
  recursive: true,
  filter: (path) => !/\/(node_modules|\.git|\.local|\.package|dist)$/.test(path),
});
// The cache of transformed sources is kept by their content.
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

process.chdir(copy);

/** Runs the tests in the order in which they are given. */
class AsGiven extends BaseSequencer {
  override sort = async (given: TestSpecification[]) => given;
}

/** Of this process, so that other work on the machine does not count. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** When the test file that runs began. */
let begun = 0;
function startOfFile(): void {
  begun = processorSeconds();
}

// One server for all runs: it transforms a source once, and after that only the mutant.
const vitest = await createVitest("test", {
  project: ["unit", ...(values.drawn ? ["drawn"] : [])],
  watch: false,
  bail: 1,
  maxWorkers: 1,
  silent: true,
  reporters: [{ onTestModuleEnd: startOfFile }],
  sequence: { sequencer: AsGiven },
});

/** Whether the tests pass. A file that takes longer than `mostSeconds` is in a loop: the second cancellation ends its thread. */
async function passes(tests: readonly TestSpecification[], mostSeconds = Infinity): Promise<boolean> {
  startOfFile();
  const watch = setInterval(() => {
    if (processorSeconds() - begun < mostSeconds) return;
    clearInterval(watch);
    for (const _ of [1, 2]) void vitest.cancelCurrentRun("keyboard-input");
  }, 100);
  const { unhandledErrors } = await vitest.runTestSpecifications([...tests]);
  clearInterval(watch);
  return unhandledErrors.length === 0 && tests.every(({ testModule }) => testModule?.state() === "passed");
}

/** The steps of imports from each file to this one. */
function importersOf(file: string): ReadonlyMap<string, number> {
  const steps = new Map([[file, 0]]);
  const graphs = vitest.projects.flatMap(({ vite }) => Object.values(vite.environments));
  for (const [imported, step] of steps)
    for (const importer of graphs.flatMap(({ moduleGraph }) =>
      [...(moduleGraph.getModulesByFile(imported) ?? [])].flatMap(({ importers }) => [...importers]),
    ))
      if (importer.file !== null && !steps.has(importer.file)) steps.set(importer.file, step + 1);
  return steps;
}

const random = mersenne(Number(values.seed));
const scores: string[] = [];
for (const folder of positionals) {
  const mutants = globSync(folder.endsWith(".ts") ? folder : `${folder}/**/*.ts`, {
    cwd: copy,
    expandDirectories: false,
  })
    .sort()
    .flatMap((file) =>
      mutantsIn(readFileSync(join(copy, file), "utf8")).map((mutant) => ({ file, ...mutant })),
    );
  if (mutants.length === 0)
    throw new Error(`Cannot mutate ${folder}: no code there, expected a folder or file of the repository`);
  const tests = await vitest.globTestSpecifications(
    values.tests ?? [join("test", folder).replace(/\.ts$/, ".test.ts")],
  );
  const before = processorSeconds();
  if (tests.length === 0 || !(await passes(tests)))
    throw new Error(`Cannot mutate ${folder}: its unit tests fail as they are, or there are none`);
  const allSeconds = processorSeconds() - before;
  const milliseconds = new Map(tests.map((test) => [test, test.testModule?.diagnostic().duration ?? 0]));
  tests.sort((a, b) => (milliseconds.get(a) ?? 0) - (milliseconds.get(b) ?? 0));
  let killed = 0;
  const count = Math.min(Number(values.count), mutants.length);
  for (let index = 0; index < count; index += 1) {
    const [mutant] = mutants.splice(uniformInt(random, 0, mutants.length - 1), 1);
    if (mutant === undefined) break;
    const file = join(copy, mutant.file);
    const original = readFileSync(file, "utf8");
    const steps = importersOf(file);
    const stepsOf = ({ moduleId }: TestSpecification) => steps.get(moduleId) ?? 0;
    writeFileSync(file, mutant.apply(original));
    vitest.invalidateFile(file);
    // Those that import the file itself come first, then the quickest. Those that do not load it notice nothing.
    const loading = tests.filter((test) => stepsOf(test) > 0);
    const passed = await passes(
      [...loading.filter((test) => stepsOf(test) === 1), ...loading.filter((test) => stepsOf(test) > 1)],
      allSeconds,
    );
    writeFileSync(file, original);
    vitest.invalidateFile(file);
    if (!passed) killed += 1;
    else console.log(`survived ${mutant.file}:${mutant.line}: ${mutant.change}`);
  }
  const percent = Math.round((100 * killed) / Math.max(1, count));
  const possible = mutants.length + count;
  scores.push(`${folder}: ${percent} % killed (${killed} of ${count}, drawn from ${possible})`);
}
console.log(scores.join("\n"));
await vitest.close();
