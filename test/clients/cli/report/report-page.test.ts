import { parseHTML } from "linkedom";
import { beforeAll, describe, expect, test } from "vitest";
import { clockOf, lengthOfTime } from "../../../../clients/cli/backtest/report/figures-in-words.ts";
import { type ReportInput, reportPage } from "../../../../clients/cli/backtest/report/page.ts";
import { figuresOf } from "../../../shared/backtest/figures-of.ts";
import { sampleReport } from "./sample-report.ts";

/** What somebody may call a job, a user, a cluster or a file. */
const names = [
  "<script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  "<svg onload=alert(1)>",
  "</svg><script>alert(1)</script>",
  "<iframe src=javascript:alert(1)>",
  "<a href='javascript:alert(1)'>x</a>",
  "javascript:alert(1)",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "&#60;script&#62;",
  "<!-- -->",
  "--><script>alert(1)</script>",
  "<![CDATA[<script>alert(1)</script>]]>",
  "{{constructor.constructor('alert(1)')()}}",
  "<style>*{display:none}</style>",
  "<meta http-equiv=refresh content=0>",
  "<base href=https://example.com><form action=//example.com>",
];

function named(name: string): ReportInput {
  const setup = (index: number) => ({ [name]: name, index });
  const runs = [0, 1].map((index) => {
    const figures = figuresOf({
      varied: setup(index),
      nodeMs: { job: [3_600_000, 1_000_000 * index], idle: [7 + index] },
      waits: [index * 9, null],
      names: { nodeArray: name, user: name },
    });
    return {
      ...figures,
      setup: {
        ...figures.setup,
        cluster: name,
        workload: { jobs: 2, leftOut: [{ why: name, count: 1, where: [name] }] },
      },
      jobs: {
        ...figures.jobs,
        neverRan: [
          {
            code: "no-node" as const,
            why: name,
            count: 1,
            first: [name],
            reasons: [{ code: name, sentence: name }],
          },
        ],
      },
    };
  });
  const job = { name, submitSeconds: 0, runSeconds: 1, requestedSeconds: null, processors: 1 };
  return {
    workload: name,
    runs,
    jobs: [1, 2].map(() => ({ ...job, user: name, jobName: name })),
    best: { ok: false, why: name },
    suggestion: [name],
  };
}

function elementsOf(page: string) {
  const { document } = parseHTML(page);
  return { document, all: [...document.querySelectorAll("*")] };
}

describe("reportPage", () => {
  let usual: readonly string[] = [];
  const elementNames = ({ all }: ReturnType<typeof elementsOf>) => all.map(({ localName }) => localName);
  beforeAll(async () => {
    usual = elementNames(elementsOf(await reportPage(named("usual"))));
  });

  test.each(names)("a name is text, whatever is in it: %s", async (name) => {
    const page = elementsOf(await reportPage(named(name)));
    const { document, all } = page;
    // Neither more elements than with a usual name, nor others.
    expect(elementNames(page)).toEqual(usual);
    const attributes = all.flatMap((element) => element.getAttributeNames());
    expect(attributes.filter((attribute) => /^on|^src|^href|^action|^autofocus/.test(attribute))).toEqual([]);
    expect(document.querySelector("h1")?.textContent).toBe(`Back-test of ${name}`);
    const cells = [...document.querySelectorAll("th, td")].map(({ textContent }) => textContent);
    expect(cells).toContain(name);
    expect(cells).toContain(`${name} (${name})`);
  });

  test("the same input gives the same page, byte for byte", async () => {
    expect(await reportPage(sampleReport())).toBe(await reportPage(sampleReport()));
  });

  test("it loads nothing and runs nothing", async () => {
    const page = await reportPage(sampleReport());
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|https?:\/\/(?!www\.w3\.org)/);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/undefined|NaN|\[object|Infinity/);
  });

  test("each picture has a sentence in place of it, and a table in its figure", async () => {
    const { document } = elementsOf(await reportPage(sampleReport()));
    for (const figure of document.querySelectorAll("figure")) {
      expect(figure.querySelectorAll("table").length).toBeGreaterThan(0);
      for (const svg of figure.querySelectorAll("svg")) {
        expect(svg.getAttribute("role")).toBe("img");
        expect(svg.getAttribute("aria-label")).toMatch(/^\S.+ has the numbers\.$/);
      }
    }
    expect(document.querySelectorAll("figure svg.wide").length).toBe(1 + 6 * 3);
    expect(document.querySelectorAll("figure svg.narrow").length).toBe(1 + 6 * 3);
  });

  const best = { ok: false, why: "no prices" } as const;
  const jobs: ReportInput["jobs"] = [];
  test.each([
    ["nothing ran", figuresOf(), "No node was bought, and no job ran."],
    ["no job could run", figuresOf({ waits: [null] }), "1 job (x): No node holds it."],
    ["no prices", figuresOf({ nodeMs: { job: [3_600_000] }, nanoUsdPerMs: null, waits: [1] }), "1 node-hour"],
    ["one job", figuresOf({ nodeMs: { job: [3_600_000] }, waits: [0] }), "Over time"],
    ["steps without anything", figuresOf({ nodeMs: { job: [0, 1, 0] }, waits: [0] }), "Over time"],
  ])("%s", async (_, run, text) => {
    const page = await reportPage({ workload: "w", runs: [run], jobs, best });
    expect(page).not.toMatch(/undefined|NaN|\[object|Infinity/);
    expect(elementsOf(page).document.body.textContent).toContain(text);
  });

  test("without prices, runs are compared by node-hours: no cost is 0", async () => {
    const runs = [1, 2].map((more) =>
      figuresOf({ varied: { more }, nodeMs: { job: [more * 3_600_000] }, nanoUsdPerMs: null, waits: [more] }),
    );
    const text = elementsOf(await reportPage({ workload: "w", runs, jobs, best })).document.body.textContent;
    expect(text).toContain("Fewest node-hours");
    expect(text).toContain("Times in which nodes differ most");
    expect(text).toContain("Further left takes fewer node-hours");
    expect(text).not.toContain("$");
  });

  test("a workload without jobs is named as one, and costs nothing", async () => {
    const page = await reportPage({ workload: "w", runs: [figuresOf({ waits: [] })], jobs, best });
    expect(page).toContain("The workload has no jobs");
    expect(elementsOf(page).document.querySelector(".cards")?.textContent).toContain("$0.00");
  });

  test("of many runs only those that no other beats have pictures", async () => {
    const runs = Array.from({ length: 14 }, (_, index) =>
      figuresOf({
        varied: { n: index },
        nodeMs: { job: [(index + 1) * 1_000_000] },
        waits: [index % 2 ? 50 : 14 - index],
      }),
    );
    const { document } = elementsOf(await reportPage({ workload: "w", runs, jobs, best }));
    expect(document.querySelectorAll("details.run").length).toBe(7);
    expect(document.querySelectorAll("figure tbody tr").length).toBeGreaterThanOrEqual(14);
  });
});

describe("numbers in words", () => {
  test.each([
    [0, "0s"],
    [150, "2m30s"],
    [-7_200, "−2h"],
    [200_000, "2d7h"],
    [null, "–"],
  ])("%s s: %s", (seconds, words) => {
    expect(lengthOfTime(seconds)).toBe(words);
  });

  test("moments: dates of a workload that counts from 1970, else days since its start", () => {
    const plain = (text: string) => text.replaceAll("\u00a0", " ");
    const from = Date.parse("2027-01-11T00:00:00Z") / 1_000;
    const dated = clockOf({ startSeconds: from, endSeconds: from + 9 * 86_400 });
    expect(plain(dated.moment(from + 3_660))).toBe("2027-01-11 01:01Z");
    expect(dated.tick(dated.place(from))).toBe("11 Jan");
    const bare = clockOf({ startSeconds: 500, endSeconds: 500 + 9 * 86_400 });
    expect(plain(bare.moment(500 + 86_400 + 3_660))).toBe("day 1 01:01");
    expect(bare.place(500 + 86_400)).toBe(1);
  });

  test("runs that come out the same are one point with all their numbers", async () => {
    const run = (n: number) => figuresOf({ varied: { n }, nodeMs: { job: [5_000_000] }, waits: [7] });
    const page = await reportPage({
      workload: "w",
      runs: [run(1), run(2)],
      jobs: [],
      best: { ok: false, why: "x" },
    });
    expect(elementsOf(page).document.querySelector("svg.wide")?.textContent).toContain("1, 2");
  });
});
