import { describe, expect, test } from "vitest";
import { pageOn } from "../../../../clients/cli/output/report.ts";
import { screen } from "../output/screen.ts";
import { steady } from "./steady.ts";

/** A page as commands print it, `ageSeconds` after something; a transcript spells escapes. */
function shown(ageSeconds: number, columns: number): string {
  const terminal = screen({ columns });
  const page = pageOn(terminal);
  const ago = `${ageSeconds}s ago`;
  page.warning(`WARNING: the newest snapshot was taken ${ago}, and plans are made of it by the clock alone.`);
  page.line(
    `  What was asked ${ago} has no answer yet: look whether the function app runs, and what it logs.`,
  );
  page.line("");
  page.facts([
    ["cluster", "hpc"],
    ["last plan", `${ago} (demand from pbs): create 0, start 0, delete 0, and nothing besides them`],
  ]);
  page.title("What the planner did");
  page.bullets([`${ago}: create-nodes, because jobs need 10 new nodes: visible.`, `${ago}: nothing.`]);
  page.title("Newest operations");
  page.table(["KIND", "UPDATED", "WHY"], [["create-nodes", ago, "jobs need 10 new nodes"]]);
  return terminal.text().replaceAll("\u001b[", "␛[");
}

describe("a transcript", () => {
  test.each([60, 80, 120, 200])("of a screen of %i columns is the same however old things are", (columns) => {
    expect(steady(shown(12, columns), columns)).toBe(steady(shown(9, columns), columns));
    expect(steady(shown(9, columns), columns).split("\n")).toEqual(shown(9, columns).split("\n"));
  });
});

test("a deletion that a retry overtook is told or not by chance, and left out", () => {
  const line =
    "  - 9s ago, x: shutdown-nodes, because failed of 1 node: dropped (viz-1 has not failed any more).\n";
  expect(steady(`What it did\n${line}  - 9s ago, y: retry-failed.`)).toBe(
    steady("What it did\n  - 9s ago, y: retry-failed."),
  );
});
