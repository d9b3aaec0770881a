/**
 * Which changes of the code does no test notice? Changes one operator or number at a time, and runs the unit tests of the mirrored folder.
 * By hand, because it takes minutes; the last lines are the score of each folder: `npm run mutants -- shared/engine/ledger [--count 30] [--seed 1] [--tests test/shared/engine] [--drawn]`.
 * `--drawn` runs the drawn tests too: the contract suites of the drivers are such.
 * Works on a copy of the repository, so that you can go on in your own. What survives is either a missing test or makes no difference.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";
import { globSync } from "tinyglobby";
import { z } from "zod";
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

const projects = ["unit", ...(values.drawn ? ["drawn"] : [])].flatMap((name) => ["--project", name]);
const copy = mkdtempSync(join(tmpdir(), "mutants-"));
process.once("exit", () => rmSync(copy, { recursive: true }));
cpSync(root, copy, {
  recursive: true,
  filter: (path) => !/\/(node_modules|\.git|\.local|\.package|dist)$/.test(path),
});
// The cache of transformed sources is kept by their content.
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

const report = join(copy, "mutants.json");

/** Whether the tests pass, and how long they took. */
function run(tests: readonly string[], mostMs = 600_000): { readonly passed: boolean; readonly ms: number } {
  const begun = performance.now();
  const { status } = spawnSync(
    join(root, "node_modules/.bin/vitest"),
    ["run", ...projects, "--bail=1", "--maxWorkers=1", "--reporter=json", `--outputFile=${report}`, ...tests],
    { cwd: copy, stdio: "ignore", timeout: mostMs },
  );
  return { passed: status === 0, ms: performance.now() - begun };
}

const testResults = z.object({
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

/** The tests in the order in which they notice a mutant soonest: those that import its file, the quicker half of the others, the rest. */
function stagesOf({ testResults: files }: z.infer<typeof testResults>) {
  const quickestFirst = files
    .toSorted((a, b) => a.endTime - a.startTime - (b.endTime - b.startTime))
    .map(({ name }) => ({ name, text: readFileSync(name, "utf8") }));
  return (file: string): readonly (readonly string[])[] => {
    const isNear = ({ text }: { readonly text: string }) => text.includes(`/${basename(file)}"`);
    const others = quickestFirst.filter((test) => !isNear(test));
    const half = Math.ceil(others.length / 2);
    return [quickestFirst.filter(isNear), others.slice(0, half), others.slice(half)]
      .filter((stage) => stage.length > 0)
      .map((stage) => stage.map(({ name }) => name));
  };
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
  const tests = values.tests ?? [join("test", folder).replace(/\.ts$/, ".test.ts")];
  const unchanged = run(tests);
  if (!unchanged.passed)
    throw new Error(`Cannot mutate ${folder}: ${tests.join(" ")} fails, or has no unit test, as it is`);
  const stages = stagesOf(testResults.parse(JSON.parse(readFileSync(report, "utf8"))));
  let killed = 0;
  const count = Math.min(Number(values.count), mutants.length);
  for (let index = 0; index < count; index += 1) {
    const [mutant] = mutants.splice(uniformInt(random, 0, mutants.length - 1), 1);
    if (mutant === undefined) break;
    const original = readFileSync(join(copy, mutant.file), "utf8");
    writeFileSync(join(copy, mutant.file), mutant.apply(original));
    // A loop without end counts as noticed, long before its test gives up.
    const mostMs = Math.ceil(4 * unchanged.ms) + 20_000;
    const passed = stages(mutant.file).every((stage) => run(stage, mostMs).passed);
    writeFileSync(join(copy, mutant.file), original);
    if (!passed) killed += 1;
    else console.log(`survived ${mutant.file}:${mutant.line}: ${mutant.change}`);
  }
  const percent = Math.round((100 * killed) / Math.max(1, count));
  const possible = mutants.length + count;
  scores.push(`${folder}: ${percent} % killed (${killed} of ${count}, drawn from ${possible})`);
}
console.log(scores.join("\n"));
