import { cycleCloudName, type LeftOut } from "./common.ts";
import {
  type Constraints,
  constraintsFor,
  countsIn,
  type Features,
  hasCounts,
  withOneKind,
} from "./features.ts";
import { expandHostlist } from "./hostlist.ts";
import type { JobContext } from "./job-context.ts";
import { patternsOf } from "./name-patterns.ts";
import type { Candidate } from "./slurm-candidates.ts";
import { hasJoined, isUsable } from "./slurm-nodes.ts";
import type { JobRecord } from "./slurm-records.ts";

/** So many nodes of a job, which have to be alike. */
interface Part {
  readonly count: number;
  readonly constraints: readonly Constraints[];
}

export interface Wanted {
  readonly common: readonly Constraints[];
  /** Nodes of different kinds in one job; together they are its number of nodes. */
  readonly parts: readonly Part[];
  readonly notes: readonly string[];
}

/** What features and node lists mean for the planner. */
export function wantedOf(
  record: JobRecord,
  features: Features,
  candidates: readonly Candidate[],
  nodeCount: number,
  context: JobContext,
): Wanted | LeftOut {
  const unclear = `features "${record.features}": only some nodes have them; say in "features" what they mean`;
  const lists = nodeLists(record, context);
  if (lists === undefined) return { leftOut: "required_nodes or excluded_nodes, expected a list of nodes" };
  if (hasCounts(features)) {
    const counts = countsIn(features);
    if (counts === undefined || lists.required.length > 0)
      return {
        leftOut: `features "${record.features}", expected one count, or counts of single features in brackets`,
      };
    const counted = counts.map(({ name, count }) => ({
      count,
      constraints: meaningOf({ kind: "feature", name, count }, candidates, context),
    }));
    const rest = nodeCount - counts.reduce((sum, { count }) => sum + count, 0);
    const known = counted.flatMap(({ count, constraints }) =>
      constraints === undefined || count === 0 ? [] : [{ count, constraints }],
    );
    if (known.length < counted.length) return { leftOut: unclear };
    const parts = merged(rest > 0 ? [...known, { count: rest, constraints: [] }] : known);
    return { common: lists.excluding, parts, notes: lists.notes };
  }
  const nodes = candidates.flatMap((each) => each.nodes);
  const own = nodeCount > 1 ? withOneKind(features, nodes) : features;
  const constraints = meaningOf(own, candidates, context);
  if (constraints === undefined) return { leftOut: gpuTypeHint(features) ?? unclear };
  const common = [...constraints, ...lists.excluding];
  return { common, parts: lists.partsOf(nodeCount), notes: lists.notes };
}

type Meaning = ReturnType<typeof constraintsFor>;

/** Jobs that may go to the same nodes share the list of them, which may be long: what features mean there is worked out once. */
const knownMeanings = new WeakMap<Candidate["nodes"], Map<string, Meaning>>();

function meaningOf(features: Features, candidates: readonly Candidate[], { settings }: JobContext): Meaning {
  const { nodes: first = [] } = candidates[0] ?? {};
  const known = knownMeanings.get(first) ?? new Map<string, Meaning>();
  knownMeanings.set(first, known);
  const key = JSON.stringify([
    features,
    candidates.map(({ partition, nodeArray }) => [partition, nodeArray]),
  ]);
  if (!known.has(key)) {
    const byArray = Map.groupBy(candidates, ({ nodeArray }) => nodeArray);
    const arrays = [...byArray].map(([name, own]) => [name, own.flatMap(({ nodes }) => nodes)] as const);
    known.set(key, constraintsFor(features, new Map(arrays), settings));
  }
  return known.get(key);
}

/** Parts that want the same are one. */
function merged(parts: readonly Part[]): readonly Part[] {
  const byWish = new Map<string, Part>();
  for (const { count, constraints } of parts) {
    const key = JSON.stringify(constraints);
    byWish.set(key, { count: count + (byWish.get(key)?.count ?? 0), constraints });
  }
  return [...byWish.values()];
}

function gpuTypeHint(features: Features): string | undefined {
  const parts = features.kind === "all" ? features.parts : [features];
  const type = parts.find((part) => part.kind === "feature" && part.name.startsWith("gpu:"));
  return type?.kind === "feature"
    ? `"${type.name}": only some nodes have it; say in "features" what it means`
    : undefined;
}

/** `--nodelist` and `--exclude`. A node cannot be ordered by its name: one that is listed and not there is waited for. */
function nodeLists(record: JobRecord, context: JobContext) {
  const listed = record.required_nodes === "" ? [] : expandHostlist(record.required_nodes);
  const excluded = excludedBy(record.excluded_nodes, context);
  if (listed === undefined || excluded === undefined) return undefined;
  const required = listed.map((name) => cycleCloudName(name, context.settings));
  const missing = listed.filter((name) => isAway(name, context));
  const partsOf = (nodeCount: number): readonly Part[] => {
    if (required.length === 0) return [{ count: nodeCount, constraints: [] }];
    const named = { count: required.length, constraints: [{ "node.name": required }] };
    const rest = nodeCount - required.length;
    // The others would be of no use before the named ones are there.
    if (rest <= 0 || missing.length > 0) return [named];
    return [named, { count: rest, constraints: [{ not: { "node.name": required } }] }];
  };
  return {
    required,
    excluding: excluded.names.length === 0 ? [] : [{ not: { "node.name": excluded.names } }],
    notes: [
      ...(missing.length === 0
        ? []
        : [`waits for ${shortList(missing)} (--nodelist), which cannot be ordered by name`]),
      ...excluded.notes,
    ],
    partsOf,
  };
}

interface Excluded {
  /** Of CycleCloud, perhaps as wildcards. */
  readonly names: readonly string[];
  readonly notes: readonly string[];
}

/** Lists may be long, and many jobs have the same: each is read once. */
const knownExcluded = new WeakMap<JobContext, Map<string, Excluded | undefined>>();

/** Undefined: it is no list of nodes. */
function excludedBy(hostlist: string, context: JobContext): Excluded | undefined {
  const known = knownExcluded.get(context) ?? new Map<string, Excluded | undefined>();
  knownExcluded.set(context, known);
  if (!known.has(hostlist)) known.set(hostlist, readExcluded(hostlist, context));
  return known.get(hostlist);
}

function readExcluded(hostlist: string, context: JobContext): Excluded | undefined {
  const excluded = expandHostlist(hostlist);
  if (excluded === undefined) return undefined;
  const toCome = excluded.filter((name) => isAway(name, context));
  return {
    names: patternsOf(excluded.map((name) => cycleCloudName(name, context.settings))),
    notes:
      toCome.length === 0
        ? []
        : [`excludes ${shortList(toCome)}: gets no new node while the next one would have such a name`],
  };
}

function isAway(name: string, { nodes }: JobContext): boolean {
  const node = nodes.get(name);
  return node === undefined || !hasJoined(node) || !isUsable(node);
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
