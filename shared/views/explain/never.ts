import type { CauseView } from "../../api/index.ts";
import {
  type Constraint,
  type Examination,
  examine,
  isIgnored,
  nearest,
  type Reason,
  type SharedDraw,
} from "../../engine/index.ts";
import { nearestName } from "../../names/near-names.ts";
import { counted, someOf } from "../../text/text.ts";
import { type OutlookJob, unitOf } from "../job-states.ts";
import type { Outlook } from "../outlook.ts";
import { amount, cause, figures, isIn, labelOf, shown } from "./cause.ts";
import { describeConstraint } from "./constraint-words.ts";
import { ignoredCause } from "./ignored-nodes.ts";
import { nearestVmSize } from "./near-names.ts";
import { jobSentences } from "./reason-words.ts";

/** No bucket could take the job, were all its nodes empty: what comes closest, and what is in its way. */
export function refusedEverywhere(
  outlook: Outlook,
  reasons: readonly Reason[],
  { job, outcome }: OutlookJob,
): CauseView {
  const pool = reasons.find(
    ({ code, constraint }) => code === "SharedLimitReached" || constraint?.kind === "shared-consumable",
  );
  if (pool !== undefined) return poolCause(outlook, pool);
  const [first] = reasons;
  if (first === undefined || first.code === "NothingRequested")
    return cause("nothing-requested", {
      text: `Job "${outcome.name}" asks for no slots and no nodes.`,
      next: "Let its scheduler say how many it wants.",
    });
  if (first.code === "NoBucketsDefined") return noArrays(outlook);
  const named = namedButAbsent(outlook, reasons);
  if (named !== undefined) return named;
  return tooBig(outlook, reasons, job.constraints) ?? neverFits(outlook, { job, outcome }, first);
}

function noArrays({ input }: Outlook): CauseView {
  const arrays = input.cluster.nodeArrays;
  const off = arrays.filter(({ enabled }) => !enabled).map(({ name }) => name);
  const why =
    off.length === 0 ? "it has no node array with a VM size" : `autoscaling is off for ${someOf(off)}`;
  return cause("never-satisfiable", {
    text: `The cluster has nothing to make nodes of: ${why}.`,
    next: "Set Configuration.autoscale.enabled = true on a node array in CycleCloud, and see that it has a VM size.",
  });
}

/** The job names a node that is there and that no plan counts with, or an array that is switched off. */
function namedButAbsent(outlook: Outlook, reasons: readonly Reason[]): CauseView | undefined {
  const reason = reasons.find(
    ({ code, constraint }) => code === "InvalidOption" && constraint?.kind === "property-options",
  );
  if (reason?.constraint?.kind !== "property-options") return undefined;
  const { property, options } = reason.constraint;
  const { cluster, settings, leavingNodeIds } = outlook.input;
  if (property === "nodearray") {
    const off = cluster.nodeArrays.find(({ name, enabled }) => !enabled && options.includes(name));
    if (off === undefined) return undefined;
    return cause("never-satisfiable", {
      text: `Autoscaling is off for node array "${off.name}", which the job names.`,
      next: "Set Configuration.autoscale.enabled = true on the node array in CycleCloud, or let the job name another one.",
      ...figures(reason),
    });
  }
  if (reason.left !== null) return undefined;
  const ids = examine(outlook.input, [reason.constraint]).nodeIds;
  const nodes = cluster.nodes.filter(({ nodeId }) => ids.has(nodeId));
  const [node] = nodes;
  if (node === undefined) return undefined;
  if (isIgnored(node, settings.ignoredNodes))
    return ignoredCause(outlook, [node.name], outlook.control.ignoredNodes);
  const isLeaving = leavingNodeIds.includes(node.nodeId) || node.targetState !== "Started";
  const what = isLeaving ? "is on its way out" : `is ${node.status}, and takes no jobs`;
  return cause("never-satisfiable", {
    text: `The job names ${node.name} (${describeConstraint(reason.constraint)}), which ${what}.`,
    next: `Let the job name another node, or none. What becomes of it: \`ccscale history ${node.name}\`.`,
    ...figures(reason),
  });
}

/** The largest amount among the buckets that satisfy all the rest; undefined when it is not the amount that is in the way. */
function tooBig(
  outlook: Outlook,
  reasons: readonly Reason[],
  constraints: readonly Constraint[],
): CauseView | undefined {
  const small = reasons.filter(({ code }) => code === "InsufficientResource");
  const isFit = fitsBut(outlook, constraints);
  const largest = small.reduce<Reason | undefined>((best, each) => {
    const isLarger = best === undefined || amount(each.left) > amount(best.left);
    return isLarger && isFit(each) ? each : best;
  }, undefined);
  if (largest === undefined) return undefined;
  const { constraint, asked, left, bucket, countedBy } = largest;
  const counted = countedBy === undefined ? "" : `, as the scheduler of source "${countedBy}" counts it`;
  const resource = constraint?.kind === "minimum-resource" ? constraint.resource : "it";
  if (amount(left) <= 0)
    return cause("too-big", {
      text: `Each place asks for ${shown(asked)} ${resource}, and no VM size that may take it has any${counted}.`,
      next: `Add a VM size with ${resource} to a node array, or let the job do without. What there is: \`ccscale buckets\`.`,
      asked,
      left,
    });
  const isOnly = small.length === reasons.length ? "" : " that may take it";
  const elsewhere =
    resource === "it" ? "" : largeEnough(outlook, reasons, { resource, asked: amount(asked) });
  return cause("too-big", {
    text: `Each place asks for ${shown(asked)} ${resource}; the largest node${isOnly}, of ${labelOf(bucket)}, has ${shown(left)}${counted}.${elsewhere}`,
    next: `Ask for ${shown(left)} ${resource} or less, or add a larger VM size to a node array. What there is: \`ccscale buckets\`.`,
    asked,
    left,
  });
}

/** A bucket that has enough of a resource and is not allowed by another constraint, in a sentence. */
function largeEnough(
  outlook: Outlook,
  reasons: readonly Reason[],
  { resource, asked }: { readonly resource: string; readonly asked: number },
): string {
  for (const other of outlook.buckets()) {
    const has = other.resources[resource] ?? null;
    const refusal = reasons.find(({ bucket, constraint }) => constraint !== null && isIn(other, bucket));
    if (amount(has) < asked || refusal === undefined) continue;
    const why = describeConstraint(refusal.constraint);
    return ` ${labelOf(other)} has ${shown(has)}, and the job does not allow it: ${why}.`;
  }
  return "";
}

/** Whether a bucket satisfies all but the constraint that refused it. Hosts that CycleCloud does not have are no buckets. */
export function fitsBut({ input }: Outlook, constraints: readonly Constraint[]): (reason: Reason) => boolean {
  const empty = { ...input, cluster: { ...input.cluster, nodes: [] }, schedulerNodes: [], pending: [] };
  const examined = new Map<string, Examination["buckets"]>();
  const without = (constraint: Constraint | null) => {
    // A job that asks for the same may have been read at another time: its constraints are other objects.
    const text = JSON.stringify(constraint);
    const rest = constraints.filter((each) => JSON.stringify(each) !== text);
    const buckets = examined.get(text) ?? examine(empty, rest).buckets;
    examined.set(text, buckets);
    return buckets;
  };
  return ({ bucket, constraint }) => {
    const found = without(constraint).find((each) => isIn(each, bucket));
    return found === undefined || found.reason === null;
  };
}

function neverFits(outlook: Outlook, { job, outcome }: OutlookJob, first: Reason): CauseView {
  const { reasons, asked } = outcome;
  // A colocated job is refused by every bucket outside a group; the reasons of the groups are more useful.
  const telling = reasons.find(({ code }) => code !== "NotInAPlacementGroup") ?? first;
  if (telling.code === "NotInAPlacementGroup") {
    const where = [...new Set(reasons.map(({ bucket }) => labelOf(bucket)))];
    return cause("never-satisfiable", {
      text: `The job wants ${job.colocated ? `all of its ${counted(asked, unitOf(job))} in one placement group` : "a placement group"}, and there is none in what it may use (${someOf(where)}).`,
      next: 'Set Configuration.autoscale.is_hpc = true on the node array in CycleCloud, so that groups are made there, or name "placement_groups" of it under "nodearrays" and store the configuration: `ccscale config push FILE`.',
      ...figures(telling),
    });
  }
  const alike = reasons.filter(
    ({ code, constraint }) => code === telling.code && constraint === telling.constraint,
  );
  const [, sentence = ""] = jobSentences({ ...outcome, reasons: alike });
  const guess = meant(outlook, telling);
  return cause("never-satisfiable", {
    text: `No node can satisfy it as things are. ${sentence}${guess === null ? "" : ` Did you mean "${guess}"?`}`,
    next: wayOut(telling, guess),
    ...figures(telling),
  });
}

function wayOut({ code, countedBy }: Reason, guess: string | null): string {
  if (guess !== null) return `Change it to "${guess}" in the job. What there is: \`ccscale buckets\`.`;
  if (code === "Never") return "Its scheduler refuses it for good, for that reason: change the job.";
  if (code === "InvalidSharedValue")
    return "It fits when the shared value changes, or when the job asks for the present one.";
  if (code === "UndefinedResource")
    return countedBy === undefined
      ? 'Give nodes the resource with "default_resources" and store the configuration (`ccscale config push FILE`), or change the job.'
      : `Give its nodes the resource in the configuration of the scheduler "${countedBy}", or change the job. What it counts of nodes: \`ccscale buckets\`.`;
  if (code === "NotStarted")
    return "Ask the scheduler why (Slurm: `scontrol show job`), and correct what it counts of its nodes or what the job asks for: `ccscale buckets -o counted`. It is tried again later by itself.";
  if (code.startsWith("Spot"))
    return 'Let the job use a regular node array, or change "spot" and store the configuration: `ccscale config push FILE`.';
  return "Change the job's constraints, or add what they ask for to a node array. What there is: `ccscale buckets`.";
}

/** What a misspelt name or value most likely means. */
function meant(outlook: Outlook, { code, constraint }: Reason): string | null {
  if (code === "UndefinedResource") {
    const name =
      constraint?.kind === "minimum-resource" || constraint?.kind === "resource-options"
        ? constraint.resource
        : "";
    return nearest(name, [...new Set(outlook.buckets().flatMap(({ resources }) => Object.keys(resources)))]);
  }
  if (code !== "InvalidOption" || constraint?.kind !== "property-options") return null;
  const { property, options } = constraint;
  const [option] = options;
  if (typeof option !== "string") return null;
  const { nodes } = outlook.plan;
  if (property === "nodearray")
    return nearest(option, [...new Set(outlook.buckets().map(({ nodeArray }) => nodeArray))]);
  if (property === "vm_size")
    return nearestVmSize(option, [...new Set(outlook.buckets().map(({ vmSize }) => vmSize))]);
  const hostnames = () => nodes.flatMap(({ hostname }) => hostname ?? []);
  if (property === "hostname") return nearestName(option, hostnames());
  return property === "name"
    ? nearestName(
        option,
        nodes.map(({ name }) => name),
      )
    : null;
}

/** A shared pool (licences) that is empty, used up by the jobs before this one, or described by nobody. */
function poolCause(outlook: Outlook, reason: Reason): CauseView {
  const { constraint, asked, left } = reason;
  const draws = constraint?.kind === "shared-consumable" ? constraint.draws : [];
  const draw = draws.find((each) => each.amount === asked) ?? draws[0];
  const pool = `"${draw?.pool ?? "unknown"}"`;
  if (reason.code === "UndefinedResource")
    return cause("never-satisfiable", {
      text: `Nobody says how much the shared pool ${pool} holds.`,
      next: 'Let the job give "current-value" and "initial-value", or describe the pool under "shared_pools" in the configuration.',
      ...figures(reason),
    });
  const holds = draw === undefined ? null : holdsNow(outlook, draw);
  const before = holds === null ? 0 : holds - amount(left);
  const of = draw?.initial == null ? "" : ` of ${shown(draw.initial)}`;
  const used =
    before > 0 && holds !== null
      ? `${shown(holds)}${of} are free, and the jobs before it take ${shown(before)} of these: ${shown(left)} left`
      : `${shown(left)}${of} are free`;
  return cause("pool-empty", {
    text: `The shared pool ${pool} is too low: ${used}, ${shown(asked)} wanted ${draw?.once === true ? "for the job" : "per place"}.`,
    next: "It fits when running jobs give some back, or when the pool grows: `ccscale jobs --state running`.",
    ...figures(reason),
  });
}

/** As the plan found it: the configuration's word counts before a job's. */
function holdsNow({ input }: Outlook, { pool, source, current }: SharedDraw): number | null {
  const configured = input.settings.sharedPools.find(
    (each) => each.name === pool && (each.source === null || each.source === source),
  );
  return configured?.current ?? current;
}
