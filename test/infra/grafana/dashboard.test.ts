import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { metricHelp } from "../../../shared/views/index.ts";
import { ownFolder } from "../../support/own-folder.ts";

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../infra/grafana/dashboard.json"), "utf8"),
);
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets);

/** The labels of every metric, as `shared/views/draw-up-metrics.ts` sets them. */
const labels = [
  "cluster",
  "nodearray",
  "state",
  "gravity",
  "source",
  "reason",
  "limit",
  "scope",
  "unit",
  "kind",
  "outcome",
];

describe("the Grafana dashboard", () => {
  test("asks for metrics that there are", () => {
    const asked = queries.flatMap(({ expr }) =>
      [...expr.matchAll(/cyclecloud_autoscale_(\w+)/g)].map(([, name]) => name),
    );
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.filter((name) => !Object.hasOwn(metricHelp, name ?? ""))).toEqual([]);
  });

  test("names series by labels that there are", () => {
    const used = queries.flatMap(({ legendFormat }) =>
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? ""),
    );
    expect(used.filter((name) => !labels.includes(name))).toEqual([]);
  });

  test("panels do not lie on each other, and stay in 24 columns", () => {
    const cells = dashboard.panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
      expect({ title, fits: x + w <= 24 }).toEqual({ title, fits: true });
      return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });
});

const promtool = spawnSync("promtool", ["--version"]);

test.skipIf(promtool.error !== undefined)("its queries are PromQL", () => {
  const file = ownFolder(onTestFinished)("rules.json");
  const rules = queries.map(({ expr }, index) => ({ record: `panel:query:${index}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  const { status, stderr } = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
  expect({ status, stderr: stderr.trim() }).toEqual({ status: 0, stderr: "" });
});
