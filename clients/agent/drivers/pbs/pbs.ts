import { shortHostname } from "../../../../shared/engine/index.ts";
import { configured, readOf } from "../configured.ts";
import type { Answers, Context, Job, NodeShape, Read, Reading, SetAside } from "../driver.ts";
import { readRecords } from "../records.ts";
import { byName, type Host, hostsByJob, hostsOf } from "./hosts.ts";
import type { JobContext, LeftOut, NodeSharing } from "./job-context.ts";
import { nameOf } from "./job-details.ts";
import { Limits } from "./limits.ts";
import { isKnownState as isKnownNodeState } from "./node-states.ts";
import { correction, isOffline, isOurs, stepsFor } from "./pbs-commands.ts";
import { type PbsList, readPbsJson } from "./pbs-json.ts";
import { type Remembered, remember } from "./pbs-memory.ts";
import { isIgnored, isSilent, stateOf } from "./pbs-nodes.ts";
import {
  type JobRecord,
  jobRecord,
  nodeRecord,
  type QueueRecord,
  queueRecord,
  serverRecord,
} from "./pbs-records.ts";
import {
  amountIn,
  booleanIn,
  type ResourceTypes,
  readResourceTypes,
  readScheduledResources,
} from "./pbs-resources.ts";
import { type PbsSettings, pbsSettingsSchema } from "./pbs-settings.ts";
import { countAll } from "./pbs-shapes.ts";
import { reservationsIn } from "./reservations.ts";
import { hostsOfUnreadable, isKnownState, isRunning, isSuspended, running } from "./running.ts";
import { parseSelect } from "./select.ts";
import { type Waiting, waiting } from "./waiting.ts";

/**
 * PBS's queue as jobs, its nodes as nodes: OpenPBS and PBS Professional. Nodes are created in PBS when they join, and deleted with
 * their VMs. Nodes are read before jobs: a job that starts in between is then told to run, and not to wait.
 */
export const pbs = configured("pbs", pbsSettingsSchema, (settings) => ({
  reads: ({ memory }) => reads(settings, remember(memory)),
  interpret: (answers, context) => interpret(answers, context, settings),
  commandsFor: (event, { memory }) => stepsFor(event, memory, settings),
}));

/** A comment may be a whole story; what it begins with says whose it is. */
const longestComment = 500;

function reads(
  { qstat, pbsnodes, qmgr, pbs_rstat, sched_config }: PbsSettings,
  { hasReservations, hasGroups }: Remembered,
): readonly (readonly Read[])[] {
  return [
    [
      // Ends with 1 when there are no nodes.
      readOf("nodes", pbsnodes, ["-a", "-v", "-F", "json"], [1]),
      readOf("queues", qstat, ["-Q", "-f", "-F", "json"]),
      readOf("resources", qmgr, ["-c", "list resource"]),
      ...(hasGroups === true ? [readOf("scheduler", qmgr, ["-c", "list sched"])] : []),
      // Of root, or on another machine: then all resources count.
      readOf("scheduled", ["cat"], [sched_config], [1]),
      // By env, which says with 127 that there is no such program: then hosts of reservations are held as a whole.
      ...(hasReservations === true
        ? [readOf("reservations", ["env", ...pbs_rstat], ["-f"], [1, 2, 126, 127])]
        : []),
    ],
    [
      // Times are the client's own, without their zone.
      readOf("jobs", ["env", "TZ=UTC", ...qstat], ["-t", "-f", "-F", "json"]),
      // After the jobs: what was used when they were read is not more than this. It answers, too, where "no nodes" could mean "no server".
      readOf("server", qstat, ["-B", "-f", "-F", "json"]),
    ],
  ];
}

function interpret(answers: Answers, context: Context, settings: PbsSettings): Reading {
  const lists = listsIn(answers);
  if (typeof lists === "string") return { known: false, reason: lists };
  const scheduled =
    answers.scheduled?.exitCode === 0 ? readScheduledResources(answers.scheduled.text) : undefined;
  if (answers.scheduled?.exitCode === 0 && scheduled === undefined)
    return { known: false, reason: `"${settings.sched_config}" has no line "resources"` };
  const types = readResourceTypes(answers.resources?.text ?? "", scheduled);
  if (types === undefined) return { known: false, reason: '"qmgr" did not list all resources' };
  const before = remember(context.memory);
  const setAside: SetAside[] = [];
  const nodes = readList(lists.nodes, nodeRecord, "node", () => []);
  setAside.push(...nodes.setAside, ...unknownStatesOf(nodes.records));
  const { reservations: printed } = answers;
  const reservations = reservationsIn(printed?.exitCode === 0 ? printed.text : "", nodes.records);
  const all = hostsOf(nodes.records, before.comments, reservations);
  const hosts = all.filter((host) => !isIgnored(host, settings));
  const hostOf = byName(all);
  const listedOn = hostsByJob(all);
  const jobs = readList(lists.jobs, jobRecord, "job", (id, value) =>
    hostsOfUnreadable(id, value, { listedOn, hostOf }),
  );
  setAside.push(...jobs.setAside.flatMap(onEachHost));
  const queues = readList(lists.queues, queueRecord, "queue", () => []);
  setAside.push(...queues.setAside);
  const [server] = readList(lists.server, serverRecord, "server", () => []).records;
  if (server === undefined) return { known: false, reason: '"qstat -B" printed no server' };
  const records = jobs.records.map((job): JobRecord => ({ ...job, id: job.name }));
  const unlisted = unlistedIn(records, types);
  if (unlisted !== undefined)
    return { known: false, reason: `resource "${unlisted}" of a job is not among those that qmgr lists` };
  const remembered = { ...before, resources: types.own() };
  const counted = countAll(hosts, { types, settings, remembered });
  if (counted === undefined)
    return { known: false, reason: "a node has a resource that is not among those that qmgr lists" };
  const ofNodes = [
    ...counted.shapes.map(({ resources }) => resources),
    ...counted.resources.values(),
  ].flatMap((resources) => Object.entries(resources));
  const runningRecords = records.filter((job) => isRunning(job) && !isArray(job));
  const queueOf = new Map(queues.records.map((queue) => [queue.name, queue]));
  const jobContext: JobContext = {
    settings,
    nowSeconds: context.nowSeconds,
    queues: queueOf,
    server,
    queuePriorities: queuePrioritiesOf(queues.records, answers.scheduled?.text ?? ""),
    sortsByPriority:
      /^job_sort_key:\s*"(?:job|sort)_priority\s+HIGH"/im.test(answers.scheduled?.text ?? "") ||
      server.job_sort_formula.includes("job_priority"),
    types,
    listedOn,
    hostOf,
    reservedQueues: new Set(reservations.map(({ queue }) => queue)),
    limits: new Limits(
      server,
      queueOf,
      // Limits count no suspended job.
      runningRecords.filter((record) => !isSuspended(record)),
      types,
    ),
    haveSome: new Set(ofNodes.flatMap(([name, value]) => (value === true ? [name] : []))),
    shapes: counted.shapes,
    amountsOfNodes: amountsIn(ofNodes),
    fullHosts: hosts
      .filter(({ vnodes }) => vnodes.every(({ state }) => state.includes("job-busy")))
      .map(({ name }) => name),
    sharing: sharingOf(hosts),
    passesOverGroups:
      answers.scheduler !== undefined && !/do_not_span_psets = True/i.test(answers.scheduler.text),
  };
  const posted: Job[] = [];
  const post = (name: string, made: readonly Job[] | LeftOut) => {
    if (!("leftOut" in made)) return posted.push(...made);
    const { leftOut: reason, ...where } = made;
    return setAside.push({ record: `job ${name}`, reason, ...where });
  };
  for (const record of [...runningRecords, ...reservations]) post(record.id, running(record, jobContext));
  const othersRun = new Set<string>();
  for (const group of waitingIn(records, setAside)) {
    const [first] = group.tasks;
    if (first === undefined || othersRun.has(first.id)) continue;
    const made = waiting(group, jobContext);
    post(group.name, made);
    if (!("leftOut" in made) && made.length > 0) for (const id of heldBy(first)) othersRun.add(id);
  }
  const busy = new Set(
    [...posted, ...setAside].flatMap(({ executingHostnames = [] }) => executingHostnames.map(shortHostname)),
  );
  const gone = new Set(before.deleted);
  const there = hosts.filter((host) => host.hasAnswered && !gone.has(shortHostname(host.name)));
  const known = { remembered, settings, running: busy };
  return {
    known: true,
    jobs: posted,
    nodes: there.map((host) => ({
      hostname: host.name,
      resources: counted.resources.get(host.name) ?? {},
      ...stateOf(host, busy, context),
    })),
    shapes: counted.shapes,
    setAside: [...setAside, ...counted.setAside],
    silent: there.filter(isSilent).map(({ name }) => name),
    corrections: hosts.flatMap((host) => correction(host, context, known)),
    memory: {
      ...memoryAfter(before, hosts, { types, shapes: counted.toRemember }),
      ...(hasGroups(records, server) ? { hasGroups: true } : {}),
    },
  };
}

function listsIn(answers: Answers) {
  const textOf = (name: string) => answers[name]?.text ?? "";
  const jobs = readPbsJson(textOf("jobs"), "Jobs");
  const queues = readPbsJson(textOf("queues"), "Queue");
  const server = readPbsJson(textOf("server"), "Server");
  // "Server has no node list" goes to standard error; a server that is away answers nothing else either.
  const hasNone = answers.nodes?.exitCode === 1 && textOf("nodes").trim() === "";
  const none: PbsList = { records: new Map(), broken: new Map() };
  const nodes = hasNone ? none : readPbsJson(textOf("nodes"), "nodes");
  if (jobs === undefined) return '"qstat" printed no jobs as JSON, or not all of them';
  if (nodes === undefined) return '"pbsnodes" printed no nodes as JSON, or not all of them';
  if (queues === undefined || server === undefined) return '"qstat" printed no queues or no server as JSON';
  return { jobs, nodes, queues, server };
}

/** Records with their names. Those that are no JSON are set aside like those that do not check out. */
function readList<T>(
  { records, broken }: PbsList,
  schema: Parameters<typeof readRecords<T>>[1],
  what: string,
  hostsIn: (name: string, value: unknown) => readonly string[],
) {
  const found: (T & { readonly name: string })[] = [];
  const setAside: SetAside[] = [];
  for (const [name, value] of records) {
    const read = readRecords([value], schema, {
      nameOf: () => `${what} ${name}`,
      hostsOf: (record) => hostsIn(name, record),
    });
    found.push(...read.records.map((record) => ({ ...record, name })));
    setAside.push(...read.setAside);
  }
  for (const [name, text] of broken) {
    const executingHostnames = hostsIn(name, text);
    const hosts = executingHostnames.length === 0 ? {} : { executingHostnames };
    const reason = "no JSON: its values cannot be told apart";
    setAside.push({ record: `${what} ${name}`, reason, ...hosts });
  }
  return { records: found, setAside };
}

/** As many as its hosts: a job that has different amounts of each would have been as many jobs. */
function onEachHost(each: SetAside): readonly SetAside[] {
  const { record, reason, executingHostnames: hosts = [] } = each;
  if (hosts.length < 2) return [each];
  return hosts.map((host) => ({ record: `${record} on ${host}`, reason, executingHostnames: [host] }));
}

function unknownStatesOf(
  records: readonly { readonly name: string; readonly state: string }[],
): readonly SetAside[] {
  return records.flatMap(({ name, state }) => {
    const unknown = state.split(",").filter((each) => !isKnownNodeState(each.trim().toLowerCase()));
    if (unknown.length === 0) return [];
    return [
      { record: `node ${name}`, reason: `state "${unknown.join(", ")}" is not known: it takes no jobs` },
    ];
  });
}

/** What qmgr does not list although a job asks for it: the list was cut short. */
function unlistedIn(records: readonly JobRecord[], types: ResourceTypes): string | undefined {
  const seen = new Set<string>();
  for (const { schedselect } of records) {
    if (seen.has(schedselect)) continue;
    seen.add(schedselect);
    for (const { resources } of parseSelect(schedselect) ?? [])
      for (const name of resources.keys()) if (types.kindOf(name) === undefined) return name;
  }
  return undefined;
}

function amountsIn(values: readonly (readonly [string, unknown])[]): JobContext["amountsOfNodes"] {
  const amounts = values.flatMap(([name, written]) => {
    const value = Number(String(written).replace("size::", ""));
    return typeof written === "boolean" || written === null || Number.isNaN(value) ? [] : [{ name, value }];
  });
  return new Map(
    [...Map.groupBy(amounts, ({ name }) => name)].map(([name, each]) => [
      name,
      [...new Set(each.map(({ value }) => value))].sort((a, b) => a - b),
    ]),
  );
}

function isArray({ id }: JobRecord): boolean {
  return id.includes("[]");
}

/** Jobs that are queued; tasks of one array together, as many as may run at a time. */
function waitingIn(records: readonly JobRecord[], setAside: SetAside[]): readonly Waiting[] {
  const arrays = new Map(records.filter(isArray).map((record) => [nameOf(record), record]));
  const queued: { readonly name: string; readonly record: JobRecord }[] = [];
  const busy = new Map<string, number>();
  for (const record of records) {
    if (isArray(record)) continue;
    const name = nameOf(record).replace(/\[\d+\]$/, "[]");
    if (isRunning(record)) busy.set(name, (busy.get(name) ?? 0) + 1);
    else if (record.job_state === "Q") queued.push({ name, record });
    else if (!isKnownState(record.job_state))
      setAside.push({
        record: `job ${record.id}`,
        reason: `state "${record.job_state}" is not known: it waits`,
      });
  }
  return [...Map.groupBy(queued, ({ name }) => name)].flatMap(([name, group]): readonly Waiting[] => {
    const tasks = group.map(({ record }) => record);
    const array = arrays.get(name);
    // Held as a whole; its tasks do not show it.
    if (array !== undefined && array.job_state !== "Q" && array.job_state !== "B") return [];
    const most = amountIn(array?.max_run_subjobs ?? "");
    const left = most === undefined ? tasks.length : Math.max(0, most - (busy.get(name) ?? 0));
    return left === 0 ? [] : [{ name, tasks: tasks.slice(0, left) }];
  });
}

/**
 * A queue's own priority leads. Among equal ones the first in the server's order has most, unless sched_config says
 * that they take turns. None where it says that all queues are one. A step is more than any `qsub -p` (at most 1024).
 */
function queuePrioritiesOf(
  queues: readonly (QueueRecord & { readonly name: string })[],
  scheduled: string,
): JobContext["queuePriorities"] {
  const takeTurns = /^round_robin:\s*True/im.test(scheduled);
  if (!takeTurns && /^by_queue:\s*False/im.test(scheduled)) return new Map();
  return new Map(
    [...Map.groupBy(queues, ({ Priority }) => Number(Priority) || 0)].flatMap(([priority, equal]) =>
      equal.map(({ name }, index) => {
        const later = takeTurns ? 0 : equal.length - 1 - index;
        return [name, priority * 10_000_000 + later * 10_000] as const;
      }),
    ),
  );
}

/** Jobs that PBS holds once this one runs (`-W depend=runone:…`). */
function heldBy({ depend }: JobRecord): readonly string[] {
  return depend
    .split(",")
    .filter((each) => each.startsWith("runone:"))
    .flatMap((each) => each.split(":").slice(1))
    .map((other) => other.split("@")[0] ?? "");
}

function hasGroups(records: readonly JobRecord[], server: JobContext["server"]): boolean {
  return records.some(
    ({ job_state, Resource_List }) =>
      job_state === "Q" &&
      (booleanIn(server.node_group_enable) === true ||
        Resource_List.get("place")?.includes("group=") === true),
  );
}

/** What nodes say of sharing; where they differ, jobs decide. */
function sharingOf(hosts: readonly Host[]): NodeSharing {
  const [sharing, ...others] = new Set(hosts.flatMap(({ vnodes }) => vnodes.map((vnode) => vnode.sharing)));
  if (sharing === undefined || others.length > 0) return "as-asked";
  if (/^force_excl/.test(sharing)) return "always-exclusive";
  if (/^default_excl/.test(sharing)) return "exclusive-unless-asked";
  return sharing === "ignore_excl" || sharing === "force_shared" ? "never-exclusive" : "as-asked";
}

function memoryAfter(
  before: Remembered,
  hosts: readonly Host[],
  { types, shapes }: { readonly types: ResourceTypes; readonly shapes: readonly NodeShape[] },
) {
  const there = new Set(hosts.map(({ name }) => shortHostname(name)));
  const offline = hosts.filter(isOffline);
  const byOthers = offline.filter((host) => !isOurs(host));
  return {
    resources: types.own(),
    ...(hosts.some(({ vnodes }) => vnodes.some(({ resv }) => resv.length > 0))
      ? { hasReservations: true }
      : {}),
    joined: Object.fromEntries(Object.entries(before.joined).filter(([name]) => there.has(name))),
    deleted: before.deleted.filter((name) => there.has(name)),
    byOthers: byOthers.map(({ name }) => shortHostname(name)),
    comments: Object.fromEntries(
      offline.flatMap(({ name, comment }) =>
        comment === "" ? [] : [[shortHostname(name), comment.slice(0, longestComment)]],
      ),
    ),
    shapes,
  };
}
