import { shortHostname } from "../../../../shared/engine/index.ts";
import type { Context, SchedulerNode, SetAside } from "../driver.ts";
import type { CeleryMemory, KnownWorker } from "./celery-memory.ts";
import type { CelerySettings } from "./celery-settings.ts";
import {
  type Replies,
  readActive,
  readConcurrency,
  readQueueNames,
  readReserved,
  readScheduled,
} from "./replies.ts";

/** A worker as the answers and the memory have it. */
export interface Worker extends KnownWorker {
  readonly name: string;
  /** All that it was asked; `isThere` when it said anything at all. */
  readonly hasAnswered: boolean;
  readonly isThere: boolean;
  /** Undefined when it did not say. */
  readonly queues: readonly string[] | undefined;
  readonly concurrency: number | undefined;
  /** It answered, and has surely nothing that would be lost with it. */
  readonly isEmpty: boolean;
}

/** What a worker said, and what it said last where it said nothing. */
export function toWorker(
  name: string,
  replies: Readonly<Record<string, Replies<unknown>>>,
  known: { readonly memory: CeleryMemory; readonly nowSeconds: number; readonly setAside: SetAside[] },
): Worker {
  const before = known.memory.workers.get(name);
  const unreadable: SetAside[] = [];
  const active = readActive(replies.active?.get(name), unreadable);
  const reserved = readReserved(replies.reserved?.get(name), unreadable);
  const scheduled = readScheduled(replies.scheduled?.get(name), unreadable);
  const queues = readQueueNames(replies.active_queues?.get(name), unreadable);
  known.setAside.push(...unreadable.map((each) => ({ ...each, record: `${each.record} of ${name}` })));
  // What was not asked of the workers, the broker has told.
  const parts = [
    ...(replies.reserved === undefined ? [] : [reserved]),
    ...(replies.scheduled === undefined ? [] : [scheduled]),
  ];
  const held = parts.every((part) => part !== undefined) ? parts.flat() : undefined;
  const hasAnswered = active !== undefined && held !== undefined;
  const concurrency = readConcurrency(replies.stats?.get(name));
  return {
    name,
    hasAnswered,
    isThere: Object.values(replies).some((each) => each.has(name)),
    seenSeconds: hasAnswered ? known.nowSeconds : (before?.seenSeconds ?? known.nowSeconds),
    // One of whom nothing was ever known may run something.
    active: [...(active ?? before?.active ?? [{}])],
    held: [...(held ?? before?.held ?? parts.flatMap((part) => part ?? []))],
    queues,
    concurrency,
    // Tasks that only wait for their time are not lost: the broker has them until they start.
    isEmpty:
      active?.length === 0 && reserved?.length === 0 && queues?.length === 0 && unreadable.length === 0,
  };
}

/**
 * Arguments of `celery control`: draining workers stop taking tasks, those that came back take them again from the same
 * queues.
 */
export function correctionsFor(
  workers: readonly Worker[],
  draining: ReadonlyMap<string, number>,
  cancelledBefore: CeleryMemory["cancelled"],
): { readonly corrections: readonly (readonly string[])[]; readonly cancelled: CeleryMemory["cancelled"] } {
  const corrections: (readonly string[])[] = [];
  const cancelled = new Map<string, readonly string[]>();
  for (const { name, queues = [] } of workers) {
    const before = cancelledBefore.get(name) ?? [];
    const isDraining = draining.has(shortHostname(hostOf(name)));
    const change = isDraining ? queues : before.filter((queue) => !queues.includes(queue));
    const verb = isDraining ? "cancel_consumer" : "add_consumer";
    corrections.push(...change.map((queue) => [verb, queue, "--destination", name]));
    const left = isDraining ? [...new Set([...before, ...queues])] : [...change];
    if (left.length > 0) cancelled.set(name, left);
  }
  return { corrections, cancelled };
}

/** One node for each host with a worker, and one for each draining host that none was seen on. */
export function toNodes(
  workers: readonly Worker[],
  { draining, nowSeconds }: Pick<Context, "draining" | "nowSeconds">,
  settings: CelerySettings,
): SchedulerNode[] {
  const byHost = Map.groupBy(workers, (worker) => hostOf(worker.name));
  const known = new Set([...byHost.keys()].map(shortHostname));
  const nodes = [...byHost].map(([hostname, ofHost]): SchedulerNode => {
    const isDraining = draining.has(shortHostname(hostname));
    const isEmpty = ofHost.every((worker) => worker.isEmpty);
    const state = isDraining ? (isEmpty ? "drained" : "draining") : "up";
    return { hostname, resources: resourcesOf(ofHost, settings.concurrency_resource), state };
  });
  const unseen = [...draining].filter(([hostname]) => !known.has(hostname));
  return [
    ...nodes,
    ...unseen.map(([hostname, sinceSeconds]): SchedulerNode => {
      // The same patience as with a worker that fell silent: it may have been too busy to answer ever since.
      const isGone = nowSeconds - sinceSeconds > settings.silent_worker_seconds;
      return { hostname, resources: {}, state: isGone ? "drained" : "draining" };
    }),
  ];
}

function resourcesOf(workers: readonly Worker[], resource: string | undefined): SchedulerNode["resources"] {
  const slots = workers.flatMap(({ concurrency }) => concurrency ?? []);
  if (resource === undefined || slots.length < workers.length) return {};
  return { [resource]: slots.reduce((sum, each) => sum + each, 0) };
}

/** As a demand message takes it. */
const longestHostname = 255;

/** What is wrong with the host in a worker's name; undefined when nothing is. */
export function hostProblem(worker: string): string | undefined {
  const host = worker.includes("@") ? hostOf(worker) : "";
  if (host.trim() === "") return "no host after the @ of its name, so its tasks keep no node";
  return host.length <= longestHostname
    ? undefined
    : `a host of ${host.length} characters, expected at most ${longestHostname}`;
}

/** `celery@host`, as `-n` of the worker has it; the part after the last `@`. */
export function hostOf(worker: string): string {
  return worker.slice(worker.lastIndexOf("@") + 1);
}
