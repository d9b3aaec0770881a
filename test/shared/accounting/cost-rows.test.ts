import { describe, expect, test } from "vitest";
import { asideRows, costRows, costRowsByJob, totalOf, totalRow } from "../../../shared/accounting/index.ts";
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
    expect(
      order(
        lines.map((each, index) => ({ ...each, node: `htc-${index}` })),
        "node",
      ),
    ).toEqual(["htc-4", "htc-3", "htc-0", "htc-1", "htc-2"]);
  });

  test("what has no price is added up as time", () => {
    expect(totalOf([line("a", "F4", 1, null), line("b", "F4", 2, null)]).unpricedNodeMs).toBe(3 * hourMs);
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

  test("by hour or day, times come in order, and within one the dearest first", () => {
    const page = (fromSeconds: number, lines: readonly Line[]) => ({ fromSeconds, untilSeconds: 0, lines });
    const both = [line("cheap", "F4", 1, 100), line("dear", "F4", 1, 300)];
    const pages = [page(90_000, [line("dear", "F4", 1, 900)]), page(3_600, both)];
    const keys = (first: "hour" | "day") =>
      costRows(pages, [first, "array"], () => 1).map((row) => [row.keys[first], row.keys.array]);
    expect(keys("hour")).toEqual([
      ["1970-01-01T01:00Z", "dear"],
      ["1970-01-01T01:00Z", "cheap"],
      ["1970-01-02T01:00Z", "dear"],
    ]);
    expect(keys("day").map(([day]) => day)).toEqual(["1970-01-01", "1970-01-01", "1970-01-02"]);
  });

  test("core-hours are those of each size, and unknown where the cores of a size that ran are", () => {
    const sizes = (...lines: readonly Line[]) =>
      costRows([{ fromSeconds: 0, untilSeconds: 3_600, lines }], ["array"], (size) =>
        size === "F4" ? 4 : size === "F8" ? 8 : undefined,
      );
    const known = [
      line("a", "F4", 1, 200),
      line("a", "F8", 2, 300, { purpose: "idle" }),
      line("a", "?", 0, 0),
    ];
    const rows = sizes(...known, line("b", "F4", 1, 100));
    expect(rows.map(({ keys, coreMs }) => [keys.array, (coreMs ?? 0) / hourMs])).toEqual([
      ["a", 20],
      ["b", 4],
    ]);
    const total = totalRow(rows);
    expect([total.amount.nanoUsd, total.byPurpose.job?.nanoUsd, total.byPurpose.idle?.nodeMs]).toEqual([
      600e6,
      300e6,
      2 * hourMs,
    ]);
    expect(total.coreMs).toBe(24 * hourMs);
    const unknown = sizes(...known, line("b", "?", 1, 100), line("b", "F4", 1, 100));
    expect(unknown.map(({ coreMs }) => coreMs)).toEqual([20 * hourMs, null]);
    expect(totalRow(unknown).coreMs).toBeNull();
  });

  test("of one owner: what his jobs had, and nothing else", () => {
    const lines = [
      line("htc", "F4", 1, 100, { user: "ada", account: "geo" }),
      line("gpu", "F4", 1, 200, { user: "ada" }),
      line("htc", "F4", 1, 300, { user: "bob", account: "geo" }),
      line("htc", "F4", 1, 900, { purpose: "idle", user: "ada" }),
    ];
    const milliUsdOf = (owner: Parameters<typeof costRows>[3]) =>
      costRows([{ fromSeconds: 0, untilSeconds: 3_600, lines }], ["array"], () => 1, owner).map(
        ({ keys, amount }) => [keys.array, amount.nanoUsd / 1e6],
      );
    expect(milliUsdOf({ user: "ada" })).toEqual([
      ["gpu", 200],
      ["htc", 100],
    ]);
    expect(milliUsdOf({ user: "ada", account: "geo" })).toEqual([["htc", 100]]);
    expect(milliUsdOf({})).toEqual([
      ["htc", 1_300],
      ["gpu", 200],
    ]);
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
    others: sum(null, 6 * times - 2, 20 * times),
    othersByOwner: [sum("ada", 4 * times, 6 * times), sum("bob", times, 8 * times)],
  }));
  const rows = costRowsByJob([], ranked, () => 1, { by: ["job"], owner: {} });
  expect(
    rows.map(({ keys, amount }) => [keys.user, amount.runs, amount.nodeMs / hourMs, amount.nanoUsd / 1e6]),
  ).toEqual([
    ["bob", 5, 40, 400],
    ["ada", 20, 30, 300],
    [undefined, 1, 30, 300],
  ]);
});

test("a job that ran several times is one row, of the owner that it had last", () => {
  const run = (lastSeconds: number, user: string, vmSize: string) => ({
    ...line("htc", vmSize, 1, 100, { user, runs: 1 }),
    key: "slurm:1",
    source: "slurm",
    name: "1",
    firstSeconds: 0,
    lastSeconds,
  });
  const runs = [run(60, "ada", "F4"), run(180, "bob", "F8"), run(120, "eve", "F4")];
  const rows = (coresOf: (size: string) => number | undefined) =>
    costRowsByJob(runs, [], coresOf, { by: ["user", "job"], owner: {} });
  expect(rows((size) => Number(size.slice(1)))).toMatchObject([
    { keys: { job: "1", user: "bob" }, amount: { runs: 3, nanoUsd: 300e6 }, coreMs: 16 * hourMs },
  ]);
  expect(rows((size) => (size === "F8" ? undefined : 4))).toMatchObject([{ coreMs: null }]);
});

test("what is paid beside nodes is added up by name, and by hour or day where costs are", () => {
  const aside = (name: string, nodeMs: number) =>
    ({ kind: "deallocated", name, nodeMs, nanoUsd: 10 * nodeMs, unpricedNodeMs: 0 }) as const;
  const page = (hour: number, ...paid: readonly ReturnType<typeof aside>[]) => ({
    fromSeconds: hour * 3_600,
    untilSeconds: hour * 3_600 + 3_600,
    lines: [],
    ...(paid.length > 0 && { aside: paid }),
  });
  const pages = [
    page(0, aside("htc", 1), aside("gpu", 2)),
    page(1, aside("htc", 4)),
    page(24),
    page(25, aside("htc", 8)),
  ];
  const told = (...by: Parameters<typeof asideRows>[1]) =>
    asideRows(pages, by).map(({ keys, name, nodeMs, nanoUsd }) => [
      ...Object.values(keys),
      name,
      nodeMs,
      nanoUsd,
    ]);
  expect(told("array")).toEqual([
    ["htc", 13, 130],
    ["gpu", 2, 20],
  ]);
  expect(told("day")).toEqual([
    ["1970-01-01", "htc", 5, 50],
    ["1970-01-01", "gpu", 2, 20],
    ["1970-01-02", "htc", 8, 80],
  ]);
  expect(told("hour", "user").map(([hour]) => hour)).toEqual([
    "1970-01-01T00:00Z",
    "1970-01-01T00:00Z",
    "1970-01-01T01:00Z",
    "1970-01-02T01:00Z",
  ]);
});
