import { expect, test } from "vitest";
import { mutantsIn } from "./mutants-in.ts";

const changesOf = (text: string) => mutantsIn(text).map(({ apply }) => apply(text));

test("operators and numbers of the code are changed, one at a time", () => {
  expect(changesOf("if (a < 10 && b) c = a + 1;")).toEqual([
    "if (a < 10 || b) c = a + 1;",
    "if (a <= 10 && b) c = a + 1;",
    "if (a < 10 && b) c = a - 1;",
    "if (a < 11 && b) c = a + 1;",
    "if (a < 10 && b) c = a + 2;",
  ]);
});

test.each([
  ["a comment", "// at most 3 && 4"],
  ["a text", 'const text = "1 < 2";'],
  ["a type", "  readonly of: Map<string, 1>;"],
  ["an import", 'import { a } from "b";'],
  ["the rest of a line", "const a = b; // 1 + 1"],
])("%s stays as it is", (_, line) => {
  expect(changesOf(line)).toEqual([]);
});
