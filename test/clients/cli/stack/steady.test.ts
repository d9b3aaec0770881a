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

test("how long ago something was does not show how slow the machine is; hours do", () => {
  expect(steady("- 5m12s ago, x: visible; 4m ago; 3h10m ago")).toBe(
    "- 9s ago, x: visible; 9s ago; 3h10m ago",
  );
});
