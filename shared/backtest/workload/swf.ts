const swfColumns = 18;
const bytesPerGiB = 2 ** 30;
const kibPerGiB = 2 ** 20;

/** A job of a trace. Times in seconds from the first submission; what it needs of each of its nodes. */
export interface SwfJob {
  readonly name: string;
  readonly submitSeconds: number;
  readonly runSeconds: number;
  /** What its user asked for. Absent: unknown. */
  readonly requestedSeconds?: number;
  /** Names made of the trace's numbers. Absent: unknown. */
  readonly user?: string;
  readonly account?: string;
  readonly application?: string;
  readonly queue?: string;
  readonly nodes: number;
  readonly ncpus: number;
  readonly memoryGiB: number;
  /** The nodes to itself. */
  readonly exclusive: boolean;
}

/**
 * Reads a trace in the Standard Workload Format: one job a line, 18 columns, -1 for unknown, `;` before comments. Lines
 * that ran for no time or on no processor are left out. Times are counted from the first submission.
 *
 * In plain SWF a job is its number of processors on one node, and memory is in KiB per processor. Traces of PBS
 * clusters add columns, the last of which is the node specification (`8:ppn=8:x86_64#excl`): it tells nodes and cores
 * per node, and there the memory is in bytes per node.
 */
export function parseSwf(text: string): SwfJob[] {
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

function toJob(row: readonly string[], firstSubmit: number): SwfJob {
  return {
    name: `swf-${row[0]}`,
    submitSeconds: column(row, 1) - firstSubmit,
    runSeconds: column(row, 3),
    ...(column(row, 8) > 0 ? { requestedSeconds: column(row, 8) } : {}),
    ...numbered("user", column(row, 11)),
    ...numbered("account", column(row, 12)),
    ...numbered("application", column(row, 13)),
    ...numbered("queue", column(row, 14)),
    ...(row.length > swfColumns ? pbsNeed(row) : plainNeed(row)),
  };
}

function numbered<Name extends string>(name: Name, number: number): { readonly [Key in Name]?: string } {
  return number < 0 ? {} : ({ [name]: `${name}-${number}` } as { readonly [Key in Name]?: string });
}

function plainNeed(row: readonly string[]) {
  const ncpus = processors(row);
  const memoryGiB = (Math.max(0, column(row, 9)) * ncpus) / kibPerGiB;
  return { nodes: 1, ncpus, memoryGiB, exclusive: false };
}

function pbsNeed(row: readonly string[]) {
  const spec = row.at(-1) ?? "";
  // A specification without a number in front names one host.
  const nodes = Number(/^(\d+)(?=[:#]|$)/.exec(spec)?.[1] ?? 1);
  const coresPerNode = /:ppn=(\d+)/.exec(spec)?.[1];
  return {
    nodes,
    ncpus: coresPerNode === undefined ? Math.ceil(processors(row) / nodes) : Number(coresPerNode),
    memoryGiB: Math.max(0, column(row, 9)) / bytesPerGiB,
    exclusive: spec.includes("#excl"),
  };
}

/** Processors used, or requested where that is unknown. */
function processors(row: readonly string[]): number {
  return column(row, 4) > 0 ? column(row, 4) : column(row, 7);
}

/** -1 where the trace has nothing. */
function column(row: readonly string[], index: number): number {
  const value = Number(row[index] ?? -1);
  return Number.isFinite(value) ? value : -1;
}
