import type { ClusterStatus, JobView, NodeView, SamplesAnswer } from "../../../shared/api/index.ts";
import { onceFor } from "../../../shared/collections/once-for.ts";
import { compareNodeNames } from "../../../shared/engine/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { counted } from "../../../shared/text/text.ts";
import { ago } from "../output/moments.ts";

export type TopStatus = Pick<
  ClusterStatus,
  "cluster" | "atSeconds" | "problems" | "paused" | "snapshot" | "nodes" | "spending" | "plans"
>;
export type TopJob = Pick<
  JobView,
  "job" | "source" | "granted" | "asked" | "unit" | "submittedAtSeconds" | "reason"
>;
export type TopNode = Pick<
  NodeView,
  | "name"
  | "nodeId"
  | "nodeArray"
  | "vmSize"
  | "state"
  | "draining"
  | "ignored"
  | "idleSinceSeconds"
  | "usdPerHour"
  | "jobs"
  | "plannedJobs"
  | "targetState"
  | "keepAlive"
  | "spot"
  | "placementGroup"
  | "location"
>;

export interface TopData {
  readonly status: TopStatus;
  readonly jobs: readonly TopJob[];
  /** All waiting jobs; `jobs` are the first of them. */
  readonly waitingJobs: number;
  readonly nodes: readonly TopNode[];
  /** Whether the cluster has more nodes than `nodes`. */
  readonly isCut: boolean;
  /** Undefined: no sample was taken lately. */
  readonly sample: SamplesAnswer["samples"][number] | undefined;
}

export const panes = ["jobs", "nodes", "plans"] as const;
export type Pane = (typeof panes)[number];

/** Text over the lists, such as an explanation. */
interface Overlay {
  readonly title: string;
  readonly lines: readonly string[];
  readonly from: number;
}

/** A node that would be drained, by CycleCloud's id, so that a name that changes hands drains no other node. */
export interface Drainable {
  readonly name: string;
  readonly nodeId: string;
}

export interface TopState {
  readonly data: TopData;
  readonly pane: Pane;
  /** Chosen rows by identity: a list that changes does not move the choice to another node. */
  readonly chosen: Readonly<Partial<Record<Pane, string>>>;
  readonly sort: Readonly<Record<Pane, number>>;
  readonly filter: string;
  /** Whether each job has a row, also where neighbours wait for the same. */
  readonly isEach: boolean;
  /** Whether keys go into the filter. */
  readonly isTyping: boolean;
  readonly overlay: Overlay | undefined;
  /** Set: nodes are shown as a map, from this line on, in place of the lists. */
  readonly map: { readonly grouping: number; readonly from: number } | undefined;
  /** Waits for "y". */
  readonly question: (Drainable & { readonly lines: readonly string[] }) | undefined;
  /** The outcome of what was asked for last. */
  readonly note: string | undefined;
  /** Why the last refresh failed; undefined: it did not. */
  readonly trouble: string | undefined;
}

export function openedOn(data: TopData): TopState {
  return {
    data,
    pane: "jobs",
    chosen: {},
    sort: { jobs: 0, nodes: 0, plans: 0 },
    filter: "",
    isEach: false,
    isTyping: false,
    overlay: undefined,
    map: undefined,
    question: undefined,
    note: undefined,
    trouble: undefined,
  };
}

/** A row of a list; `id` stays the same from refresh to refresh. */
export interface Row {
  readonly id: string;
  /** Computed on access: a screen shows forty of ten thousand rows. */
  readonly cells: readonly string[];
}

interface Order<T> {
  readonly name: string;
  readonly compare?: (a: T, b: T) => number;
}

const jobOrders: readonly Order<TopJob>[] = [
  { name: "queue" },
  { name: "longest wait", compare: (a, b) => last(a.submittedAtSeconds) - last(b.submittedAtSeconds) },
  { name: "largest", compare: (a, b) => b.asked - b.granted - (a.asked - a.granted) },
];

const nodeOrders: readonly Order<TopNode>[] = [
  { name: "name", compare: (a, b) => compareNodeNames(a.name, b.name) },
  { name: "longest idle", compare: (a, b) => last(a.idleSinceSeconds) - last(b.idleSinceSeconds) },
  { name: "state", compare: (a, b) => (a.state ?? "").localeCompare(b.state ?? "") },
  { name: "price", compare: (a, b) => (b.usdPerHour ?? -1) - (a.usdPerHour ?? -1) },
];

/** What has no value comes last. Not Infinity: two of them have no difference. */
const last = (seconds: number | null) => seconds ?? Number.MAX_SAFE_INTEGER;

export const ordersOf: Readonly<Record<Pane, readonly { readonly name: string }[]>> = {
  jobs: jobOrders,
  nodes: nodeOrders,
  plans: [{ name: "newest" }],
};

/** The headings of a list. Sources are shown where there are several. */
export function headsOf(pane: Pane, data: TopData): readonly string[] {
  switch (pane) {
    case "jobs":
      return ["JOB", ...(hasSources(data) ? ["SOURCE"] : []), "HAS", "WAITS", "REASON"];
    case "nodes":
      return ["NODE", "ARRAY", "SIZE", "STATE", "IDLE", "USD/H", "JOBS"];
    case "plans":
      return ["PLAN", "DECIDED", "JOBS", "REASON"];
  }
}

function hasSources({ jobs }: TopData): boolean {
  return jobs.some(({ source }) => source !== jobs[0]?.source);
}

/** The rows of a list as it is sorted and filtered. */
export function rowsOf(state: TopState, pane: Pane): readonly Row[] {
  const wanted = state.filter.toLowerCase();
  const rows = everyRow(state, pane);
  return wanted === "" ? rows : rows.filter(({ cells }) => cells.join(" ").toLowerCase().includes(wanted));
}

function everyRow({ data, sort, filter, isEach }: TopState, pane: Pane): readonly Row[] {
  const now = data.status.atSeconds;
  switch (pane) {
    case "jobs": {
      const withSource = hasSources(data);
      const jobs = ordered(data.jobs, jobOrders[sort.jobs]);
      // A filter may look for a job within a row.
      const runs = isEach || filter !== "" ? jobs.map((job) => [job] as const) : alikeInOrder(jobs);
      return runs.map(([job, ...others]) => ({
        get id() {
          return jobId(job);
        },
        get cells() {
          return jobCells(job, { now, withSource, more: others.length });
        },
      }));
    }
    case "nodes":
      return ordered(data.nodes, nodeOrders[sort.nodes]).map((node) => ({
        id: node.nodeId ?? node.name,
        get cells() {
          return nodeCells(node, now);
        },
      }));
    case "plans":
      return data.status.plans.map(({ planId, atSeconds, create, start, retire, jobs, reason, held }) => {
        const parts = [`+${create + start}`, `-${retire}`, ...(held === undefined ? [] : ["held"])];
        return {
          id: planId,
          cells: [ago(atSeconds, now), parts.join(" "), counted(jobs, "jobs"), held ?? reason],
        };
      });
  }
}

/** Jobs that stand side by side and wait for the same are one row from here on. */
const leastAlike = 3;

type JobRun = readonly [TopJob, ...TopJob[]];

const alikeInOrder = onceFor((jobs: readonly TopJob[]): readonly JobRun[] => {
  const runs: [TopJob, ...TopJob[]][] = [];
  for (const job of jobs) {
    const run = runs.at(-1);
    if (run !== undefined && isAlike(run[0], job)) run.push(job);
    else runs.push([job]);
  }
  return runs.flatMap((run): readonly JobRun[] =>
    run.length >= leastAlike ? [run] : run.map((job): JobRun => [job]),
  );
});

function isAlike(a: TopJob, b: TopJob): boolean {
  return (
    a.source === b.source &&
    a.granted === b.granted &&
    a.asked === b.asked &&
    a.unit === b.unit &&
    a.reason === b.reason
  );
}

/** By list and order: every key draws the screen again, and ten thousand nodes are the same until the next refresh. */
const sortingsOf = onceFor((_: readonly unknown[]) => new Map<unknown, readonly unknown[]>());

function ordered<T>(items: readonly T[], order: Order<T> | undefined): readonly T[] {
  if (order?.compare === undefined) return items;
  const sortings = sortingsOf(items);
  const sorted = (sortings.get(order) as readonly T[] | undefined) ?? items.toSorted(order.compare);
  sortings.set(order, sorted);
  return sorted;
}

export function jobId({ job, source }: Pick<TopJob, "job" | "source">): string {
  return JSON.stringify([source, job]);
}

/** How much a job lacks is in its own column. */
const lacks = /^No room for \d+ (slots?|nodes?): /;

function jobCells(
  { job, source, granted, asked, unit, submittedAtSeconds, reason }: TopJob,
  { now, withSource, more }: { readonly now: number; readonly withSource: boolean; readonly more: number },
) {
  const waits = submittedAtSeconds === null ? "-" : duration(now - submittedAtSeconds);
  const from = withSource ? [source ?? "-"] : [];
  const name = more === 0 ? job : `${job} and ${more} more`;
  return [name, ...from, `${granted}/${asked} ${unit}`, waits, reason?.replace(lacks, "") ?? "-"];
}

function nodeCells(
  { name, nodeArray, vmSize, state, draining, ignored, idleSinceSeconds, usdPerHour, jobs }: TopNode,
  now: number,
) {
  const idle = idleSinceSeconds === null ? "-" : duration(now - idleSinceSeconds);
  const usd = usdPerHour === null ? "?" : usdPerHour.toFixed(2);
  return [
    name,
    nodeArray,
    vmSize.replace(/^Standard_/, ""),
    [state ?? "-", ...(draining === null ? [] : [draining.phase]), ...(ignored ? ["ignored"] : [])].join(" "),
    idle,
    usd,
    jobs.map(({ job }) => job).join(" ") || "-",
  ];
}

/** Where the chosen row is; the first one if the chosen one is not there (any more). */
export function chosenIndex(state: TopState, pane: Pane, rows: readonly Row[]): number {
  const wanted = state.chosen[pane];
  if (wanted === undefined) return 0;
  return Math.max(
    0,
    rows.findIndex(({ id }) => id === wanted),
  );
}
