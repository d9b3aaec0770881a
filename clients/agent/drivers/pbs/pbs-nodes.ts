import { matchesWildcard, shortHostname } from "../../../../shared/engine/index.ts";
import type { Context, SchedulerNode } from "../driver.ts";
import { reasonText } from "../scheduler-words.ts";
import { answers, type Host, isBusy } from "./hosts.ts";
import { stateMeaning } from "./node-states.ts";
import { isLostDrain, isOffline, isOldNews, isOurs, isPinned } from "./pbs-commands.ts";
import type { PbsSettings } from "./pbs-settings.ts";

/**
 * OpenPBS 23.06 has all hosts down for two seconds whenever a node is created. Nothing is bought in place of a host for that. Where
 * a host is lost, PBS writes "node down: communication closed" as its comment; after a start of the server it does not know the
 * state, nor the memory, of any.
 */
const shortlyDownSeconds = 20;

/**
 * Drained is only a host that is offline, so that PBS starts nothing there, and that has no jobs. A confirmed reservation holds a
 * host from the time of its confirmation, whatever its state: without it PBS cannot keep what it promised. So does a queue that has
 * hosts of its own: no other job may use them.
 */
export function stateOf(
  host: Host,
  running: ReadonlySet<string>,
  context: Context,
): Omit<SchedulerNode, "hostname" | "resources"> {
  const isShort =
    context.nowSeconds - (host.changedSeconds ?? 0) < shortlyDownSeconds &&
    !host.states.has("state-unknown") &&
    !host.comment.startsWith("node down");
  const not = [...host.states].filter(
    (state) => stateMeaning(state) !== "up" && !(state === "down" && isShort),
  );
  if (not.length + host.keptFor.length === 0) return { state: "up" };
  const held = not.filter((state) => stateMeaning(state) === "held");
  const isEmpty = isOffline(host) && held.length + host.keptFor.length === 0 && !isBusy(host, running);
  if (isOffline(host) && isOurs(host))
    return {
      state: isEmpty ? "drained" : "draining",
      ...(isLostDrain(host, context) ? { isOutByLostEvent: true as const } : {}),
    };
  const states = not.length === 0 ? [] : [`state ${not.join(", ")}`];
  const reason =
    host.comment === "" || isOldNews(host) ? [...states, ...host.keptFor].join(", ") : host.comment;
  return {
    state: isEmpty && !isPinned(host) ? "drained" : "draining",
    isOutByOthers: true,
    stateReason: reasonText(reason),
  };
}

export function isSilent(host: Host): boolean {
  return host.hasAnswered && !answers(host);
}

export function isIgnored({ name }: Host, { ignore_hosts }: PbsSettings): boolean {
  return ignore_hosts.some(
    (pattern) =>
      matchesWildcard(pattern.toLowerCase(), name.toLowerCase()) ||
      matchesWildcard(pattern.toLowerCase(), shortHostname(name).toLowerCase()),
  );
}
