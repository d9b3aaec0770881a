import type { SelectionQuery } from "../api/index.ts";
import {
  type Examination,
  examine,
  hasWildcard,
  matchesWildcard,
  type PlanInput,
  parseConstraints,
  shortHostname,
} from "../engine/index.ts";
import { jsonOr } from "../json/json.ts";

/** Which nodes: of several kinds all must hold, of several patterns of one kind one. */
export interface Selecting {
  readonly names?: readonly string[] | undefined;
  readonly nodeIds?: readonly string[] | undefined;
  readonly hostnames?: readonly string[] | undefined;
  readonly nodeArrays?: readonly string[] | undefined;
  /** As JSON writes them, see `parseConstraints`. */
  readonly constraints?: unknown;
}

/** What new nodes come from, apart from CycleCloud's id of it. */
interface BucketKey {
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly placementGroup: string | null;
  /** The dynamic array that it is accounted to, such as `execute:64`; absent: none. */
  readonly dynamicArray?: string | undefined;
}

/** What a node is selected by: one that exists, is planned or is gone. */
export interface Selectable extends BucketKey {
  readonly name: string;
  /** Null: CycleCloud does not know it (yet). */
  readonly nodeId: string | null;
  readonly hostname: string | null;
}

export interface Selector {
  /** Constraints are asked of a node as if no job were on it; of one that does not exist, as of any new one of its bucket. */
  readonly isSelected: (node: Selectable) => boolean;
  /** Whether new nodes of it would be; where names or hosts were given, whether a selected node is of it. */
  readonly isBucketSelected: (bucket: BucketKey) => boolean;
}

/** An answer, or every reason why there is none, such as nodes that cannot be selected so. */
export type Selected<T> =
  | { readonly ok: true; readonly answer: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a selection once. */
export function selectorOf(input: PlanInput, selecting: Selecting): Selected<Selector> {
  const { names, nodeIds, hostnames, nodeArrays, constraints } = selecting;
  const parsed = constraints === undefined ? undefined : parseConstraints(constraints);
  if (parsed?.ok === false)
    return {
      ok: false,
      problems: parsed.problems.map(({ path, message }) => `constraints${path}: ${message}`),
    };
  const satisfies = satisfying(input, parsed && examine(input, parsed.constraints));
  const hosts = hostnames?.map((pattern) => pattern.toLowerCase());
  const isNamed = matcherOf(names);
  const ids = nodeIds === undefined ? undefined : new Set(nodeIds);
  const isSelected = (node: Selectable) =>
    isNamed(node.name) &&
    (ids === undefined || (node.nodeId !== null && ids.has(node.nodeId))) &&
    matchesHost(hosts, node.hostname) &&
    isOfArray(nodeArrays, node) &&
    satisfies.node(node);
  const isOfNodes = names !== undefined || ids !== undefined || hostnames !== undefined;
  let ofNodes: ReadonlySet<string> | undefined;
  const isBucketSelected = (bucket: BucketKey) => {
    if (!isOfNodes) return isOfArray(nodeArrays, bucket) && satisfies.bucket(bucket);
    ofNodes ??= new Set(input.cluster.nodes.filter(isSelected).map(bucketKey));
    return ofNodes.has(bucketKey(bucket));
  };
  return { ok: true, answer: { isSelected, isBucketSelected } };
}

/** `matches` of many names, most of them plain: 10,000 names of 10,000 nodes take milliseconds, and no minute. */
function matcherOf(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true;
  const exact = new Set(patterns);
  const wild = patterns.filter(hasWildcard);
  return (name) => exact.has(name) || matches(wild, name);
}

/** What is drawn up of a selection; without one, `undefined` stands for everything. */
export function ofSelected<T>(
  input: PlanInput,
  selecting: Selecting | undefined,
  drawUp: (selector: Selector | undefined) => T,
): Selected<T> {
  if (selecting === undefined) return { ok: true, answer: drawUp(undefined) };
  const selector = selectorOf(input, selecting);
  return selector.ok ? { ok: true, answer: drawUp(selector.answer) } : selector;
}

/** The selection of a query; undefined when it selects nothing. A constraint that is not JSON is unreadable. */
export function selectingOf(query: SelectionQuery): Selecting | undefined {
  const { name: names, hostname: hostnames, nodeArray: nodeArrays, constraint } = query;
  const selecting = {
    names,
    hostnames,
    nodeArrays,
    constraints: constraint && jsonOr(constraint, constraint),
  };
  return Object.values(selecting).some((kind) => kind !== undefined) ? selecting : undefined;
}

function satisfying({ cluster }: PlanInput, examined: Examination | undefined) {
  if (examined === undefined) return { node: () => true, bucket: () => true };
  const { nodeIds, hosts } = examined;
  const idsNow = new Set(cluster.nodes.map(({ nodeId }) => nodeId));
  const fitting = new Set(examined.buckets.filter(({ reason }) => reason === null).map(bucketKey));
  const bucket = (key: BucketKey) => fitting.has(bucketKey(key));
  const node = (each: Selectable) =>
    each.nodeId !== null && idsNow.has(each.nodeId)
      ? nodeIds.has(each.nodeId)
      : hosts.has(each.name) || bucket(each);
  return { node, bucket };
}

function bucketKey({ nodeArray, vmSize, placementGroup }: BucketKey): string {
  return JSON.stringify([nodeArray, vmSize, placementGroup]);
}

/** A node of a dynamic array is also one of the array that CycleCloud has it in. */
function isOfArray(patterns: readonly string[] | undefined, { nodeArray, dynamicArray }: BucketKey) {
  return matches(patterns, nodeArray) || (dynamicArray !== undefined && matches(patterns, dynamicArray));
}

/** Host names do not care for case, and scheduler and CycleCloud write them with and without their domain. */
function matchesHost(patterns: readonly string[] | undefined, hostname: string | null): boolean {
  if (patterns === undefined) return true;
  if (hostname === null) return false;
  return matches(patterns, hostname.toLowerCase()) || matches(patterns, shortHostname(hostname));
}

export function matches(patterns: readonly string[] | undefined, text: string | null): boolean {
  if (patterns === undefined) return true;
  return text !== null && patterns.some((pattern) => pattern === text || matchesWildcard(pattern, text));
}
