import type { JobTotal, RankedJobs } from "./job-totals.ts";
import {
  type Amount,
  type Dimensions,
  type Line,
  nothing,
  type Purpose,
  plus,
  type Writable,
} from "./lines.ts";
import type { Page } from "./pages.ts";

/** What costs are told apart by. */
export const costDimensions = [
  "array",
  "size",
  "spot",
  "user",
  "account",
  "queue",
  "purpose",
  "hour",
  "day",
] as const;
export type CostDimension = (typeof costDimensions)[number];

/** Null: nobody said. Absent for dimensions that were not asked for, and for people where it is no job's. */
export type CostKeys = { readonly [Name in CostDimension | "job"]?: string | boolean | null };

/** One group of costs. The parts by purpose add up to `amount`. */
export interface CostRow {
  readonly keys: CostKeys;
  /** True: no job's, where jobs are told apart by people. */
  readonly isOverhead: boolean;
  readonly amount: Amount;
  readonly byPurpose: { readonly [Name in Purpose]?: Amount };
  /** Core-hours of priced and unpriced nodes, in thousandths of a core-second; null: of some size nobody knows the cores. */
  readonly coreMs: number | null;
}

const ofPeople: readonly CostDimension[] = ["user", "account", "queue"];

/**
 * The costs of some pages, by these dimensions: the dearest first, by time in order. By several, the groups of the first stay
 * together, and the dearest of them comes first.
 */
export function costRows(
  pages: readonly Page[],
  by: readonly CostDimension[],
  coresOf: (vmSize: string) => number | undefined,
): readonly CostRow[] {
  const groups = new Map<string, Writable<CostRow>>();
  const tellsPeople = by.some((dimension) => ofPeople.includes(dimension));
  for (const { fromSeconds, lines } of pages)
    for (const line of lines) {
      const isOverhead = tellsPeople && line.purpose !== "job";
      const keys = keysOf(line, { by, fromSeconds, isOverhead });
      const key = JSON.stringify([keys, isOverhead]);
      const group = groups.get(key) ?? { keys, isOverhead, amount: nothing, byPurpose: {}, coreMs: 0 };
      groups.set(key, group);
      addTo(group, line, coresOf);
    }
  const rows = [...groups.values()];
  const [first = "array"] = by;
  const firstOf = ({ keys }: CostRow) => String(keys[first]);
  if (first === "hour" || first === "day")
    return rows.toSorted((a, b) => compareNames(firstOf(a), firstOf(b)) || compareCosts(a, b));
  const sums = new Map<string, Amount>();
  for (const row of rows) sums.set(firstOf(row), plus(sums.get(firstOf(row)) ?? nothing, row.amount));
  const sumOf = (row: CostRow) => sums.get(firstOf(row)) ?? nothing;
  return rows.toSorted(
    (a, b) =>
      Number(a.isOverhead) - Number(b.isOverhead) ||
      compareAmounts(sumOf(a), sumOf(b)) ||
      compareNames(firstOf(a), firstOf(b)) ||
      compareCosts(a, b),
  );
}

/**
 * What whole runs cost, whenever they began: a row for each of these jobs, and one, without a name, for the others of which
 * only the sum is known. A job that ran several times is one row.
 */
export function costRowsByJob(
  runs: readonly JobTotal[],
  others: RankedJobs["others"],
  coresOf: (vmSize: string) => number | undefined,
): readonly CostRow[] {
  const rows = [...Map.groupBy(runs, ({ key }) => key).values()].map((ofJob): CostRow => {
    const amount = ofJob.reduce<Amount>(plus, nothing);
    const last = ofJob.reduce((a, b) => (b.lastSeconds > a.lastSeconds ? b : a));
    const { name: job, user, account, queue } = last;
    const coreMs = ofJob.reduce<number | null>((sum, run) => add(sum, coresOf(run.vmSize), run.nodeMs), 0);
    const keys = { job, user, account, queue };
    return { keys, isOverhead: false, amount, byPurpose: { job: amount }, coreMs };
  });
  const { jobs, ...sum } = others;
  const amount = { ...sum, runs: jobs };
  const rest: CostRow = {
    keys: { job: null },
    isOverhead: false,
    amount,
    byPurpose: { job: amount },
    coreMs: null,
  };
  return [...rows.toSorted(compareCosts), ...(jobs === 0 ? [] : [rest])];
}

/** All rows together. */
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

/** Time that is nobody's needs no cores to be known. */
function add(sum: number | null, cores: number | undefined, nodeMs: number): number | null {
  if (nodeMs === 0) return sum;
  return sum === null || cores === undefined ? null : sum + cores * nodeMs;
}

function keysOf(
  line: Dimensions,
  {
    by,
    fromSeconds,
    isOverhead,
  }: { readonly by: readonly CostDimension[]; readonly fromSeconds: number; readonly isOverhead: boolean },
): CostKeys {
  const time = new Date(fromSeconds * 1_000).toISOString();
  const values: Record<CostDimension, string | boolean | null> = {
    array: line.nodeArray,
    size: line.vmSize,
    spot: line.spot,
    user: line.user,
    account: line.account,
    queue: line.queue,
    purpose: line.purpose,
    hour: `${time.slice(0, "2026-11-22T17".length)}:00Z`,
    day: time.slice(0, "2026-11-22".length),
  };
  const shown = by.filter((dimension) => !(isOverhead && ofPeople.includes(dimension)));
  return Object.fromEntries(shown.map((dimension) => [dimension, values[dimension]]));
}

function compareCosts(a: CostRow, b: CostRow): number {
  return (
    Number(a.isOverhead) - Number(b.isOverhead) ||
    compareAmounts(a.amount, b.amount) ||
    compareNames(JSON.stringify(a.keys), JSON.stringify(b.keys))
  );
}

function compareAmounts(a: Amount, b: Amount): number {
  return b.nanoUsd - a.nanoUsd || b.nodeMs - a.nodeMs;
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
