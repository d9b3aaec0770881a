import { z } from "zod";
import { isDictionary, jsonOr } from "../../../../shared/json/json.ts";
import type { Answer, SetAside } from "../driver.ts";
import { fieldOf, readRecord, readRecords } from "../records.ts";

/** `celery inspect` ends so when no worker answered in time. */
export const nobodyReplied = 69;

/** 2010, when no task of today has begun. */
const earliestSeconds = 1_262_304_000;

/** A task as far as demand goes; what the broker does not show is undefined. */
export interface CeleryTask {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly queue?: string | undefined;
  /** Not to be started before, in Unix time. */
  readonly etaSeconds?: number | undefined;
  /** Since when it runs, in Unix time. */
  readonly startedAtSeconds?: number | undefined;
}

/** What each worker that answered said, by worker name (`celery@host`). */
export type Replies<T> = ReadonlyMap<string, T>;

const text = z.string().min(1);
const deliveryInfo = z.object({ routing_key: z.string().nullish() }).nullish();
const request = z.object({ id: text, name: text, delivery_info: deliveryInfo });
const scheduledItem = z.object({ eta: z.string().nullish(), request });
/** The name becomes an argument of a command. */
const queueItem = z.object({ name: z.string().regex(/^[^-]/, "expected a name that starts with no dash") });
const statistics = z.object({ pool: z.object({ "max-concurrency": z.number().min(0).nullish() }).nullish() });

/** Undefined when the text is not what `--json` prints: then nothing is known, not even that there is nothing. */
export function readReplies(answer: Answer | undefined): Replies<unknown> | undefined {
  if (answer === undefined) return undefined;
  if (answer.exitCode === nobodyReplied) return new Map();
  // An application may print while it is imported; the replies are one line, and the last one.
  const line = answer.text.trimEnd().split("\n").at(-1) ?? "";
  const replies = jsonOr(line);
  if (!isDictionary(replies)) return undefined;
  const names = Object.keys(replies);
  // Every worker has a host in its name: this is a complaint, such as {"error": "…"}, and not that nobody is there.
  if (names.length > 0 && !names.some((name) => name.includes("@"))) return undefined;
  return new Map(Object.entries(replies));
}

/**
 * The tasks in one worker's reply to `active`; undefined when the reply is an error. One that cannot be read runs all the
 * same: it is a task with whatever is known of it.
 */
export function readActive(reply: unknown, setAside: SetAside[]): readonly CeleryTask[] | undefined {
  if (!Array.isArray(reply)) return undefined;
  setAside.push(...readRecords(reply, request, { nameOf }).setAside);
  return reply.map((value: unknown) => ({
    id: textOf(fieldOf(value, "id")),
    name: textOf(fieldOf(value, "name")),
    queue: textOf(fieldOf(fieldOf(value, "delivery_info"), "routing_key")),
    startedAtSeconds: startOf(fieldOf(value, "time_start")),
  }));
}

/** Before Celery 4 it was a time of the worker's own clock, which began with its machine's start: such a time has no meaning here. */
function startOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= earliestSeconds ? value : undefined;
}

/** The tasks in one worker's reply to `reserved`; undefined when the reply is an error. */
export function readReserved(reply: unknown, setAside: SetAside[]): readonly CeleryTask[] | undefined {
  return readList(reply, request, setAside)?.map((task) => toTask(task, undefined));
}

/** The tasks in one worker's reply to `scheduled`. */
export function readScheduled(reply: unknown, setAside: SetAside[]): readonly CeleryTask[] | undefined {
  return readList(reply, scheduledItem, setAside)?.map((item) => toTask(item.request, toSeconds(item.eta)));
}

/** Names of the queues that a worker takes tasks from. */
export function readQueueNames(reply: unknown, setAside: SetAside[]): readonly string[] | undefined {
  return readList(reply, queueItem, setAside)?.map((queue) => queue.name);
}

export function readConcurrency(reply: unknown): number | undefined {
  const read = readRecord(statistics, reply);
  return (read.ok ? read.record.pool?.["max-concurrency"] : undefined) ?? undefined;
}

/** ISO 8601; a time without an offset is UTC, as Celery means it. */
export function toSeconds(time: unknown): number | undefined {
  if (typeof time !== "string") return undefined;
  const hasOffset = /(Z|[+-]\d\d:?\d\d)$/.test(time);
  const milliseconds = Date.parse(hasOffset ? time : `${time}Z`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

function toTask(task: z.infer<typeof request>, etaSeconds: number | undefined): CeleryTask {
  return { id: task.id, name: task.name, queue: task.delivery_info?.routing_key ?? undefined, etaSeconds };
}

function readList<T>(reply: unknown, item: z.ZodType<T>, setAside: SetAside[]): readonly T[] | undefined {
  if (!Array.isArray(reply)) return undefined;
  const read = readRecords(reply, item, { nameOf });
  setAside.push(...read.setAside);
  return read.records;
}

function nameOf(value: unknown): string {
  const id = textOf(fieldOf(value, "id")) ?? textOf(fieldOf(fieldOf(value, "request"), "id"));
  return id === undefined ? "a task" : `task ${id}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
