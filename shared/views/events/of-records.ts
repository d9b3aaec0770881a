import type { EventView } from "../../api/index.ts";
import { compareNodeNames, type NodeHistory } from "../../engine/index.ts";
import {
  isOpen,
  type NotedEvent,
  type NotedKind,
  type Operation,
  type PlanRecord,
  type Rejection,
} from "../../ports/index.ts";
import { duration } from "../../text/durations.ts";
import { counted } from "../../text/text.ts";
import type { Selectable } from "../node-selection.ts";

/** An event with the names by which its nodes can be asked for. */
export interface FoundEvent extends Omit<EventView, "nodes" | "nodeCount"> {
  readonly nodes: readonly NamedNode[];
}

export type NamedNode = Pick<Selectable, "name" | "nodeId" | "hostname">;

export const nobody = { by: null, nodes: [], planId: null, actionId: null };

/** Plans that changed nothing are made all the time. */
export function ofPlan(record: PlanRecord): readonly FoundEvent[] {
  const { planId, atSeconds, reason, create, start, retire, held } = record;
  if (create + start + retire === 0) return [];
  const parts = [
    ...(create > 0 ? [`create ${create}`] : []),
    ...(start > 0 ? [`start ${start}`] : []),
    ...(retire > 0 ? [`delete ${retire}`] : []),
  ];
  const sent = held === undefined ? "" : `; nothing was sent: ${held}`;
  const text = `Because of ${reason}: ${parts.join(", ")}${sent}.`;
  return [{ ...nobody, id: planId, kind: "plan", atSeconds, text, by: "the autoscaler", planId }];
}

/** The request, and its end once it is closed. */
export function ofOperation(operation: Operation): readonly FoundEvent[] {
  const { action, actionId, state, messages, createdAtSeconds, updatedAtSeconds } = operation;
  const created = action.kind === "create-nodes";
  const asked = created ? action.sets.flatMap(({ names }) => names) : action.nodes.map(({ name }) => name);
  const actedOn = [...operation.nodes, ...(created ? [] : action.nodes)];
  const idOf = new Map(actedOn.map(({ name, nodeId }) => [name, nodeId]));
  const nodes = asked.map((name) => ({ name, nodeId: idOf.get(name) ?? null, hostname: null }));
  const by = action.requestedBy?.who ?? "the autoscaler";
  const about = { by, nodes, planId: action.planId, actionId };
  const what = `${action.kind} of ${counted(asked.length, "nodes")}`;
  const request: FoundEvent = {
    ...about,
    id: actionId,
    kind: "action",
    atSeconds: createdAtSeconds,
    text: `${what} asked for: ${action.reason}.`,
  };
  if (isOpen(operation)) return [request];
  const words = messages.length === 0 ? "" : `: ${messages.join("; ")}`;
  const end: FoundEvent = {
    ...about,
    id: `${actionId}:end`,
    kind: state === "visible" ? "action-done" : "action-failed",
    atSeconds: updatedAtSeconds,
    text: `${what} ${endWords[state] ?? state}${words}.`,
  };
  return [request, end];
}

const endWords: { readonly [state in Operation["state"]]?: string } = {
  visible: "took effect",
  failed: "was refused",
  lost: "showed no effect in time",
  dropped: "was dropped",
};

type Happening = "node-joined" | "node-failed" | "node-gone";

/** One of the things that a node went through in one life. */
interface Passage {
  readonly kind: Happening;
  readonly atSeconds: number;
  readonly row: NodeHistory;
}

/** What nodes went through. Those that did alike in one pass are one event: a thousand would hide everything else. */
export function ofHistory(
  rows: readonly NodeHistory[],
  isLost: (row: NodeHistory) => boolean,
): readonly FoundEvent[] {
  // A lost node is gone too: that is one event, and the loss says why.
  const passages = rows.flatMap(passagesOf).filter(({ kind, row }) => kind !== "node-gone" || !isLost(row));
  const alike = Map.groupBy(passages, ({ kind, atSeconds, row }) =>
    JSON.stringify([kind, atSeconds, kind === "node-failed" ? (row.failure?.message ?? null) : null]),
  );
  return [...alike.values()].flatMap(eventOf);
}

function passagesOf(row: NodeHistory): readonly Passage[] {
  const { readySeconds, deletedSeconds, failure } = row;
  return [
    ...(readySeconds === null ? [] : [{ kind: "node-joined", atSeconds: readySeconds, row } as const]),
    ...(failure === undefined ? [] : [{ kind: "node-failed", atSeconds: failure.atSeconds, row } as const]),
    ...(deletedSeconds === null ? [] : [{ kind: "node-gone", atSeconds: deletedSeconds, row } as const]),
  ];
}

/** Passages of one kind, time and reason, by the names of their nodes. */
function eventOf(passages: readonly Passage[]): readonly FoundEvent[] {
  const inOrder = passages.toSorted((a, b) => compareNodeNames(a.row.name, b.row.name));
  const [first] = inOrder;
  if (first === undefined) return [];
  const { kind, atSeconds, row } = first;
  const nodes = inOrder.map(({ row: { name, nodeId, hostname } }) => ({ name, nodeId, hostname }));
  const id = `${kind}:${row.nodeId}:${row.createdSeconds}`;
  const text = passageText(
    first,
    inOrder.map((each) => each.row),
  );
  return [{ ...nobody, nodes, id, kind, atSeconds, text }];
}

function passageText({ kind, row }: Passage, rows: readonly NodeHistory[]): string {
  const isOne = rows.length === 1;
  const who = isOne ? row.name : counted(rows.length, "nodes");
  switch (kind) {
    case "node-joined":
      return `${who} ${isOne ? "is" : "are"} up, ${bootTimes(rows)} after ${isOne ? "it was" : "they were"} first seen.`;
    case "node-failed":
      return `${who} failed: ${row.failure?.message ?? "CycleCloud gives no reason"}.`;
    case "node-gone":
      return `${who} ${isOne ? "is" : "are"} gone.`;
  }
}

/** From the shortest to the longest. */
function bootTimes(rows: readonly NodeHistory[]): string {
  const times = rows.map(({ readySeconds, createdSeconds }) =>
    Math.round((readySeconds ?? createdSeconds) - createdSeconds),
  );
  const shortest = times.reduce((least, each) => Math.min(least, each));
  const longest = times.reduce((most, each) => Math.max(most, each));
  return shortest === longest ? duration(shortest) : `${duration(shortest)} to ${duration(longest)}`;
}

export function ofRejection(rejection: Rejection): FoundEvent {
  const { rejectionId, kind, source, receivedAtSeconds, problems } = rejection;
  const what = kind === "set-aside" ? "Parts of a message were set aside" : "A message was refused";
  const text = `${what} (${rejectionId}): ${problems[0] ?? "no reason was given"}`;
  return {
    ...nobody,
    id: `rejected:${rejectionId}`,
    kind: "rejected",
    atSeconds: receivedAtSeconds,
    text,
    by: source ?? null,
  };
}

const notedWords: Readonly<Record<NotedKind, string>> = {
  drain: "No new jobs there",
  undrain: "Taken back from a drain",
  "keep-alive": "Kept alive",
  release: "No longer kept alive",
  ignore: "Left alone",
  unignore: "No longer left alone",
  pause: "Paused",
  resume: "Resumed",
  config: "Configuration changed",
  targets: "Targets requested",
  "jobs-stalled": "Jobs not started by their scheduler",
  "jobs-unstalled": "Jobs no longer held off nodes",
  "node-unhealthy": "Out of service by a health check",
  "node-replaced": "Unhealthy, and replaced",
};

/** What was decided of many nodes at once, in the same words, is one event. */
export function ofNoted(noted: readonly NotedEvent[]): readonly FoundEvent[] {
  const alike = Map.groupBy(noted, ({ kind, atSeconds, by, source, reason, node, eventId }) =>
    JSON.stringify([kind, atSeconds, by, source, reason, node === null ? eventId : null]),
  );
  return [...alike.values()].flatMap((events) => {
    const inOrder = events.toSorted((a, b) => compareNodeNames(a.node?.name ?? "", b.node?.name ?? ""));
    const [first] = inOrder;
    if (first === undefined) return [];
    const { eventId, atSeconds, kind, by, source, reason } = first;
    const nodes = inOrder.flatMap(({ node }) => node ?? []);
    const text = `${notedWords[kind]}: ${reason}.`;
    return [{ ...nobody, id: `${eventId}:${atSeconds}`, kind, atSeconds, text, by: by ?? source, nodes }];
  });
}
