import type { ClusterStatus, WaitingJobView } from "../../api/index.ts";
import {
  type Constraint,
  type DemandCapName,
  demandCapKey,
  holdNames,
  type JobOutcome,
  type Reason,
  type ReasonCode,
  type TargetOutcome,
  type TargetReason,
} from "../../engine/index.ts";
import { bucketLabel, bucketList } from "../../names/bucket-words.ts";
import type { BackedOff, PlannedTarget, WaitingJob } from "../../ports/index.ts";
import { inCents } from "../../prices/index.ts";
import { exactDuration } from "../../text/durations.ts";
import { redact } from "../../text/redact.ts";
import { counted, joined } from "../../text/text.ts";
import { holdOn, holdSentence } from "../held-sizes.ts";
import { amount } from "./cause.ts";
import { describeConstraint, optionsOf, poolNames, scalarText, subjectOf } from "./constraint-words.ts";
import { limitInShort, wayOut } from "./limit-words.ts";

/** A job's outcome in sentences: what it got, then one per kind of refusal, with figures and what would make it fit. */
export function jobSentences(
  outcome: Pick<JobOutcome, "name" | "asked" | "granted" | "reasons">,
): readonly string[] {
  const { name, asked, granted, reasons } = outcome;
  const got = `Job "${name}" got ${granted} of ${asked} places`;
  if (reasons.length === 0) return [`${got}.`];
  const waiting =
    granted === 0 ? `Job "${name}" waits: it got none of ${asked} places` : `${got}, the rest waits`;
  return [`${waiting}.`, ...reasonsInWords(reasons).map(({ sentence }) => sentence)];
}

/** Each kind of refusal with its code and a sentence; reasons that differ only in their bucket are one. */
export function reasonsInWords(
  reasons: readonly Reason[],
): readonly { readonly code: ReasonCode; readonly sentence: string }[] {
  return groupsOf(nearestFirst(reasons)).map((group) => ({
    code: group[0].code,
    sentence: groupSentence(group),
  }));
}

/** Codes of buckets that would take the job if they had room. */
const roomCodes: ReadonlySet<ReasonCode> = new Set([
  "CapacityFailureBackoff",
  "BudgetSpent",
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

/** What a job waits for first: a limit by its name, else the code of the reason. */
export function nearestReason({ reasons }: Pick<JobOutcome, "reasons">): string {
  const [first] = nearestFirst(reasons);
  return first?.limit ?? first?.code ?? "unknown";
}

/** One reason in one sentence. */
export function reasonSentence(reason: Reason): string {
  return groupSentence([reason]);
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
    const { code, constraint, limit, countedBy = "" } = reason;
    const key = `${code} ${limit} ${textOf(constraint)} ${countedBy}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [reason]);
    else group.push(reason);
  }
  return [...groups.values()];
}

function groupSentence(reasons: Group): string {
  // Before they are parts of a sentence: there nobody knows any more which name a value belongs to.
  const group = redact(reasons) as Group;
  const [first] = group;
  const where = bucketsOf(group);
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
      return `${where}: the job wants ${scalarText(first.asked)} nodes in one placement group, which holds at most ${scalarText(largest(group))}.`;
    case "Never":
      return `Refused everywhere: ${ended(scalarText(first.asked).trimEnd())}`;
    case "AndFailed":
    case "OrFailed":
      return `${where}: none of the alternatives fits (${describeConstraint(first.constraint)}).`;
    case "XORFailed":
      return `${where}: ${scalarText(first.left)} of the alternatives fit, wanted ${describeConstraint(first.constraint)}.`;
    case "NotFailed":
      return `${where}: excluded by the job (${describeConstraint(first.constraint)}).`;
    case "SharedLimitReached":
      return `The shared pool ${poolNames(first.constraint)} has ${scalarText(first.left)} left, ${scalarText(first.asked)} wanted. It fits when running jobs give some back.`;
    case "InvalidSharedValue":
      return `The shared value ${subjectOf(first.constraint)} is ${scalarText(first.left)}, wanted ${scalarText(first.asked)}.`;
    case "CapacityFailureBackoff":
      return `${where}: Azure had no such VM ${exactDuration(amount(first.left))} ago; the job waits until that is ${exactDuration(amount(first.asked))} ago.`;
    case "NotStarted":
      return `${where}: nodes of this kind were up with room for the job, and its scheduler did not start it there (${scalarText(first.asked)}). They do not count as room for it for a while, and no more are bought for it.`;
    case "SpotNotInterruptible":
      return `${where}: the job may not be interrupted, so that it stays off spot nodes.`;
    case "SpotRunTimeTooLong":
      return `${where}: the job may run longer than ${exactDuration(amount(first.asked))}, the most for spot nodes.`;
    case "SpotEvictedTooOften":
      return `${where}: the job lost spot nodes ${scalarText(first.asked)} times or more.`;
    case "SpotPatienceOver":
      return `${where}: the job has waited ${exactDuration(amount(first.asked))} or more, the longest for a spot node.`;
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
    case "LeftToOthers":
      return `${where}: ${othersFirst}.`;
    case "SpareCost":
      return `${where}: ${spareCost(first)}.`;
    case "SlotTooLarge":
      return `${where}: ${slotTooLarge}.`;
    case "NoGpus":
      return `${where}: ${noGpus(first)}.`;
    case "GangIncomplete":
      return "The job starts only together with the other jobs of its gang, and one of these finds no room.";
    case "DemandCapReached":
      return demandCapReached(first);
    case "BudgetSpent":
      return budgetSpent(first);
    default:
      return first.code satisfies never;
  }
}

/** The scheduler's words may end with a full stop of their own. */
function ended(words: string): string {
  return words.endsWith(".") ? words : `${words}.`;
}

function tooSmall(group: Group): string {
  const [{ asked, constraint }] = group;
  const resource = subjectOf(constraint);
  const counted = countedWords(group);
  const best = group.reduce((a, b) => (amount(b.left) > amount(a.left) ? b : a));
  if (amount(best.left) <= 0)
    return `${bucketsOf(group)}: no size there has any ${resource}${counted}, and the job asks for ${scalarText(asked)} per place.`;
  const ask = `asks for ${scalarText(asked)} ${resource} per place`;
  const most = `the largest size there, ${bucketLabel(best.bucket)}, has ${scalarText(best.left)}${counted}`;
  return `${bucketsOf(group)}: too small, the job ${ask} and ${most}. It fits when it asks for ${scalarText(best.left)} or less.`;
}

/** Whose figure it is, if a scheduler counts its nodes otherwise than their VMs. */
function countedWords([{ countedBy }]: Group): string {
  return countedBy === undefined ? "" : `, as the scheduler of source "${countedBy}" counts it`;
}

function undefinedResource({ constraint, countedBy }: Reason, where: string): string {
  if (constraint?.kind === "shared-consumable")
    return `Nobody says how much the shared pool ${poolNames(constraint)} holds. The job or the configuration has to define it.`;
  if (countedBy !== undefined)
    return `${where}: nodes have no ${subjectOf(constraint)}, says the scheduler of source "${countedBy}". It starts no such job there until its configuration gives nodes one.`;
  return `${where}: nodes have no resource ${subjectOf(constraint)}. The configuration can give them one with default_resources.`;
}

/** What a job has too much of, by the cap that holds it back. */
const capped: Readonly<Record<DemandCapName, string>> = {
  "max-distinct-resources": "the resources that jobs ask for and only hosts of schedulers have",
  "max-constraint-parts": "the parts of a job's constraints",
  "max-constraint-depth": "the levels of a job's constraints",
  "max-scheduler-hosts": "the hosts of schedulers that CycleCloud does not have",
  "max-plan-checks": "the checks of constraints in a plan, per source",
  "max-cores-per-user": "the cores that jobs of one user may have together",
  "max-cores-per-account": "the cores that jobs of one account may have together",
  "max-cores-per-queue": "the cores that jobs of one queue may have together",
  "min-priority": "the priority that a job needs now",
};

function demandCapReached({ cap = "max-plan-checks", owner, asked, left }: Reason): string {
  if (owner !== undefined)
    return `Held back by the cap ${demandCapKey(cap)}, ${capped[cap]}: one more place would make it ${scalarText(asked)} for "${owner}", expected at most ${scalarText(left)}. Running jobs count, and keep their nodes.`;
  const found =
    asked === null
      ? `more than ${scalarText(left)}`
      : `${scalarText(asked)}, expected at ${cap === "min-priority" ? "least" : "most"} ${scalarText(left)}`;
  return `Held back by the cap ${demandCapKey(cap)}, ${capped[cap]}: ${found}. Nodes that the job runs on stay.`;
}

function budgetSpent({ budget, asked, left }: Reason): string {
  const spent =
    asked === null
      ? "it is not known yet how much is spent"
      : `${inCents(amount(asked))} of ${scalarText(left)} USD are spent`;
  return `Budget "${budget}" holds the job: ${spent}. What runs runs on.`;
}

function noCapacity({ limit }: Reason, where: string, group: Group): string {
  const left = scalarText(largest(group));
  return `${where}: existing nodes are full, and ${limitInShort(limit)} leaves ${left} new nodes. It fits when ${wayOut(limit)}.`;
}

function takeNoJobs({ limit }: Reason, where: string, group: Group): string {
  const nodes = group.reduce((sum, { left }) => sum + amount(left), 0);
  const binding =
    limit === null ? "no new ones can be made there" : `${limitInShort(limit)} leaves no new ones`;
  return `${where}: nodes with room that take no jobs, because they are drained: ${nodes}; ${binding}. It fits when they are taken back.`;
}

function bucketsOf(group: Group): string {
  return bucketList(group.map(({ bucket }) => bucket));
}

/** At most this many values are named in a sentence. */
const mostValues = 4;

function valueList(group: Group): string {
  const values = [...new Set(group.map(({ left }) => scalarText(left)))];
  const more = values.length - mostValues;
  return joined(more > 0 ? [...values.slice(0, mostValues), `${more} more`] : values, "or");
}

function largest(group: Group): number {
  return Math.max(...group.map(({ left }) => amount(left)));
}

const othersFirst = "jobs or other targets wait at one of its limits, and spare nodes come after them";

/** Why a size counts for nothing where GPUs are wanted. */
export function noGpus({ left }: Pick<Reason, "left">): string {
  return left === null ? "how many GPUs the VM size has is not known" : "the VM size has no GPUs";
}

const slotTooLarge = "no slot of the shape fits on a node";

/** What the spare nodes would cost that are not there for their price. */
export function spareCost({ asked, left }: Pick<Reason, "asked" | "left">): string {
  const most = `SpareCostPerHour allows ${amount(left).toFixed(2)} USD an hour`;
  return asked === null
    ? `its price is not known, and ${most}`
    : `all of them would cost ${amount(asked).toFixed(2)} USD an hour, and ${most}`;
}

/** A target's outcome in sentences: how far it was met, then what was in the way. */
export function targetSentences(outcome: TargetOutcome): readonly string[] {
  const { name, asked, granted, unit, requestSet, reasons } = outcome;
  const met = `Target "${name}" of request set "${requestSet}" has ${granted} of ${asked} ${unit}.`;
  return [met, ...new Set(reasons.map((reason) => targetReason(reason, outcome)))];
}

function targetReason({ code, bucket, limit, asked, left }: TargetReason, target: TargetOutcome): string {
  const where = bucketLabel(bucket);
  return {
    NoCapacity: `${where}: ${asked === 1 ? "1 more node is" : `${String(asked)} more nodes are`} wanted, and ${limitInShort(limit)} leaves ${String(left)}.`,
    NodesTakeNoJobs: `${where}: ${left === 1 ? "1 of its nodes is drained and does" : `${String(left)} of its nodes are drained and do`} not count; ${String(asked)} more ${asked === 1 ? "is" : "are"} wanted, and ${limitInShort(limit)} leaves too few.`,
    InvalidBucket: `${where}: CycleCloud marks the VM size as not usable, so that no new nodes are made.`,
    PlacementGroupTooSmall: `${where}: a group needs ${String(asked)} nodes, and a placement group holds at most ${String(left)}.`,
    UnknownVmSize: `${where}: the node array has no such VM size.`,
    LeftToOthers: `${where}: ${othersFirst}.`,
    SpareCost: `${where}: ${spareCost({ asked, left })}.`,
    SlotTooLarge: `${where}: ${slotTooLarge}.`,
    NoGpus: `${where}: ${noGpus({ left })}.`,
    NodeArrayDisabled: `Autoscaling of node array "${target.nodeArray}" is switched off (autoscale.enabled).`,
    NameOfANodeArray: `"${target.dynamicArray}" is the name of a node array of the cluster: a dynamic one needs its own.`,
    UnknownNodeArray: `The cluster has no node array "${target.nodeArray}".`,
  }[code];
}

/** Why sizes are held that would otherwise have room, and for how long; of holds that are not over. */
function backOffSentences(
  { reasons }: { readonly reasons: readonly Reason[] },
  backedOff: readonly BackedOff[],
  nowSeconds: number,
): readonly string[] {
  const holds = reasons
    .filter(({ limit }) => holdNames.some((hold) => hold === limit))
    .flatMap(({ bucket }) => holdOn({ backedOff, nowSeconds }, bucket) ?? []);
  return [...new Set(holds)].map((hold) => holdSentence(hold, nowSeconds));
}

/** What a plan decided, and when it is read: a back-off that is over by then is no reason any more. */
interface ReadPlan {
  readonly backedOff: readonly BackedOff[];
  readonly nowSeconds: number;
}

/** A job that a plan left waiting, in sentences. */
export function toWaitingView(outcome: WaitingJob, { backedOff, nowSeconds }: ReadPlan): WaitingJobView {
  const { name, asked, granted } = outcome;
  const why = [...jobSentences(outcome), ...backOffSentences(outcome, backedOff, nowSeconds)];
  return { job: name, asked, granted, why };
}

/** A target of a plan, in sentences when it is not met. */
export function toTargetView(
  target: PlannedTarget,
  { backedOff, nowSeconds }: ReadPlan,
): ClusterStatus["targets"][number] {
  const { reasons: _, spare: __, kept: ___, ...rest } = target;
  const view = { ...rest, spare: toSpareView(target) };
  if (target.granted >= target.asked) return { ...view, why: [] };
  return { ...view, why: [...targetSentences(target), ...backOffSentences(target, backedOff, nowSeconds)] };
}

/** What is known of spare room; null: it is none. */
export function toSpareView({
  spare,
  kept,
}: Pick<PlannedTarget, "spare" | "kept">): ClusterStatus["targets"][number]["spare"] {
  if (spare === undefined || kept === undefined) return null;
  const { isAuto: auto, hours, bootSeconds, waitSeconds } = spare;
  const usdPerHour = kept.usdPerHour === null ? null : Math.round(kept.usdPerHour * 1e4) / 1e4;
  const boot = exactDuration(Math.round(bootSeconds));
  const size = auto
    ? [
        hours === 0
          ? "No hour like this one is known yet, so that it asks for nothing."
          : `In 95 of 100 minutes of ${counted(hours, "hours")} like this one, jobs needed no more within a boot (${boot}).`,
      ]
    : [];
  const price = usdPerHour === null ? "a price that is not known" : `${usdPerHour.toFixed(2)} USD an hour`;
  const cost = `${counted(kept.nodes, "nodes")} kept for it alone: ${price}.`;
  const wait =
    waitSeconds === null
      ? []
      : [
          `Jobs that need more wait ${exactDuration(Math.round(waitSeconds))} for a boot on average, ${boot} without it.`,
        ];
  const text = [...size, cost, ...wait].join(" ");
  return { auto, keptNodes: kept.nodes, usdPerHour, waitSeconds, text };
}
