import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shownValue } from "../../../clients/columns/column.ts";
import { evaluate, type Fields, sliced } from "../../../clients/columns/evaluate.ts";
import { parseColumns, splitColumns } from "../../../clients/columns/parse-columns.ts";
import { cases } from "../../support/cases.ts";

const node: Fields = {
  name: "htc-12",
  hostname: null,
  nodeArray: "htc",
  vm_size: "Standard_F16s_v2",
  jobs: ["1201", "1202", "1203"],
  resources: { ncpus: 16, memgb: { bytes: 32 * 1024 ** 3, magnitude: "g" }, "gpu.type": "A100" },
  available: { ncpus: 3.5, memgb: { bytes: 7 * 1024 ** 3, magnitude: "g" } },
  metadata: { rack: "b7" },
  software_configuration: { slurm: { partition: "hpc" } },
};

/** What a table shows in one column of the node, under its heading. */
function shown(text: string): string {
  const parsed = parseColumns([text]);
  if (!parsed.ok) return parsed.problems.join("; ");
  const [column] = parsed.columns;
  if (column === undefined) return "no column";
  const value = shownValue(evaluate(column.expression, node, "text"));
  return `${column.heading}=${value === "" ? (column.fallback ?? "") : value}`;
}

describe("columns", () => {
  test.each([
    ["a field", "name", "name=htc-12"],
    ["a field in another spelling", "node_array", "node_array=htc"],
    ["letters' case does not count", "VM_Size", "vm_size=Standard_F16s_v2"],
    ["a resource", "ncpus", "ncpus=16"],
    ["a size, with its unit", "memgb", "memgb=32g"],
    ["what is left of a resource", "*ncpus", "*ncpus=3.5"],
    ["what is left of all there is", "/memgb", "memgb=7g/32g"],
    ["a resource with a dot in its name", "gpu.type", "gpu.type=A100"],
    ["metadata", "rack", "rack=b7"],
    [
      "what is nested",
      "software_configuration.slurm.partition",
      "software_configuration.slurm.partition=hpc",
    ],
    ["a heading of one's own", "vm@vm_size", "vm=Standard_F16s_v2"],
    ["a heading for what is left", "free@*ncpus", "free=3.5"],
    ["the last characters", "name[-2:]", "name=12"],
    ["the first characters of a list as it is shown", "jobs[:6]", "jobs=1201,1"],
    ["backwards", "name[::-1]", "name=21-cth"],
    ["one character", "name[0]", "name=h"],
    ["a character that is not there", "name[99]", "name="],
    ["a default where there is nothing", "hostname:tbd", "hostname=tbd"],
    ["no default where there is something", "name:tbd", "name=htc-12"],
    ["a default after a slice", "hostname[:3]:tbd", "hostname=tbd"],
    ["a default with a colon", "hostname:a:b", "hostname=a:b"],
    ["nothing that anybody knows", "nope", "nope="],
    ["left of something that is no resource", "*name", "*name=htc-12"],
    ["a ratio of nothing", "/nope", "nope="],
    ["a list", "jobs", "jobs=1201,1202,1203"],
    ["an inherited property", "constructor", "constructor="],
    ["a prototype", "__proto__.tostring", "__proto__.tostring="],
  ])("%s", (_, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test.each([
    ["code", "name.toUpperCase()", 'column "name.toUpperCase()": expected a name such as'],
    ["a call in a slice", "name[process.exit()]", 'slice "[process.exit()]", expected "[start:end:step]"'],
    ["a step of nothing", "name[::0]", "slice step 0"],
    ["a huge step", "name[99999999:]", "a slice beyond 1000000"],
    ["nothing", "", "expected a name"],
    ["a prefix alone", "*", "expected a name"],
    ["two prefixes", "*/ncpus", "expected a name"],
    ["a slice that does not end", "name[1", "expected a name"],
    ["something long", "x".repeat(500), "500 characters, expected at most 200"],
  ])("%s is refused with what was wanted", (_, text, words) => {
    expect(shown(text)).toContain(words);
  });

  test("every column that cannot be read is named", () => {
    const parsed = parseColumns(["name", "a b", "c()"]);
    expect(parsed).toMatchObject({
      ok: false,
      problems: [/"a b"/, /"c\(\)"/].map((each) => expect.stringMatching(each)),
    });
  });

  test("a list is split at commas", () => {
    expect(splitColumns(" name, job_ids[:20] ,,*slots")).toEqual(["name", "job_ids[:20]", "*slots"]);
  });

  test("in data, a slice of a list takes members", () => {
    const parsed = parseColumns(["jobs[-2:]"]);
    const [column] = parsed.ok ? parsed.columns : [];
    expect(column && evaluate(column.expression, node, "data")).toEqual(["1202", "1203"]);
  });

  test("property: whatever is asked of whatever record, there is an answer or a refusal, and never an exception", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(..."name*/@[]:-.0129,_ ") }),
      fc.constantFrom("name[::-1]", "/ncpus", "__proto__", "constructor.name", "a@b@c", "x[:][:]"),
    );
    fc.assert(
      fc.property(text, fc.jsonValue(), (column, value) => {
        const parsed = parseColumns([column]);
        if (!parsed.ok) return parsed.problems.length > 0;
        const fields = { name: value, resources: value, available: value } as Fields;
        for (const mode of ["text", "data"] as const)
          for (const { expression } of parsed.columns)
            expect(typeof shownValue(evaluate(expression, fields, mode))).toBe("string");
        return true;
      }),
      cases(2_000),
    );
  });

  test("property: slices are what the built-in one is, where that can do the same", () => {
    const bound = fc.option(fc.integer({ min: -8, max: 8 }));
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), bound, bound, (members, start, end) => {
        expect(sliced(members, { kind: "range", start, end, step: 1 })).toEqual(
          members.slice(start ?? 0, end ?? members.length),
        );
      }),
    );
  });

  test("property: steps pass over members, and go backwards", () => {
    const bound = fc.option(fc.integer({ min: -8, max: 8 }));
    const step = fc.integer({ min: -3, max: 3 }).filter((each) => each !== 0);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), bound, bound, step, (members, start, end, step) => {
        const taken = sliced(members, { kind: "range", start, end, step });
        // Whole lists: every step-th from that end. Parts: a part of them, in the same order.
        const ordered = step > 0 ? members : members.toReversed();
        if (start === null && end === null)
          expect(taken).toEqual(ordered.filter((_, index) => index % Math.abs(step) === 0));
        expect(taken.length).toBeLessThanOrEqual(Math.ceil(members.length / Math.abs(step)));
        expect(taken.every((member) => members.includes(member))).toBe(true);
      }),
    );
  });
});
