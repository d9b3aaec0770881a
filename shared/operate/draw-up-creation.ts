import type { CreateNodesBody } from "../api/index.ts";
import {
  type Constraint,
  type CreateSet,
  compareNodeNames,
  defineJob,
  type EngineSettings,
  type Job,
  type JobOutcome,
  type Json,
  type PlanInput,
  parseConstraints,
  plan,
} from "../engine/index.ts";
import { jobSentences, type Outlook } from "../views/index.ts";

export type Creation =
  | { readonly ok: true; readonly sets: readonly CreateSet[] }
  | {
      readonly ok: false;
      readonly problems: readonly string[];
      /** Of the names that were asked for: a node has them, or will. Absent: none, or there are other problems. */
      readonly taken?: readonly string[];
    };

const jobName = "requested nodes";

/**
 * The new nodes that a request means, chosen by the engine as if the request were the only job and every existing node
 * were taken: within all limits and caps, in the order in which it prefers buckets. All of them, or none. Scattered ones
 * are of one bucket, as those of a job are.
 */
export function drawUpCreation(outlook: Outlook, body: CreateNodesBody): Creation {
  const { names } = body;
  if (names === undefined) return chooseNodes(outlook, body);
  // CycleCloud passes over a name that is in use, and takes the next one.
  const taken = whyTaken(names, outlook.input);
  if (taken.size > 0) return { ok: false, problems: takenProblems(taken), taken: [...taken.keys()] };
  const chosen = chooseNodes(outlook, { ...body, count: names.length });
  return chosen.ok ? { ok: true, sets: named(chosen.sets, names) } : chosen;
}

const mostTaken = 10;

function whyTaken(names: readonly string[], { cluster, pending }: PlanInput): ReadonlyMap<string, string> {
  const there = new Map(cluster.nodes.map(({ name, status }) => [name, `is ${status}`]));
  const onOrder = new Set(pending.flatMap((each) => each.names ?? []));
  return new Map(
    names.flatMap((name) => {
      const why = there.get(name) ?? (onOrder.has(name) ? "is on order" : undefined);
      return why === undefined ? [] : [[name, why] as const];
    }),
  );
}

function takenProblems(taken: ReadonlyMap<string, string>): readonly string[] {
  const problems = [...taken].map(
    ([name, why]) => `names: "${name}" ${why}, expected a name that no node has`,
  );
  const more = problems.length - mostTaken;
  return more > 0 ? [...problems.slice(0, mostTaken), `names: and ${more} more`] : problems;
}

/** The same nodes under other names: CycleCloud numbers those of a set one after the other. */
function named(sets: readonly CreateSet[], names: readonly string[]): readonly CreateSet[] {
  const inOrder = names.toSorted(compareNodeNames);
  let used = 0;
  return sets.flatMap((set) => {
    const own = inOrder.slice(used, used + set.count);
    used += set.count;
    return runsOf(own).map(({ stem, first, length }) => ({
      ...set,
      count: length,
      names: Array.from({ length }, (_, index) => `${stem}${first + index}`),
      nameFormat: `${stem}%d`,
      nameOffset: first,
    }));
  });
}

interface Run {
  readonly stem: string;
  readonly first: number;
  length: number;
}

function runsOf(names: readonly string[]): readonly Run[] {
  const runs: Run[] = [];
  for (const name of names) {
    const stem = name.replace(/(?<!\d)\d+$/, "");
    const index = Number(name.slice(stem.length));
    const last = runs.at(-1);
    if (last?.stem === stem && last.first + last.length === index) last.length += 1;
    else runs.push({ stem, first: index, length: 1 });
  }
  return runs;
}

function chooseNodes(outlook: Outlook, body: CreateNodesBody): Creation {
  const own = parseConstraints(body.constraints ?? []);
  if (!own.ok)
    return { ok: false, problems: own.problems.map(({ path, message }) => `constraints${path}: ${message}`) };
  const { input } = outlook;
  const array = body.nodeArray;
  const nodeArray = input.cluster.nodeArrays.find(({ name }) => name === array);
  if (array !== undefined && nodeArray?.enabled !== true) {
    const names = input.cluster.nodeArrays.filter(({ enabled }) => enabled).map(({ name }) => name);
    return { ok: false, problems: [`nodeArray: "${array}", expected one of ${names.join(", ")}`] };
  }
  const job = jobOf(body, own.constraints);
  const planned = plan({
    ...input,
    settings: settingsFor(input.settings, body),
    jobs: [...fillers(input), job],
    // Hosts on premise would take slots, and are not what was asked for.
    schedulerNodes: [],
    targets: [],
  });
  const outcome = planned.jobs.at(-1);
  if (outcome === undefined || outcome.granted < outcome.asked)
    return { ok: false, problems: outcome === undefined ? [] : whyNotAll(outcome, body) };
  const sets = planned.create.map((set) => ({
    ...set,
    nodeAttributes: { ...set.nodeAttributes, ...(body.nodeAttributes as { readonly [key: string]: Json }) },
  }));
  return { ok: true, sets };
}

function whyNotAll(outcome: JobOutcome, { count, strategy }: CreateNodesBody): readonly string[] {
  const { asked, granted } = outcome;
  const unit = count === undefined ? "slots" : "nodes";
  const what =
    strategy === "scatter"
      ? `no bucket can give ${asked} nodes now, and scattered ones come from one`
      : `${granted} of ${asked} ${unit} can be had now`;
  return [what, ...jobSentences(outcome).slice(1)];
}

function jobOf(body: CreateNodesBody, own: readonly Constraint[]): Job {
  const { nodeArray, vmSize, placementGroup, count, slots, strategy } = body;
  const isPerNode = count !== undefined;
  const wanted = count ?? slots ?? 1;
  return defineJob({
    name: jobName,
    constraints: [
      ...(nodeArray === undefined ? [] : [propertyIs("nodearray", nodeArray)]),
      ...(vmSize === undefined ? [] : [propertyIs("vm_size", vmSize)]),
      propertyIs("placement_group", placementGroup ?? null),
      ...own,
      // Without any resource a slot takes one vcpu: otherwise all slots would fit one node.
      ...(isPerNode || own.length > 0 ? [] : [oneVcpu]),
    ],
    ...(strategy === "pack" ? { iterations: wanted } : { nodeCount: wanted }),
    exclusive: isPerNode || body.exclusive,
    packingStrategy: strategy,
  });
}

const oneVcpu: Constraint = { kind: "minimum-resource", resource: "ncpus", amount: 1 };

function propertyIs(property: "nodearray" | "vm_size" | "placement_group", value: string | null): Constraint {
  return { kind: "property-options", property, options: [value] };
}

/** No existing node takes a slot; the request's own name format, keep-alive and placement group hold. */
function settingsFor(settings: EngineSettings, body: CreateNodesBody): EngineSettings {
  const { nameFormat, placementGroup, keepAlive } = body;
  const groups = settings.placementGroups;
  return {
    ...settings,
    // What the request says of exclusive nodes is the documented meaning, whatever the cluster's jobs are held to.
    exclusiveScope: "iteration",
    ignoredNodes: ["*"],
    keepAlive: { default: keepAlive, byNodeArray: {} },
    ...(nameFormat === undefined ? {} : { nameFormat: { default: nameFormat, byNodeArray: {} } }),
    ...(placementGroup === undefined
      ? {}
      : { placementGroups: { ...groups, default: [...groups.default, placementGroup] } }),
  };
}

/** The engine would use nodes on order: one job for each of their buckets takes them all. */
function fillers({ pending }: PlanInput): readonly Job[] {
  return pending.map(({ nodeArray, vmSize, placementGroup, count }, index) =>
    defineJob({
      name: `on order ${index}`,
      constraints: [
        propertyIs("nodearray", nodeArray),
        propertyIs("vm_size", vmSize),
        propertyIs("placement_group", placementGroup),
      ],
      iterations: count,
      exclusive: true,
      packingStrategy: "pack",
    }),
  );
}
