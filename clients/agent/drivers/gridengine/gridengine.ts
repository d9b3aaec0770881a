import { memberOf, shortHostname } from "../../../../shared/engine/index.ts";
import { configured, readOf } from "../configured.ts";
import type { Answers, Context, Job, NodeShape, Read, Reading, SetAside } from "../driver.ts";
import { hasNoDecision } from "../late-news.ts";
import { commandsFor, remove } from "./commands.ts";
import { type Definitions, definitionsCommand, parseDefinitions } from "./definitions.ts";
import {
  arrayOf,
  closedQueuesOf,
  correction,
  type Host,
  hasSlots,
  hostsOf,
  isBusy,
  isOut,
  isSilent,
  resourcesOf,
  seenOn,
  toNode,
  unknownStates,
} from "./gridengine-nodes.ts";
import { type GridengineSettings, gridengineSettingsSchema } from "./gridengine-settings.ts";
import type { JobContext } from "./job-context.ts";
import { readDetails } from "./job-details.ts";
import { type Details, type GridengineMemory, readMemory } from "./memory.ts";
import { consumablesAt, type Place, placesOf, slotsOfNode } from "./places.ts";
import { type Pools, poolsOf } from "./pools.ts";
import { type JobRecord, type RunningRecord, readQueues } from "./queue-records.ts";
import { slotsName, toRunning } from "./running.ts";
import { needsDetails, toWaiting } from "./waiting.ts";
import { parseXml } from "./xml.ts";

/**
 * Grid Engine's jobs as jobs, its hosts with queues as nodes. One command prints both at one moment; what administrators define
 * is read now and then.
 */
export const gridengine = configured("gridengine", gridengineSettingsSchema, (settings) => ({
  reads: (context) => reads(settings, context),
  interpret: (answers, context) => interpret(answers, context, settings),
  commandsFor: (event, context) => commandsFor(event, context, settings, definitionsIn),
}));

/** An administrator's change counts after so long at the latest. */
const definitionsKnownSeconds = 300;
/** The daemon of a node that boots has started by then. */
const mostSilentSeconds = 300;
/** Jobs that `qstat -j` is asked about at once. */
const mostAsked = 1000;
/** Of those that wait, so many are asked again why. */
const mostReasons = 30;

/** Queues and jobs of all users with all that is known of them. */
const everything = ["-xml", "-s", "prs", "-r", "-f", "-ext", "-pri", "-explain", "acE", "-u", "*", "-F"];

function reads(
  settings: GridengineSettings,
  context: Pick<Context, "memory" | "nowSeconds">,
): readonly (readonly Read[])[] {
  const { definitions, asking } = readMemory(context.memory);
  // A time in the future was written by a clock that was ahead and has been set right.
  const isOld =
    definitions === undefined ||
    Math.abs(context.nowSeconds - definitions.atSeconds) >= definitionsKnownSeconds;
  // Without the variable, times are the host's own, and do not say their zone.
  const qstat = ["env", "TZ=UTC", ...settings.qstat];
  return [
    [
      readOf("qstat", qstat, everything),
      ...(asking.length === 0 ? [] : [readOf("details", qstat, ["-xml", "-j", asking.join(",")], [1])]),
      ...(isOld
        ? [{ kind: "command" as const, name: "definitions", ...definitionsCommand(settings.qconf) }]
        : []),
    ],
  ];
}

function definitionsIn({ definitions }: Pick<GridengineMemory, "definitions">): Definitions | undefined {
  return definitions === undefined ? undefined : parseDefinitions(definitions.text);
}

function interpret(answers: Answers, context: Context, settings: GridengineSettings): Reading {
  const memory = readMemory(context.memory);
  const read = readQueues(answers.qstat?.text ?? "");
  if (read === undefined)
    return { known: false, reason: '"qstat -xml -f" printed no whole list of queues and jobs' };
  const kept =
    answers.definitions === undefined
      ? memory.definitions
      : { text: answers.definitions.text, atSeconds: context.nowSeconds };
  const definitions = definitionsIn({ definitions: kept });
  if (kept !== undefined && definitions === undefined)
    return { known: false, reason: "qconf did not print all queues, complexes and parallel environments" };
  const told =
    answers.details === undefined ? new Map<string, Details>() : readDetails(parseXml(answers.details.text));
  if (told === undefined) return { known: false, reason: '"qstat -xml -j" printed no whole list of jobs' };
  const details = new Map([...Object.entries(memory.details), ...told]);
  const setAside: SetAside[] = [...read.setAside];
  const removed = new Set(memory.removed);
  const hosts = hostsOf(read.instances, read.running);
  const there = hosts.filter(
    (host) => (!removed.has(host.short) || host.jobs.length > 0) && (hasSlots(host) || isBusy(host)),
  );
  for (const instance of read.instances) {
    const unknown = unknownStates(instance);
    if (unknown.length > 0)
      setAside.push({
        record: `queue instance ${instance.queue}@${instance.host}`,
        reason: `state "${unknown.join("")}" is not known: taken for closed`,
      });
  }
  const cell = cellOf(settings, definitions, there, memory);
  const waiting: Job[] = [];
  const groupsOf = (host: string) => [
    ...(definitions?.groupsNaming(host.toLowerCase()) ?? []),
    ...(settings.node_arrays[cell.arrayOf.get(host) ?? ""]?.host_groups ?? []),
  ];
  const pools =
    definitions === undefined
      ? undefined
      : poolsOf({ definitions, running: read.running, hosts, offers: cell.offers, groupsOf });
  if (definitions !== undefined && pools !== undefined) {
    const { nowSeconds } = context;
    const closedQueues = closedQueuesOf(read.instances);
    const given = { settings, definitions, details, pools, nowSeconds, closedQueues };
    const jobContext = jobContextOf(given, cell, read.running);
    const taken = new Map<string, number>();
    for (const record of read.waiting) {
      const found = toWaiting(record, jobContext);
      if ("leftOut" in found) {
        setAside.push({ record: `job ${record.id}`, reason: found.leftOut });
        continue;
      }
      for (const job of found) {
        // Tasks of one array may be listed twice, such as those that run again.
        const times = (taken.get(job.name) ?? 0) + 1;
        taken.set(job.name, times);
        waiting.push(times === 1 ? job : { ...job, name: `${job.name}+${times}` });
      }
    }
  }
  const runs = toRunning(
    read.running,
    definitions,
    cell.counted,
    cell.queues.length > 0,
    (record) => pools?.takenOnHost(record) ?? {},
  );
  const limits = limitsByArray(pools);
  const disabled = there.filter(isOut);
  const silentSince = Object.fromEntries(
    there
      .filter(isSilent)
      .map(({ short }) => [
        short,
        Math.min(memberOf(memory.silentSince, short) ?? context.nowSeconds, context.nowSeconds),
      ]),
  );
  const isOurs = ({ short }: Host) =>
    !memory.others.includes(short) && (context.draining.has(short) || memory.ours.includes(short));
  return {
    known: true,
    jobs: [...runs, ...waiting],
    nodes: there.map((host) => {
      const resources = { ...cell.resources.get(host.hostname), ...limits(cell.arrayOf.get(host.hostname)) };
      const isLost = context.nowSeconds - (silentSince[host.short] ?? context.nowSeconds) > mostSilentSeconds;
      const isForgotten = hasNoDecision(host.short, context);
      return toNode(host, resources, { isOurs: isOurs(host), isForgotten, isLost });
    }),
    shapes: cell.shapes.map(({ nodeArray, resources }) => ({
      nodeArray,
      resources: { ...resources, ...limits(nodeArray) },
    })),
    setAside,
    silent: there.filter(isSilent).map(({ hostname }) => hostname),
    corrections: [
      ...remove(
        hosts
          .filter(({ short, jobs }) => removed.has(short) && jobs.length === 0)
          .map(({ hostname }) => ({ host: hostname, array: undefined })),
        settings,
        definitions,
      ),
      ...there.flatMap((host) =>
        correction(host, cell.arrayOf.get(host.hostname), context, memory, settings),
      ),
    ],
    memory: {
      definitions: kept,
      details: Object.fromEntries(
        read.waiting.flatMap(({ id }) => (details.has(id) ? [[id, details.get(id)]] : [])),
      ),
      asking: askedNext(read.waiting, details, definitions),
      arrays: memory.arrays,
      nodeIds: memory.nodeIds,
      silentSince,
      seen: cell.seen,
      ours: memory.ours.filter(
        (name) => !memory.others.includes(name) && disabled.some(({ short }) => short === name),
      ),
      others: disabled.filter((host) => !isOurs(host)).map(({ short }) => short),
      removed: memory.removed.filter((name) =>
        hosts.some(({ hostname }) => shortHostname(hostname) === name),
      ),
    },
  };
}

/** Jobs of which something has to be known first, and the first ones that wait, for why they do. */
function askedNext(
  waiting: readonly JobRecord[],
  details: ReadonlyMap<string, Details>,
  definitions: Pick<Definitions, "queues"> = { queues: [] },
): readonly string[] {
  const wanting = waiting.filter(({ state }) => !/[hEd]/.test(state));
  const first = wanting
    .filter((record) => needsDetails(record, definitions) && !details.has(record.id))
    .map(({ id }) => id);
  const why = wanting.slice(0, mostReasons).map(({ id }) => id);
  return [...new Set([...first, ...why])].slice(0, mostAsked);
}

/** What quotas leave of each host of an array; 0 of what jobs on other arrays are limited by. */
function limitsByArray(
  pools: Pools | undefined,
): (array: string | undefined) => Readonly<Record<string, number>> {
  const ofHosts = pools?.limitsOfHosts() ?? new Map<string, Readonly<Record<string, number>>>();
  const names = [...ofHosts.values()].flatMap((limits) => Object.keys(limits));
  const none = Object.fromEntries(names.map((name) => [name, 0]));
  return (array) => ({ ...none, ...(array === undefined ? {} : ofHosts.get(array)) });
}

/** Node arrays, their places and what nodes have. */
interface Cell {
  readonly places: readonly Place[];
  /** What nodes of a place have of slots or a consumable; without end of what is not counted there. */
  readonly offers: (place: Place, complex: string) => number;
  /** Consumables of hosts that shapes and nodes count, beside slots. */
  readonly counted: ReadonlySet<string>;
  /** Queues whose slots are counted by themselves, because nodes have several; none where each has one. */
  readonly queues: readonly string[];
  readonly shapes: readonly NodeShape[];
  /** By host name. */
  readonly resources: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly arrayOf: ReadonlyMap<string, string>;
  readonly seen: GridengineMemory["seen"];
}

function cellOf(
  settings: GridengineSettings,
  definitions: Definitions | undefined,
  hosts: readonly Host[],
  memory: GridengineMemory,
): Cell {
  const arrays = new Map(
    hosts.flatMap((host) => {
      const array = arrayOf(host, settings, memory, definitions);
      return array === undefined ? [] : [[host.hostname, array] as const];
    }),
  );
  const toCome = (host: Host) => settings.node_arrays[arrays.get(host.hostname) ?? ""]?.complex_values ?? {};
  if (definitions === undefined)
    return {
      places: [],
      offers: () => Number.POSITIVE_INFINITY,
      counted: new Set(),
      queues: [],
      shapes: [],
      resources: new Map(
        hosts.map((host) => [host.hostname, resourcesOf(host, undefined, new Set(), [], toCome(host))]),
      ),
      arrayOf: arrays,
      seen: memory.seen,
    };
  const ofHosts = new Set(
    hosts.flatMap(({ instances }) =>
      instances.flatMap(({ resources }) =>
        resources.flatMap(({ name, type, value }) => {
          const isCounted = /^[hq]c$/.test(type) && name !== "slots" && !/^inf/i.test(value);
          return isCounted && definitions.complexes.get(name)?.relation !== "EXCL" ? [name] : [];
        }),
      ),
    ),
  );
  const all = new Map(
    hosts.map((host) => [host.hostname, resourcesOf(host, definitions, ofHosts, [], toCome(host))] as const),
  );
  const seen = { ...memory.seen };
  for (const host of hosts) {
    const array = arrays.get(host.hostname);
    // A host that does not answer reports nothing.
    if (array !== undefined && !isSilent(host))
      seen[array] = seenOn(host, all.get(host.hostname) ?? {}, definitions);
  }
  const places = placesOf(
    settings,
    definitions,
    seen,
    hosts.map(({ hostname }) => hostname),
  );
  const byArray = Map.groupBy(places, ({ array }) => array);
  const consumables = new Map(
    [...byArray].map(([array, own]) => {
      const amounts = own.flatMap((place) => [...consumablesAt(place, definitions)]);
      return [array, Object.fromEntries(amounts)] as const;
    }),
  );
  const counted = new Set([...ofHosts, ...[...consumables.values()].flatMap((each) => Object.keys(each))]);
  const isOfSeveral =
    [...byArray.values()].some((own) => own.length > 1) ||
    hosts.some(({ instances }) => instances.length > 1);
  const queues = isOfSeveral
    ? [
        ...new Set([
          ...places.map(({ queue }) => queue.name),
          ...hosts.flatMap(({ instances }) => instances.map(({ queue }) => queue)),
        ]),
      ]
    : [];
  const shapes = [...byArray].map(([nodeArray, own]): NodeShape => {
    const slotsByQueue = queues.map((name) => [
      slotsName(name),
      own.find(({ queue }) => queue.name === name)?.slots ?? 0,
    ]);
    const none = [...counted].map((name) => [name, 0]);
    return {
      nodeArray,
      resources: {
        slots: slotsOfNode(own),
        ...Object.fromEntries(slotsByQueue),
        ...Object.fromEntries(none),
        ...consumables.get(nodeArray),
      },
    };
  });
  return {
    places,
    offers: ({ array }, complex) =>
      complex === "slots"
        ? slotsOfNode(byArray.get(array) ?? [])
        : (consumables.get(array)?.[complex] ?? Number.POSITIVE_INFINITY),
    counted,
    queues,
    shapes,
    resources: new Map(
      hosts.map((host) => [host.hostname, resourcesOf(host, definitions, counted, queues, toCome(host))]),
    ),
    arrayOf: arrays,
    seen,
  };
}

function jobContextOf(
  given: Pick<JobContext, "settings" | "definitions" | "details" | "pools" | "nowSeconds" | "closedQueues">,
  { places, queues }: Cell,
  running: readonly RunningRecord[],
): JobContext {
  const { definitions } = given;
  const byArray = Map.groupBy(places, ({ array }) => array);
  const slots = new Map([...byArray].map(([array, own]) => [array, slotsOfNode(own)]));
  const consumables = new Map(places.map((place) => [place, consumablesAt(place, definitions)]));
  const tasks = Map.groupBy(running, ({ id }) => id);
  return {
    ...given,
    places,
    runningTasks: new Map([...tasks].map(([id, own]) => [id, new Set(own.map((each) => each.tasks)).size])),
    consumables: (place) => consumables.get(place) ?? new Map(),
    slotsOf: (array) => slots.get(array) ?? 0,
    slotsIn: (own, count) => {
      const [first] = own;
      const isAll = first === undefined || own.length === byArray.get(first.array)?.length;
      return queues.length === 0 || isAll ? {} : { [slotsName(first.queue.name)]: count };
    },
  };
}
