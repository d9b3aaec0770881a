import { z } from "zod";
import { parseConstraints } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";
import { jobDetails, withoutBadDetails } from "./job-details.ts";
import {
  hasConstraintWarnings,
  jobWarnings,
  type KnownKeys,
  keyWarnings,
  longestWarning,
  mostWarnings,
} from "./job-warnings.ts";
import { listReader } from "./list-reader.ts";
import { readEnvelope } from "./message-body.ts";
import { checkTargetItems, type NodeArrayTarget, nodeArrayTargets } from "./node-array-target.ts";
import { hostKeys, runningHosts } from "./running-hosts.ts";
import { type Checked, checkItems, problemsInPlace, type SetAside } from "./set-aside.ts";
import { isPlainName, jobName, listOf } from "./sizes.ts";

/** Messages of version 1; a message of another version is refused, never guessed at. */
export const demandVersion = 1;
export const mostJobs = 200_000;
export const mostNodes = 100_000;
/** Of each array and VM size one is enough. */
export const mostNodeShapes = 2_000;
const mostParts = 1_000;
const mostIterations = 10_000_000;
const mostTtlSeconds = 86_400;
const mostCapabilities = 100;
const longestCapability = 100;
const mostNotices = 3;
const longestNotice = 300;
const mostProblems = 50;
const longestStateReason = 500;
const longestNote = 500;
const mostNotes = 20;

/** scalelib prints its jobs in kebab-case, the Python API uses snake_case: all three spellings mean the same. */
const spellings: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...["nodeCount", "packingStrategy", "executingHostnames", "submittedAt", "runtimeSeconds"],
    ...["startedAtSeconds", "jobName", "waitingReason", "behindOthers", "nodeArray", "vmSize"],
  ].flatMap((name) =>
    ["-", "_"].map((mark) => [name.replaceAll(/[A-Z]/g, (letter) => mark + letter.toLowerCase()), name]),
  ),
);

/** scalelib prints it beside `iterations`: of an array that is half done, only the rest is wanted. */
const left = "iterations-remaining";

const isRespelt = (key: string) => Object.hasOwn(spellings, key) || key === left;

function respell(value: unknown): unknown {
  if (!isDictionary(value) || !Object.keys(value).some(isRespelt)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [spellings[key] ?? key, inner] as const);
  if (Object.hasOwn(value, left)) entries.push(["iterations", value[left]]);
  return Object.fromEntries(entries);
}

/** A job without what must not set it aside; undefined when there is nothing of that kind. */
function withoutBad(value: unknown): unknown {
  const job = respell(value);
  const better = isDictionary(job) ? withoutBadDetails(job) : job;
  return better === job ? undefined : better;
}

const hostname = z.string().min(1).max(255);

/** For `superRefine`: every problem of constraints that cannot be read. */
export function refuseBadConstraints(value: unknown, context: z.RefinementCtx): void {
  const parsed = parseConstraints(value ?? []);
  if (parsed.ok) return;
  for (const { path, message } of parsed.problems) {
    context.addIssue({ code: "custom", message: `${path}: ${message}` });
  }
}

export const constraintsSchema = z.unknown().superRefine(refuseBadConstraints);

const job = z.preprocess(
  respell,
  z.object({
    name: jobName,
    constraints: constraintsSchema
      .default([])
      .describe(
        "scalelib's constraints: an object, or a list of objects all of which hold; see docs/constraints.md",
      ),
    iterations: z.int().min(0).max(mostIterations).default(1),
    nodeCount: z.int().min(0).max(mostIterations).default(0),
    colocated: z.boolean().default(false),
    gang: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        "Jobs of a source with the same one are parts of one job: they all get what they ask for, or none gets anything",
      ),
    gangApart: z
      .boolean()
      .optional()
      .describe(
        "Whether it lies on no node of another job of its `gang` that says so too; the nodes of one job may then be of several arrays and sizes. Without a `gang`: no effect",
      ),
    mayDivide: z
      .boolean()
      .optional()
      .describe(
        "Whether its nodes may be of several arrays, sizes and placement groups where none of them could ever hold all of it. `colocated` jobs of a gang that say so, or say false, are in one placement group until they are divided. Without a `gang`: no effect",
      ),
    gangSize: z
      .int()
      .min(1)
      .max(mostIterations)
      .optional()
      .describe(
        "How many of the `iterations` start at once: they get places in lots of so many, all of a lot or none. Absent: each by itself",
      ),
    exclusive: z.boolean().default(false),
    packingStrategy: z.enum(["pack", "scatter"]).optional(),
    executingHostnames: z.array(hostname).max(mostNodes).default([]),
    priority: z.number().default(0),
    submittedAt: z.iso.datetime({ offset: true }).optional(),
    ...jobDetails,
    notes: z
      .array(z.string().max(longestNote))
      .max(mostNotes)
      .optional()
      .describe("For people: what of the job's wishes its sender could not carry over; `explain` shows them"),
    warnings: z
      .array(z.string().max(longestWarning))
      .max(mostWarnings)
      .optional()
      .describe("For people: what of the job its reader did not understand. The reader fills it in"),
  }),
);

const jobKeys: KnownKeys = {
  keys: Object.keys(job.out.shape),
  spellings: [...Object.keys(spellings), left],
};

const resourceValue = z.union([z.number(), z.string().max(1024), z.boolean(), z.null()]);

const schedulerNode = z.preprocess(
  respell,
  z.object({
    hostname,
    resources: z.record(z.string().max(256), resourceValue).default({}),
    metadata: z.record(z.string().max(256), z.unknown()).optional(),
    /** Set by a scheduler that can drain. `draining`: takes no new jobs, and still runs some. Absent: up. */
    state: z.enum(["up", "draining", "drained"]).optional(),
    /** `atSeconds` of the newest `drain` or `undrain` event that this state obeys: it distinguishes an old report from a new one. */
    eventAtSeconds: z.number().optional(),
    /** Why, by whom and since when somebody took the node out of service, in the scheduler's words. For people. */
    stateReason: z.string().max(longestStateReason).optional(),
    stateBy: z.string().max(256).optional(),
    stateSince: z.iso.datetime({ offset: true }).optional(),
  }),
);

/** What nodes of an array will offer once they joined, as the scheduler counts it. */
const nodeShape = z.preprocess(
  respell,
  z.object({
    nodeArray: z.string().min(1).max(256).describe("CycleCloud's name of it"),
    vmSize: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe("In any case. Absent: every size of the array of which there is no shape of its own"),
    resources: z
      .record(z.string().max(256), resourceValue)
      .describe(
        "All that the scheduler counts of such a node, in the words of `nodes`. What it has on other nodes and leaves out here is not there",
      ),
  }),
);

/** Abilities of a scheduler. `drain`: it obeys `drain` and `undrain` events, and reports `state` of its nodes. */
const capability = z.enum(["drain"]);

/** One that is not known is passed over, so that a sender may be newer than its receiver. */
const capabilities = z
  .array(z.string().max(longestCapability))
  .max(mostCapabilities)
  .transform((names) => capability.options.filter((name) => names.includes(name)))
  .optional();

/** What its agent did with the scheduler, or cannot do, a sentence each: people read it in the status. */
const notices = z.array(z.string().max(longestNotice)).max(mostNotices).optional();

/** A source names a queue (`events-<source>`), so it keeps to what a queue name may hold. */
const source = z
  .string()
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    "expected lower-case letters and digits, with single dashes between them",
  )
  .max(50);

const sender = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,64}$/, "expected at most 64 letters, digits and . _ : -")
  .optional();

const envelope = {
  version: z.literal(demandVersion),
  cluster: z.string().min(1).max(256),
  source,
  /** Grows with every message of a source; an older or repeated one is ignored. All parts of one snapshot carry the same. */
  sequence: z.int().min(0),
  sentAt: z.iso.datetime({ offset: true }),
  ttlSeconds: z.int().min(1).max(mostTtlSeconds).optional(),
  /** Which of several programs that may speak for the source sent it; a program that starts anew takes a new one. */
  sender,
  /** All parts of one snapshot carry the same. Without it a snapshot claims none, and a delta leaves them as they were. */
  capabilities,
  /** All parts of one snapshot carry the same. Without it a snapshot has none, and a delta leaves them as they were. */
  notices,
  /** All parts of one snapshot carry the same. Without it a snapshot reports none, and a delta leaves them as they were. */
  nodeShapes: listOf(nodeShape, mostNodeShapes).optional(),
};

const jobs = listOf(job, mostJobs).default([]);
const nodes = listOf(schedulerNode, mostNodes).default([]);
const part = z
  .object({ index: z.int().min(0), count: z.int().min(1).max(mostParts) })
  .refine((value) => value.index < value.count, "expected an index below the count")
  .optional();

const snapshot = z.object({ ...envelope, kind: z.literal("snapshot"), part, jobs, nodes });
const delta = z.object({
  ...envelope,
  kind: z.literal("delta"),
  jobs,
  nodes,
  remove: listOf(z.string().min(1), mostJobs).default([]),
});
const message = z.discriminatedUnion("kind", [snapshot, delta]);

/** Which request a new one takes the place of. */
export const requestSetSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N} ._:@+-]+$/u, "expected letters, digits, spaces and . _ : @ + - only");
/** Seconds. */
export const expirationIntervalSchema = z.int().min(1).max(mostTtlSeconds);

const { version, cluster, sequence, sentAt } = envelope;
const targets = z.object({
  version,
  cluster,
  source,
  sequence,
  sentAt,
  kind: z.literal("targets"),
  requestSet: requestSetSchema.default("standard"),
  /** For how long the targets hold unless the set is requested again. */
  expirationInterval: expirationIntervalSchema.default(300),
  arrays: nodeArrayTargets,
});
/** Every message of the `job-demand` queue, as this version takes them. */
export const queueMessageSchema = z.discriminatedUnion("kind", [snapshot, delta, targets]);

type Lists = "jobs" | "nodes" | "nodeShapes" | "remove" | "arrays";
type Snapshot = Omit<z.infer<typeof snapshot>, Lists> & {
  readonly jobs: readonly DemandJob[];
  readonly nodes: readonly DemandNode[];
  readonly nodeShapes?: readonly DemandNodeShape[] | undefined;
};
type Delta = Omit<z.infer<typeof delta>, Lists> & {
  readonly jobs: readonly DemandJob[];
  readonly nodes: readonly DemandNode[];
  readonly nodeShapes?: readonly DemandNodeShape[] | undefined;
  readonly remove: readonly string[];
};
/** A demand message that was checked: what a source wants (a whole `snapshot`, or the `delta` to its last one). */
export type DemandMessage = Snapshot | Delta;
export type DemandJob = z.infer<typeof job>;
export type DemandNode = z.infer<typeof schedulerNode>;
export type DemandNodeShape = z.infer<typeof nodeShape>;
export type Capability = z.infer<typeof capability>;
/** An autoscale request that was checked: how many nodes of which arrays a request set wants now. */
export type TargetsMessage = Omit<z.infer<typeof targets>, Lists> & {
  readonly arrays: readonly NodeArrayTarget[];
};
/** Whatever may be on the `job-demand` queue. */
export type QueueMessage = DemandMessage | TargetsMessage;

/**
 * What can be read counts: a message is refused only when its envelope cannot be read (no JSON, no cluster, source or
 * sequence, another version). A job, node, removal or target that does not check out is set aside.
 */
export type Parsed<T> =
  | { readonly ok: true; readonly message: T; readonly setAside: readonly SetAside[] }
  | { readonly ok: false; readonly problems: readonly string[] };
export type ParsedDemand = Parsed<DemandMessage>;

/** Checks jobs and nodes of a source, as `parseMessage` does. */
export function parseDemand(input: unknown): ParsedDemand {
  const envelope = readEnvelope(message, input);
  return envelope.ok ? checkDemandItems(envelope.value) : envelope;
}

/**
 * Checks a message from the `job-demand` queue, as text or as JSON that was parsed already. Never throws: a message
 * that is refused comes back with every problem named, so that its sender can fix it in one go.
 */
export function parseMessage(input: unknown): Parsed<QueueMessage> {
  const envelope = readEnvelope(queueMessageSchema, input);
  if (!envelope.ok) return envelope;
  const { value } = envelope;
  return value.kind === "targets" ? checkTargetsItems(value) : checkDemandItems(value);
}

/** Parts of a readable message that are not understood, each with its place: `jobs[0].constraint is not known`. */
export function demandWarnings(
  { message, setAside }: Extract<ParsedDemand, { ok: true }>,
  raw: Readonly<Record<string, unknown>>,
): readonly string[] {
  const keys = [...new Set([snapshot, delta].flatMap(({ shape }) => Object.keys(shape)))];
  const nodeKeys = { keys: Object.keys(schedulerNode.out.shape), spellings: Object.keys(spellings) };
  const unread = new Set(setAside.flatMap(({ kind, index }) => (kind === "job" ? [index] : [])));
  const places = (Array.isArray(raw.jobs) ? [...raw.jobs.keys()] : []).filter((place) => !unread.has(place));
  const nodes = Array.isArray(raw.nodes) ? raw.nodes : [];
  const shapeKeys = { keys: Object.keys(nodeShape.out.shape), spellings: Object.keys(spellings) };
  const shapes = Array.isArray(raw.nodeShapes) ? raw.nodeShapes : [];
  return [
    ...keyWarnings(raw, { keys, spellings: [] }),
    ...message.jobs.flatMap(({ warnings = [] }, index) =>
      warnings.map((warning) => `jobs[${places[index]}].${warning}`),
    ),
    ...nodes.flatMap((node, index) =>
      keyWarnings(node, nodeKeys).map((warning) => `nodes[${index}].${warning}`),
    ),
    ...shapes.flatMap((shape, index) =>
      keyWarnings(shape, shapeKeys).map((warning) => `nodeShapes[${index}].${warning}`),
    ),
  ];
}

/** Checks an autoscale request, as `parseMessage` does. */
export function parseTargets(input: unknown): Parsed<TargetsMessage> {
  const envelope = readEnvelope(targets, input);
  return envelope.ok ? checkTargetsItems(envelope.value) : envelope;
}

/** For whoever wants all of a message or nothing: what was set aside is a reason to refuse it. */
export function wholly<T>(parsed: Parsed<T>): Parsed<T> {
  if (!parsed.ok || parsed.setAside.length === 0) return parsed;
  return { ok: false, problems: parsed.setAside.flatMap(problemsInPlace).slice(0, mostProblems) };
}

/** The lists of a message as they are sent on: what was understood of the good items, and the others as they came. */
export function withItemsAside(
  { message, setAside }: Extract<ParsedDemand, { ok: true }>,
  raw: {
    readonly jobs?: unknown;
    readonly nodes?: unknown;
    readonly nodeShapes?: unknown;
    readonly remove?: unknown;
  },
): {
  readonly jobs: readonly unknown[];
  readonly nodes: readonly unknown[];
  readonly nodeShapes?: readonly unknown[];
  readonly remove?: readonly unknown[];
} {
  const asideOf = (kind: SetAside["kind"], items: unknown) =>
    setAside.flatMap((item) => (item.kind === kind && Array.isArray(items) ? [items[item.index]] : []));
  return {
    jobs: [...message.jobs, ...asideOf("job", raw.jobs)],
    nodes: [...message.nodes, ...asideOf("node", raw.nodes)],
    ...(message.nodeShapes === undefined
      ? {}
      : { nodeShapes: [...message.nodeShapes, ...asideOf("shape", raw.nodeShapes)] }),
    ...(message.kind === "delta" ? { remove: [...message.remove, ...asideOf("remove", raw.remove)] } : {}),
  };
}

/** Where an item of the lists of `withItemsAside` was in the message that they were made from. */
export function placeBefore(
  { setAside }: Extract<ParsedDemand, { ok: true }>,
  raw: { readonly jobs?: unknown; readonly nodes?: unknown; readonly nodeShapes?: unknown },
  { kind, index }: Pick<SetAside, "kind" | "index">,
): number {
  const lists = { job: raw.jobs, node: raw.nodes, shape: raw.nodeShapes, remove: [], target: [] };
  const items = lists[kind];
  const last = setAside.flatMap((item) => (item.kind === kind ? [item.index] : []));
  const isLast = new Set(last);
  const first = Array.isArray(items) ? [...items.keys()].filter((place) => !isLast.has(place)) : [];
  return [...first, ...last][index] ?? index;
}

/** The most warned jobs of one list: more jobs with misspelt keys are one mistake of their sender. */
const mostWarned = 1_000;

/** In UTC, on a day that every month has: the whole rule takes several times as long. */
const plainMoment =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

/** Reads jobs that have nothing but members of the schema, and constraints without a warning. */
const plainJobs = listReader(job.out, {
  isOdd: (name, value) => name === "constraints" && hasConstraintWarnings(value),
  isPlain: {
    name: isPlainName,
    priority: Number.isFinite,
    submittedAt: (value) => typeof value === "string" && plainMoment.test(value),
  },
});

function checkJobs(items: readonly unknown[]): Checked<DemandJob> {
  let warned = 0;
  const finish = (read: DemandJob, item: unknown): DemandJob => {
    const found = warned < mostWarned ? jobWarnings(item, jobKeys) : [];
    if (found.length === 0) return read;
    warned += 1;
    // A message may be read twice, and what was understood of it the first time holds no misspelt keys any more.
    const warnings = [...new Set([...(read.warnings ?? []), ...found])].slice(0, mostWarnings);
    return { ...read, warnings };
  };
  return checkItems("job", items, job, { plain: plainJobs(), finish, withoutBad, problemOf: misspeltHosts });
}

/**
 * A job that says where it runs by a misspelt key alone would count as waiting: a node would be bought for it, and the
 * one that it runs on deleted.
 */
function misspeltHosts(item: unknown): string | undefined {
  if (!isDictionary(item)) return undefined;
  const keys = hostKeys(item);
  const isTold = keys.some((key) => (spellings[key] ?? key) === "executingHostnames");
  if (keys.length === 0 || isTold) return undefined;
  const { hostnames, isWhole } = runningHosts(item);
  return hostnames.length === 0 && isWhole
    ? undefined
    : `${keys.join(", ")}: not known, expected "executingHostnames"`;
}

function checkDemandItems(envelope: z.infer<typeof message>): ParsedDemand {
  const jobs = checkJobs(envelope.jobs);
  const nodes = checkItems("node", envelope.nodes, schedulerNode);
  const shapes = checkItems("shape", envelope.nodeShapes ?? [], nodeShape);
  const { nodeShapes: said, ...rest } = envelope;
  const reported = said === undefined ? {} : { nodeShapes: shapes.good };
  const lists = { jobs: jobs.good, nodes: nodes.good, ...reported };
  if (rest.kind === "snapshot") return outOf([jobs, nodes, shapes], { ...rest, ...lists });
  const remove = checkItems("remove", rest.remove, jobName);
  return outOf([jobs, nodes, shapes, remove], { ...rest, ...lists, remove: remove.good });
}

function checkTargetsItems(envelope: z.infer<typeof targets>): Parsed<TargetsMessage> {
  const arrays = checkTargetItems(envelope.arrays);
  return outOf([arrays], { ...envelope, arrays: arrays.good });
}

function outOf<T>(lists: readonly Checked<unknown>[], message: T): Parsed<T> {
  const hopeless = lists.find(({ isHopeless }) => isHopeless);
  if (hopeless === undefined)
    return { ok: true, message, setAside: lists.flatMap(({ setAside }) => setAside) };
  const bad = hopeless.setAside.length;
  const [first] = hopeless.setAside;
  const problem = `message: more than ${bad} items of a list do not check out, expected at most ${bad}`;
  return { ok: false, problems: [problem, ...(first === undefined ? [] : problemsInPlace(first))] };
}
