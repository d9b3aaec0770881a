import { readFileSync, statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

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
  return {
    isLive: project.name === "live",
    longestMilliseconds: longestTimeout(readFileSync(moduleId, "utf8")),
    bytes: statSync(moduleId).size,
  };
}

/** The longest time, in milliseconds, that a file says a test or a hook of its own may take; 0 when it says nothing. */
export function longestTimeout(text: string): number {
  const times = [...text.matchAll(/(?:\}, |timeout: )(\d[\d_]*)\b/g)];
  return Math.max(0, ...times.map((match) => Number(match[1]?.replaceAll("_", ""))));
}
