import { memberOf } from "../../../../shared/engine/index.ts";
import type { Job, NodeShape } from "../driver.ts";
import { mostGangs, reasonText, withNotes } from "../scheduler-words.ts";
import { type Draw, poolsConstraint } from "../shared-pools.ts";
import { helpWith, isBehindOthers } from "./comments.ts";
import { isOtherPartition } from "./hosts.ts";
import type { JobContext, LeftOut } from "./job-context.ts";
import { detailsOf, hasWholeNodes, nameOf, orderOf } from "./job-details.ts";
import type { JobRecord } from "./pbs-records.ts";
import { booleanIn } from "./pbs-resources.ts";
import { type Chunk, merged, type Place, parsePlace, parseSelect } from "./select.ts";
import { amountsWritten, type Constraint, propertyNamed, together, type Wish, wishOf } from "./wishes.ts";

/** `tasks`: the records of all tasks of one array that wait, or of one job. */
export interface Waiting {
  readonly name: string;
  readonly tasks: readonly JobRecord[];
}

/** A job that waits for nodes, as demand. What is not understood leaves it out: nodes that do not help are not bought. */
export function waiting({ name, tasks }: Waiting, context: JobContext): readonly Job[] | LeftOut {
  const [record] = tasks;
  if (record === undefined) return [];
  const reason = whyNot(record, context);
  if (reason !== undefined) return reason === "waits" ? [] : { leftOut: reason };
  const select = record.schedselect || (record.Resource_List.get("select") ?? "");
  const written = parseSelect(select);
  const place = parsePlace(record.Resource_List.get("place") ?? "");
  if (written === undefined) return { leftOut: `select "${select}", expected chunks` };
  if (place === undefined) return { leftOut: `place "${record.Resource_List.get("place")}" is not known` };
  // A host that the job has to itself takes no chunk that is written behind another "+".
  const isDivided = place.arrangement === "free" && hasWholeNodes(place, context.sharing);
  const chunks = isDivided ? written : merged(written);
  const isApart = /scatter/.test(place.arrangement) || (chunks.length === 1 && chunks[0]?.count === 1);
  const wishes: Part[] = [];
  for (const chunk of chunks) {
    const wish = wishOf(chunk, context, { isApart });
    if ("leftOut" in wish) return wish;
    wishes.push({ count: chunk.count, wish });
  }
  const draws = context.limits.drawsOf(record);
  if (typeof draws === "string") return { leftOut: draws };
  return jobsOf({ name, tasks, record, chunks, place, wishes, draws }, context);
}

/** More parts than this are not told at once: each is a job to the planner, and for each task of an array. */
const mostParts = 1000;

interface Part {
  readonly count: number;
  readonly wish: Wish;
}

/** Undefined: nothing but nodes is missing. "waits": nodes would not help, and PBS says so itself. */
function whyNot(record: JobRecord, { queues, server, settings }: JobContext): string | undefined {
  const queue = queues.get(record.queue);
  if (settings.ignore_queues.includes(record.queue)) return "waits";
  if (/^[RMS]\d+$/.test(record.queue)) return `reservation "${record.queue}": its nodes cannot be ordered`;
  if (queue === undefined) return `queue "${record.queue}" is not known`;
  if (!/^e/i.test(queue.queue_type) || booleanIn(queue.started) !== true) return "waits";
  if (booleanIn(queue.hasnodes) === true)
    return `queue "${record.queue}" has nodes of its own, which cannot be ordered`;
  if (isOtherPartition(queue.partition))
    return `queue "${record.queue}" is of partition "${queue.partition}", whose nodes cannot be ordered`;
  if (booleanIn(server.scheduling) === false) return "waits";
  if (!/^n?$/.test(record.Hold_Types)) return "waits";
  const help = helpWith(record.comment);
  if (help === undefined)
    return `"${record.comment}" is not known: nothing is bought before PBS says another`;
  return help === "may-help" ? undefined : "waits";
}

interface Asked extends Waiting {
  readonly record: JobRecord;
  readonly chunks: readonly Chunk[];
  readonly place: Place;
  readonly wishes: readonly Part[];
  readonly draws: readonly Draw[];
}

function jobsOf(asked: Asked, context: JobContext): readonly Job[] | LeftOut {
  const { name, tasks, record, place, wishes, draws } = asked;
  const total = wishes.reduce((sum, { count }) => sum + count, 0);
  const isWhole = hasWholeNodes(place, context.sharing);
  const where = arraysOf(record, context);
  const all = together(wishes);
  const isOneHost =
    total === 1 ||
    place.arrangement === "pack" ||
    // PBS passes over a group that is too small for the job: scattered chunks are never on one host, nor are those of several kinds
    // that have hosts to themselves.
    (place.arrangement === "free" &&
      !(isWhole && wishes.length > 1) &&
      groupsOf(asked, context).includes("host") &&
      mayFit(all, where, context));
  const parts = isOneHost ? [{ count: 1, wish: all }] : wishes;
  const isSpread = place.arrangement === "free" && !isOneHost;
  const isColocated = !isOneHost && isGrouped(asked, context);
  const isInGroup = !isOneHost && hasGroup(asked, context);
  const isApart = !isSpread && (parts.length > 1 || !(isColocated || isInGroup));
  const mayDivide = isInGroup && context.passesOverGroups && groupedBy(asked, context.settings) !== true;
  const common = {
    ...orderOf(record, context),
    ...detailsOf(record, { isRunning: false }),
    ...(record.comment === "" ? {} : { waitingReason: reasonText(record.comment) }),
    ...(isBehindOthers(record.comment) ? { behindOthers: true } : {}),
    ...withNotes(notesOf(asked, { isWhole, isDivided: parts.length > 1, isSpread }, context)),
  };
  const withAmounts = ({ wish }: Part, more: readonly Constraint[]) =>
    [...where, ...wish.constraints, amountsWritten(wish.amounts), ...more].filter(
      (each) => Object.keys(each).length > 0,
    );
  const [first] = parts;
  if (first === undefined) return [];
  if (isOneHost)
    return [
      {
        ...common,
        name,
        constraints: withAmounts(first, [poolsConstraint(draws, { once: false })]),
        iterations: tasks.length,
        exclusive: isWhole,
      },
    ];
  if (isSpread && parts.length === 1 && !isWhole && !isColocated && draws.length === 0)
    return [
      {
        ...common,
        name,
        constraints: withAmounts(first, []),
        iterations: first.count * tasks.length,
        gangSize: first.count,
      },
    ];
  if (parts.length > mostParts)
    return { leftOut: `select with ${parts.length} kinds of chunk, expected at most ${mostParts}` };
  // Parts are several jobs to the planner: one of them draws what the whole job takes.
  if (parts.length > 1 && draws.some(({ requested, free }) => requested > free)) return [];
  const toldTasks = Math.min(mostGangs, Math.floor(mostParts / parts.length));
  return tasks.slice(0, toldTasks).flatMap((task) =>
    parts.map((part, index): Job => {
      const pools = index === 0 ? [poolsConstraint(draws, { once: true })] : [];
      const own = tasks.length === 1 ? name : nameOf(task);
      const alone = isSpread && isWhole ? [{ "exclusive-task": true }] : [];
      return {
        ...common,
        ...(parts.length > 1 || isApart || mayDivide ? { gang: own } : {}),
        // Chunks that are scattered are on different hosts, whatever part they are of and whichever arrays the hosts are of.
        ...(isApart ? { gangApart: true } : {}),
        ...(mayDivide || (isColocated && parts.length > 1) ? { mayDivide } : {}),
        name: parts.length === 1 ? own : `${own}.${index + 1}`,
        constraints: withAmounts(part, [...alone, ...pools]),
        ...(isSpread
          ? { iterations: part.count, gangSize: part.count }
          : { nodeCount: part.count, exclusive: isWhole }),
        colocated: isColocated,
      };
    }),
  );
}

function arraysOf({ queue }: JobRecord, { settings }: JobContext): readonly Constraint[] {
  const set = memberOf(settings.queues, queue)?.node_array;
  return set === undefined ? [] : [{ "node.nodearray": set }];
}

/** Whether a node may have all of it, as far as is known of nodes of its arrays, and as far as PBS sums it up over the chunks. */
function mayFit(
  { amounts, constraints }: Wish,
  where: readonly Constraint[],
  { shapes, types }: JobContext,
): boolean {
  const arrays = [...where, ...constraints].flatMap(({ "node.nodearray": array }) => array ?? []);
  // What a host has to have, such as its node array or a property: hosts of other arrays hold nothing of the job.
  const values = constraints
    .flatMap((each) => Object.entries(each))
    .filter(([, value]) => typeof value !== "object");
  const there = shapes.filter(
    ({ nodeArray, resources }) =>
      (arrays.length === 0 || arrays.includes(nodeArray)) &&
      values.every(([name, value]) => [undefined, value].includes(memberOf(resources, name))),
  );
  const has = (value: NodeShape["resources"][string] | undefined) =>
    value === undefined ? Number.POSITIVE_INFINITY : Number(String(value).replace("size::", ""));
  return (
    there.length === 0 ||
    there.some(({ resources }) =>
      [...amounts].every(
        ([name, { value }]) => !types.isSummed(name) || Number(value) <= has(memberOf(resources, name)),
      ),
    )
  );
}

/** The resources that have one value on all nodes of the job, where nodes with one value are enough for it. */
function groupsOf(
  { record, place }: Pick<Asked, "record" | "place">,
  { server, queues }: JobContext,
): readonly string[] {
  const byDefault =
    booleanIn(server.node_group_enable) === true
      ? queues.get(record.queue)?.node_group_key || server.node_group_key
      : "";
  return (place.group ?? byDefault).split(",").map((key) => key.trim());
}

/** Whether PBS prefers nodes with one value of a resource: those of one array may have it. */
function hasGroup(asked: Asked, context: JobContext): boolean {
  return groupsOf(asked, context).some((key) => key !== "" && key !== "host");
}

/** Whether all its nodes have to be in one placement group, whatever groups PBS prefers. Undefined: nobody says so. */
function groupedBy({ record, chunks }: Asked, settings: JobContext["settings"]): boolean | undefined {
  const set = memberOf(settings.queues, record.queue)?.colocated;
  if (set !== undefined) return set;
  const ungrouped = chunks.flatMap(({ resources }) =>
    [...resources]
      .filter(([name]) => propertyNamed(name, settings) === "ungrouped")
      .map(([, value]) => booleanIn(value)),
  );
  if (ungrouped.includes(true)) return false;
  return ungrouped.includes(false) ? true : undefined;
}

/** Whether all its nodes are to be in one placement group. */
function isGrouped(asked: Asked, context: JobContext): boolean {
  const { settings } = context;
  return (
    groupedBy(asked, settings) ??
    groupsOf(asked, context).some((key) => propertyNamed(key, settings) === "node.placement_group")
  );
}

function notesOf(
  { wishes, place }: Asked,
  {
    isWhole,
    isDivided,
    isSpread,
  }: { readonly isWhole: boolean; readonly isDivided: boolean; readonly isSpread: boolean },
  { settings }: JobContext,
): readonly string[] {
  const { group } = place;
  return [
    ...wishes.flatMap(({ wish }) => wish.notes),
    ...(group === undefined || group === "host" || propertyNamed(group, settings) === "node.placement_group"
      ? []
      : [`group=${group}: nodes of any ${group}`]),
    ...(isDivided && isSpread && isWhole ? ["its chunks are planned on nodes of their own"] : []),
  ];
}
