import { expect, test } from "vitest";
import { logText } from "../../../clients/agent/log-line.ts";
import { Notices } from "../../../clients/agent/run.ts";

const agent = { cluster: "hpc", source: "slurm" };
const aside = (record: string, reason = "cpus: null") => ({ record, reason });

test("a record is told once, and again when it comes back or when its reason changes", () => {
  const notices = new Notices("set-aside", agent);
  const line = (...records: Parameters<Notices["lineFor"]>[0]) => {
    const text = notices.lineFor(records);
    return text === undefined ? undefined : JSON.parse(text);
  };
  expect(line(aside("job 1"), aside("job 2"))).toEqual({
    event: "set-aside",
    level: "warning",
    ...agent,
    total: 2,
    new: 2,
    records: ["job 1: cpus: null", "job 2: cpus: null"],
  });
  expect(line(aside("job 2"), aside("job 1"))).toBeUndefined();
  expect(line(aside("job 1"), aside("job 2"), aside("job 3"))).toMatchObject({
    total: 3,
    new: 1,
    records: ["job 3: cpus: null"],
  });
  expect(line(aside("job 1", "tasks: null"))).toMatchObject({ total: 1, new: 1 });
  expect(line()).toBeUndefined();
  expect(line(aside("job 1"))).toMatchObject({ new: 1 });
});

test("100,000 records are one line of a few kilobytes", () => {
  const records = Array.from({ length: 100_000 }, (_, index) =>
    aside(`job ${index} ${"x".repeat(index < 50 ? 65_000 : 1)}`),
  );
  const text = new Notices("set-aside", agent).lineFor(records) ?? "";
  expect(JSON.parse(text)).toMatchObject({ total: 100_000, new: 100_000 });
  expect(text.length).toBeLessThan(10_000);
});

test.each([
  ["plain, äöü, 作業 🙂", "plain, äöü, 作業 🙂"],
  ["\u001b[2Jgone", "\\u001b[2Jgone"],
  ["a\nb\tc\u0085d\u2028e", "a\\u000ab\\u0009c\\u0085d\\u2028e"],
  ["abc\u202egnp.exe", "abc\\u202egnp.exe"],
  ["half \ud83d", "half \\ud83d"],
])("%j is shown as %j", (text, shown) => {
  expect(logText(text)).toBe(shown);
});

test("a long text is cut, and its length told", () => {
  expect(logText("x".repeat(65_000))).toBe(`${"x".repeat(300)}… (65000 characters)`);
});
