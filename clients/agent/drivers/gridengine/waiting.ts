import type { Job } from "../driver.ts";
import { mostGangs, withNotes } from "../scheduler-words.ts";
import { poolsConstraint } from "../shared-pools.ts";
import { countIn, matches, type Range, rangesOf } from "./amounts.ts";
import { fieldFor, listOf, mayUse, type ParallelEnvironment, pesMatching } from "./definitions.ts";
import { detailsOf, nameOf } from "./job-common.ts";
import type { JobContext } from "./job-context.ts";
import type { Details } from "./memory.ts";
import { isOpenTo, type Place, type Who } from "./places.ts";
import { type Draw, type HostLimit, neverOf, wholeOf } from "./pools.ts";
import type { JobRecord, Request } from "./queue-records.ts";
import { type Asked, askedAt } from "./requests.ts";

type Constraints = Readonly<Record<string, unknown>>;

export interface LeftOut {
  readonly leftOut: string;
}

/**
 * Whether `qstat -j` has to say more before a job can be planned: the time of `-a`, the limit of an array (`-tc`), and the checkpointing
 * environment where some queue has one.
 */
export function needsDetails(
  { priority, tasks }: JobRecord,
  { queues }: Pick<JobContext["definitions"], "queues">,
): boolean {
  const isArray = tasks !== "" && !/^\d+$/.test(tasks);
  return priority === 0 || isArray || queues.some(hasCheckpoints);
}

function hasCheckpoints({ fields: { ckpt_list: list = "" } }: JobContext["definitions"]["queues"][number]) {
  return namedIn(list).some((name) => !/^none$/i.test(name));
}

/** A job that waits, as demand. What is not understood leaves it out: nodes that do not help are not bought. */
export function toWaiting(record: JobRecord, context: JobContext): readonly Job[] | LeftOut {
  const { state } = record;
  // Held, in error, or being deleted.
  if (/[hEdz]/.test(state)) return [];
  if (!/^[Rqw]+$/.test(state))
    return { leftOut: `state "${state}" is not known: nothing is bought before it has another` };
  const details = context.details.get(record.id);
  if (needsDetails(record, context.definitions) && details === undefined) return [];
  if ((details?.notBefore ?? 0) > context.nowSeconds) return [];
  if ((details?.reservation ?? 0) > 0)
    return { leftOut: `advance reservation ${details?.reservation}: its nodes cannot be ordered` };
  const ranges = record.tasks === "" ? [] : rangesOf(record.tasks);
  if (ranges === undefined) return { leftOut: `tasks "${record.tasks}", expected a list of task ids` };
  const most = Math.min(...[details?.most ?? 0, context.definitions.mostOfArray].filter((each) => each > 0));
  const free = !Number.isFinite(most)
    ? Number.POSITIVE_INFINITY
    : most - (context.runningTasks.get(record.id) ?? 0);
  const tasks = Math.min(ranges.length === 0 ? 1 : countIn(ranges), free);
  if (tasks <= 0) return [];
  return jobsOf(record, tasks, details, context);
}

interface Candidate {
  /** Its queues of one array that take the job; the first counts where they differ. */
  readonly places: readonly [Place, ...Place[]];
  readonly place: Place;
  readonly asked: Asked;
  readonly size: Size;
  readonly draws: readonly Draw[];
  readonly hostLimits: readonly HostLimit[];
}

interface Size {
  readonly pe: ParallelEnvironment | undefined;
  readonly slots: number;
  /** `spread`: slots may sit anywhere. */
  readonly kind: "one-host" | "spread" | "fixed";
  /** Slots on each host. */
  readonly perHost: number;
}

function jobsOf(
  record: JobRecord,
  tasks: number,
  details: Details | undefined,
  context: JobContext,
): readonly Job[] | LeftOut {
  const found = candidatesOf(record, context);
  if ("leftOut" in found) return found;
  const [preferred] = found;
  // All its queues are ignored.
  if (preferred === undefined) return [];
  const first = found.find(({ draws, size: { slots } }) => context.pools.hasRoom(draws, slots)) ?? preferred;
  const same = found.filter((each) => isAlike(each, first));
  const { size, asked } = first;
  const colocated =
    size.pe !== undefined && context.settings.parallel_environments[size.pe.name]?.colocated === true;
  const isWhole = asked.exclusive;
  const notes = [
    ...asked.notes,
    ...(same.length < found.length
      ? [
          `planned for node array "${first.place.array}" only: on others it would take another number of nodes`,
        ]
      : []),
    ...(record.masterQueues.length > 0
      ? ["-masterq chooses the node array alone: its slot is planned as the others"]
      : []),
  ];
  const common = {
    ...detailsOf(record, { queue: record.queues.join(",") }),
    ...whyItWaits(record, details),
    ...(isWhole ? { exclusive: true } : {}),
    ...withNotes(notes),
  };
  const name = nameOf(record, { waits: true });
  const nodeCount = Math.ceil(first.size.slots / first.size.perHost);
  const starting = context.pools.take(first.draws, size.slots, tasks);
  if (size.kind === "spread" && !isWhole && (tasks === 1 || !colocated)) {
    // Its slots are bought one by one, and what a job takes once was counted for all that may start: one that may not start takes
    // the whole job's share, which is not there.
    const pools =
      starting > 0
        ? poolsIn(
            first.draws.flatMap((draw) => (draw.perSlot > 0 ? [{ ...draw, perJob: 0 }] : [])),
            1,
            { once: false },
          )
        : poolsIn(first.draws, size.slots, { once: false });
    const constraints = { ...constraintsOf(same, 1, first, context, false), ...pools };
    const together = colocated ? { colocated } : { gangSize: size.slots };
    return [
      {
        ...common,
        name,
        constraints,
        iterations: size.slots * (starting > 0 ? starting : tasks),
        ...(size.slots > 1 ? together : {}),
      },
    ];
  }
  const perHost = size.kind === "spread" ? Math.ceil(size.slots / nodeCount) : size.perHost;
  const constraints = {
    ...constraintsOf(same, perHost, first, context, true),
    ...poolsIn(first.draws, size.slots, { once: nodeCount > 1 }),
  };
  if (nodeCount === 1) return [{ ...common, name, constraints, iterations: tasks }];
  return Array.from({ length: Math.min(tasks, mostGangs) }, (_, index) => {
    const own = tasks === 1 ? name : `${name}#${index}`;
    // Otherwise its hosts may be of several arrays.
    const together = colocated ? { colocated } : { gang: own, gangApart: true };
    return { ...common, name: own, constraints, nodeCount, ...together };
  });
}

/** Slots of a host that the job can use, in all queues that take it, with what each slot takes. */
function mostOn(places: readonly [Place, ...Place[]], asked: Asked, context: JobContext): number {
  const has = context.consumables(places[0]);
  const byConsumable = Object.entries(asked.perSlot).map(([name, amount]) =>
    Math.floor((has.get(name) ?? Number.POSITIVE_INFINITY) / amount),
  );
  const ofQueues = places.reduce((sum, { slots }) => sum + slots, 0);
  return Math.min(ofQueues, context.slotsOf(places[0].array), ...byConsumable);
}

/** Slots on a host that quotas of each host allow. */
function mostByQuota(hostLimits: readonly HostLimit[]): number {
  return Math.min(
    ...hostLimits.map(({ most, perSlot, perJob }) => {
      if (perJob > most) return 0;
      return perSlot > 0 ? Math.floor(most / perSlot) : Number.POSITIVE_INFINITY;
    }),
  );
}

type Alike = Pick<Candidate, "size" | "asked" | "draws">;

function isAlike(a: Alike, b: Alike): boolean {
  return (
    a.size.pe?.name === b.size.pe?.name &&
    a.size.kind === b.size.kind &&
    a.size.slots === b.size.slots &&
    a.asked.exclusive === b.asked.exclusive &&
    JSON.stringify(a.draws) === JSON.stringify(b.draws) &&
    // Slots that may sit anywhere may sit on nodes of any size.
    ((a.size.kind === "spread" && !a.asked.exclusive) || a.size.perHost === b.size.perHost)
  );
}

/** One for each array, in the order of the settings; or the first reason why there is none. */
function candidatesOf(record: JobRecord, context: JobContext): readonly Candidate[] | LeftOut {
  const { definitions, places, settings } = context;
  const who = { user: record.owner, department: record.department, project: record.project };
  const { isInteractive = false, checkpoint = "" } = context.details.get(record.id) ?? {};
  const refusals: string[] = [];
  const found: Candidate[] = [];
  const pes = record.pe === undefined ? [undefined] : pesMatching(definitions, record.pe.name);
  if (pes.length === 0) return { leftOut: `parallel environment "${record.pe?.name}" is not defined` };
  let isIgnored = false;
  const allowed: { readonly place: Place; readonly asked: Asked }[] = [];
  for (const place of places) {
    const { queue } = place;
    const hosts = hostsIn(record.queues, place);
    if (hosts === undefined) continue;
    const closed = context.closedQueues.get(queue.name);
    if (closed !== undefined) {
      refusals.push(`queue ${queue.name} ${closed}`);
      continue;
    }
    if (settings.ignore_queues.includes(queue.name)) {
      isIgnored = true;
      continue;
    }
    const asked = isOpenTo(place, who, definitions)
      ? askedAt([...record.requests, ...hosts], place, definitions)
      : { refused: `may not use queue ${queue.name}` };
    if ("refused" in asked) refusals.push(asked.refused);
    else if (checkpoint !== "" && !listFor(place, "ckpt_list").includes(checkpoint))
      refusals.push(`queue ${queue.name} has no checkpointing environment ${checkpoint}`);
    else allowed.push({ place, asked });
  }
  for (const own of Map.groupBy(allowed, ({ place }) => place.array).values()) {
    for (const pe of pes) {
      const there = own.filter(({ place }) => {
        const refused = refusedFor(pe, place, { ...who, isInteractive }, context);
        if (refused !== undefined) refusals.push(refused);
        return refused === undefined;
      });
      const drawn = there.flatMap(({ place, asked }) => {
        const draws = context.pools.drawsOf(who, pe, place, asked);
        if ("refused" in draws) refusals.push(draws.refused);
        return "refused" in draws ? [] : [{ place, asked, ...draws }];
      });
      // Queues of one array whose quotas are the same.
      const alike = Map.groupBy(drawn, ({ draws, hostLimits }) => JSON.stringify([draws, hostLimits]));
      const before = found.length;
      for (const [first, ...more] of alike.values()) {
        if (first === undefined) continue;
        const queues = [first.place, ...more.map(({ place }) => place)] as const;
        const size = sizeIn(record, pe, queues, first, context);
        const refused = "refused" in size ? size.refused : neverOf(first.draws, size.slots);
        if (refused !== undefined) refusals.push(refused);
        else if (!("refused" in size)) found.push({ ...first, places: queues, size });
      }
      if (found.length > before) break;
    }
  }
  if (found.length > 0) {
    // Its first task starts in one of these alone.
    const first = places.filter((place) => hostsIn(record.masterQueues, place) !== undefined);
    const near = found.filter((each) => first.some(({ array }) => array === each.place.array));
    return inOrderOfSettings(near.length > 0 ? near : found, Object.keys(settings.node_arrays));
  }
  if (isIgnored && refusals.length === 0) return [];
  return {
    leftOut: refusals[0] ?? `no node array has a queue of ${record.queues.join(", ") || "its"}`,
  };
}

/** A lower sequence number of the queue first; then the order of the settings. */
function inOrderOfSettings(found: readonly Candidate[], arrays: readonly string[]): readonly Candidate[] {
  const key = ({ place }: Candidate) => [sequence(place), arrays.indexOf(place.array)] as const;
  return found.toSorted((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1]);
}

function sequence({ queue }: Place): number {
  return Number(/^\d+/.exec(queue.fields.seq_no ?? "")?.[0] ?? 0);
}

/** Why a queue does not take jobs of a parallel environment, or without one. */
function refusedFor(
  pe: ParallelEnvironment | undefined,
  { queue, groups }: Place,
  { isInteractive, ...who }: Who & { readonly isInteractive: boolean },
  { definitions }: JobContext,
): string | undefined {
  if (pe === undefined) {
    const type = isInteractive ? "INTERACTIVE" : "BATCH";
    return fieldFor(queue.fields.qtype ?? type, groups).includes(type)
      ? undefined
      : `queue ${queue.name} takes no ${type.toLowerCase()} jobs`;
  }
  if (!listFor({ queue, groups }, "pe_list").includes(pe.name))
    return `queue ${queue.name} has no parallel environment ${pe.name}`;
  return mayUse(pe.allows, groups, who, definitions.accessLists)
    ? undefined
    : `may not use parallel environment ${pe.name}`;
}

/** What a queue has on hosts of the place: a list for their host group stands in place of the queue's. */
function listFor({ queue, groups }: Pick<Place, "queue" | "groups">, field: string): readonly string[] {
  return listOf(fieldFor(queue.fields[field] ?? "", groups));
}

/** Names in a list of a queue, for whichever hosts. */
function namedIn(list: string): readonly string[] {
  return listOf(list.replace(/\[[^=[\]]+=([^[\]]*)\]/g, " $1 "));
}

function sizeIn(
  record: JobRecord,
  pe: ParallelEnvironment | undefined,
  places: readonly [Place, ...Place[]],
  { asked, hostLimits }: Pick<Candidate, "asked" | "hostLimits">,
  context: JobContext,
): Size | { readonly refused: string } {
  const most = Math.min(mostOn(places, asked, context), mostByQuota(hostLimits));
  const where = `"${places[0].array}" have ${Math.max(0, most)} for it in ${places.map(({ queue }) => queue.name).join(", ")}`;
  if (pe === undefined)
    return most < 1
      ? { refused: `a slot on a host, and nodes of ${where}` }
      : { pe, slots: 1, kind: "one-host", perHost: 1 };
  const ranges = rangesOf(record.pe?.slots ?? "");
  if (ranges === undefined) return { refused: `slots "${record.pe?.slots}", expected a number or a range` };
  const fixed = Number(/^\d+$/.exec(pe.rule)?.[0] ?? Number.NaN);
  const slots = leastOf(ranges, Number.isNaN(fixed) ? 1 : fixed);
  if (slots === undefined)
    return { refused: `${record.pe?.slots} slots are no multiple of ${fixed}, as ${pe.name} wants` };
  if (slots > pe.slots) return { refused: `parallel environment ${pe.name} has ${pe.slots} slots` };
  const kind =
    pe.rule === "$fill_up" || pe.rule === "$round_robin"
      ? "spread"
      : Number.isNaN(fixed)
        ? "one-host"
        : "fixed";
  if (kind === "one-host" && pe.rule !== "$pe_slots")
    return { refused: `allocation rule "${pe.rule}" of ${pe.name} is not known` };
  const perHost = kind === "one-host" ? slots : kind === "fixed" ? fixed : Math.min(most, slots);
  if (perHost > most || most < 1)
    return { refused: `${Math.max(1, perHost)} slots on a host, and nodes of ${where}` };
  return { pe, slots, kind, perHost };
}

/** The fewest slots with which it starts. */
function leastOf(ranges: readonly Range[], multipleOf: number): number | undefined {
  const each = ranges.flatMap(({ least, most }) => {
    const first = Math.ceil(Math.max(1, least) / multipleOf) * multipleOf;
    return first <= most ? [first] : [];
  });
  return each.length === 0 ? undefined : Math.min(...each);
}

/** What `all.q`, `*@@group`, `all.q@host` ask of hosts of a queue, as `-l hostname` would; undefined: not in this queue. No list: any. */
function hostsIn(wanted: readonly string[], { queue, groups }: Place): readonly Request[] | undefined {
  if (wanted.length === 0) return [];
  const hosts = wanted
    .flatMap((each) => each.split(","))
    .flatMap((pattern) => {
      const [name = "", ...rest] = pattern.split("@");
      if (!matches(name === "" ? "*" : name, queue.name)) return [];
      const host = rest.join("@");
      if (host.startsWith("@")) return [...groups].some((group) => matches(host, group)) ? "*" : [];
      return host === "" ? "*" : host;
    });
  if (hosts.length === 0) return undefined;
  return hosts.includes("*") ? [] : [{ name: "hostname", value: hosts.join("|") }];
}

function constraintsOf(
  candidates: readonly Candidate[],
  slots: number,
  first: Candidate,
  context: JobContext,
  isWholeJob: boolean,
): Constraints {
  const amountsOf = ({ places, asked, hostLimits }: Candidate): Constraints => ({
    slots,
    ...context.slotsIn(places, slots),
    ...Object.fromEntries(
      hostLimits.map(({ name, perSlot, perJob }) => [name, perSlot * slots + (isWholeJob ? perJob : 0)]),
    ),
    ...Object.fromEntries(Object.entries(asked.perSlot).map(([name, amount]) => [name, amount * slots])),
    ...(isWholeJob ? asked.perJob : {}),
    ...(asked.notOn.length === 0 ? {} : { not: { "node.hostname": asked.notOn } }),
  });
  const alike = Map.groupBy(candidates, (candidate) => JSON.stringify(amountsOf(candidate)));
  const options = [...alike.values()].map((group) => {
    const arrays = group.map(({ place }) => place.array);
    const [one = first] = group;
    return { "node.nodearray": arrays.length === 1 ? arrays[0] : arrays, ...amountsOf(one) };
  });
  const [only = {}] = options;
  return options.length === 1 ? only : { or: options };
}

function poolsIn(draws: readonly Draw[], slots: number, { once }: { readonly once: boolean }): Constraints {
  const taken = draws.map((draw) => ({ ...draw, requested: wholeOf(draw, slots) }));
  return poolsConstraint(taken, { once });
}

function whyItWaits(
  { priority }: JobRecord,
  details: Details | undefined,
): Pick<Job, "waitingReason" | "behindOthers"> {
  // The scheduler has not looked at it.
  if (priority === 0) return { behindOthers: true };
  return details === undefined || details.reason === "" ? {} : { waitingReason: details.reason };
}
