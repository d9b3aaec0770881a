import { z } from "zod";
import { describeProblems } from "../../../../shared/messages/problems.ts";
import type { Answer, SetAside } from "../driver.ts";

/** `celery inspect` ends so when no worker answered in time. */
export const nobodyReplied = 69;

/** A task as far as demand goes; what the broker does not show is undefined. */
export interface CeleryTask {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly queue?: string | undefined;
  /** Not to be started before, in Unix time. */
  readonly etaSeconds?: number | undefined;
}

/** What each worker that answered said, by worker name (`celery@host`). */
export type Replies<T> = ReadonlyMap<string, T>;

const request = z.object({
  id: z.string().min(1).max(256),
  name: z.string().min(1).max(256),
  delivery_info: z.object({ routing_key: z.string().nullish() }).nullish(),
});
const scheduledItem = z.object({ eta: z.string().nullish(), request });
/** The name becomes an argument of a command. */
const queueItem = z.object({ name: z.string().regex(/^[^-]/, "expected a name that starts with no dash") });
const statistics = z.object({ pool: z.object({ "max-concurrency": z.number().min(0).nullish() }).nullish() });

/** Undefined when the text is not what `--json` prints: then nothing can be told, not even that there is nothing. */
export function readReplies(answer: Answer | undefined): Replies<unknown> | undefined {
  if (answer === undefined) return undefined;
  if (answer.exitCode === nobodyReplied) return new Map();
  // An application may print while it is imported; the replies are one line, and the last one.
  const line = answer.text.trimEnd().split("\n").at(-1) ?? "";
  try {
    const replies = z.record(z.string(), z.unknown()).safeParse(JSON.parse(line));
    return replies.success ? new Map(Object.entries(replies.data)) : undefined;
  } catch {
    return undefined;
  }
}

/** The tasks in one worker's reply to `active` or `reserved`; undefined when the reply is an error. */
export function readTasks(reply: unknown, setAside: SetAside[]): readonly CeleryTask[] | undefined {
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
  const parsed = statistics.safeParse(reply);
  return (parsed.success ? parsed.data.pool?.["max-concurrency"] : undefined) ?? undefined;
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
  return reply.flatMap((value: unknown) => {
    const parsed = item.safeParse(value, { reportInput: true });
    if (parsed.success) return [parsed.data];
    setAside.push({ record: nameOf(value), reason: describeProblems(parsed.error).join("; ") });
    return [];
  });
}

function nameOf(value: unknown): string {
  const named = z.object({ id: z.string() }).safeParse(value);
  return named.success ? `task ${named.data.id}` : "a task";
}
