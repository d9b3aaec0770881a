import {
  type CostAnswer,
  type CostRowView,
  costDimension,
  type JobRunView,
} from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import type { ReconciledDay } from "./reconcile.ts";

/** Beside those, a column for each dimension. */
export const costColumns: readonly string[] = [
  "cost",
  "share",
  "node_hours",
  "boot:-",
  "idle:-",
  "unused:-",
  "other:-",
  "runs:-",
  "cost_per_run:-",
  "cost_per_core_hour:-",
];

export const jobCostColumns: readonly string[] = [
  "from",
  "until",
  "array:-",
  "size:-",
  "spot:-",
  "nodes:-",
  "user:unknown",
  "account:unknown",
  "cost",
  "node_hours",
  "cost_per_core_hour:-",
];

export const reconcileColumns: readonly string[] = [
  "day",
  "cyclecloud:-",
  "ours:-",
  "outside",
  "before",
  "rest:-",
  "rest_share:-",
  "cyclecloud_usd:-",
  "our_usd",
];

/** A job is shown with whom it belongs to. */
export function columnsOf(dimension: CostAnswer["by"][number]): readonly string[] {
  return dimension === "job" ? ["job", "user", "account:-", "queue:-"] : [dimension];
}

/** The rows of a table: a sum under each group of the first dimension that has several, and one of all. */
export function withSums({ by, rows, total }: CostAnswer, rest?: CostRowView): readonly CostRowView[] {
  const [first = "array", second] = by;
  const grouped =
    second === undefined
      ? rows
      : [...Map.groupBy(rows, (row) => labelOf(row, first)).entries()].flatMap(([label, group]) => {
          const [row] = group;
          if (row === undefined || group.length === 1) return group;
          return [...group, sumOf(group, { ...row.keys, [first]: label, [second]: "(all)" }, total)];
        });
  const overhead = grouped.filter((row) => row.isOverhead);
  const shown =
    rest === undefined ? grouped : [...grouped.filter((row) => !row.isOverhead), rest, ...overhead];
  return shown.length > 1 ? [...shown, { ...total, keys: { [first]: "TOTAL" } }] : shown;
}

/**
 * The groups of the first dimension that come first, each whole, and one row for all others. What is no job's stays a group of
 * its own.
 */
export function firstGroups(
  answer: CostAnswer,
  limit: number | undefined,
): { readonly answer: CostAnswer; readonly rest: CostRowView | undefined; readonly groups: number } {
  const [dimension = "array", next] = answer.by;
  const second = next === undefined ? {} : { [next]: "(all)" };
  const isOverhead = (group: readonly CostRowView[]) => group.every((row) => row.isOverhead);
  const all = [...Map.groupBy(answer.rows, (row) => labelOf(row, dimension)).values()];
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
    runs: sum(({ runs }) => runs),
    usdByPurpose: Object.fromEntries(
      purposes.map((purpose) => [purpose, sum(({ usdByPurpose }) => usdByPurpose[purpose])]),
    ) as CostRowView["usdByPurpose"],
  };
}

export function costFields(row: CostRowView): Fields {
  const { keys, isOverhead, usd, share, nodeHours, coreHours, runs, usdByPurpose, ...rest } = row;
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
    core_hours: coreHours,
    boot: boot === 0 ? null : cents(boot),
    idle: idle === 0 ? null : cents(idle),
    unused: unused === 0 ? null : cents(unused),
    other: other === 0 ? null : cents(other),
    runs: runs === 0 ? null : runs,
    cost_per_run: runs === 0 || isOverhead ? null : cents(usd / runs),
    cost_per_core_hour: perCoreHour(usd, coreHours),
  };
}

export function jobRunFields(run: JobRunView, when: (seconds: number) => string): Fields {
  const { fromSeconds, untilSeconds, isRunning, nodes, usd, nodeHours, coreHours, spot, ...rest } = run;
  return {
    ...rest,
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

/** Null in the answer: nobody said. Absent: no job's. */
function labelOf({ keys, isOverhead }: CostRowView, dimension: CostAnswer["by"][number]): string | null {
  const value = keys[dimension];
  if (value === undefined)
    return isOverhead && ["user", "account", "queue"].includes(dimension) ? "(no job)" : null;
  if (value === null) return dimension === "job" ? "(others)" : "unknown";
  return typeof value === "string" ? value : value ? "spot" : "regular";
}

function perCoreHour(usd: number, coreHours: number | null): string | null {
  return coreHours === null || coreHours === 0 ? null : (usd / coreHours).toFixed(4);
}

export function cents(usd: number): string {
  return usd.toFixed(2);
}
