import { expect, test } from "vitest";
import { lastLines } from "./last-lines.ts";

const diff = (...changes: readonly string[]) => `- Expected\n+ Received\n\n  {\n${changes.join("\n")}\n  }`;

test("the simplest failure comes first, with its name, its case, and what was expected and came", () => {
  const failures = [
    {
      name: "test/plan.test.ts > plan > places all",
      error: {
        message: `Property failed after 3 tests\n{ seed: 1, path: "2:0" }\nCounterexample: [${"x".repeat(9_000)}]`,
        cause: { message: "expected 3 to equal 4", diff: diff("- 4", "+ 3") },
      },
    },
    {
      name: "test/limits.test.ts > limits > quota of cores",
      error: {
        message: "expected { left: 1 } to deeply equal { left: 0 }",
        diff: diff('\u001b[32m-   "left": 0,\u001b[39m', '\u001b[31m+   "left": 1,\u001b[39m'),
      },
    },
  ];
  const printed = lastLines(failures);
  expect(printed.slice(0, 5)).toEqual([
    "",
    "FAILED test/limits.test.ts > limits > quota of cores",
    "  expected { left: 1 } to deeply equal { left: 0 }",
    '  -   "left": 0,',
    '  +   "left": 1,',
  ]);
  expect(printed.slice(5).join("\n")).toContain("  expected 3 to equal 4\n  - 4\n  + 3");
  expect(Math.max(...printed.map((line) => line.length))).toBeLessThanOrEqual(180);
});

test("hundreds of failures with hundreds of lines are a screen full, and how many were left out is said", () => {
  const changes = Array.from({ length: 300 }, (_, index) => `+ ${index}`);
  const failures = Array.from({ length: 300 }, (_, index) => ({
    name: `test ${index}`,
    error: { message: `wrong\nand much\nmore`, diff: diff(...changes) },
  }));
  const printed = lastLines(failures);
  expect(printed.length).toBeLessThanOrEqual(40);
  expect(printed.at(-1)).toMatch(/^and \d+ more, above$/);
  expect(printed).toContain("  (293 more lines differ)");
});
