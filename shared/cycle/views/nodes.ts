import type { NodesAnswer, NodesQuery } from "../../api/index.ts";
import { nodeViews } from "./node-views.ts";
import type { Outlook } from "./outlook.ts";
import { pageOf } from "./page.ts";
import { matches, selectorOf } from "./selection.ts";

export type NodesOutcome =
  | { readonly ok: true; readonly answer: NodesAnswer }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The nodes that a cluster has, by name, with what runs there or is planned there. */
export function listNodes(outlook: Outlook, query: NodesQuery): NodesOutcome {
  const read = readConstraint(query.constraint);
  if (!read.ok) return read;
  const selector = selectorOf(outlook.input, {
    names: query.name,
    hostnames: query.hostname,
    nodeArrays: query.nodeArray,
    constraints: read.constraints,
  });
  if (!selector.ok) return selector;
  const views = nodeViews(outlook);
  const selected = views.present().filter(({ name, reported, planned }) => {
    const nodeId = reported?.nodeId ?? null;
    const hostname = reported?.hostname ?? planned?.hostname ?? null;
    const nodeArray = reported?.nodeArray ?? planned?.nodeArray ?? "";
    return (
      matches(query.state, reported?.status ?? planned?.status ?? null) &&
      selector.isSelected({ name, nodeId, hostname, nodeArray })
    );
  });
  const { items, next, total } = pageOf(selected, query, ({ name }) => name);
  const answer = {
    cluster: outlook.cluster,
    atSeconds: outlook.atSeconds,
    snapshotTakenAtSeconds: outlook.snapshot.takenAtSeconds,
    nodes: items.map(views.viewOf),
    next,
    total,
  };
  return { ok: true, answer };
}

type ReadConstraint =
  | { readonly ok: true; readonly constraints: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

function readConstraint(text: string | undefined): ReadConstraint {
  try {
    return { ok: true, constraints: text === undefined ? undefined : JSON.parse(text) };
  } catch {
    return { ok: false, problems: ["constraint: expected constraints as JSON"] };
  }
}
