import { describe, expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { queriesInBicep, queriesInDocs, queriesInWorkbook } from "./find-queries.ts";

const now = new Date("2026-11-26T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const tables = {
  T: [
    { at: minutesAgo(1), who: "a", n: 1, e: { kind: "x", list: ["p", "q"] } },
    { at: minutesAgo(20), who: "b", n: 2, e: { kind: "y" } },
    { at: minutesAgo(30), who: "a", n: 4, e: {} },
  ],
  Empty: [],
};
const run = (query: string) => evaluate(query, { now, tables });

describe("the evaluator of queries", () => {
  test.each<readonly [string, string, readonly object[]]>([
    ["filters by time", "T | where at > ago(15m) | project n", [{ n: 1 }]],
    [
      "compares texts with and without case",
      'T | where who =~ "A" and who == "a" | project n',
      [{ n: 1 }, { n: 4 }],
    ],
    ["compares nothing with a text as unequal", 'T | where e.kind != "x" | project n', [{ n: 2 }, { n: 4 }]],
    ["compares nothing with nothing as neither", "T | where e.no != e.none or e.no == e.none", []],
    ["orders nothing", "T | where e.no < 1 or e.no >= 1", []],
    ["looks for whole words", 'T | where "status=OverQuota." has "overquota" and not_a == not_a', []],
    [
      "counts by a column",
      "T | summarize n = count() by who",
      [
        { who: "a", n: 2 },
        { who: "b", n: 1 },
      ],
    ],
    ["counts no rows as one row", "Empty | summarize n = count()", [{ n: 0 }]],
    ["counts no rows by a column as none", "Empty | summarize n = count() by who", []],
    [
      "picks the newest row",
      "T | summarize arg_max(at, n) by who | project who, n",
      [
        { who: "a", n: 1 },
        { who: "b", n: 2 },
      ],
    ],
    ["sums in bins", "T | summarize s = sum(n) by bin(at, 1h) | project s", [{ s: 7 }]],
    ["takes a percentile", "T | summarize p = percentile(n, 50)", [{ p: 2 }]],
    [
      "joins what has no partner",
      'T | join kind=leftouter (T | where who == "a" and n == 1 | project who, m = n) on who | project n, m',
      [
        { n: 1, m: 1 },
        { n: 2, m: null },
        { n: 4, m: 1 },
      ],
    ],
    [
      "expands lists",
      "T | where n == 1 | mv-expand each = e.list | project each",
      [{ each: "p" }, { each: "q" }],
    ],
    [
      "expands nothing into one row",
      "T | where n == 4 | mv-expand each = e.list | project each",
      [{ each: null }],
    ],
    [
      "names a value and a table",
      "let k = toscalar(T | count); let own = T | where n < k; own | project n",
      [{ n: 1 }, { n: 2 }],
    ],
    ["moves times", "T | where now() - at > 15m and at <= now() - n * 10m | project n", [{ n: 2 }]],
    ["orders descending and takes", "T | order by n desc | take 1 | project n", [{ n: 4 }]],
    [
      "takes the first that is there",
      'T | extend k = coalesce(tostring(e.kind), "-") | project k',
      [{ k: "x" }, { k: "y" }, { k: "-" }],
    ],
  ])("%s", (_, query, rows) => {
    expect(run(query)).toEqual(rows);
  });

  test.each<readonly [string, string, RegExp]>([
    ["an operator", "T | distinct who", /DistinctOperator/],
    ["another kind of join", "T | join kind=inner T on who", /JoinOperator/],
    ["a function", "T | extend x = strcat(who, who)", /function "strcat"/],
    ["an aggregate", "T | summarize x = dcount(who)", /aggregate "dcount"/],
    ["a comparison", 'T | where who matches regex "a"', /MatchesRegexExpression/],
    ["a table that was not recorded", "Other | count", /table "Other"/],
  ])("refuses by its name %s that it does not know", (_, query, name) => {
    expect(() => run(query)).toThrow(name);
  });

  const all = [
    ...queriesInBicep("infra/modules/alerts.bicep"),
    ...queriesInWorkbook("infra/workbook.json"),
    ...queriesInDocs(),
  ];
  test.each(all.map(({ name, text }) => [name, text] as const))("knows all of %s", (_, query) => {
    const names = [
      "AppTraces",
      "AppRequests",
      "_LogOperation",
      "StorageBlobLogs",
      "AzureDiagnostics",
      "Usage",
      "traces",
      "requests",
    ];
    // A row of nothing goes through what a table without rows would not.
    const nothing = Object.fromEntries(names.map((name) => [name, [{}]]));
    expect(() => evaluate(query, { now, tables: nothing })).not.toThrow();
  });
});
