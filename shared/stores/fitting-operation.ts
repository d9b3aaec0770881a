import type { Operation, RequestedNode } from "../ports/index.ts";
import { longestRow } from "./store-limits.ts";

const mostMessages = 100;
const longestMessage = 1_000;
/** Room for the sentence that reports the cut. */
const margin = 1_000;

/**
 * The operation as one row holds it. CycleCloud decides how long its words and names are, so its lists are cut, with a sentence
 * that names the count: a row that cannot be written would leave the operation open for ever. Nodes that are not recorded
 * count like nodes that CycleCloud has not reported yet.
 */
export function fittingOperation(operation: Operation): Operation {
  const { shortfalls } = operation;
  const short = {
    ...operation,
    messages: fittingMessages(operation.messages),
    ...(shortfalls === undefined
      ? {}
      : { shortfalls: shortfalls.map((one) => ({ ...one, message: one.message && cut(one.message) })) }),
  };
  if (JSON.stringify(short).length <= longestRow) return short;
  const room = longestRow - JSON.stringify({ ...short, nodes: [] }).length - margin;
  const nodes = firstThatFit(operation.nodes, room);
  const left = operation.nodes.length - nodes.length;
  if (left === 0) return short;
  const note = `${left} of ${operation.nodes.length} nodes are not recorded: a row holds no more`;
  return { ...short, nodes, messages: [...short.messages.filter((message) => message !== note), note] };
}

function fittingMessages(messages: readonly string[]): readonly string[] {
  const first = messages.slice(0, mostMessages).map(cut);
  const left = messages.length - first.length;
  return left === 0 ? first : [...first.slice(0, -1), `${left + 1} more messages`];
}

function cut(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`;
}

function firstThatFit(nodes: readonly RequestedNode[], room: number): readonly RequestedNode[] {
  let left = room;
  const end = nodes.findIndex((node) => {
    left -= JSON.stringify(node).length + 1;
    return left < 0;
  });
  return end === -1 ? nodes : nodes.slice(0, end);
}
