import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fitTable, fitted } from "../../../../clients/cli/output/fit-table.ts";
import { printListing } from "../../../../clients/cli/output/listing.ts";
import { printList } from "../../../../clients/cli/output/output-options.ts";
import { type Format, parseOutputSettings } from "../../../../clients/cli/output/output-settings.ts";
import { parseColumns } from "../../../../clients/columns/parse-columns.ts";
import { screen } from "./screen.ts";

afterEach(() => vi.unstubAllEnvs());

const nodes = [
  { name: "htc-1", vm_size: "Standard_F16s_v2", jobs: ["1", "2"], free: 2.25 },
  { name: "hpc-10", vm_size: "Standard_HB120rs_v3", jobs: [], free: null },
];

function columnsOf(...texts: string[]) {
  const parsed = parseColumns(texts);
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  return parsed.columns;
}

function print(format: Format, more: object = {}, columns?: number) {
  const terminal = screen(columns === undefined ? {} : { columns });
  printListing(terminal, {
    format,
    columns: columnsOf("name", "vm@vm_size", "jobs:none", "free"),
    isChosen: true,
    isOwn: false,
    long: false,
    records: nodes,
    none: "No nodes.",
    ...more,
  });
  return { stdout: terminal.text(), stderr: terminal.errors() };
}

describe("formats", () => {
  test("a table: columns aligned, headings in capitals, nothing behind the last cell", () => {
    expect(print("table").stdout).toBe(
      [
        "NAME    VM                   JOBS  FREE",
        "htc-1   Standard_F16s_v2     1,2   2.25",
        "hpc-10  Standard_HB120rs_v3  none",
        "",
      ].join("\n"),
    );
  });

  test("a table without headings, for scripts", () => {
    expect(print("table-headerless").stdout.split("\n")[0]).toBe("htc-1   Standard_F16s_v2     1,2   2.25");
  });

  test("CSV as the standard has it", () => {
    expect(print("csv").stdout).toBe(
      'name,vm,jobs,free\nhtc-1,Standard_F16s_v2,"1,2",2.25\nhpc-10,Standard_HB120rs_v3,none,\n',
    );
  });

  test("CSV: a spreadsheet runs nothing", () => {
    const records = [{ name: '=HYPERLINK("http://x")' }];
    expect(print("csv", { records, columns: columnsOf("name") }).stdout).toBe(
      `name\n"'=HYPERLINK(""http://x"")"\n`,
    );
  });

  test("JSON: the chosen columns with their values", () => {
    expect(JSON.parse(print("json").stdout)).toEqual([
      { name: "htc-1", vm: "Standard_F16s_v2", jobs: ["1", "2"], free: 2.25 },
      { name: "hpc-10", vm: "Standard_HB120rs_v3", jobs: [], free: null },
    ]);
  });

  test("JSON without chosen columns: all that the service told", () => {
    const data = [{ everything: 1 }];
    expect(JSON.parse(print("json", { isChosen: false, data }).stdout)).toEqual(data);
  });

  test("JSON lines: one thing a line", () => {
    expect(
      print("jsonl")
        .stdout.trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).name),
    ).toEqual(["htc-1", "hpc-10"]);
  });

  test.each([
    ["table", "No nodes.\n"],
    ["table-headerless", ""],
    ["csv", "name,vm,jobs,free\n"],
    ["json", "[]\n"],
    ["jsonl", ""],
  ] as const)("nothing to list: %s", (format, expected) => {
    expect(print(format, { records: [] }).stdout).toBe(expected);
  });

  test("no cell can move the cursor", () => {
    for (const format of ["table", "csv"] as const) {
      const { stdout } = print(format, { records: [{ name: "a\u001b[2Jb\nc" }] });
      expect(stdout).toContain("a\\u001b[2Jb\\u000ac");
    }
  });

  test("--long leaves slices out of account", () => {
    const columns = columnsOf("name[:3]");
    expect(print("table-headerless", { columns }).stdout).toBe("htc\nhpc\n");
    expect(print("table-headerless", { columns, long: true }).stdout).toBe("htc-1\nhpc-10\n");
  });

  test("an ellipsis tells what a command's own columns cut, within their width", () => {
    const columns = columnsOf("name[:5]", "jobs[:2]:-");
    expect(print("table-headerless", { columns, isOwn: true }).stdout).toBe("htc-1  1…\nhpc-…  -\n");
    expect(print("csv", { columns, isOwn: true }).stdout).toContain("hpc-10");
    expect(print("table-headerless", { columns }).stdout).toBe("htc-1  1,\nhpc-1  -\n");
    expect(print("table-headerless", { columns, isOwn: true, long: true }).stdout).not.toContain("…");
  });
});

describe("screens", () => {
  test("headings are bold on a screen, and nowhere else", () => {
    vi.stubEnv("FORCE_COLOR", undefined);
    vi.stubEnv("NO_COLOR", undefined);
    vi.stubEnv("NODE_DISABLE_COLORS", undefined);
    vi.stubEnv("CI", undefined);
    vi.stubEnv("TERM", "xterm-256color");
    expect(print("table", {}, 100).stdout).toContain("\u001b[1mNAME");
    expect(print("table").stdout).not.toContain("\u001b");
    vi.stubEnv("NO_COLOR", "1");
    expect(print("table", {}, 100).stdout).not.toContain("\u001b");
  });

  test("a narrow one: the widest column is cut", () => {
    const { stdout, stderr } = print("table-headerless", {}, 32);
    expect(stdout).toBe(["htc-1   Standard_F1…  1,2   2.25", "hpc-10  Standard_HB…  none", ""].join("\n"));
    expect(stderr).toBe("");
  });

  test("a very narrow one: the last columns are left out, and that is said", () => {
    const { stdout, stderr } = print("table-headerless", {}, 24);
    expect(stdout).toBe(["htc-1   Standard_F16s_v2", "hpc-10  Standard_HB120r…", ""].join("\n"));
    expect(stderr.replaceAll(/\s+/g, " ")).toBe(
      "left out, the screen is too narrow: JOBS, FREE; choose with -o, or use --format json ",
    );
  });

  test("wide characters are counted as they are drawn", () => {
    const records = [{ name: "計算ノード" }, { name: "abc" }];
    const columns = columnsOf("name", "x:y");
    expect(print("table-headerless", { records, columns }).stdout).toBe("計算ノード  y\nabc         y\n");
  });

  test("property: a table fits wherever its first column does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 12, max: 200 }),
        (wanted, room) => {
          const widths = fitted(wanted, room);
          const total = widths.reduce((sum, width) => sum + width, 0) + 2 * (widths.length - 1);
          expect(total).toBeLessThanOrEqual(room);
          expect(widths.every((width, column) => width >= 1 && width <= (wanted[column] ?? 0))).toBe(true);
        },
      ),
    );
  });

  test("ten thousand lines are one table", () => {
    const records = Array.from({ length: 10_000 }, (_, index) => ({ ...nodes[0], name: `htc-${index}` }));
    const lines = print("table", { records }).stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(10_001);
    expect(new Set(lines.map((line) => line.indexOf("Standard_"))).size).toBe(2);
    expect(stripVTControlCharacters(lines.at(-1) ?? "")).toBe("htc-9999  Standard_F16s_v2  1,2   2.25");
  });
});

describe("what a configuration says", () => {
  function printed(config: unknown, flags: object, list: object = {}): string {
    const parsed = parseOutputSettings(config);
    if (!parsed.ok) return parsed.problems.join("; ");
    const terminal = screen();
    const what = {
      name: "nodes",
      columns: ["name", "free"],
      isOfNodes: true,
      records: nodes,
      none: "",
      ...list,
    };
    printList(terminal, what as never, { flags, settings: parsed.settings });
    return terminal.text().split("\n")[0] ?? "";
  }

  test.each([
    ["nothing: the command's own columns", {}, {}, "NAME    FREE"],
    ["a list of columns for lists of nodes", { output_columns: ["name", "vm_size"] }, {}, "NAME    VM_SIZE"],
    ["columns of the command", { "output-columns": { nodes: ["free"], default: ["name"] } }, {}, "FREE"],
    ["the default columns", { "output-columns": { default: ["jobs"] } }, {}, "JOBS"],
    ["-o wins", { output_columns: ["name"] }, { outputColumns: "free" }, "FREE"],
    ["a format, in the reference's spelling", { output_format: "table_headerless" }, {}, "htc-1   2.25"],
    ["--format wins", { output_format: "csv" }, { format: "table" }, "NAME    FREE"],
    ["an unknown format", { output_format: "xml" }, {}, 'output_format: "xml", expected one of table'],
    ["columns that are none", { output_columns: 4 }, {}, "output_columns: 4, expected a list of columns"],
  ])("%s", (_, config, flags, expected) => {
    expect(printed(config, flags)).toContain(expected);
  });

  test("default columns are of nodes, and are not put upon other lists", () => {
    const config = { "output-columns": { default: ["jobs"] } };
    expect(printed(config, {}, { name: "limits", isOfNodes: undefined })).toBe("NAME    FREE");
  });
});

describe("what the usual columns give up on a narrow screen", () => {
  const head = ["NAME", "HOST", "VM_SIZE", "KEEP", "IDLE"];
  const rows = [
    ["htc-1", "-", "Standard_F4s_v2", "true", "-"],
    ["htc-2", "-", "Standard_F16s_v2", "false", "-"],
  ];
  const narrowing = { keeps: ["IDLE"], goFirst: ["KEEP"], ofSizes: ["VM_SIZE"] };

  function fitInto(columns: number, more: object = { narrowing }) {
    const terminal = screen({ columns });
    fitTable(terminal, { head, rows, isHeaded: true, wayOut: "choose", ...more });
    const [heading, first] = terminal.text().split("\n").map(stripVTControlCharacters);
    return { heading, first, note: terminal.errors().replace(/\s+/g, " ").trim() };
  }

  test.each([
    ["nothing, where there is room", 42, "NAME   HOST  VM_SIZE           KEEP   IDLE", "Standard_F4s_v2", ""],
    ["columns without a value", 40, "NAME   VM_SIZE           KEEP   IDLE", "Standard_F4s_v2", "HOST"],
    ["then the prefix of sizes", 30, "NAME   VM_SIZE  KEEP   IDLE", "F4s_v2", "HOST"],
    ["then columns of less use", 24, "NAME   VM_SIZE  IDLE", "F4s_v2", "HOST, KEEP"],
    ["then the last ones that may go", 15, "NAME   IDLE", "htc-1", "HOST, VM_SIZE, KEEP"],
  ])("%s", (_name, columns, heading, cell, left) => {
    const shown = fitInto(columns);
    expect(shown.heading).toBe(heading);
    expect(shown.first).toMatch(new RegExp(`(^|\\s)${cell}(\\s|$)`));
    expect(shown.note).toBe(left === "" ? "" : `left out, the screen is too narrow: ${left}; choose`);
  });

  test("names of sizes inside a scope lose the prefix, too", () => {
    const scoped = { keeps: [], goFirst: [], ofSizes: ["SCOPE"] };
    const one = { head: ["SCOPE", "LEFT"], rows: [["hpc/Standard_HB120rs_v3/Standard_HB120rs_v3_pg0", "4"]] };
    expect(fitInto(40, { ...one, narrowing: scoped }).first).toBe("hpc/HB120rs_v3/HB120rs_v3_pg0  4");
  });

  test("a path is cut at its beginning", () => {
    const paths = {
      head: ["SCOPE", "LEFT"],
      rows: [
        ["westeurope/standardHBv3Family", "4"],
        ["hpc", "2"],
      ],
    };
    const narrowing = { keeps: ["SCOPE", "LEFT"], goFirst: [], ofSizes: [], cutFirst: ["SCOPE"] };
    expect(fitInto(25, { ...paths, narrowing }).first).toBe("…standardHBv3Family  4");
  });

  test("columns that stay whole are not cut: the others are", () => {
    const ids = { head: ["ID", "REASON"], rows: [["20261123T044517.057Z-1c7ee2", "demand from slurm"]] };
    const whole = { keeps: [], goFirst: [], ofSizes: [], whole: ["ID"] };
    expect(fitInto(42, { ...ids, narrowing: whole }).first).toBe(
      "20261123T044517.057Z-1c7ee2  demand from …",
    );
  });

  test("columns that a person chose keep their place and their text", () => {
    expect(fitInto(30, {}).heading).toMatch(/^NAME {3}HOST {2}VM_SIZE/);
  });
});

describe("sentences on a screen", () => {
  const head = ["NODE", "HOST", "BY", "TEXT"];
  const rows = [
    ["htc-1", "-", "ann", "Software Configuration: exit code 32 of mount /shared: Connection timed out"],
    ["htc-2", "-", "the autoscaler", "-"],
  ];
  const narrowing = { keeps: [], goFirst: ["BY"], ofSizes: [], sentence: "TEXT" };

  function linesOn(columns: number | undefined, more: object = { narrowing }): readonly string[] {
    const terminal = screen(columns === undefined ? {} : { columns });
    fitTable(terminal, { head, rows, isHeaded: true, wayOut: "choose", ...more });
    return terminal.text().trimEnd().split("\n").map(stripVTControlCharacters);
  }

  test("beside the other columns, broken between words, where there is room for some", () => {
    expect(linesOn(70)).toEqual([
      "NODE   BY              TEXT",
      "htc-1  ann             Software Configuration: exit code 32 of mount",
      "                       /shared: Connection timed out",
      "htc-2  the autoscaler",
    ]);
  });

  test("under the row where there is not; nothing stands for none", () => {
    expect(linesOn(50)).toEqual([
      "NODE   BY",
      "    TEXT",
      "htc-1  ann",
      "    Software Configuration: exit code 32 of mount",
      "    /shared: Connection timed out",
      "htc-2  the autoscaler",
    ]);
  });

  test("on one line where the screen is wide enough, and in a pipe", () => {
    expect(linesOn(200)).toEqual(linesOn(undefined));
    expect(linesOn(undefined)).toHaveLength(3);
  });

  test("property: no line is wider than the screen, and no word of a sentence is lost", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1, maxLength: 20 }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer({ min: 36, max: 120 }),
        (sentences, columns) => {
          const lines = linesOn(columns, {
            narrowing,
            rows: sentences.map((words) => ["htc-1", "-", "ann", words.join(" ")]),
          });
          expect(lines.every((line) => line.length <= columns)).toBe(true);
          const words = lines.slice(1).join(" ").split(/\s+/);
          for (const word of sentences.flat()) expect(words).toContain(word);
        },
      ),
    );
  });
});
