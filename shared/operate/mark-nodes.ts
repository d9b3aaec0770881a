import { changeControl, eventsOf, noteEvents, requestPlan, stillThere } from "../cycle/index.ts";
import type { ClusterNode } from "../engine/index.ts";
import type { Outlook } from "../views/index.ts";
import { type ActOutcome, type ActPorts, answered } from "./act-outcome.ts";
import { notedDecision } from "./ending.ts";
import type { Skipped } from "./select-nodes.ts";

/** A decision about nodes that is kept in our own records: CycleCloud is not asked, so no operation is recorded. */
export interface Marking {
  readonly list: "drainedNodes" | "ignoredNodes" | "keptNodes";
  /** Whether the nodes are put on the list or taken off it. */
  readonly on: boolean;
  /** What the answer and the log call it. */
  readonly kind: string;
  readonly event: Parameters<typeof eventsOf>[0]["kind"];
  readonly body: { readonly by: string; readonly reason: string; readonly dryRun: boolean };
  readonly end: { readonly untilSeconds?: number };
  readonly changing: readonly ClusterNode[];
  readonly skipped: readonly Skipped[];
  readonly would: string;
  readonly done: string;
  /** What the answer adds, once the decision holds. */
  readonly after?: (nodeIds: ReadonlySet<string>) => Promise<string>;
}

/** Decides it, and asks for the plan that follows it. */
export async function markNodes(ports: ActPorts, outlook: Outlook, marking: Marking): Promise<ActOutcome> {
  const { cluster, snapshot, atSeconds } = outlook;
  const { list, on, kind, end, changing, skipped } = marking;
  const { by, reason, dryRun } = marking.body;
  const nodes = changing.map(({ nodeId, name }) => ({ nodeId, name }));
  if (nodes.length === 0) return answered(outlook, "nothing-to-do", "Nothing to do.", { skipped });
  const more = { actions: [{ actionId: null, kind, nodes, create: [] }], skipped };
  if (dryRun) return answered(outlook, "would", marking.would, more);
  const ids = new Set(nodes.map(({ nodeId }) => nodeId));
  await changeControl(ports, cluster, (current) => {
    const others = stillThere(current[list], snapshot).filter(({ nodeId }) => !ids.has(nodeId));
    const added = on ? nodes.map((node) => ({ ...node, by, reason, atSeconds, ...end })) : [];
    return { ...current, [list]: [...others, ...added] };
  });
  ports.log.info("requested", { cluster, kind, nodes: nodes.length, by, reason });
  const noted = notedDecision(marking.event, { by, reason, ...end }, ports.clock.nowSeconds());
  await noteEvents(ports, cluster, eventsOf(noted, changing));
  await requestPlan(ports, { cluster, reason: `${kind} by ${by}: ${reason}` });
  return answered(outlook, "done", `${marking.done}${(await marking.after?.(ids)) ?? ""}`, more);
}
