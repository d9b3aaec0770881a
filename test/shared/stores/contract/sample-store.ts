import { expect } from "vitest";
import type { Sample, SampleStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";

/** The start of an hour. */
const hour = 1_800_000_000;

function sampleAt(atSeconds: number, changed: Partial<Sample> = {}): Sample {
  const nodes = { jobs: 3, idle: 1 };
  return { atSeconds, nodes, usdPerHour: 1.25, unpricedNodes: 0, runningJobs: 2, waitingJobs: 7, ...changed };
}

const timesOf = (samples: readonly Sample[]) => samples.map(({ atSeconds }) => atSeconds - hour);

export const sampleStoreCases: ContractCases<SampleStore> = {
  "a cluster that was never sampled has none": async (store) => {
    expect(await store.list(uniqueCluster(), { fromSeconds: 0, untilSeconds: hour })).toEqual([]);
  },
  "samples of a period come in order, each as it was added, the end left out": async (store) => {
    const cluster = uniqueCluster();
    for (const at of [7_260, 0, 3_660, 60, 3_600, 7_200])
      await store.add(cluster, sampleAt(hour + at, { waitingJobs: at }));
    const within = (from: number, until: number) =>
      store.list(cluster, { fromSeconds: hour + from, untilSeconds: hour + until });
    expect(timesOf(await within(0, 9_999))).toEqual([0, 60, 3_600, 3_660, 7_200, 7_260]);
    expect(timesOf(await within(60, 7_200))).toEqual([60, 3_600, 3_660]);
    expect(timesOf(await within(61, 3_600.5))).toEqual([3_600]);
    expect(await within(3_660, 3_661)).toEqual([sampleAt(hour + 3_660, { waitingJobs: 3_660 })]);
    expect(await within(60, 60)).toEqual([]);
    expect(await within(-7_200, 0)).toEqual([]);
  },
  "of one minute the last sample counts": async (store) => {
    const cluster = uniqueCluster();
    for (const at of [60, 119.5, 61, 120]) await store.add(cluster, sampleAt(hour + at));
    const all = await store.list(cluster, { fromSeconds: hour, untilSeconds: hour + 3_600 });
    expect(timesOf(all)).toEqual([61, 120]);
  },
  "clusters with odd names are kept apart": async (store) => {
    const suffix = uniqueCluster();
    const names = oddNames.map((name) => `${name}${suffix}`);
    for (const [index, name] of names.entries())
      await store.add(name, sampleAt(hour, { waitingJobs: index }));
    const found = await Promise.all(
      names.map((name) => store.list(name, { fromSeconds: hour, untilSeconds: hour + 1 })),
    );
    expect(found.map(([first]) => first?.waitingJobs)).toEqual(names.map((_, index) => index));
  },
};
