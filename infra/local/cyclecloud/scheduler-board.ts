import type { z } from "zod";
import { Refusal } from "../../../shared/simulated-cyclecloud/index.ts";
import {
  type cancelSchema,
  isMeant,
  type Order,
  type Orders,
  type SchedulerReport,
  type silenceSchema,
  type submitSchema,
} from "../scheduler/orders.ts";

interface Entry {
  isSilent: boolean;
  orders: readonly Order[];
  report: SchedulerReport | undefined;
  atMilliseconds: number;
}

export type SchedulerBoard = ReturnType<typeof createSchedulerBoard>;

/** Where the simulated schedulers of the clusters look for orders, and leave word of how far they are. */
export function createSchedulerBoard(clusterNames: readonly string[]) {
  const entries = new Map<string, Entry>(
    clusterNames.map((name) => [name, { isSilent: false, orders: [], report: undefined, atMilliseconds: 0 }]),
  );
  let last = 0;
  const entryOf = (cluster: string): Entry => {
    const entry = entries.get(cluster);
    if (entry === undefined) throw new Refusal(404, `Cannot find cluster "${cluster}"`);
    return entry;
  };
  const openOrders = (entry: Entry) =>
    entry.orders.filter(({ number }) => number > (entry.report?.takenOrder ?? 0));
  const cancel = (entry: Entry, names: readonly string[]) => {
    last += 1;
    entry.orders = [...entry.orders, { number: last, kind: "cancel", names: [...names] }];
  };
  return {
    submit({ cluster, jobs }: z.output<typeof submitSchema>): void {
      const entry = entryOf(cluster);
      const open = new Set(
        entry.report?.jobs.filter(({ waiting, running }) => waiting + running > 0).map(({ name }) => name),
      );
      const canceled = openOrders(entry).flatMap((order) => (order.kind === "cancel" ? order.names : []));
      const twice = jobs.find(({ name }) => open.has(name) && !canceled.some((each) => isMeant(each, name)));
      if (twice !== undefined)
        throw new Refusal(409, `Cannot submit job "${twice.name}": one of this name waits or runs`);
      last += 1;
      entry.orders = [...entry.orders, { number: last, kind: "submit", jobs }];
    },
    cancel: ({ cluster, names }: z.output<typeof cancelSchema>) => cancel(entryOf(cluster), names),
    silence({ cluster, on }: z.output<typeof silenceSchema>): void {
      entryOf(cluster).isSilent = on;
    },
    /** The schedulers of these clusters post again, and drop the jobs that were submitted here. */
    reset(clusters: readonly string[]): void {
      for (const entry of clusters.map(entryOf)) {
        entry.isSilent = false;
        const names = (entry.report?.jobs ?? [])
          .filter(({ waiting, running }) => waiting + running > 0)
          .map(({ name }) => name);
        const open = openOrders(entry).flatMap((order) =>
          order.kind === "submit" ? order.jobs.map(({ name }) => name) : [],
        );
        if (names.length + open.length > 0) cancel(entry, [...new Set([...names, ...open])]);
      }
    },
    exchange(cluster: string, report: SchedulerReport): Orders {
      const entry = entryOf(cluster);
      entry.report = report;
      entry.atMilliseconds = performance.now();
      entry.orders = openOrders(entry);
      return { isSilent: entry.isSilent, orders: [...entry.orders] };
    },
    /** The newest report and how old it is, in real seconds; null: no scheduler has reported yet. */
    state(cluster: string) {
      const entry = entryOf(cluster);
      return {
        isSilent: entry.isSilent,
        report: entry.report ?? null,
        agoSeconds: entry.report === undefined ? null : (performance.now() - entry.atMilliseconds) / 1000,
        /** Orders that it has not taken yet. */
        openOrders: openOrders(entry).length,
      };
    },
  };
}
