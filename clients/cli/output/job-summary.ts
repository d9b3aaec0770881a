import type { JobView } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import type { Narrowing } from "./fit-table.ts";

export const jobSummaryColumns = columnsOf("jobs,state,places:-,longest_wait:-,first,reason:-");

export const jobSummaryNarrowing: Narrowing = {
  goFirst: ["PLACES"],
  sentence: "REASON",
};

export interface JobGroup {
  readonly jobs: number;
  readonly state: JobView["state"];
  /** Slots or nodes that they lack. */
  readonly places: number;
  /** Since the first of them was submitted; null: no source says when. */
  readonly longestWaitSeconds: number | null;
  /** The first in the queue's order. */
  readonly first: string;
  /** The first one's: how many places each lacks differs, and is no reason. */
  readonly reason: string | null;
}

const stateOrder: readonly JobView["state"][] = [
  "waiting",
  "partly",
  "set-aside",
  "booting",
  "placed",
  "running",
];

/** A row for each state and reason: what waits first, of one state the most jobs first. */
export function jobSummaryOf(jobs: readonly JobView[], nowSeconds: number): readonly JobGroup[] {
  const groups = Map.groupBy(jobs, ({ state, reason }) => JSON.stringify([state, reason && causeOf(reason)]));
  return [...groups.values()]
    .flatMap((members): JobGroup[] => {
      const [first] = members;
      if (first === undefined) return [];
      const submitted = members.flatMap(({ submittedAtSeconds }) => submittedAtSeconds ?? []);
      const earliest = submitted.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
      return [
        {
          jobs: members.length,
          state: first.state,
          places: members.reduce((sum, { asked, granted }) => sum + Math.max(0, asked - granted), 0),
          longestWaitSeconds: Number.isFinite(earliest) ? nowSeconds - earliest : null,
          first: first.job,
          reason: first.reason,
        },
      ];
    })
    .toSorted((a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state) || b.jobs - a.jobs);
}

/** The reason apart from how much the job at hand lacks: "No room for 4 nodes: …" and "No room for 8 nodes: …" are one. */
function causeOf(reason: string): string {
  return reason.replace(/^No room for \d+ (slots?|nodes?): /, "");
}

export function jobGroupFields({ longestWaitSeconds, places, ...group }: JobGroup): Fields {
  return {
    ...group,
    places: places === 0 ? null : places,
    longest_wait: longestWaitSeconds === null ? null : duration(longestWaitSeconds),
  };
}
