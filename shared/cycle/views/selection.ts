import { examine, matchesWildcard, type PlanInput, parseConstraints } from "../../engine/index.ts";

/** Which nodes: of several kinds all must hold, of several patterns of one kind one. */
export interface Selecting {
  readonly names?: readonly string[] | undefined;
  readonly nodeIds?: readonly string[] | undefined;
  readonly hostnames?: readonly string[] | undefined;
  readonly nodeArrays?: readonly string[] | undefined;
  /** As JSON writes them, see `parseConstraints`. */
  readonly constraints?: unknown;
}

/** What a node is selected by. */
export interface Selectable {
  readonly name: string;
  readonly nodeId: string | null;
  readonly hostname: string | null;
  readonly nodeArray: string;
}

export type Selector =
  | { readonly ok: true; readonly isSelected: (node: Selectable) => boolean }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a selection once; constraints are asked of every node as if no job were on it. */
export function selectorOf(input: PlanInput, selecting: Selecting): Selector {
  const { names, nodeIds, hostnames, nodeArrays, constraints } = selecting;
  const parsed = constraints === undefined ? undefined : parseConstraints(constraints);
  if (parsed?.ok === false)
    return {
      ok: false,
      problems: parsed.problems.map(({ path, message }) => `constraints${path}: ${message}`),
    };
  const satisfying = parsed === undefined ? undefined : examine(input, parsed.constraints).nodeIds;
  const ids = nodeIds === undefined ? undefined : new Set(nodeIds);
  const isSelected = (node: Selectable) =>
    matches(names, node.name) &&
    (ids === undefined || (node.nodeId !== null && ids.has(node.nodeId))) &&
    matches(hostnames, node.hostname) &&
    matches(nodeArrays, node.nodeArray) &&
    (satisfying === undefined || (node.nodeId !== null && satisfying.has(node.nodeId)));
  return { ok: true, isSelected };
}

/** Host names do not care for case, and scheduler and CycleCloud write them differently; names of nodes are exact. */
export function matches(patterns: readonly string[] | undefined, text: string | null): boolean {
  if (patterns === undefined) return true;
  return text !== null && patterns.some((pattern) => pattern === text || matchesWildcard(pattern, text));
}
