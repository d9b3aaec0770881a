import {
  type CostAnswer,
  type CostRowView,
  costDimension,
  type JobRunView,
} from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import type { ReconciledDay } from "./reconcile.ts";

/** A job is shown with its owner. Owned time is always busy time. */
export function costColumns(by: CostAnswer["by"]): readonly string[] {
  const isOfJobs = by.some((each) => ["job", "user", "account", "queue", "purpose"].includes(each));
  const told = by.includes("job") ? [...by, "user", "account:-", "queue:-"] : by;
  const names = new Map(told.map((column) => [column.split(":", 1)[0], column]));
  return [
    ...names.values(),
    "cost",
    "share",
    "node_hours",
    "core_hours:-",
    ...(isOfJobs ? [] : ["busy:-"]),
    "boot:-",
    "idle:-",
    "unused:-",
    "other:-",
    "runs:-",
    "cost_per_run:-",
    "cost_per_core_hour:-",
  ];
}

export const jobCostColumns = columnsOf(
  "from,until,array:-,size:-,spot:-,nodes:-,user:unknown,account:unknown,cost,node_hours",
  "cost_per_core_hour:-",
);

export const reconcileColumns = columnsOf(
  "day,cyclecloud:-,ours:-,outside,before,rest:-,rest_share:-,cyclecloud_usd:-,our_usd",
);

/** The rows of a table: a sum under each group of the first dimension that has several, and one of all. */
export function withSums({ by, rows, total }: CostAnswer, rest?: CostRowView): readonly CostTableRow[] {
  const [first = "array", second] = by;
  const single = (row: CostRowView): CostTableRow => ({ row, parts: 0 });
  const groups = second === undefined ? rows.map((row) => [row]) : [...groupsOf(rows, first)];
  const shownOf = (group: readonly CostRowView[]): readonly CostTableRow[] => {
    const [row] = group;
    if (row === undefined || group.length === 1) return group.map(single);
    const keys = { ...row.keys, [first]: labelOf(row, first), [second ?? first]: "(all)" };
    return [...group.map(single), { row: sumOf(group, keys, total), parts: group.length }];
  };
  const shown = [
    ...groups.filter((group) => rest === undefined || !isOverhead(group)).flatMap(shownOf),
    ...(rest === undefined ? [] : [single(rest), ...groups.filter(isOverhead).flatMap(shownOf)]),
  ];
  if (shown.length <= 1) return shown;
  return [...shown, { row: { ...total, keys: { [first]: "TOTAL" } }, parts: shown.length }];
}

function groupsOf(rows: readonly CostRowView[], dimension: CostAnswer["by"][number]) {
  return Map.groupBy(rows, (row) => labelOf(row, dimension)).values();
}

function isOverhead(group: readonly CostRowView[]): boolean {
  return group.every((row) => row.isOverhead);
}

/** The first groups of the first dimension, each whole, and one row for all others. What is no job's stays a group of its own. */
export function firstGroups(
  answer: CostAnswer,
  limit: number | undefined,
): { readonly answer: CostAnswer; readonly rest: CostRowView | undefined; readonly groups: number } {
  const [dimension = "array", next] = answer.by;
  const second = next === undefined ? {} : { [next]: "(all)" };
  const all = [...groupsOf(answer.rows, dimension)];
  const groups = all.filter((group) => !isOverhead(group));
  const others = limit === undefined ? [] : groups.slice(limit).flat();
  const isLeftOut = new Set(others);
  const rest =
    others.length === 0
      ? undefined
      : sumOf(others, { [dimension]: `(${groups.length - (limit ?? 0)} more)`, ...second }, answer.total);
  return {
    answer: { ...answer, rows: answer.rows.filter((row) => !isLeftOut.has(row)) },
    rest,
    groups: groups.length,
  };
}

function sumOf(group: readonly CostRowView[], keys: CostRowView["keys"], total: CostRowView): CostRowView {
  const sum = (of: (row: CostRowView) => number) => group.reduce((all, row) => all + of(row), 0);
  const [first] = group;
  const purposes = Object.keys(first?.usdByPurpose ?? {}) as (keyof CostRowView["usdByPurpose"])[];
  const coreHours = group.every((row) => row.coreHours !== null) ? sum((row) => row.coreHours ?? 0) : null;
  const usd = sum((row) => row.usd);
  const nodeHours = sum((row) => row.nodeHours);
  // Those of the rows are rounded, and there may be many.
  const [part, all] = total.usd > 0 ? [usd, total.usd] : [nodeHours, total.nodeHours];
  return {
    keys: Object.fromEntries(Object.entries(keys).slice(0, 2)),
    isOverhead: first?.isOverhead ?? false,
    usd,
    share: all > 0 ? part / all : 0,
    nodeHours,
    unpricedNodeHours: sum(({ unpricedNodeHours }) => unpricedNodeHours),
    coreHours,
    busyNodeHours: sum(({ busyNodeHours }) => busyNodeHours),
    runs: sum(({ runs }) => runs),
    usdByPurpose: Object.fromEntries(
      purposes.map((purpose) => [purpose, sum(({ usdByPurpose }) => usdByPurpose[purpose])]),
    ) as CostRowView["usdByPurpose"],
  };
}

export function costFields(row: CostRowView): Fields {
  const { keys, isOverhead, usd, share, nodeHours, coreHours, busyNodeHours, runs, usdByPurpose, ...rest } =
    row;
  const { job: used, unused, boot, idle, ...others } = usdByPurpose;
  const other = Object.values(others).reduce((sum, each) => sum + each, 0);
  return {
    ...rest,
    ...others,
    used,
    ...Object.fromEntries(costDimension.options.map((dimension) => [dimension, labelOf(row, dimension)])),
    cost: cents(usd),
    usd,
    share: `${(share * 100).toFixed(1)}%`,
    node_hours: nodeHours.toFixed(1),
    core_hours: coreHours === null ? null : coreHours.toFixed(1),
    busy: nodeHours === 0 ? null : `${((busyNodeHours / nodeHours) * 100).toFixed(1)}%`,
    boot: boot === 0 ? null : cents(boot),
    idle: idle === 0 ? null : cents(idle),
    unused: unused === 0 ? null : cents(unused),
    other: other === 0 ? null : cents(other),
    runs: runs === 0 ? null : runs,
    cost_per_run: runs === 0 || isOverhead ? null : cents(usd / runs),
    cost_per_core_hour: perCoreHour(usd, coreHours),
  };
}

/** What was paid beside nodes, as a row: it is in no total. */
export function besideFields({ kind, name, keys, usd, nodeHours }: CostAnswer["notInTotal"][number]): Fields {
  return {
    ...keys,
    ...(kind === "deallocated" && { array: name }),
    not_in_total: `${kind} ${name}`,
    cost: cents(usd),
    usd,
    node_hours: nodeHours.toFixed(1),
  };
}

/** Which columns hold money, and of which amounts. */
const moneyColumns: Readonly<Record<string, (row: CostRowView) => number>> = {
  cost: ({ usd }) => usd,
  boot: ({ usdByPurpose }) => usdByPurpose.boot,
  idle: ({ usdByPurpose }) => usdByPurpose.idle,
  unused: ({ usdByPurpose }) => usdByPurpose.unused,
  other: ({ usdByPurpose: { drained, kept, failed, ending } }) => drained + kept + failed + ending,
};

/** A row of a table, and how many rows above it are its parts. */
export interface CostTableRow {
  readonly row: CostRowView;
  readonly parts: number;
}

/** The fields of a table's rows, in cents that add up to the sums below: what rounding left goes to the parts that were cut most. */
export function addingUp(rows: readonly CostTableRow[]): readonly Fields[] {
  const fields = rows.map(({ row }) => ({ ...costFields(row) }));
  for (const [column, amountOf] of Object.entries(moneyColumns)) {
    const shown = rows.map(({ row }) => Math.round(amountOf(row) * 100));
    // The whole first, then the groups.
    for (const [at, sum] of [...rows.entries()].filter(([, { parts }]) => parts > 0).reverse()) {
      const parts = directParts(rows, at, sum.parts);
      const cents = apportion(
        shown[at] ?? 0,
        parts.map((part) => amountOf(rows[part]?.row ?? sum.row) * 100),
      );
      for (const [index, part] of parts.entries()) shown[part] = cents[index] ?? 0;
    }
    for (const [at, each] of fields.entries())
      if (typeof each[column] === "string") each[column] = cents((shown[at] ?? 0) / 100);
  }
  return fields;
}

/** Rows right above a sum; of a group, its own sum stands for it. */
function directParts(rows: readonly CostTableRow[], at: number, count: number): readonly number[] {
  const parts: number[] = [];
  for (let index = at - 1; index >= at - count; index -= 1) {
    parts.push(index);
    index -= rows[index]?.parts ?? 0;
  }
  return parts;
}

/** Whole numbers near these amounts that add up to `total`, if any do: no amount is moved by one or more. */
function apportion(total: number, amounts: readonly number[]): readonly number[] {
  const whole = amounts.map(Math.floor);
  const missing = total - whole.reduce((sum, each) => sum + each, 0);
  const byRest = amounts
    .map((amount, index) => ({ index, rest: amount - Math.floor(amount) }))
    .toSorted((a, b) => b.rest - a.rest || a.index - b.index);
  for (const { index } of byRest.slice(0, Math.max(0, missing))) whole[index] = (whole[index] ?? 0) + 1;
  return whole;
}

export function jobRunFields(run: JobRunView, when: (seconds: number) => string): Fields {
  const { fromSeconds, untilSeconds, isRunning, nodes, usd, nodeHours, coreHours, spot, ...others } = run;
  const { submittedSeconds, ...rest } = others;
  return {
    ...rest,
    submitted: submittedSeconds === null ? null : when(submittedSeconds),
    from: when(fromSeconds),
    until: isRunning ? "running" : when(untilSeconds),
    spot: spot ? "spot" : null,
    nodes: nodes.length === 0 ? null : nodes.join(" "),
    cost: cents(usd),
    usd,
    node_hours: nodeHours.toFixed(2),
    core_hours: coreHours,
    cost_per_core_hour: perCoreHour(usd, coreHours),
  };
}

export function reconciledFields(day: ReconciledDay): Fields {
  const hours = (value: number | null) => (value === null ? null : value.toFixed(1));
  return {
    day: day.day,
    cyclecloud: hours(day.cycleCloud),
    ours: hours(day.ours),
    outside: hours(day.outside),
    before: hours(day.before),
    rest: hours(day.rest),
    rest_share:
      day.rest === null || !day.cycleCloud ? null : `${((day.rest / day.cycleCloud) * 100).toFixed(1)}%`,
    cyclecloud_usd: day.cycleCloudUsd === null ? null : cents(day.cycleCloudUsd),
    our_usd: cents(day.ourUsd),
  };
}

/** Null in the answer: the owner is unknown. Absent: overhead without an owner. */
function labelOf({ keys, isOverhead }: CostRowView, dimension: CostAnswer["by"][number]): string | null {
  const value = keys[dimension];
  if (value === undefined && keys.job === null) return "(others)";
  if (value === undefined)
    return isOverhead && ["user", "account", "queue"].includes(dimension) ? "(no job)" : null;
  if (value === null) return dimension === "job" || dimension === "node" ? "(others)" : "unknown";
  return typeof value === "string" ? value : value ? "spot" : "regular";
}

function perCoreHour(usd: number, coreHours: number | null): string | null {
  return coreHours === null || coreHours === 0 ? null : (usd / coreHours).toFixed(4);
}

export function cents(usd: number): string {
  return usd.toFixed(2);
}
