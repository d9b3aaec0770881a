import type { NodesAnswer, NodesQuery, NodeView } from "../api/index.ts";
import { doubtsOf, unreadInWords } from "../cycle/index.ts";
import { compareNodeNames } from "../engine/index.ts";
import { foldedOnce } from "../text/text.ts";
import { matches, ofSelected, type Selectable, type Selected, selectingOf } from "./node-selection.ts";
import { type NodeSubject, nodeViews } from "./node-views.ts";
import type { Outlook } from "./outlook.ts";
import { pageOf } from "./page.ts";

/** The nodes that a cluster has, by name, with what runs there or is planned there. */
export function listNodes(outlook: Outlook, query: NodesQuery): Selected<NodesAnswer> {
  return ofSelected(outlook.input, selectingOf(query), (selector) => {
    const views = nodeViews(outlook);
    const states = query.state?.map((state) => state.toLowerCase());
    const selected = views
      .present()
      .filter(
        (subject) =>
          matches(states, stateOf(subject)?.toLowerCase() ?? null) &&
          (selector === undefined || selector.isSelected(selectableOf(subject))),
      );
    const { items, next, total } = pageOf(selected, query, {
      nameOf: ({ name }) => name,
      compareNames: compareNodeNames,
      madeAtSeconds: outlook.atSeconds,
    });
    const told = query.resources && new Set(query.resources.map(foldedOnce));
    return {
      cluster: outlook.cluster,
      atSeconds: outlook.atSeconds,
      snapshotTakenAtSeconds: outlook.snapshot.takenAtSeconds,
      held: outlook.held ?? null,
      idleHeld: whyIdleStay(outlook),
      nodes: items.map((subject) => withFields(views.viewOf(subject, told), query.fields)),
      next,
      total,
    };
  });
}

/** Which nodes run jobs is not known for certain: demand lies unread, or a message of a source was refused. */
function whyIdleStay({ head, loaded, atSeconds }: Outlook): string | null {
  const unread = head?.unread;
  if (unread !== undefined && unread.nodes > 0) return unreadInWords(unread.messages);
  return doubtsOf(loaded.demand, atSeconds)[0]?.why ?? null;
}

function stateOf({ reported, planned }: NodeSubject): string | null {
  return reported?.status ?? planned?.status ?? null;
}

/** Callers that name fields know that the others are missing. */
function withFields(view: NodeView, fields: NodesQuery["fields"]): NodeView {
  if (fields === undefined) return view;
  return Object.fromEntries(fields.map((field) => [field, view[field]])) as unknown as NodeView;
}

/** CycleCloud's word counts before the plan's. */
function selectableOf({ name, reported, planned }: NodeSubject): Selectable {
  const node = reported ?? planned;
  return {
    name,
    nodeId: reported?.nodeId ?? null,
    hostname: reported?.hostname ?? planned?.hostname ?? null,
    nodeArray: node?.nodeArray ?? "",
    vmSize: node?.vmSize ?? "",
    placementGroup: node?.placementGroup ?? null,
    dynamicArray: node?.dynamicArray,
  };
}
