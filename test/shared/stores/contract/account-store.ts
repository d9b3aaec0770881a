import { expect } from "vitest";
import {
  accountFor,
  type Book,
  type JobTotal,
  jobKey,
  nothing,
  openBook,
  type Page,
  type Sight,
} from "../../../../shared/accounting/index.ts";
import type { AccountStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { recordCases } from "./record-cases.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";

const dayStart = Date.UTC(2026, 10, 22) / 1_000;
const hour = 3_600;
const day = 86_400;

function sightAt(takenAtSeconds: number): Sight {
  const node = { nodeId: "n", nodeArray: "htc", vmSize: "F2s", spot: false, usdPerHour: 0.1 };
  return { takenAtSeconds, nodes: [{ ...node, use: "idle", jobs: [] }], jobs: [] };
}

function page(fromSeconds: number, length: number, nanoUsd = 1): Page {
  const of = { purpose: "idle", nodeArray: "htc", vmSize: "F2s", spot: false } as const;
  const lines = [
    { ...of, user: null, account: null, queue: null, nodeMs: 5, nanoUsd, unpricedNodeMs: 0, runs: 0 },
  ];
  return { fromSeconds, untilSeconds: fromSeconds + length, lines };
}

const noJobs = { dearest: [], others: { ...nothing, jobs: 0 }, othersByOwner: [] };
const dayPage = (fromSeconds: number, nanoUsd = 1) => ({
  ...page(fromSeconds, day, nanoUsd),
  jobs: noJobs,
  nodes: [],
});

function run(name: string, firstSeconds: number, lastSeconds = firstSeconds + 60): JobTotal {
  const who = { user: "ada", account: null, queue: "a|b" };
  const where = { nodeArray: "htc", vmSize: "F2s", spot: false };
  const source = "slurm";
  return { key: jobKey(source, name), source, name, ...who, ...where, ...nothing, firstSeconds, lastSeconds };
}

const always = { fromSeconds: 0, untilSeconds: dayStart + 400 * day };

export const accountStoreCases: ContractCases<AccountStore> = {
  ...recordCases<AccountStore, Book>({
    what: "the open record",
    of: (_, version) => accountFor(openBook(sightAt(dayStart)), sightAt(dayStart + 60 * version)),
    load: (store, name) => store.load(name),
    save: (store, name, value, ifMatch) => store.save(name, value, ifMatch),
  }),
  "a cluster without accounts has none": async (store) => {
    const cluster = uniqueCluster();
    expect(await store.load(cluster)).toBeUndefined();
    expect(await store.hours(cluster, always)).toEqual([]);
    expect(await store.days(cluster, always)).toEqual([]);
    expect(await store.runs(cluster, { source: "slurm", name: "1" }, 10)).toEqual([]);
    await store.forget(cluster, { hours: dayStart, days: dayStart });
  },
  "hours and days come in order, those that begin in the period; the same again changes nothing": async (
    store,
  ) => {
    const cluster = uniqueCluster();
    const hours = [2, 0, 1].map((index) => page(dayStart + index * hour, hour));
    const days = [dayPage(dayStart), dayPage(dayStart - day)];
    for (let times = 0; times < 2; times++) await store.keep(cluster, { hours, days, jobs: [] });
    await store.keep(uniqueCluster(), { hours: [page(dayStart, hour, 7)], days: [], jobs: [] });
    const [first, second, third] = [0, 1, 2].map((index) => page(dayStart + index * hour, hour));
    expect(await store.hours(cluster, always)).toEqual([first, second, third]);
    const period = { fromSeconds: dayStart + 1, untilSeconds: dayStart + 2 * hour };
    expect(await store.hours(cluster, period)).toEqual([second]);
    expect(await store.days(cluster, always)).toEqual([dayPage(dayStart - day), dayPage(dayStart)]);
  },
  "a page that is written again replaces the one before": async (store) => {
    const cluster = uniqueCluster();
    await store.keep(cluster, { hours: [page(dayStart, hour)], days: [dayPage(dayStart)], jobs: [] });
    await store.keep(cluster, { hours: [page(dayStart, hour, 9)], days: [dayPage(dayStart, 9)], jobs: [] });
    expect(await store.hours(cluster, always)).toEqual([page(dayStart, hour, 9)]);
    expect(await store.days(cluster, always)).toEqual([dayPage(dayStart, 9)]);
  },
  "runs of a job, the newest first, no more than were asked for, whatever jobs are called": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, openBook(sightAt(dayStart + 5 * day)), undefined);
    for (const name of oddNames) {
      const jobs = [run(name, dayStart), run(name, dayStart - 40 * day), run(name, dayStart + 100)];
      await store.keep(cluster, { hours: [], days: [], jobs });
      await store.keep(cluster, { hours: [], days: [], jobs: jobs.slice(0, 1) });
      const job = { source: "slurm", name };
      expect(await store.runs(cluster, job, 10)).toEqual([jobs[2], jobs[0], jobs[1]]);
      expect(await store.runs(cluster, job, 2)).toEqual([jobs[2], jobs[0]]);
      expect(await store.runs(cluster, { source: "pbs", name }, 2)).toEqual([]);
    }
  },
  "250 runs that end at once are kept": async (store) => {
    const cluster = uniqueCluster();
    await store.save(cluster, openBook(sightAt(dayStart + day)), undefined);
    const jobs = Array.from({ length: 250 }, (_, index) => run(`job-${index}`, dayStart));
    await store.keep(cluster, { hours: [], days: [], jobs });
    expect(await store.runs(cluster, { source: "slurm", name: "job-249" }, 1)).toEqual([jobs[249]]);
  },
  "what ended before is forgotten, the rest stays": async (store) => {
    const cluster = uniqueCluster();
    const now = dayStart + 500 * day;
    await store.save(cluster, openBook(sightAt(dayStart)), undefined);
    const hours = [page(dayStart, hour), page(dayStart + hour, hour)];
    const days = [dayPage(dayStart - 60 * day), dayPage(dayStart)];
    const jobs = [run("old", dayStart - 60 * day), run("new", dayStart)];
    await store.keep(cluster, { hours, days, jobs });
    await store.forget(cluster, { hours: dayStart + hour, days: dayStart });
    expect(await store.hours(cluster, { fromSeconds: 0, untilSeconds: now })).toEqual(hours.slice(1));
    expect(await store.days(cluster, { fromSeconds: 0, untilSeconds: now })).toEqual(days.slice(1));
    expect(await store.runs(cluster, { source: "slurm", name: "old" }, 1)).toEqual([]);
    expect(await store.runs(cluster, { source: "slurm", name: "new" }, 1)).toEqual(jobs.slice(1));
  },
};
