import type { WorkloadJob } from "./workload.ts";

const bytesPerGiB = 2 ** 30;
const kibPerGiB = 2 ** 20;

/**
 * Reads a trace in the Standard Workload Format: one job a line, 18 columns, -1 for unknown, `;` before comments. Lines
 * that ran for no time or on no processor are left out. Times are counted from the first submission.
 *
 * Some traces add columns; when the last one is a PBS node specification (`8:ppn=8:x86_64#excl`), it tells nodes and
 * cores per node, and the memory column is in bytes per node. In plain SWF a job is its number of processors on one
 * node, and memory is in KiB per processor.
 */
export function parseSwf(text: string): WorkloadJob[] {
  const rows = text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith(";"))
    .map((line) => line.trim().split(/\s+/))
    .filter((row) => column(row, 3) > 0 && processors(row) > 0);
  const firstSubmit = rows.reduce((first, row) => Math.min(first, column(row, 1)), Number.POSITIVE_INFINITY);
  return rows
    .map((row) => toJob(row, firstSubmit))
    .sort((left, right) => left.submitSeconds - right.submitSeconds);
}

function toJob(row: readonly string[], firstSubmit: number): WorkloadJob {
  const spec = pbsSpec(row);
  const memory = Math.max(0, column(row, 9));
  const nodes = spec?.nodes ?? 1;
  const ncpus = spec?.coresPerNode ?? processors(row);
  return {
    name: `swf-${row[0]}`,
    submitSeconds: column(row, 1) - firstSubmit,
    runSeconds: column(row, 3),
    shape: nodes > 1 ? { kind: "nodes", nodes, colocated: false } : { kind: "slots", slots: 1 },
    need: {
      ncpus,
      memoryGiB: spec === undefined ? (memory * ncpus) / kibPerGiB : memory / bytesPerGiB,
      ngpus: 0,
      exclusive: spec?.exclusive ?? false,
      nodeArrays: [],
    },
  };
}

/** Processors used, or requested where that is unknown. */
function processors(row: readonly string[]): number {
  return column(row, 4) > 0 ? column(row, 4) : column(row, 7);
}

function pbsSpec(row: readonly string[]) {
  const match = /^(\d+)(?=[:#]|$).*?(?::ppn=(\d+))/.exec(row.length > 18 ? (row.at(-1) ?? "") : "");
  if (match === null) return undefined;
  return {
    nodes: Number(match[1]),
    coresPerNode: Number(match[2]),
    exclusive: row.at(-1)?.includes("#excl") === true,
  };
}

/** -1 where the trace has nothing. */
function column(row: readonly string[], index: number): number {
  const value = Number(row[index] ?? -1);
  return Number.isFinite(value) ? value : -1;
}
