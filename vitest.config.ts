import { dirname, join } from "node:path";
import { defineConfig } from "vitest/config";
import { type Kind, kindOf, testFiles } from "./test/suite/kind.ts";
import { LongestFirst } from "./test/suite/longest-first.ts";

const files = testFiles();
const ofKind = (kind: Kind) => files.filter((file) => kindOf(file) === kind);
/**
 * On CI a live test that failed runs once more: it uses real servers, real clocks, and a machine that does other work too. The last lines
 * of the run name every such test.
 */
const secondTry = process.env.CI === undefined && process.env.TEST_REPORT === undefined ? 0 : 1;
/** In a debugger (.vscode/launch.json) a test takes as long as somebody looks at it. */
const patience = process.env.TEST_DEBUG === undefined ? {} : { testTimeout: 0, hookTimeout: 0 };

const composed = join(import.meta.dirname, "functions/support/service.ts");
/** In tests the functions work on a world in memory: the real service reads the settings of its process. */
const onWorldInMemory = {
  name: "functions-on-a-world-in-memory",
  enforce: "pre" as const,
  resolveId: (source: string, importer?: string) =>
    importer !== undefined && join(dirname(importer), source) === composed
      ? join(import.meta.dirname, "test/fuzz/served-world.ts")
      : undefined,
};

export default defineConfig({
  test: {
    // Sources are transformed once, not in every run.
    fsModuleCache: true,
    // Two cores are the smallest machine that we promise to run on; live tests mostly wait, so that two more fit in.
    maxWorkers: 4,
    // The last lines of a failing run say what to look at.
    reporters: ["default", "./test/suite/last-lines.ts"],
    // Of two long values only what differs, with its surroundings.
    diff: { expand: false, contextLines: 3 },
    // What hangs, ends. No test is measured by this: it holds on a machine that is busy with something else. The tests of
    // `test/suite.test.ts` keep every test from giving itself less.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    ...patience,
    // Mostly another process is looked at: a page, a service, a file.
    expect: { poll: { timeout: 240_000, interval: 100 } },
    // Every process that a test starts loads the same SDKs: compiled once, by whoever comes first.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    setupFiles: ["test/suite/functions-core.ts", "test/suite/seed.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        plugins: [onWorldInMemory],
        test: {
          name: "live",
          include: ofKind("live"),
          // A module is loaded once for all files of a process: to load them takes as long as many a test.
          isolate: false,
          pool: "forks",
          retry: secondTry,
          globalSetup: "test/suite/one-azurite.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: ofKind("alone"),
          isolate: true,
          pool: "forks",
          retry: secondTry,
          globalSetup: "test/suite/one-azurite.ts",
        },
      },
      {
        extends: true,
        plugins: [onWorldInMemory],
        test: {
          name: "drawn",
          include: ofKind("drawn"),
          isolate: false,
          pool: "threads",
        },
      },
      {
        extends: true,
        plugins: [onWorldInMemory],
        // A unit test that takes minutes is in a loop: the slowest takes a few seconds, and ten times as long beside other work.
        test: {
          name: "unit",
          include: ofKind("unit"),
          // It imports JSON without saying so, which Node.js refuses.
          server: { deps: { inline: [/@actions\/workflow-parser/] } },
          isolate: false,
          pool: "threads",
          testTimeout: 150_000,
          ...patience,
        },
      },
    ],
  },
});
