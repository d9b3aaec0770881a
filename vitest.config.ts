import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { type Kind, kindOf, testFiles } from "./test/suite/kind.ts";
import { LongestFirst } from "./test/suite/longest-first.ts";

const files = testFiles();
const ofKind = (kind: Kind) => files.filter((file) => kindOf(file) === kind);

export default defineConfig({
  test: {
    // Two cores are the smallest machine that we promise to run on; live tests mostly wait, so that two more fit in.
    maxWorkers: 4,
    // What hangs, ends. No test is measured by this: it holds on a machine that is busy with something else. The tests of
    // `test/suite.test.ts` keep every test from giving itself less.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    // Every process that a test starts loads the same SDKs: compiled once, by whoever comes first.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    setupFiles: ["test/suite/functions-core.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "live",
          include: ofKind("live"),
          isolate: true,
          pool: "forks",
          globalSetup: "test/suite/one-azurite.ts",
        },
      },
      { extends: true, test: { name: "drawn", include: ofKind("drawn"), isolate: false, pool: "threads" } },
      { extends: true, test: { name: "unit", include: ofKind("unit"), isolate: false, pool: "threads" } },
    ],
  },
});
