import type { Job } from "../driver.ts";
import { mostGangs, reasonText, withNotes } from "../scheduler-words.ts";
import { type Draw, poolsConstraint } from "../shared-pools.ts";
import {
  asksForWholeNodes,
  detailsOf,
  isColocated,
  type LeftOut,
  minutesOf,
  nameOf,
  orderOf,
} from "./common.ts";
import { hasDynamicPartition } from "./dynamic-nodes.ts";
import { allOf, type Constraints, parseFeatures, withGpuTypes } from "./features.ts";
import { countTasks } from "./hostlist.ts";
import type { JobContext } from "./job-context.ts";
import { licenseDraws } from "./licenses.ts";
import { drawsOf } from "./limits.ts";
import { besideNoMemory } from "./memory-in-use.ts";
import { isForMoreNodes, isOfPartition } from "./reasons.ts";
import { dueNodes, type Reservation } from "./reservations.ts";
import type { Size } from "./size.ts";
import { type Candidate, gresRequests } from "./slurm-candidates.ts";
import type { JobRecord } from "./slurm-records.ts";
import { type Wanted, wantedOf } from "./slurm-wanted.ts";
import { tresAmount, tresNames } from "./tres.ts";

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
  const own = context.reserved.named(record.resv_name);
  if (record.resv_name !== "" && !own.some((each) => takesOthers(each, record, context))) {
    if (context.settings.reservation_lead_seconds === undefined)
      return {
        leftOut: `reservation "${record.resv_name}": its nodes are not ordered, since "reservation_lead_seconds" is not set`,
      };
    if (own.length === 0)
      return { leftOut: `reservation "${record.resv_name}" has no nodes that could be ordered` };
    // Its nodes come for the reservation, whether there are jobs or not.
    return own.every(({ isMaintenance }) => isMaintenance)
      ? { leftOut: `reservation "${record.resv_name}" is for maintenance: its nodes are not ordered` }
      : [];
  }
  const { nowSeconds } = context;
  // Slurm shortens a job to fit before a reservation.
  const minutes = minutesOf({ ...record, time_limit: record.time_minimum || record.time_limit });
  const reserved = context.reserved
    .from({ nowSeconds, minutes, user: record.user_name }, partitions)
    .filter((each) => !own.includes(each));
  if (reserved.length > 0) return waitingBeside(reserved, { record, tasks, partitions }, context);
  return waitingOn(record, tasks, partitions, context);
}

/** A job of the reservation needs more than its nodes, or needs nodes before they come. */
function takesOthers(
  reservation: Reservation,
  { node_count = 1 }: JobRecord,
  { nowSeconds, settings }: JobContext,
): boolean {
  const { nodes, isFlexible } = reservation;
  return (
    isFlexible === true &&
    (node_count > nodes.length || dueNodes([reservation], nowSeconds, settings).size === 0)
  );
}

/** Nodes of reservations that the job would run into are as if it excluded them. */
function waitingBeside(
  reservations: readonly Reservation[],
  { record, tasks, partitions }: { record: JobRecord; tasks: number; partitions: readonly string[] },
  context: JobContext,
): readonly Job[] | LeftOut {
  const kept = context.reserved.hostlist(reservations, partitions);
  const excluded_nodes = record.excluded_nodes === "" ? kept : `${record.excluded_nodes},${kept}`;
  const jobs = waitingOn({ ...record, excluded_nodes }, tasks, partitions, context);
  if (!("leftOut" in jobs) || "leftOut" in waitingOn(record, tasks, partitions, context)) return jobs;
  return { leftOut: `would run into reservation "${reservations.map(({ name }) => name).join('", "')}"` };
}

function waitingOn(
  record: JobRecord,
  tasks: number,
  partitions: readonly string[],
  context: JobContext,
): readonly Job[] | LeftOut {
  const parsed = parseFeatures(record.features);
  if (parsed === undefined)
    return { leftOut: `features "${record.features}", expected names with & | and counts` };
  const features = withGpuTypes(parsed, gresRequests(record));
  const { candidates, unusable, others, mixed } = context.candidates.of(record, partitions, features);
  const [first] = candidates;
  if (first === undefined)
    return { leftOut: `partition "${partitions.join(",")}" has no node that would do` };
  // Slurm's reason is that of the partition it tried last: it counts unless that one was found unusable here, too.
  const isDynamic =
    hasDynamicPartition([first.partition], context.settings) && isForMoreNodes(record.state_reason);
  const isShortened = (record.time_minimum ?? 0) > 0 && context.candidates.allows(record, first);
  if (isOfPartition(record.state_reason) && unusable.length === 0 && !isDynamic && !isShortened) return [];
  const wanted = wantedOf(record, features, candidates, first.size.nodeCount, context);
  if ("leftOut" in wanted) return wanted;
  return jobsOf({ record, tasks, candidates, first, wanted, others, mixed }, context);
}

interface Waiting {
  readonly record: JobRecord;
  readonly tasks: number;
  readonly candidates: readonly Candidate[];
  readonly first: Candidate;
  readonly wanted: Wanted;
  readonly others: readonly Candidate[];
  readonly mixed: readonly Candidate[];
}

function jobsOf(waits: Waiting, context: JobContext): readonly Job[] | LeftOut {
  const { record, tasks, candidates, first, wanted } = waits;
  const { nodeCount, perSlot, slots } = first.size;
  const all = [...candidates, ...waits.others];
  // A core may have another number of CPUs in another node array, and with it what a slot takes.
  const slotsOf = ({ partition, size }: Candidate) => JSON.stringify([partition, size.perSlot, size.slots]);
  const mayBeAnywhere = all.every((each) => slotsOf(each) === slotsOf(first));
  const where = whereOf(record, candidates, context);
  const isSpread = perSlot !== undefined && mayBeAnywhere && !where.isWhole;
  const colocated =
    nodeCount > 1 &&
    isColocated(
      record,
      candidates.map(({ partition }) => partition),
      context,
    );
  const isOneEach = !isSpread && nodeCount === 1 && wanted.parts.length === 1;
  const reservations = context.reserved.named(record.resv_name);
  const licences = licenseDraws(record.licenses, context.licenses, reservations);
  if (licences === undefined)
    return {
      leftOut: `licenses "${record.licenses}", expected a list of the cluster's licences with counts`,
    };
  const limits = limitDraws(record, first, where.isWhole, context);
  if (limits === undefined) return [];
  const draws = [...licences, ...limits, ...taskDraws(record, context)];
  const [part] = wanted.parts;
  // Cores and sockets have other sizes in other node arrays, and with them what a job takes of a node.
  const ofEach = ({ size }: Candidate) => size.perNode;
  // Where its tasks lie otherwise on the nodes of another array, it has equal shares.
  const isAlike = new Set(candidates.map(({ size }) => JSON.stringify(size.unlike))).size === 1;
  const unlike =
    colocated || where.isWhole || first.size.hasAllMemory || wanted.parts.length > 1 || !isAlike
      ? undefined
      : first.size.unlike;
  // Tasks that may sit anywhere may sit on nodes of every array of their partition.
  const placed = isSpread ? all : candidates;
  const isMixed = waits.mixed.length > 0 && !isSpread && !colocated && wanted.parts.length === 1;
  const sizes = isMixed
    ? waits.mixed.flatMap((on) => {
        const { nodeCount: count, perNode: each, unlike: own = [{ count, perNode: each }] } = on.size;
        return own.map((size) => ({ ...size, on: [on] }));
      })
    : unlike?.map((each) => ({ ...each, on: placed }));
  const parts =
    sizes?.map((each) => ({ ...each, constraints: part?.constraints ?? [] })) ??
    wanted.parts.map((each) => ({ ...each, perNode: ofEach, on: placed }));
  // Slurm takes nodes of several arrays of a partition for one job, the planner those of one unless they are parts.
  const isOfSeveral =
    candidates.length > 1 && !colocated && candidates.every(({ partition }) => partition === first.partition);
  // Parts are several jobs to the planner: one of them draws what the whole job takes.
  if (parts.length > 1 && draws.some(({ requested, free }) => requested > free)) return [];
  const pools = poolsConstraint(draws, { once: !isOneEach });
  const name = record.array_task_string === "" ? nameOf(record) : `${record.array_job_id ?? record.job_id}_*`;
  const notes = [
    ...wanted.notes,
    ...notesOf(record, isSpread || isMixed ? [] : waits.others, first, context),
  ];
  const common = {
    // Slurm puts the parts of a heterogeneous job on different nodes.
    ...(record.het_job_id ? { gang: String(record.het_job_id), gangApart: true } : {}),
    ...orderOf(record),
    ...detailsOf(record, record.partition.split(","), { isRunning: false }),
    ...whyItWaits(record),
    exclusive: where.exclusive || first.size.hasAllMemory,
    ...withNotes(notes),
  };
  // Tasks of several nodes are several jobs to the planner, and share nodes in Slurm.
  const isOne = tasks === 1 || isOneEach || (isSpread && !colocated && draws.length === 0);
  const alone = isOne && context.apart.has(record.job_id) ? [{ "exclusive-task": true }] : [];
  const withAmounts = (amounts: Amounts, more: readonly Constraints[] = [], on = placed) => {
    const { constraints } = whereOf(record, on, context, amounts);
    return allOf([constraints, ...wanted.common, ...more, ...alone]);
  };
  // Tasks that may sit anywhere start together all the same.
  const together = colocated ? { colocated } : slots > 1 ? { gangSize: slots } : {};
  const asSlots = isSpread ? perSlot : isOneEach ? ofEach : undefined;
  return Array.from({ length: isOne ? 1 : Math.min(tasks, mostGangs) }, (_, index) => {
    const own = isOne ? name : `${name}#${index}`;
    if (asSlots !== undefined)
      return [
        {
          ...common,
          name: own,
          constraints: withAmounts(asSlots, [...(part?.constraints ?? []), pools]),
          iterations: (isSpread ? slots : 1) * (isOne ? tasks : 1),
          ...(isSpread ? together : {}),
        },
      ];
    return parts.map((each, at) => ({
      ...common,
      // One job's nodes are different ones; its parts are several jobs to the planner.
      ...(parts.length > 1 || isOfSeveral ? { gang: common.gang ?? own, gangApart: true } : {}),
      name: parts.length === 1 ? own : `${own}.${at + 1}`,
      constraints: withAmounts(
        each.perNode,
        at === 0 ? [...each.constraints, pools] : each.constraints,
        each.on,
      ),
      nodeCount: each.count,
      colocated: colocated && each.count > 1,
    }));
  }).flat();
}

/** What it takes of the limits of QOS and accounts; undefined: more than there is of one. */
function limitDraws(
  record: JobRecord,
  { partition, size, nodes }: Candidate,
  isWhole: boolean,
  { limits, candidates }: JobContext,
): readonly Draw[] | undefined {
  if (limits === undefined) return [];
  const { cpusOfNode, memoryOfNode } = largestOf(nodes);
  const asked = (name: string) => tresAmount(record.tres_req_str, name) ?? 0;
  const amounts = new Map(tresNames(record.tres_req_str).map((name) => [name, asked(name)]));
  if (isWhole) amounts.set("cpu", Math.max(asked("cpu"), size.nodeCount * cpusOfNode));
  // Slurm counts a node once for all jobs of a user that share it.
  const share = Math.max(asked("cpu") / cpusOfNode, asked("mem") / memoryOfNode);
  amounts.set("node", isWhole || size.nodeCount > 1 ? size.nodeCount : Math.min(1, share));
  return drawsOf(
    {
      user: record.user_name,
      userId: String(record.user_id ?? ""),
      account: record.account,
      associationId: record.association_id,
      qos: [...new Set([candidates.qosOf(partition), record.qos])],
      nodeCount: size.nodeCount,
      minutes: minutesOf(record),
      amounts,
    },
    limits,
  );
}

interface Largest {
  readonly cpusOfNode: number;
  readonly memoryOfNode: number;
}

/** Jobs that may go to the same nodes share the list of them, which may be long. */
const knownLargest = new WeakMap<Candidate["nodes"], Largest>();

function largestOf(nodes: Candidate["nodes"]): Largest {
  const known = knownLargest.get(nodes);
  if (known !== undefined) return known;
  const largest = {
    cpusOfNode: nodes.reduce((most, { usable_cpus: cpus = 1 }) => Math.max(most, cpus), 1),
    memoryOfNode: nodes.reduce((most, { usable_memory: memory = 1 }) => Math.max(most, memory), 1),
  };
  knownLargest.set(nodes, largest);
  return largest;
}

/** What it takes of a node, of any or of those of each candidate. */
type Amounts = Size["perNode"] | ((candidate: Candidate) => Size["perNode"]);

/**
 * Node arrays with what is taken there, and whether whole nodes are meant. Where only some partitions are exclusive, Slurm's word is of one
 * of those.
 */
function whereOf(
  record: JobRecord,
  candidates: readonly Candidate[],
  context: JobContext,
  amounts: Amounts = {},
) {
  const amountsOf = typeof amounts === "function" ? amounts : () => amounts;
  const arrays = [...new Set(candidates.map(({ nodeArray }) => nodeArray))];
  const some = candidates.filter(({ exclusive }) => exclusive).length;
  const isMixed = some > 0 && some < candidates.length;
  const taken = candidates.map((each) => {
    const own = amountsOf(each);
    const cap = each.cap === undefined ? {} : { [each.cap.name]: Math.min(own.ncpus ?? 1, each.cap.most) };
    return { ...cap, ...own, ...besideNoMemory(record, context.candidates.countingOf(each.partition)) };
  });
  const isSame = new Set(taken.map((each) => JSON.stringify(each))).size === 1;
  if (isMixed || !isSame) {
    const each = candidates.map(({ nodeArray, exclusive }, index) => ({
      "node.nodearray": nodeArray,
      ...taken[index],
      ...(isMixed && exclusive ? { exclusive: true } : {}),
    }));
    const isWhole = some > 0 || asksForWholeNodes(record);
    return { constraints: { or: each } as Constraints, exclusive: isWhole && !isMixed, isWhole };
  }
  const exclusive = some > 0 || asksForWholeNodes(record);
  const constraints: Constraints = {
    "node.nodearray": arrays.length === 1 ? arrays[0] : arrays,
    ...taken[0],
  };
  return { constraints, exclusive, isWhole: exclusive };
}

/** What was left away or chosen, for people who wonder why a job does not start. */
function notesOf(
  record: JobRecord,
  others: readonly Candidate[],
  { partition, nodeArray }: Candidate,
  { apart }: JobContext,
): readonly string[] {
  const partitions = [...new Set(others.map((each) => each.partition))].filter((name) => name !== partition);
  const arrays = others.filter((each) => each.partition === partition).map((each) => each.nodeArray);
  const isShared = (word: string) => record.shared.includes(word) || record.exclusive.includes(word);
  return [
    ...(partitions.length === 0
      ? []
      : [
          `planned for partition ${partition} only: ${partitions.join(", ")} would take another number of nodes`,
        ]),
    ...(arrays.length === 0
      ? []
      : [
          `planned for node array ${nodeArray} only: of ${arrays.join(", ")} it would take another number of nodes`,
        ]),
    ...(isShared("TOPO")
      ? ["--exclusive=topo is planned for as whole nodes: Slurm also keeps others from its switch or block"]
      : []),
    ...((isShared("USER") || isShared("MCS")) && !apart.has(record.job_id)
      ? ["--exclusive=user or mcs is not planned for: new nodes are counted as shared with anybody"]
      : []),
    ...(record.contiguous ? ["--contiguous is not planned for: any nodes are taken"] : []),
  ];
}

/** Slurm has not looked at it, or starts others first. */
const othersFirst = new Set(["", "None", "Priority"]);

function whyItWaits({
  state_reason: reason,
  state_description: text,
}: JobRecord): Pick<Job, "waitingReason" | "behindOthers"> {
  if (othersFirst.has(reason)) return { behindOthers: true };
  const words = text === "" || text.startsWith(reason) ? text || reason : `${reason}: ${text}`;
  return { waitingReason: reasonText(words) };
}

/** Of an array: tasks that wait and that its own limit (`%N`) allows beside those that run. */
function pendingTasks(record: JobRecord, context: JobContext): number | undefined {
  if (record.array_task_string === "") return 1;
  const count = countTasks(record.array_task_string);
  const [limit] = taskDraws(record, context);
  return count === undefined || limit === undefined ? count : Math.min(count, limit.free);
}

/** Tasks may have records of their own (`aftercorr`, put back into the queue), which share that limit. */
function taskDraws(
  { array_job_id: array = 0, array_max_tasks: total = 0 }: JobRecord,
  { running }: JobContext,
): readonly Draw[] {
  if (total === 0) return [];
  const free = Math.max(0, total - (running.get(array) ?? 0));
  return [{ name: `tasks of array ${array} at a time`, requested: 1, total, free }];
}
