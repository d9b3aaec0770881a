import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pageOn } from "../../../../clients/cli/output/report.ts";
import { wrapped } from "../../../../clients/cli/output/wrapped.ts";
import { cellWidth } from "../../../../clients/columns/table.ts";
import { screen } from "./screen.ts";

describe("sentences on a screen", () => {
  test.each([
    ["one line where it fits", "all is well", ["all is well"]],
    [
      "its further lines set in",
      "job waits for want of cores",
      ["job waits", "    for want of", "    cores"],
    ],
    ["set in from a margin", "  see what binds there", ["  see what", "      binds", "      there"]],
    ["a list's member, set in from its words", "  - left is one node", ["  - left is", "      one node"]],
    ["wide letters as wide as they are", "節点節 節点節 節点", ["節点節", "    節点節 節点"]],
    [
      "a word wider than the screen whole",
      "see /subscriptions/1234 now",
      ["see", "    /subscriptions/1234", "    now"],
    ],
    ["nothing", "", [""]],
  ])("%s", (_, text, lines) => {
    expect(wrapped(text, 16).split("\n")).toEqual(lines);
  });

  test("property: no word is broken, lost or out of turn, and lines fit unless they are one word", () => {
    const word = fc.string({ unit: fc.constantFrom(..."ab/=.é節"), minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 10, max: 120 }), (words, columns) => {
        const lines = wrapped(words.join(" "), columns).split("\n");
        expect(lines.flatMap((line) => line.trim().split(/ +/))).toEqual(words);
        for (const line of lines)
          expect(cellWidth(line) <= columns || line.replace(/^ *(- )?/, "").split(" ").length === 1).toBe(
            true,
          );
      }),
    );
  });

  test("a page breaks lines, warnings, facts and lists at the screen, and a pipe gets them whole", () => {
    const page = (columns?: number) => {
      const terminal = screen({ columns });
      const on = pageOn(terminal);
      on.line("job 1: 0 of 4. No bucket has a node that is left");
      on.facts([
        ["cluster", "the one that is asked about"],
        ["at", null],
      ]);
      on.bullets(["a step that the planner took"]);
      on.line("bad\u001b[2J\nname");
      return terminal.text();
    };
    expect(page(24)).toBe(
      [
        "job 1: 0 of 4. No",
        "    bucket has a node",
        "    that is left",
        "cluster  the one that is",
        "         asked about",
        "  - a step that the",
        "      planner took",
        "bad\\u001b[2J\\u000aname",
        "",
      ].join("\n"),
    );
    expect(page().split("\n")).toHaveLength(5);
  });
});
