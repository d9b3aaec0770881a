import type { Constraint } from "../model/constraint.ts";
import type { DemandCapName } from "../model/demand-caps.ts";
import type { LimitName } from "../model/limits.ts";
import type { JobOutcome } from "../model/plan-result.ts";
import { accountName, type BucketName, type Reason, type ReasonCode } from "../model/reasons.ts";
import { isSize, type Scalar } from "../model/resources.ts";
import { formatSize } from "../model/units.ts";

/**
 * A job's outcome in sentences that a cluster user understands: what it got, then one sentence per kind of refusal with
 * the buckets, how much was asked, how much there is, and what would make it fit.
 */
export function explain(outcome: JobOutcome): readonly string[] {
  const { name, asked, granted, reasons } = outcome;
  const got = `Job "${name}" got ${granted} of ${asked} places`;
  if (reasons.length === 0) return [`${got}.`];
  const waiting =
    granted === 0 ? `Job "${name}" waits: it got none of ${asked} places` : `${got}, the rest waits`;
  return [`${waiting}.`, ...groupsOf(nearestFirst(reasons)).map(explainGroup)];
}

/** Of buckets that would take the job if they had room. */
const roomCodes: ReadonlySet<ReasonCode> = new Set([
  "CapacityFailureBackoff",
  "DemandCapReached",
  "ExclusiveRequirementFailed",
  "NoCapacity",
  "NodesTakeNoJobs",
  "OutOfCapacity",
]);

/** Reasons in their order, but those that may pass before those of buckets that will never take the job. */
export function nearestFirst(reasons: readonly Reason[]): readonly Reason[] {
  const lacksRoom = ({ code }: Reason) => roomCodes.has(code);
  return [...reasons.filter(lacksRoom), ...reasons.filter((reason) => !lacksRoom(reason))];
}

/** One reason in one sentence. */
export function explainReason(reason: Reason): string {
  return explainGroup([reason]);
}

type Group = readonly [Reason, ...Reason[]];

/** Reasons that differ only in their bucket make one sentence. */
function groupsOf(reasons: readonly Reason[]): readonly Group[] {
  const texts = new Map<Constraint | null, string>();
  const textOf = (constraint: Constraint | null): string => {
    // Written out once for all buckets that it refuses.
    const text = texts.get(constraint) ?? JSON.stringify(constraint);
    texts.set(constraint, text);
    return text;
  };
  const groups = new Map<string, [Reason, ...Reason[]]>();
  for (const reason of reasons) {
    const { code, constraint, limit } = reason;
    const key = `${code} ${limit} ${textOf(constraint)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [reason]);
    else group.push(reason);
  }
  return [...groups.values()];
}

function explainGroup(group: Group): string {
  const [first] = group;
  const where = bucketList(group);
  switch (first.code) {
    case "InsufficientResource":
      return tooSmall(group);
    case "UndefinedResource":
      return undefinedResource(first, where);
    case "InvalidOption":
      if (first.left === null) return `${where}: no node has ${describeConstraint(first.constraint)}.`;
      return `${where}: ${subjectOf(first.constraint)} is ${valueList(group)}, wanted ${optionsOf(first.constraint)}.`;
    case "ExclusiveRequirementFailed":
      return `${where}: the job wants a node to itself, and other jobs are on every node.`;
    case "NotInAPlacementGroup":
      return `${where}: not in a placement group, which the job wants. Placement groups can be predefined or generated in the configuration.`;
    case "InAPlacementGroup":
      return `${where}: in a placement group, which the job does not want.`;
    case "PlacementGroupTooSmall":
      return `${where}: the job wants ${shown(first.asked)} nodes in one placement group, which holds at most ${shown(largest(group))}.`;
    case "Never":
      return `Refused everywhere: ${ended(shown(first.asked).trimEnd())}`;
    case "AndFailed":
    case "OrFailed":
      return `${where}: none of the alternatives fits (${describeConstraint(first.constraint)}).`;
    case "XORFailed":
      return `${where}: ${shown(first.left)} of the alternatives fit, wanted ${describeConstraint(first.constraint)}.`;
    case "NotFailed":
      return `${where}: excluded by the job (${describeConstraint(first.constraint)}).`;
    case "SharedLimitReached":
      return `The shared pool ${poolNames(first.constraint)} has ${shown(first.left)} left, ${shown(first.asked)} wanted. It fits when running jobs give some back.`;
    case "InvalidSharedValue":
      return `The shared value ${subjectOf(first.constraint)} is ${shown(first.left)}, wanted ${shown(first.asked)}.`;
    case "CapacityFailureBackoff":
      return `${where}: Azure had no such VM ${shown(first.left)} s ago; the job waits until that is ${shown(first.asked)} s ago.`;
    case "NoCapacity":
      return noCapacity(first, where, group);
    case "OutOfCapacity":
      return first.constraint === null
        ? `${where}: all nodes are full, and no new ones can be made there.`
        : `${where}: the nodes that the job names (${describeConstraint(first.constraint)}) are full.`;
    case "NodesTakeNoJobs":
      return takeNoJobs(first, where, group);
    case "InvalidBucket":
      return `${where}: CycleCloud marks the VM size as not usable, so that no new nodes are made; the existing ones are full.`;
    case "NoBucketsDefined":
      return "The cluster has no node array with a VM size that autoscaling may use.";
    case "NothingRequested":
      return "The job asks for no slots and no nodes.";
    case "UnknownNodeArray":
    case "NodeArrayDisabled":
    case "NameOfANodeArray":
    case "UnknownVmSize":
      return `${where}: not there, or switched off.`;
    case "DemandCapReached":
      return demandCapReached(first);
  }
}

/** The scheduler's words may end with a full stop of their own. */
function ended(words: string): string {
  return words.endsWith(".") ? words : `${words}.`;
}

function tooSmall(group: Group): string {
  const [{ asked, constraint }] = group;
  const resource = subjectOf(constraint);
  const best = group.reduce((a, b) => (numberOf(b.left) > numberOf(a.left) ? b : a));
  if (numberOf(best.left) <= 0)
    return `${bucketList(group)}: no size there has any ${resource}, and the job asks for ${shown(asked)} per place.`;
  const ask = `asks for ${shown(asked)} ${resource} per place`;
  const most = `the largest size there, ${bucketLabel(best.bucket)}, has ${shown(best.left)}`;
  return `${bucketList(group)}: too small, the job ${ask} and ${most}. It fits when it asks for ${shown(best.left)} or less.`;
}

function undefinedResource({ constraint }: Reason, where: string): string {
  if (constraint?.kind === "shared-consumable")
    return `Nobody says how much the shared pool ${poolNames(constraint)} holds. The job or the configuration has to define it.`;
  return `${where}: nodes have no resource ${subjectOf(constraint)}. The configuration can give them one with default_resources.`;
}

export const limitTexts: Readonly<Record<LimitName, string>> = {
  bucket: "what CycleCloud still offers of the VM size",
  region: "the region's core quota",
  cluster: "the cluster's limit",
  "node-array": "the node array's limit",
  family: "the VM family's core quota",
  "placement-group": "the placement group's size",
  "max-nodes-per-plan": "the cap max_nodes_per_plan",
  "max-cores": "the cap max_cores",
  "monthly-budget": "what monthly_budget_usd has left, after an hour of all nodes that run,",
  "unknown-price": "its price, which is not known and has to be under monthly_budget_usd,",
};

/** What a job has too much of, by the cap that holds it back. */
const capped: Readonly<Record<DemandCapName, string>> = {
  "max-distinct-resources": "the resources that jobs ask for and only hosts of schedulers have",
  "max-constraint-parts": "the parts of a job's constraints",
  "max-constraint-depth": "the levels of a job's constraints",
  "max-scheduler-hosts": "the hosts of schedulers that CycleCloud does not have",
  "max-plan-checks": "the checks of constraints in a plan, per source",
};

/** A cap as the configuration spells it. */
export function demandCapKey(cap: DemandCapName): string {
  return cap.replaceAll("-", "_");
}

function demandCapReached({ cap = "max-plan-checks", asked, left }: Reason): string {
  const found =
    asked === null ? `more than ${shown(left)}` : `${shown(asked)}, expected at most ${shown(left)}`;
  return `Held back by the cap ${demandCapKey(cap)}, ${capped[cap]}: ${found}. Nodes that the job runs on stay.`;
}

/** What makes room again; "the limit is raised" for all others. */
const waysOut: { readonly [limit in LimitName]?: string } = {
  "max-nodes-per-plan": "nodes become free, or with one of the next plans",
  "monthly-budget": "nodes become free, the budget is raised, or a new month begins",
  "unknown-price": "nodes become free, or vm_sizes gives the price (price_per_hour_usd)",
};

function noCapacity({ limit }: Reason, where: string, group: Group): string {
  const left = shown(largest(group));
  const binding = limit === null ? "the limits" : limitTexts[limit];
  const wayOut = (limit && waysOut[limit]) ?? "nodes become free or the limit is raised";
  return `${where}: existing nodes are full, and ${binding} leaves ${left} new nodes. It fits when ${wayOut}.`;
}

function takeNoJobs({ limit }: Reason, where: string, group: Group): string {
  const nodes = group.reduce((sum, { left }) => sum + numberOf(left), 0);
  const binding =
    limit === null ? "no new ones can be made there" : `${limitTexts[limit]} leaves no new ones`;
  return `${where}: nodes with room that take no jobs, because they are drained: ${nodes}; ${binding}. It fits when they are taken back.`;
}

/** At most this many buckets are named in a sentence. */
const mostBuckets = 4;

function bucketList(group: Group): string {
  const labels = [...new Set(group.map(({ bucket }) => bucketLabel(bucket)))];
  if (labels.length <= mostBuckets) return labels.join(", ");
  const more = labels.length - mostBuckets;
  return `${labels.slice(0, mostBuckets).join(", ")} and ${more} more ${more === 1 ? "bucket" : "buckets"}`;
}

/** A bucket as people name it: `htc/Standard_F16s_v2`, with its placement group when it has one. */
export function bucketLabel(bucket: BucketName | null): string {
  if (bucket === null) return "The cluster";
  const { vmSize, placementGroup } = bucket;
  const size = `${accountName(bucket)}/${vmSize}`;
  return placementGroup === null ? size : `${size}/${placementGroup}`;
}

function subjectOf(constraint: Constraint | null): string {
  switch (constraint?.kind) {
    case "minimum-resource":
    case "resource-options":
      return `"${constraint.resource}"`;
    case "property-options":
      return `"node.${constraint.property}"`;
    case "shared-value":
      return `"${constraint.name}"`;
    case "exclusive":
    case "in-a-placement-group":
    case "and":
    case "or":
    case "xor":
    case "not":
    case "never":
    case "shared-consumable":
    case "capacity-failure-backoff":
    case undefined:
      return "it";
  }
}

function optionsOf(constraint: Constraint | null): string {
  if (constraint?.kind !== "resource-options" && constraint?.kind !== "property-options") return "another";
  return someOf(constraint.options.map(shown), " or ");
}

/** Longer lists and texts are cut: a reason is read by people, and what it is about may be as large as a message. */
const mostParts = 10;
const longestText = 200;

function someOf(parts: readonly string[], separator: string): string {
  const more = parts.length - mostParts;
  const first = parts.slice(0, mostParts).join(separator);
  return more > 0 ? `${first}${separator}${more} more` : first;
}

function someParts(children: readonly Constraint[], separator: string): string {
  // Only those that are shown are put into words.
  const first = children.slice(0, mostParts).map(describePart);
  const more = children.length - mostParts;
  return more > 0 ? [...first, `${more} more`].join(separator) : first.join(separator);
}

function poolNames(constraint: Constraint | null): string {
  if (constraint?.kind !== "shared-consumable") return "it";
  return someOf([...new Set(constraint.draws.map(({ pool }) => `"${cut(pool)}"`))], ", ");
}

/** A constraint in short, for people who know what they asked. */
export function describeConstraint(constraint: Constraint | null): string {
  switch (constraint?.kind) {
    case "minimum-resource":
      return `${constraint.resource} >= ${shown(constraint.amount)}`;
    case "resource-options":
      return `${constraint.resource} = ${optionsOf(constraint)}`;
    case "property-options":
      return `node.${constraint.property} = ${optionsOf(constraint)}`;
    case "exclusive":
      return constraint.scope === "task" ? "exclusive-task" : "exclusive";
    case "in-a-placement-group":
      return constraint.wanted ? "in a placement group" : "in no placement group";
    case "and":
      return someParts(constraint.all, " and ");
    case "or":
      return someParts(constraint.any, " or ");
    case "xor":
      return `exactly one of ${someParts(constraint.oneOf, ", ")}`;
    case "not":
      return `not ${describePart(constraint.child)}`;
    case "never":
      return cut(constraint.message);
    case "shared-consumable":
    case "shared-value":
    case "capacity-failure-backoff":
      return constraint.kind;
    case undefined:
      return "nothing";
  }
}

/** One of several: what is made of several itself is told as one. */
function describePart(constraint: Constraint): string {
  const isSeveral = constraint.kind === "and" || constraint.kind === "or" || constraint.kind === "xor";
  return isSeveral ? `(${describeConstraint(constraint)})` : describeConstraint(constraint);
}

function valueList(group: Group): string {
  const values = [...new Set(group.map(({ left }) => shown(left)))];
  return values.length <= mostBuckets ? values.join(", ") : `${values.slice(0, mostBuckets).join(", ")}, ...`;
}

function largest(group: Group): number {
  return Math.max(...group.map(({ left }) => numberOf(left)));
}

function numberOf(value: Scalar): number {
  if (isSize(value)) return value.bytes;
  return typeof value === "number" ? value : 0;
}

function shown(value: Scalar): string {
  if (isSize(value)) return formatSize(value);
  if (value === null) return "none";
  return typeof value === "number" && !Number.isInteger(value)
    ? String(Number(value.toFixed(3)))
    : cut(String(value));
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}
