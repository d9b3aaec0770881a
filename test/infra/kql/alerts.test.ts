import { describe, expect, test } from "vitest";
import { watchDeadPlanRequest } from "../../../shared/cycle/index.ts";
import { alertRules, everyMinutes, mailsOf, quietEvaluations, rangeMinutes } from "./alert-states.ts";
import { evaluate } from "./evaluate.ts";
import { queriesInWorkbook } from "./find-queries.ts";
import { type Name, RecordedFleet } from "./recorded.ts";
import type { Row } from "./values.ts";

const [first, second, firstWell, secondWell, end] = [30, 120, 210, 300, 450] as const;

interface Fault {
  readonly rule: string;
  /** Of an alert beside the cluster. */
  readonly about?: string;
  /** Minutes until it rings; it may ring for as long after the end. */
  readonly withinMinutes: number;
  /** Begins and ends it, or does every minute what it consists of. */
  set?(fleet: RecordedFleet, cluster: Name, isBad: boolean): unknown;
  eachMinute?(fleet: RecordedFleet, cluster: Name, minute: number): unknown;
  /** Other rules that ring for the same reason. */
  readonly also?: readonly string[];
}

/** Rows that are only counted for an hour after they were written. */
const hourMinutes = 60;

const faults: Readonly<Record<string, Fault>> = {
  "a server that does not answer": {
    rule: "snapshot-overdue",
    withinMinutes: 45,
    set: (fleet, cluster, isBad) => fleet.setOutage(cluster, isBad),
  },
  "a login that is refused": {
    rule: "needs-operator",
    withinMinutes: 30 + hourMinutes,
    set: (fleet, cluster, isBad) => fleet.refuseLogin(cluster, isBad),
    also: ["snapshot-overdue"],
  },
  "a configuration that never could be used": {
    rule: "needs-operator",
    withinMinutes: 30 + hourMinutes,
    set: (fleet, cluster, isBad) => fleet.breakConfiguration(cluster, isBad),
    also: ["snapshot-overdue"],
  },
  "a configuration that could be used before": {
    rule: "config-unusable",
    withinMinutes: 45,
    set: (fleet, cluster, isBad) => fleet.breakConfiguration(cluster, isBad, { hadOne: true }),
  },
  "nodes that fail to boot": {
    rule: "boots-failing",
    withinMinutes: 45 + hourMinutes,
    eachMinute: (fleet, cluster) => fleet.failNodes(cluster),
  },
  "plans that are not made": {
    rule: "plan-overdue",
    withinMinutes: 45,
    set: (fleet, cluster, isBad) => (isBad ? fleet.unplanned.add(cluster) : fleet.unplanned.delete(cluster)),
    eachMinute: (fleet, cluster, minute) => fleet.post(cluster, minute % 3),
  },
  "plan requests that the broker gave up": {
    rule: "dead-letters",
    withinMinutes: 30 + hourMinutes,
    eachMinute: (fleet, cluster, minute) =>
      watchDeadPlanRequest(fleet.ports, {
        body: { cluster },
        messageId: `${cluster}-${minute}`,
        queue: "plan-requests",
        reason: "MaxDeliveryCountExceeded",
      }),
  },
  "messages that are refused": {
    rule: "rejects-rising",
    withinMinutes: 45 + hourMinutes,
    eachMinute: (fleet, cluster) => fleet.receive({ version: 1, kind: "snapshot", cluster, jobs: "none" }),
  },
  "a budget that is spent": {
    rule: "budget-near",
    about: "reached",
    withinMinutes: 45,
    set: (fleet, cluster, isBad) =>
      fleet.configure(cluster, {
        cycle: {
          caps: { maxNodesPerPlan: null, maxCores: null, monthlyBudgetUsd: isBad ? 0.000001 : 1_000_000 },
        },
      }),
  },
};

describe("an alert rings for each cluster while that one fails, the second while the first still does", () => {
  test.each(Object.entries(faults))("%s", async (_, { rule, about, withinMinutes, also = [], ...fault }) => {
    const fleet = new RecordedFleet();
    await fleet.boot();
    const bad = new Set<Name>();
    const turn = async (cluster: Name, isBad: boolean) => {
      if (isBad) bad.add(cluster);
      else bad.delete(cluster);
      await fault.set?.(fleet, cluster, isBad);
    };
    const mails = await mailsOf(fleet, end, async (minute) => {
      if (minute === first) await turn("hpc", true);
      if (minute === second) await turn("gpu", true);
      if (minute === firstWell) await turn("hpc", false);
      if (minute === secondWell) await turn("gpu", false);
      const noisy: readonly Name[] = fault.set === undefined ? [...bad] : ["hpc", "gpu"];
      for (const cluster of noisy) await fault.eachMinute?.(fleet, cluster, minute);
    });
    expect([...new Set(mails.map(({ alert }) => alert[0]))].sort()).toEqual([rule, ...also].sort());
    const own = mails.filter(({ alert }) => alert[0] === rule);
    const alertOf = (cluster: Name) => [rule, cluster, ...(about === undefined ? [] : [about])];
    expect(own.map(({ alert, isOver }) => ({ alert, isOver }))).toEqual([
      { alert: alertOf("hpc"), isOver: false },
      { alert: alertOf("gpu"), isOver: false },
      { alert: alertOf("hpc"), isOver: true },
      { alert: alertOf("gpu"), isOver: true },
    ]);
    const since = [first, second, firstWell, secondWell];
    for (const [index, { minute, isOver }] of own.entries()) {
      const sure = isOver ? quietEvaluations * everyMinutes : 0;
      const waited = minute - (since[index] ?? Number.NaN);
      expect(waited, `mail ${index}`).toBeGreaterThanOrEqual(sure);
      expect(waited, `mail ${index}`).toBeLessThanOrEqual(withinMinutes + sure);
    }
  });
});

test("every rule that is split by cluster is tried with two that fail one after the other; the others are below", () => {
  const split = alertRules.filter(({ columns }) => columns.includes("cluster")).map(({ rule }) => rule);
  expect(split.toSorted()).toEqual([...new Set(Object.values(faults).map(({ rule }) => rule))].toSorted());
  const whole = alertRules.filter(({ columns }) => columns.length === 0).map(({ rule }) => rule);
  expect(whole.toSorted()).toEqual(["log-capped", "timer-silent"]);
});

describe("no alert rings", () => {
  test.each<readonly [string, (fleet: RecordedFleet, minute: number) => unknown]>([
    ["for clusters at rest", () => undefined],
    ["for clusters that get work all the time", (fleet, minute) => fleet.post("gpu", minute % 3)],
    [
      "for a server that was away for two beats",
      (fleet, minute) => fleet.setOutage("hpc", minute === 70 || minute === 71),
    ],
    [
      "for items of messages that were set aside",
      (fleet) => fleet.postJobs("hpc", [{ name: "bad", slots: "many" }]),
    ],
  ])("%s", async (_, happens) => {
    const fleet = new RecordedFleet();
    await fleet.boot();
    expect(await mailsOf(fleet, 240, async (minute) => happens(fleet, minute))).toEqual([]);
  });

  test("for a cluster that is read every three hours", async () => {
    const fleet = new RecordedFleet();
    for (const cluster of ["hpc", "gpu"] as const)
      fleet.configure(cluster, { cycle: { snapshotIntervalSeconds: 10_800, maxSnapshotAgeSeconds: 21_600 } });
    await fleet.boot();
    expect(await mailsOf(fleet, rangeMinutes / 2, async () => undefined)).toEqual([]);
  });
});

describe("what concerns the whole deployment is one mail, not one for each cluster", () => {
  test("a timer that does not run", async () => {
    const fleet = new RecordedFleet();
    await fleet.boot();
    const mails = await mailsOf(fleet, 400, async (minute) => {
      fleet.timerRuns = minute < 60 || minute >= 180;
    });
    expect(mails).toMatchObject([
      { alert: ["timer-silent"], isOver: false },
      { alert: ["timer-silent"], isOver: true },
    ]);
    expect(mails[0]?.minute).toBeLessThanOrEqual(105);
    expect(mails[1]?.minute).toBeGreaterThanOrEqual(180 + 45);
  });

  test("a log whose cap is reached, while demand goes on; after midnight all is seen again", async () => {
    const fleet = new RecordedFleet();
    await fleet.boot();
    const mails = await mailsOf(fleet, 500, async (minute) => {
      if (minute === 60) fleet.setCapped(true);
      if (minute === 240) fleet.setCapped(false);
      fleet.timerRuns = minute < 360;
      if (fleet.timerRuns) await fleet.post("hpc", minute % 3);
    });
    expect(mails).toMatchObject([
      { alert: ["log-capped"], isOver: false },
      { alert: ["log-capped"], isOver: true },
      { alert: ["timer-silent"], isOver: false },
    ]);
  });
});

test("the charts of the workbook have a row for each cluster, of what happened", async () => {
  const fleet = new RecordedFleet();
  await fleet.boot();
  for (const cluster of ["hpc", "gpu"] as const) await fleet.post(cluster, 2);
  await mailsOf(fleet, 15, async () => undefined);
  const { now, tables } = fleet.database();
  const classic = {
    traces: tables.AppTraces.map((row) => ({
      ...row,
      timestamp: row.TimeGenerated ?? null,
      message: row.Message ?? null,
      severityLevel: row.SeverityLevel ?? null,
    })),
    requests: tables.AppRequests.map((row) => ({
      ...row,
      name: row.Name ?? null,
      success: "True",
      duration: row.DurationMs ?? null,
    })),
  };
  const charts: Readonly<Record<string, readonly Row[]>> = Object.fromEntries(
    queriesInWorkbook("infra/workbook.json").map(({ name, text }) => [
      name.split(": ")[1],
      evaluate(text, { now, tables: classic }),
    ]),
  );
  const of = (chart: string, cluster: string) =>
    charts[chart]?.filter((row) => row.cluster === cluster) ?? [];
  for (const cluster of ["hpc", "gpu"]) {
    expect(Math.max(...of("nodes", cluster).map(({ nodes }) => Number(nodes)))).toBeGreaterThan(0);
    expect(of("waiting", cluster).every(({ waiting }) => typeof waiting === "number")).toBe(true);
  }
  expect(charts.actions?.reduce((sum, { created }) => sum + Number(created), 0)).toBeGreaterThan(0);
  expect(charts.runs).toMatchObject([{ name: "snapshot-nodes", failed: 0, p95Ms: 100 }]);
});
