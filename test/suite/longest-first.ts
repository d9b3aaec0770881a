import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { reach } from "./kind.ts";

const root = join(import.meta.dirname, "../..");

/**
 * The order of the files. Live ones come first, because they mostly wait, and what they wait for overlaps; among them (and
 * among the others) those first that give one of their tests the longest time: a long file that began last would run alone.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weighed = files.map((file) => ({ file, ...weigh(file) }));
    weighed.sort(
      (a, b) =>
        Number(b.isLive) - Number(a.isLive) ||
        b.longestMilliseconds - a.longestMilliseconds ||
        b.bytes - a.bytes ||
        a.file.moduleId.localeCompare(b.file.moduleId, "en"),
    );
    return weighed.map(({ file }) => file);
  }
}

function weigh({ moduleId, project }: TestSpecification) {
  const own = [...reach(relative(root, moduleId))].filter((file) => file.startsWith("test/"));
  return {
    isLive: project.name === "live",
    longestMilliseconds: longestTimeout(own.map((file) => readFileSync(join(root, file), "utf8")).join("\n")),
    bytes: statSync(moduleId).size,
  };
}

/** The longest time, in milliseconds, that a text says a test or a hook may take; 0 when it says nothing. */
export function longestTimeout(text: string): number {
  const times = [...text.matchAll(/(?:\}, |timeout: |patienceMs = )(\d[\d_]*)\b/g)];
  return Math.max(0, ...times.map((match) => Number(match[1]?.replaceAll("_", ""))));
}
