import { type AsideLine, mergeAside } from "./aside.ts";
import { byOwner, type JobSum, type JobTotal, type OwnerSum, type RankedJobs } from "./job-totals.ts";
import {
  type Amount,
  type Dimensions,
  dearestFirst,
  type Line,
  nothing,
  type Purpose,
  plus,
  type Writable,
} from "./lines.ts";
import type { NodeLine } from "./node-totals.ts";
import type { Page } from "./pages.ts";

/** Dimensions by which costs are grouped. */
export const costDimensions = [
  "array",
  "size",
  "spot",
  "user",
  "account",
  "queue",
  "purpose",
  "node",
  "hour",
  "day",
] as const;
export type CostDimension = (typeof costDimensions)[number];
type CostKey = CostDimension | "job";

/** A filter: the costs of jobs that match all of these. */
export type Owner = { readonly [Name in "user" | "account" | "queue"]?: string | undefined };

function isOf(of: Pick<Dimensions, "user" | "account" | "queue">, { user, account, queue }: Owner): boolean {
  return (
    (user === undefined || of.user === user) &&
    (account === undefined || of.account === account) &&
    (queue === undefined || of.queue === queue)
  );
}

function namesNobody({ user, account, queue }: Owner): boolean {
  return (user ?? account ?? queue) === undefined;
}

/** Null: unknown. Absent for dimensions that were not requested, and for user, account and queue of overhead. */
type CostKeys = { readonly [Name in CostDimension | "job"]?: string | boolean | null };

/** One group of costs. The parts by purpose add up to `amount`. */
export interface CostRow {
  readonly keys: CostKeys;
  /** True: overhead, where jobs are grouped by user, account or queue. */
  readonly isOverhead: boolean;
  readonly amount: Amount;
  readonly byPurpose: { readonly [Name in Purpose]?: Amount };
  /** Core-hours of priced and unpriced nodes, in thousandths of a core-second; null: the cores of some size are unknown. */
  readonly coreMs: number | null;
}

/** Lines of one hour or day; with `node` where they are by node. */
export interface CostPage extends Omit<Page, "lines"> {
  readonly lines: readonly (Line & Partial<Pick<NodeLine, "node">>)[];
}

const ofPeople: readonly CostDimension[] = ["user", "account", "queue"];

/** The costs of some pages by these dimensions: the most expensive group of the first one first, times in order. */
export function costRows(
  pages: readonly CostPage[],
  by: readonly CostDimension[],
  coresOf: (vmSize: string) => number | undefined,
  owner: Owner = {},
): readonly CostRow[] {
  const isOfAll = namesNobody(owner);
  const groups = new Map<string, Writable<CostRow>>();
  const tellsPeople = by.some((dimension) => ofPeople.includes(dimension));
  for (const { fromSeconds, lines } of pages)
    for (const line of lines) {
      if (!isOfAll && !(line.purpose === "job" && isOf(line, owner))) continue;
      const isOverhead = tellsPeople && line.purpose !== "job";
      const keys = keysOf(line, { by, fromSeconds, isOverhead });
      const key = JSON.stringify([keys, isOverhead]);
      const group = groups.get(key) ?? { keys, isOverhead, amount: nothing, byPurpose: {}, coreMs: 0 };
      groups.set(key, group);
      addTo(group, line, coresOf);
    }
  return inOrder([...groups.values()], by);
}

function inOrder(rows: readonly CostRow[], [first = "array"]: readonly CostKey[]): readonly CostRow[] {
  const firstOf = ({ keys }: CostRow) => String(keys[first]);
  if (first === "hour" || first === "day")
    return rows.toSorted((a, b) => compareNames(firstOf(a), firstOf(b)) || compareCosts(a, b));
  const sums = new Map<string, Amount>();
  for (const row of rows) sums.set(firstOf(row), plus(sums.get(firstOf(row)) ?? nothing, row.amount));
  const sumOf = (row: CostRow) => sums.get(firstOf(row)) ?? nothing;
  return rows.toSorted(
    (a, b) =>
      Number(a.isOverhead) - Number(b.isOverhead) ||
      (first === "node" ? Number(isUnnamed(a)) - Number(isUnnamed(b)) : 0) ||
      dearestFirst(sumOf(a), sumOf(b)) ||
      compareNames(firstOf(a), firstOf(b)) ||
      compareCosts(a, b),
  );
}

/** What several nodes cost that are not kept by name. */
function isUnnamed({ keys }: CostRow): boolean {
  return keys.node === null;
}

/** A query for whole runs. */
export interface JobRows {
  /** "job", and the dimensions of owners by which jobs are grouped. */
  readonly by: readonly CostKey[];
  readonly owner: Owner;
}

/**
 * The cost of whole runs, whenever they began: a row for each of these jobs, and for each owner a row without a name for
 * the jobs of which only the sum is kept. A job that ran several times is one row.
 */
export function costRowsByJob(
  runs: readonly JobTotal[],
  ranked: readonly RankedJobs[],
  coresOf: (vmSize: string) => number | undefined,
  { by, owner }: JobRows,
): readonly CostRow[] {
  const isOfAll = namesNobody(owner);
  const ofOwner = runs.filter((run) => isOfAll || isOf(run, owner));
  const rows = [...Map.groupBy(ofOwner, ({ key }) => key).values()].map((ofJob): CostRow => {
    const last = ofJob.reduce((a, b) => (b.lastSeconds > a.lastSeconds ? b : a));
    const { name: job, user, account, queue } = last;
    const coreMs = ofJob.reduce<number | null>((sum, run) => add(sum, coresOf(run.vmSize), run.nodeMs), 0);
    return jobRow({ job, user, account, queue }, ofJob.reduce<Amount>(plus, nothing), coreMs);
  });
  const owners = byOwner(ranked.flatMap(({ othersByOwner }) => othersByOwner));
  const others = owners
    .filter((sum) => isOfAll || isOf(sum, owner))
    .map(({ user, account, queue, ...sum }) => sumRow({ job: null, user, account, queue }, sum));
  // Jobs of owners beyond those that are kept.
  const unnamed = minus(
    ranked.map((each) => each.others),
    owners,
  );
  const rest = isOfAll && unnamed.jobs > 0 ? [sumRow({ job: null }, unnamed)] : [];
  const [first] = by;
  if (first !== "job") return inOrder([...rows, ...others, ...rest], by);
  return [...rows.toSorted(compareCosts), ...others.toSorted(compareCosts), ...rest];
}

function jobRow(keys: CostKeys, amount: Amount, coreMs: number | null): CostRow {
  return { keys, isOverhead: false, amount, byPurpose: { job: amount }, coreMs };
}

function sumRow(keys: CostKeys, { jobs, ...amount }: JobSum): CostRow {
  return jobRow(keys, { ...amount, runs: jobs }, null);
}

function minus(all: readonly JobSum[], parts: readonly OwnerSum[]): JobSum {
  const sum = (of: (each: JobSum) => number) =>
    all.reduce((total, each) => total + of(each), 0) - parts.reduce((total, each) => total + of(each), 0);
  return {
    nodeMs: sum(({ nodeMs }) => nodeMs),
    nanoUsd: sum(({ nanoUsd }) => nanoUsd),
    unpricedNodeMs: sum(({ unpricedNodeMs }) => unpricedNodeMs),
    runs: 0,
    jobs: sum(({ jobs }) => jobs),
  };
}

export function totalRow(rows: readonly CostRow[]): CostRow {
  const byPurpose: { [Name in Purpose]?: Amount } = {};
  for (const row of rows)
    for (const [purpose, amount] of Object.entries(row.byPurpose) as [Purpose, Amount][])
      byPurpose[purpose] = plus(byPurpose[purpose] ?? nothing, amount);
  const amount = rows.reduce<Amount>((sum, row) => plus(sum, row.amount), nothing);
  const coreMs = rows.reduce<number | null>(
    (sum, row) => (sum === null || row.coreMs === null ? null : sum + row.coreMs),
    0,
  );
  return { keys: {}, isOverhead: false, amount, byPurpose, coreMs };
}

function addTo(group: Writable<CostRow>, line: Line, coresOf: (vmSize: string) => number | undefined): void {
  group.amount = plus(group.amount, line);
  group.byPurpose = {
    ...group.byPurpose,
    [line.purpose]: plus(group.byPurpose[line.purpose] ?? nothing, line),
  };
  group.coreMs = add(group.coreMs, coresOf(line.vmSize), line.nodeMs);
}

/** Zero time has zero core-hours, even when the cores of the size are unknown. */
function add(sum: number | null, cores: number | undefined, nodeMs: number): number | null {
  if (nodeMs === 0) return sum;
  return sum === null || cores === undefined ? null : sum + cores * nodeMs;
}

function keysOf(
  line: Dimensions & Partial<Pick<NodeLine, "node">>,
  {
    by,
    fromSeconds,
    isOverhead,
  }: { readonly by: readonly CostDimension[]; readonly fromSeconds: number; readonly isOverhead: boolean },
): CostKeys {
  const values: Record<CostDimension, string | boolean | null> = {
    array: line.nodeArray,
    size: line.vmSize,
    spot: line.spot,
    user: line.user,
    account: line.account,
    queue: line.queue,
    purpose: line.purpose,
    node: line.node ?? null,
    ...timesOf(fromSeconds),
  };
  const shown = by.filter((dimension) => !(isOverhead && ofPeople.includes(dimension)));
  return Object.fromEntries(shown.map((dimension) => [dimension, values[dimension]]));
}

function timesOf(fromSeconds: number): Readonly<Record<"hour" | "day", string>> {
  const time = new Date(fromSeconds * 1_000).toISOString();
  return {
    hour: `${time.slice(0, "2026-11-22T17".length)}:00Z`,
    day: time.slice(0, "2026-11-22".length),
  };
}

type TimeKeys = { readonly [Name in "hour" | "day"]?: string };

/** What was paid beside nodes; by hour or day, if costs are. */
export function asideRows(
  pages: readonly Page[],
  by: readonly CostKey[],
): readonly (AsideLine & { readonly keys: TimeKeys })[] {
  const keysIn = ({ fromSeconds }: Page): TimeKeys => {
    const { hour, day } = timesOf(fromSeconds);
    return { ...(by.includes("hour") && { hour }), ...(by.includes("day") && { day }) };
  };
  return [...Map.groupBy(pages, (page) => JSON.stringify(keysIn(page))).values()].flatMap((same) => {
    const [first] = same;
    const keys = first === undefined ? {} : keysIn(first);
    return mergeAside(...same.map(({ aside }) => aside)).map((line) => ({ ...line, keys }));
  });
}

function compareCosts(a: CostRow, b: CostRow): number {
  return (
    Number(a.isOverhead) - Number(b.isOverhead) ||
    Number(isUnnamed(a)) - Number(isUnnamed(b)) ||
    dearestFirst(a.amount, b.amount) ||
    compareNames(JSON.stringify(a.keys), JSON.stringify(b.keys))
  );
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
