import { defineConfig } from "vitest/config";
import { type Kind, kindOf, testFiles } from "./test/suite/kind.ts";
import { LongestFirst } from "./test/suite/longest-first.ts";

const files = testFiles();
const ofKind = (kind: Kind) => files.filter((file) => kindOf(file) === kind);

export default defineConfig({
  test: {
    // Two cores are the smallest machine that we promise to run on; live tests mostly wait, so that two more fit in.
    maxWorkers: 4,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "live", include: ofKind("live"), isolate: true, pool: "forks" } },
      { extends: true, test: { name: "unit", include: ofKind("unit"), isolate: false, pool: "threads" } },
    ],
  },
});
