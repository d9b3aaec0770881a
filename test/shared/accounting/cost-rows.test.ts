import { describe, expect, test } from "vitest";
import { costRows, costRowsByJob } from "../../../shared/accounting/index.ts";
import type { OwnerSum } from "../../../shared/accounting/job-totals.ts";
import type { Line } from "../../../shared/accounting/lines.ts";

const hourMs = 3_600_000;

/** A line of an array and a VM size: hours, and thousandths of a US dollar; no price: unpriced hours. */
function line(
  array: string,
  vmSize: string,
  hours: number,
  milliUsd: number | null,
  fields: Partial<Line> = {},
): Line {
  return {
    purpose: "job",
    nodeArray: array,
    vmSize,
    spot: false,
    user: null,
    account: null,
    queue: null,
    nodeMs: hours * hourMs,
    nanoUsd: (milliUsd ?? 0) * 1e6,
    unpricedNodeMs: milliUsd === null ? hours * hourMs : 0,
    runs: 0,
    ...fields,
  };
}

/** The keys of the rows, in their order. */
function order(lines: readonly Line[], ...by: Parameters<typeof costRows>[1]): readonly string[] {
  const rows = costRows([{ fromSeconds: 0, untilSeconds: 3_600, lines }], by, () => 1);
  return rows.map(({ keys }) => Object.values(keys).join(" "));
}

describe("costs by dimensions", () => {
  test("the dearest comes first, among equal costs the longer, among equals the name", () => {
    const lines = [
      line("b", "F4", 1, 100),
      line("a", "F4", 1, 100),
      line("cheap", "F4", 9, 50),
      line("long", "F4", 2, 100),
      line("dear", "F4", 1, 900),
    ];
    expect(order(lines, "array")).toEqual(["dear", "long", "a", "b", "cheap"]);
  });

  test("by two, the rows of an array stay together, the dearest array first, whatever its single rows cost", () => {
    const lines = [
      line("one", "F8", 1, 500),
      line("two", "F2", 1, 300),
      line("two", "F4", 1, 400),
      line("three", "F2", 1, 350),
      line("three", "F4", 1, 350),
    ];
    expect(order(lines, "array", "size")).toEqual(["three F2", "three F4", "two F4", "two F2", "one F8"]);
  });

  test("by people, what is no job's comes last, however dear", () => {
    const lines = [
      line("htc", "F4", 1, 900, { purpose: "idle" }),
      line("htc", "F4", 1, 100, { user: "ada" }),
      line("htc", "F4", 1, 300, { user: "bob" }),
    ];
    const rows = costRows([{ fromSeconds: 0, untilSeconds: 3_600, lines }], ["user"], () => 1);
    expect(rows.map(({ keys, isOverhead }) => [keys.user, isOverhead])).toEqual([
      ["bob", false],
      ["ada", false],
      [undefined, true],
    ]);
  });
});

test("by job, what is not kept by name is a row for each owner, and one for owners that are not kept", () => {
  const sum = (user: string | null, jobs: number, hours: number): OwnerSum => ({
    ...line("", "", hours, 10 * hours, { user }),
    jobs,
  });
  const ranked = [2, 3].map((times) => ({
    dearest: [],
    others: sum(null, 10 * times, 20 * times),
    othersByOwner: [sum("ada", 4 * times, 6 * times), sum("bob", times, 8 * times)],
  }));
  const rows = costRowsByJob([], ranked, () => 1, { by: ["job"], owner: {} });
  expect(
    rows.map(({ keys, amount }) => [keys.user, amount.runs, amount.nodeMs / hourMs, amount.nanoUsd / 1e6]),
  ).toEqual([
    ["bob", 5, 40, 400],
    ["ada", 20, 30, 300],
    [undefined, 25, 30, 300],
  ]);
});
