import { readFileSync } from "node:fs";
import { join } from "node:path";
import { slug } from "github-slugger";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { alertRules } from "./alert-states.ts";
import { problemsOf } from "./check-query.ts";
import { queriesInBicep, queriesInDocs, queriesInWorkbook } from "./find-queries.ts";

const root = join(import.meta.dirname, "../../..");
const alerts = queriesInBicep("infra/modules/alerts.bicep");
const charts = queriesInWorkbook("infra/workbook.json");
const all = [...alerts, ...charts, ...queriesInDocs()];

describe("queries of alerts, workbook and documents", () => {
  test("are found", () => {
    expect(alerts.length).toBeGreaterThanOrEqual(8);
    expect(charts.length).toBeGreaterThanOrEqual(5);
    expect(alerts.map(({ text }) => text).join("\n")).not.toContain("${");
  });

  test.each(all.map(({ name, ...query }) => [name, query] as const))("%s can run", (_name, query) => {
    expect(problemsOf(query.text, query.place)).toEqual([]);
  });

  test("alerts that tell clusters apart have the columns by which they do", () => {
    const perCluster = alertRules.filter(({ columns }) => columns.includes("cluster"));
    expect(perCluster.length).toBeGreaterThanOrEqual(7);
    for (const { rule, query, columns } of perCluster)
      expect(problemsOf(`${query} | summarize count() by ${columns.join(", ")}`, "workspace"), rule).toEqual(
        [],
      );
  });

  test("each alert names a page and a heading of it that explain what to do", () => {
    const pages = readFileSync(join(root, "infra/modules/alerts.bicep"), "utf8").matchAll(
      /^ +todo: '.+'\n +page: '(docs\/[a-z-]+\.md)#([a-z-]+)'$/gm,
    );
    const named = [...pages].map(([, page = "", anchor]) => ({ page, anchor }));
    expect(named).toHaveLength(alerts.length);
    for (const { page, anchor } of named) {
      const headings = readFileSync(join(root, page), "utf8").matchAll(/^#+ (.+)$/gm);
      expect(
        [...headings].map(([, heading = ""]) => slug(heading)),
        page,
      ).toContain(anchor);
    }
  });

  test("ask for events that the code logs", () => {
    const sources = globSync(["shared/**/*.ts", "functions/**/*.ts"], { cwd: root });
    const logged = sources.flatMap((file) =>
      [
        ...readFileSync(join(root, file), "utf8").matchAll(/log\??\.(?:info|warn|error)\(\s*"([a-z-]+)"/g),
      ].map(([, event = ""]) => event),
    );
    const asked = all.flatMap(({ name, text }) => eventsIn(text).map((event) => ({ name, event })));
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter(({ event }) => !logged.includes(event))).toEqual([]);
  });
});

/** Names that a query compares `event` with, alone or in a list. */
function eventsIn(query: string): readonly string[] {
  const alone = query.matchAll(/\be(?:vent\b|\.event\)?) *== *["']([a-z-]+)["']/g);
  const lists = query.matchAll(/\bevent in \(([^)]*)\)/g);
  return [
    ...[...alone].map(([, event = ""]) => event),
    ...[...lists].flatMap(([, list = ""]) => list.split(",").map((each) => each.trim().slice(1, -1))),
  ];
}

describe("the check itself finds", () => {
  test.each([
    [
      "a keyword as a name",
      "AppTraces | summarize last = max(TimeGenerated) | where last < ago(5m)",
      /'last'/,
    ],
    ["a column that does not exist", "AppTraces | where Mesage startswith '{'", /'Mesage'/],
    ["a table that does not exist", "Traces | count", /'Traces'/],
    ["a name of the other place", "AppTraces | where message startswith '{'", /'message'/],
    ["a function with the wrong kind of value", "AppRequests | summarize sum(Name)", /./],
    ["a missing parenthesis", "AppTraces | summarize count( by AppRoleName", /./],
  ])("%s", (_what, query, expected) => {
    expect(problemsOf(query, "workspace").join("\n")).toMatch(expected);
  });
});
