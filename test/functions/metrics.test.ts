import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpRequest, InvocationContext } from "@azure/functions";
import { beforeEach, describe, expect, test } from "vitest";
import { metrics } from "../../functions/metrics.ts";
import { metricHelp } from "../../shared/views/index.ts";
import { served } from "../fuzz/served-world.ts";
import { nodeArrayOf, nodeOf } from "../support/cluster.ts";
import { createWorld, worldWith } from "../support/world.ts";

const prefix = "cyclecloud_autoscale_";

async function scraped(accept?: string) {
  const headers = accept === undefined ? {} : { accept };
  const request = new HttpRequest({ method: "GET", url: "http://127.0.0.1/api/metrics", headers });
  const { body, headers: given } = await metrics(request, new InvocationContext());
  return { text: String(body), type: new Headers(given as Record<string, string>).get("content-type") };
}

/** Series by name and labels. */
const seriesOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line.startsWith(prefix))
      .map((line) => [line.slice(prefix.length, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );

beforeEach(async () => {
  const nodes = [
    nodeOf({ name: "htc-1", hostname: "host-1" }),
    nodeOf({ name: "htc-2", hostname: "host-2" }),
  ];
  const world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
  served.world = world;
  world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } } });
  const job = { constraints: { ncpus: 1 } };
  await world.post([
    { ...job, name: "1", executingHostnames: ["host-1"] },
    {
      name: "2",
      constraints: { ncpus: 1_000 },
      submittedAt: new Date((world.now() - 3_600) * 1_000).toISOString(),
    },
    { name: "3", constraints: { ncpus: 2_000 } },
  ]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.advance(9);
});

describe("a scrape", () => {
  test("has nodes, jobs, reasons, ages and money of a cluster", async () => {
    const series = seriesOf((await scraped()).text);
    expect(Object.fromEntries(series)).toMatchObject({
      'up{cluster="hpc"}': 1,
      'paused{cluster="hpc"}': 0,
      'nodes{cluster="hpc",nodearray="htc",state="Ready"}': 2,
      'jobs{cluster="hpc",state="running"}': 1,
      'jobs{cluster="hpc",state="waiting"}': 2,
      'longest_wait_seconds{cluster="hpc"}': 3_610,
      'jobs{cluster="hpc",state="booting"}': 0,
      'snapshot_age_seconds{cluster="hpc"}': 10,
      'plan_age_seconds{cluster="hpc"}': 9,
      'plan_duration_seconds{cluster="hpc"}': 0,
      'demand_age_seconds{cluster="hpc",source="celery"}': 10,
      'demand_silent{cluster="hpc",source="celery"}': 0,
      'cost_dollars_per_hour{cluster="hpc"}': 4,
    });
    const reasons = [...series].filter(([name]) => name.startsWith("waiting_jobs"));
    expect(reasons.map(([, jobs]) => jobs)).toEqual([2]);
    expect([...series.keys()].some((name) => name.startsWith("limit_max"))).toBe(true);
  });

  test("of a cluster that was never seen has no figure but that", async () => {
    served.world = createWorld();
    const series = [...seriesOf((await scraped()).text)].filter(([name]) => !name.startsWith("problems"));
    expect(series).toEqual([
      ['up{cluster="hpc"}', 0],
      ['paused{cluster="hpc"}', 0],
    ]);
  });

  test("is OpenMetrics for who asks for it, else the older text", async () => {
    const open = await scraped("application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
    expect(open.type).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
    expect(open.text.trimEnd().endsWith("# EOF")).toBe(true);
    const plain = await scraped("text/plain");
    expect(plain.type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(plain.text).not.toContain("# EOF");
    expect(seriesOf(plain.text)).toEqual(seriesOf(open.text));
  });

  test("quotes what clusters and sources are called", async () => {
    const source = "celery";
    const text = (await scraped()).text;
    expect(text).toContain(`source="${source}"`);
    expect(
      text.split("\n").filter((line) => line !== "" && !/^(#|cyclecloud_autoscale_)/.test(line)),
    ).toEqual([]);
  });
});

test("every name follows Prometheus' conventions", () => {
  for (const [name, help] of Object.entries(metricHelp)) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(name).not.toMatch(/_total$|gauge|counter|_ms$|_minutes$|_hours$/);
    expect(help).toMatch(/^[A-Z0-9].{10,}[^.]$/);
  }
});

const promtool = spawnSync("promtool", ["--version"], { encoding: "utf8" });

test.skipIf(promtool.error !== undefined)("promtool finds nothing to object to", async () => {
  const { stdout, stderr, status } = spawnSync("promtool", ["check", "metrics"], {
    input: (await scraped()).text,
    encoding: "utf8",
  });
  expect({ stdout, stderr, status }).toEqual({ stdout: "", stderr: "", status: 0 });
});

test("the page about metrics has each of them, with its meaning", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/metrics.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| .*? \| (.*) \|$/gm)].map(([, name, help]) => [name, help]);
  expect(rows).toEqual(Object.entries(metricHelp));
});
