import type { EventView } from "../../../shared/api/index.ts";
import { columnsOf } from "../../columns/parse-columns.ts";

export const eventSummaryColumns = columnsOf("week,kind,reason:-,nodearray:-,vm_size:-,events,nodes");

/** How often something happened in one week, and to how many nodes. */
export interface EventCount {
  /** The Monday with which it begins, UTC. */
  readonly week: string;
  readonly kind: EventView["kind"];
  /** Of lost nodes alone. */
  readonly reason: string | null;
  readonly nodearray: string | null;
  readonly vm_size: string | null;
  readonly events: number;
  readonly nodes: number;
}

export const eventSummaryByJobColumns: readonly string[] = ["week", "job", "reason", "events"];

/** How often nodes were lost under one job in one week. */
export interface JobLossCount {
  /** The Monday with which it begins, UTC. */
  readonly week: string;
  readonly job: string;
  readonly reason: string;
  readonly events: number;
}

/** Losses by week and job, also of jobs that are over; the newest week first, in it the most frequent first. */
export function eventSummaryByJob(events: readonly EventView[]): readonly JobLossCount[] {
  const counts = new Map<string, JobLossCount>();
  for (const { atSeconds, loss } of events)
    for (const job of loss?.jobs ?? []) {
      const [week, reason] = [weekOf(atSeconds), loss?.reason ?? ""];
      const key = JSON.stringify([week, job, reason]);
      counts.set(key, { week, job, reason, events: (counts.get(key)?.events ?? 0) + 1 });
    }
  return [...counts.values()].toSorted(
    (a, b) => b.week.localeCompare(a.week) || b.events - a.events || a.job.localeCompare(b.job),
  );
}

/** Events by week, kind and what was lost; the newest week first, in it the most frequent first. */
export function eventSummary(events: readonly EventView[]): readonly EventCount[] {
  const alike = Map.groupBy(events, ({ atSeconds, kind, loss }) =>
    JSON.stringify([weekOf(atSeconds), kind, loss?.reason, loss?.nodeArray, loss?.vmSize]),
  );
  return [...alike.values()]
    .flatMap((some) => {
      const [first] = some;
      if (first === undefined) return [];
      const { kind, atSeconds, loss } = first;
      // Of a node that was lost and that nobody could name there is still one.
      const lost = loss === undefined ? 0 : 1;
      return [
        {
          week: weekOf(atSeconds),
          kind,
          reason: loss?.reason ?? null,
          nodearray: loss?.nodeArray ?? null,
          vm_size: loss?.vmSize ?? null,
          events: some.length,
          nodes: some.reduce((sum, { nodeCount }) => sum + Math.max(nodeCount, lost), 0),
        },
      ];
    })
    .toSorted((a, b) => b.week.localeCompare(a.week) || b.nodes - a.nodes || b.events - a.events);
}

const daySeconds = 86_400;
/** The first Monday of Unix time was its fifth day. */
const mondaySeconds = 4 * daySeconds;

function weekOf(atSeconds: number): string {
  const week = 7 * daySeconds;
  const start = Math.floor((atSeconds - mondaySeconds) / week) * week + mondaySeconds;
  return new Date(start * 1_000).toISOString().slice(0, 10);
}
