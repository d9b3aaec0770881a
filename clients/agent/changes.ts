import type { PostedNode } from "./decisions.ts";
import type { Job, NodeShape } from "./drivers/driver.ts";

/** What is wanted, as one reading has it. */
export interface Demand {
  readonly jobs: readonly Job[];
  readonly nodes: readonly PostedNode[];
  /** Absent: the driver reports none. */
  readonly nodeShapes?: readonly NodeShape[];
  /** For people, a sentence each. Absent: none. */
  readonly notices?: readonly string[];
}

export interface Changes {
  readonly jobs: readonly Job[];
  readonly nodes: readonly PostedNode[];
  /** Absent: as they were. */
  readonly nodeShapes?: readonly NodeShape[];
  /** Absent: as they were. */
  readonly notices?: readonly string[];
  readonly remove: readonly string[];
}

/**
 * What turns one demand into another as a delta does: changed jobs keep their place, new ones follow, so the order is
 * that of the queue only if nothing moved. Undefined when a delta cannot say it: a node is gone, or jobs changed places.
 */
export function changesBetween(before: Demand, after: Demand): Changes | undefined {
  const nodes = differing(before.nodes, after.nodes, (node) => node.hostname);
  const jobs = differing(before.jobs, after.jobs, (job) => job.name);
  if (nodes.gone.length > 0 || !isInOrder(before.jobs, after.jobs, new Set(jobs.gone))) return undefined;
  const { nodeShapes = [], notices = [] } = after;
  const isReshaped = JSON.stringify(before.nodeShapes ?? []) !== JSON.stringify(nodeShapes);
  const isNotedAnew = JSON.stringify(before.notices ?? []) !== JSON.stringify(notices);
  return {
    jobs: jobs.changed,
    nodes: nodes.changed,
    remove: jobs.gone,
    ...(isReshaped ? { nodeShapes } : {}),
    ...(isNotedAnew ? { notices } : {}),
  };
}

function differing<T>(before: readonly T[], after: readonly T[], keyOf: (value: T) => string) {
  const old = new Map(before.map((value) => [keyOf(value), value]));
  const changed = after.filter((value) => !isSame(old.get(keyOf(value)), value));
  const left = new Set(after.map(keyOf));
  return { changed, gone: [...old.keys()].filter((key) => !left.has(key)) };
}

/** Drivers may give the very same thing again. */
function isSame<T>(before: T | undefined, after: T): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}

function isInOrder(before: readonly Job[], after: readonly Job[], gone: ReadonlySet<string>): boolean {
  const kept = before.map(({ name }) => name).filter((name) => !gone.has(name));
  return kept.every((name, index) => after[index]?.name === name);
}
