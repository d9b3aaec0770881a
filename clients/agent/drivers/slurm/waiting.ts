import type { Job } from "../driver.ts";
import { type Candidate, gpuRequests } from "./candidates.ts";
import {
  asksForWholeNodes,
  cycleCloudName,
  isColocated,
  type JobContext,
  type LeftOut,
  nameOf,
  orderOf,
} from "./common.ts";
import {
  allOf,
  type Constraints,
  constraintsFor,
  countsIn,
  type Features,
  hasCounts,
  parseFeatures,
  withGpuTypes,
} from "./features.ts";
import { countTasks, expandHostlist } from "./hostlist.ts";
import { licenseConstraint } from "./licenses.ts";
import { hasJoined, isUsable } from "./nodes.ts";
import type { JobRecord } from "./records.ts";

/** More multi-node tasks of one array than this are not told at once: each is a job of its own. */
const mostGangs = 100;
/** As a demand message takes it. */
const longestNote = 500;

/** A job that waits for nodes, as demand. What is not understood leaves it out: nodes that do not help are not bought. */
export function waiting(
  record: JobRecord,
  partitions: readonly string[],
  context: JobContext,
): readonly Job[] | LeftOut {
  const tasks = pendingTasks(record, context);
  if (tasks === undefined)
    return { leftOut: `array_task_string "${record.array_task_string}", expected a list of task ids` };
  if (tasks === 0) return [];
  if (record.resv_name !== "")
    return { leftOut: `reservation "${record.resv_name}": its nodes cannot be ordered` };
  const parsed = parseFeatures(record.features);
  if (parsed === undefined)
    return { leftOut: `features "${record.features}", expected names with & | and counts` };
  const features = withGpuTypes(parsed, gpuRequests(record));
  const { candidates, unusable, others } = context.candidates.of(record, partitions, features);
  const [first] = candidates;
  if (first === undefined)
    return { leftOut: `partition "${partitions.join(",")}" has no node that would do` };
  // Slurm's reason is that of the partition it tried last: it counts unless that one was found unusable here, too.
  if (record.state_reason.startsWith("Partition") && unusable.length === 0) return [];
  const wanted = meaningOf(record, features, candidates, first.size.nodeCount, context);
  if ("leftOut" in wanted) return wanted;
  return jobsOf({ record, tasks, candidates, first, wanted, others }, context);
}

interface Part {
  readonly count: number;
  readonly constraints: readonly Constraints[];
}

interface Wanted {
  readonly common: readonly Constraints[];
  /** Nodes of different kinds in one job; together they are its number of nodes. */
  readonly parts: readonly Part[];
  readonly notes: readonly string[];
}

/** What features and node lists mean for the planner. */
function meaningOf(
  record: JobRecord,
  features: Features,
  candidates: readonly Candidate[],
  nodeCount: number,
  context: JobContext,
): Wanted | LeftOut {
  const nodes = candidates.flatMap((each) => each.nodes);
  const unclear = `features "${record.features}": only some nodes have them; say in "features" what they mean`;
  const lists = nodeLists(record, context);
  if (lists === undefined) return { leftOut: "required_nodes or excluded_nodes, expected a list of nodes" };
  if (hasCounts(features)) {
    const counts = countsIn(features);
    if (counts === undefined || lists.required.length > 0)
      return { leftOut: `features "${record.features}", expected counts of single features only` };
    const counted = counts.map(({ name, count }) => ({
      count,
      constraints: constraintsFor({ kind: "feature", name, count }, nodes, context.settings),
    }));
    const rest = nodeCount - counts.reduce((sum, { count }) => sum + count, 0);
    const known = counted.flatMap(({ count, constraints }) =>
      constraints === undefined || count === 0 ? [] : [{ count, constraints }],
    );
    if (known.length < counted.length || rest < 0) return { leftOut: unclear };
    const parts = merged(rest > 0 ? [...known, { count: rest, constraints: [] }] : known);
    return { common: lists.excluding, parts, notes: lists.notes };
  }
  const constraints = constraintsFor(features, nodes, context.settings);
  if (constraints === undefined) return { leftOut: gpuTypeHint(features) ?? unclear };
  const common = [...constraints, ...lists.excluding];
  return { common, parts: lists.partsOf(nodeCount), notes: lists.notes };
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
function nodeLists(record: JobRecord, { settings, nodes }: JobContext) {
  const listed = record.required_nodes === "" ? [] : expandHostlist(record.required_nodes);
  const excluded = record.excluded_nodes === "" ? [] : expandHostlist(record.excluded_nodes);
  if (listed === undefined || excluded === undefined) return undefined;
  const required = listed.map((name) => cycleCloudName(name, settings));
  const without = excluded.map((name) => cycleCloudName(name, settings));
  const isAway = (name: string) => {
    const node = nodes.get(name);
    return node === undefined || !hasJoined(node) || !isUsable(node);
  };
  const missing = listed.filter(isAway);
  const toCome = excluded.filter(isAway);
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
    excluding: without.length === 0 ? [] : [{ not: { "node.name": without } }],
    notes: [
      ...(missing.length === 0
        ? []
        : [`waits for ${shortList(missing)} (--nodelist), which cannot be ordered by name`]),
      ...(toCome.length === 0
        ? []
        : [`excludes ${shortList(toCome)}: gets no new node while the next one would have such a name`]),
    ],
    partsOf,
  };
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

interface Waiting {
  readonly record: JobRecord;
  readonly tasks: number;
  readonly candidates: readonly Candidate[];
  readonly first: Candidate;
  readonly wanted: Wanted;
  readonly others: readonly string[];
}

function jobsOf(waits: Waiting, context: JobContext): readonly Job[] | LeftOut {
  const { record, tasks, candidates, first, wanted } = waits;
  const where = whereOf(record, candidates);
  const { nodeCount, perNode, perSlot, slots } = first.size;
  const isSpread = perSlot !== undefined && !where.isWhole && candidates.length === 1;
  const colocated =
    nodeCount > 1 &&
    isColocated(
      record,
      candidates.map(({ partition }) => partition),
      context,
    );
  const isOneEach = !isSpread && nodeCount === 1 && wanted.parts.length === 1;
  const licences = licenseConstraint(record.licenses, context.licenses, !isOneEach);
  if (licences === undefined)
    return {
      leftOut: `licenses "${record.licenses}", expected a list of the cluster's licences with counts`,
    };
  const name = record.array_task_string === "" ? nameOf(record) : `${record.array_job_id ?? record.job_id}_*`;
  const notes = [...wanted.notes, ...notesOf(record, waits.others, candidates)].map((note) =>
    note.slice(0, longestNote),
  );
  const common = {
    ...orderOf(record),
    exclusive: where.exclusive,
    ...(notes.length === 0 ? {} : { notes }),
  };
  const withAmounts = (amounts: Constraints, more: readonly Constraints[] = []) =>
    allOf([where.constraints, ...wanted.common, ...more, amounts, licences]);
  if (isSpread && (tasks === 1 || (!colocated && record.licenses === ""))) {
    const constraints = withAmounts(perSlot);
    return [{ ...common, name, constraints, iterations: slots * tasks, ...(colocated ? { colocated } : {}) }];
  }
  if (isOneEach) {
    const constraints = withAmounts(perNode, wanted.parts[0]?.constraints);
    return [{ ...common, name, constraints, iterations: tasks }];
  }
  return Array.from({ length: Math.min(tasks, mostGangs) }, (_, index) => {
    const own = tasks === 1 ? name : `${name}#${index}`;
    if (isSpread)
      return [{ ...common, name: own, constraints: withAmounts(perSlot), iterations: slots, colocated }];
    return wanted.parts.map(({ count, constraints }, part) => ({
      ...common,
      // One job's nodes are different ones; its parts are several jobs to the planner.
      exclusive: common.exclusive || wanted.parts.length > 1,
      name: wanted.parts.length === 1 ? own : `${own}.${part + 1}`,
      constraints: withAmounts(perNode, constraints),
      nodeCount: count,
      colocated: colocated && count > 1,
    }));
  }).flat();
}

/** Node arrays, and whether whole nodes are meant. Where only some partitions are exclusive, Slurm's word is of one of those. */
function whereOf(record: JobRecord, candidates: readonly Candidate[]) {
  const arrays = [...new Set(candidates.map(({ nodeArray }) => nodeArray))];
  const some = candidates.filter(({ exclusive }) => exclusive).length;
  const isMixed = some > 0 && some < candidates.length;
  if (isMixed) {
    const each = candidates.map(({ nodeArray, exclusive }) => ({
      "node.nodearray": nodeArray,
      ...(exclusive ? { exclusive: true } : {}),
    }));
    return { constraints: { or: each } as Constraints, exclusive: false, isWhole: true };
  }
  // Slurm puts the parts of a heterogeneous job on different nodes; no constraint says just that.
  const exclusive = some > 0 || asksForWholeNodes(record) || (record.het_job_id ?? 0) > 0;
  const constraints: Constraints = { "node.nodearray": arrays.length === 1 ? arrays[0] : arrays };
  return { constraints, exclusive, isWhole: exclusive };
}

/** What was left away or chosen, for people who wonder why a job does not start. */
function notesOf(
  record: JobRecord,
  others: readonly string[],
  candidates: readonly Candidate[],
): readonly string[] {
  const isOfUser = ["USER", "MCS", "TOPO"].some(
    (word) => record.shared.includes(word) || record.exclusive.includes(word),
  );
  return [
    ...(others.length === 0
      ? []
      : [
          `planned for partition ${candidates[0]?.partition} only: ${others.join(", ")} would take another number of nodes`,
        ]),
    ...(isOfUser
      ? ["--exclusive=user or mcs is not planned for: nodes are counted as shared with anybody"]
      : []),
    ...(record.het_job_id ? ["part of a heterogeneous job: planned by itself, on nodes of its own"] : []),
    ...(record.contiguous ? ["--contiguous is not planned for: any nodes are taken"] : []),
  ];
}

/** Of an array: tasks that wait and that its own limit (`%N`) allows beside those that run. */
function pendingTasks(record: JobRecord, { running }: JobContext): number | undefined {
  if (record.array_task_string === "") return 1;
  const count = countTasks(record.array_task_string);
  const most = record.array_max_tasks ?? 0;
  if (count === undefined || most === 0) return count;
  return Math.max(0, Math.min(count, most - (running.get(record.array_job_id ?? 0) ?? 0)));
}
