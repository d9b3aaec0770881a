import type { Plan, PlannedNode } from "../../../shared/engine/index.ts";
import { printable } from "../../../shared/text/text.ts";
import { type Column, shownValue, type Value } from "../../columns/column.ts";
import { evaluate, type Fields, isKnown } from "../../columns/evaluate.ts";
import { parseColumns, splitColumns } from "../../columns/parse-columns.ts";
import { table } from "../../columns/table.ts";
import { plannedNodeFields } from "./planned-node.ts";

/** How a demand table is written. */
export interface DemandTableOptions {
  /** `table-headerless` is for programs that cut columns; `json` has one object a node, with the headings as keys. */
  readonly format?: "table" | "table-headerless" | "json";
  /** Ignores slices. */
  readonly long?: boolean;
}

/** scalelib's columns. Those of slots are left out where no node has any. */
export const demandColumns: readonly string[] = [
  "name",
  "hostname:tbd",
  "job_ids[:30]",
  "exists",
  "required",
  "managed",
  "slots",
  "*slots",
  "vm_size",
  "memory",
  "vcpu_count",
  "state",
  "placement_group",
];

/** Prints the demand table to standard output, and columns that no node has to standard error; see `demandTable`. */
export function printDemand(
  columns: string | readonly string[] | undefined,
  result: Pick<Plan, "nodes">,
  options: DemandTableOptions = {},
): void {
  console.log(demandTable(columns, result, options).trimEnd());
  if (columns === undefined) return;
  for (const name of unknownIn(listOf(columns), result.nodes)) console.warn(`no node has "${name}"`);
}

/** Headings of columns that no node knows: most are misspelt. */
function unknownIn(columns: readonly string[], nodes: readonly PlannedNode[]): readonly string[] {
  const read = parseColumns(columns);
  const records = nodes.map(plannedNodeFields);
  if (!read.ok || records.length === 0) return [];
  return read.columns
    .filter(
      ({ expression, fallback }) => fallback === null && !records.some((each) => isKnown(expression, each)),
    )
    .map(({ heading }) => heading);
}

/**
 * Every node that a plan counts with, in its order, with these columns: `name,job_ids[:30],*ncpus,vm@vm_size`, as `-o` of
 * `ccscale` takes them. Without columns, scalelib's. Throws a TypeError that names each column which cannot be read.
 */
export function demandTable(
  columns: string | readonly string[] | undefined,
  { nodes }: Pick<Plan, "nodes">,
  { format = "table", long = false }: DemandTableOptions = {},
): string {
  const read = parseColumns(columns === undefined ? usualColumns(nodes) : listOf(columns));
  if (!read.ok) throw new TypeError(`Cannot print: ${read.problems.join("; ")}`);
  const chosen = long ? read.columns.map(whole) : read.columns;
  const records = nodes.map(plannedNodeFields);
  if (format === "json")
    return `${JSON.stringify(
      records.map((record) => dataOf(chosen, record)),
      null,
      2,
    )}\n`;
  const head = format === "table" ? chosen.map(({ heading }) => heading.toUpperCase()) : undefined;
  return table(
    head,
    records.map((record) => chosen.map((column) => cellOf(column, record))),
  );
}

function whole(column: Column): Column {
  const { expression } = column;
  return expression.kind === "slice" ? { ...column, expression: expression.of } : column;
}

function usualColumns(nodes: readonly PlannedNode[]): readonly string[] {
  const hasSlots = nodes.some(({ resources }) => resources.slots !== undefined);
  return demandColumns.filter((column) => hasSlots || !column.endsWith("slots"));
}

function listOf(columns: string | readonly string[]): readonly string[] {
  return typeof columns === "string" ? splitColumns(columns) : columns;
}

/** Names of jobs come from anybody: control characters are spelled out. */
function cellOf({ expression, fallback }: Column, record: Fields): string {
  const text = shownValue(evaluate(expression, record, "text"));
  return printable(text === "" ? (fallback ?? "") : text);
}

function dataOf(columns: readonly Column[], record: Fields): Readonly<Record<string, Value>> {
  const cells = columns.map(({ heading, expression, fallback }) => {
    return [heading, evaluate(expression, record, "data") ?? fallback] as const;
  });
  return Object.fromEntries(cells);
}
