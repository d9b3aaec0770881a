import type { EventView } from "../../api/index.ts";
import { duration } from "../../durations.ts";
import type { NodeHistory } from "../../engine/index.ts";
import {
  isOpen,
  type NodeLoss,
  type NotedEvent,
  type NotedKind,
  type Operation,
  type PlanRecord,
  type Rejection,
} from "../../ports/index.ts";
import { counted } from "../../text.ts";

/** An event with the names by which its nodes can be asked for. */
export interface FoundEvent extends Omit<EventView, "nodes" | "nodeCount"> {
  readonly nodes: readonly NamedNode[];
}

export interface NamedNode {
  readonly name: string;
  readonly nodeId: string | null;
  readonly hostname: string | null;
}

const nobody = { by: null, nodes: [], planId: null, actionId: null };

/** Plans that changed nothing are made all the time. */
export function ofPlan({
  planId,
  atSeconds,
  reason,
  create,
  start,
  retire,
  held,
}: PlanRecord): readonly FoundEvent[] {
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
  const known = [...operation.nodes, ...(created ? [] : action.nodes)];
  const idOf = new Map(known.map(({ name, nodeId }) => [name, nodeId]));
  const nodes = asked.map((name) => ({ name, nodeId: idOf.get(name) ?? null, hostname: null }));
  const by = action.requestedBy?.who ?? "the autoscaler";
  const about = { by, nodes, planId: action.planId, actionId };
  const what = `${action.kind} of ${counted(asked.length, "nodes")}`;
  const request: FoundEvent = {
    ...about,
    id: actionId,
    kind: "action",
    atSeconds: createdAtSeconds,
    text: `${what}: ${action.reason}.`,
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
  lost: "had no effect in time",
  dropped: "was dropped",
};

/** What a node went through in one life. */
export function ofHistory(row: NodeHistory): readonly FoundEvent[] {
  const { nodeId, name, hostname, createdSeconds, readySeconds, deletedSeconds, failure } = row;
  const about = { ...nobody, nodes: [{ name, nodeId, hostname }] };
  const event = (kind: "node-joined" | "node-failed" | "node-gone", atSeconds: number, text: string) => ({
    ...about,
    id: `${kind}:${nodeId}:${createdSeconds}`,
    kind,
    atSeconds,
    text,
  });
  return [
    ...(readySeconds === null
      ? []
      : [
          event(
            "node-joined",
            readySeconds,
            `${name} is up, ${duration(readySeconds - createdSeconds)} after it was first seen.`,
          ),
        ]),
    ...(failure === undefined
      ? []
      : [
          event(
            "node-failed",
            failure.atSeconds,
            `${name} failed: ${failure.message ?? "CycleCloud gives no reason"}.`,
          ),
        ]),
    ...(deletedSeconds === null ? [] : [event("node-gone", deletedSeconds, `${name} is gone.`)]),
  ];
}

export function ofLoss(loss: NodeLoss): FoundEvent {
  const { eventId, reason, nodeName, nodeId, nodeArray, vmSize, atSeconds, message } = loss;
  const name = nodeName ?? "a node";
  const said = message === undefined ? "" : `: ${message}`;
  return {
    ...nobody,
    id: `lost:${eventId}`,
    kind: "node-lost",
    atSeconds,
    text: `${name} of ${nodeArray} (${vmSize}) was lost: ${reason}${said}.`,
    nodes: nodeName === null ? [] : [{ name: nodeName, nodeId, hostname: loss.hostname ?? null }],
  };
}

export function ofRejection({
  rejectionId,
  kind,
  source,
  receivedAtSeconds,
  problems,
}: Rejection): FoundEvent {
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
};

export function ofNoted({ eventId, atSeconds, kind, by, source, node, reason }: NotedEvent): FoundEvent {
  return {
    ...nobody,
    id: `${eventId}:${atSeconds}`,
    kind,
    atSeconds,
    text: `${notedWords[kind]}: ${reason}.`,
    by: by ?? source,
    nodes: node === null ? [] : [node],
  };
}
