import type { OperationsAnswer, OperationsQuery } from "../api/index.ts";
import type { Operation, Ports, RequestedNode } from "../ports/index.ts";
import { mostLookedThrough, toOperationView } from "./list-operations.ts";
import { ofSelected, type Selectable, type Selected, type Selecting } from "./node-selection.ts";
import type { Outlook } from "./outlook.ts";
import { pageOf } from "./page.ts";

/** Operations that made selected nodes, or are about them, newest first; nodes that are gone too, as far as they are known. */
export async function listOperationsOf(
  ports: Pick<Ports, "clock" | "operations">,
  outlook: Outlook,
  { query, selecting }: { readonly query: OperationsQuery; readonly selecting: Selecting },
): Promise<Selected<OperationsAnswer>> {
  const { cluster, input } = outlook;
  const { operations } = ports;
  const candidates =
    query.open === true
      ? (await operations.open(cluster)).map(({ value }) => value).reverse()
      : await operations.recent(cluster, mostLookedThrough);
  const nodesOf = nodesOfOperations(outlook);
  return ofSelected(input, selecting, (selector) => {
    const about = candidates.filter((each) => nodesOf(each).some((node) => selector?.isSelected(node)));
    const { items, next, total } = pageOf(about, query, { nameOf: ({ actionId }) => actionId });
    return {
      cluster,
      atSeconds: ports.clock.nowSeconds(),
      operations: items.map(toOperationView),
      next,
      total,
    };
  });
}

/** The nodes that an operation made, is about, or asks for, with what is known of each, here or in its own record. */
function nodesOfOperations({ snapshot, loaded }: Outlook): (operation: Operation) => readonly Selectable[] {
  const reported = new Map(snapshot.cluster.nodes.map((node) => [node.nodeId, node]));
  const hostnames = new Map(loaded.history.map(({ nodeId, hostname }) => [nodeId, hostname]));
  return ({ action, nodes }) => {
    const requested = new Map(nodes.map((node) => [node.nodeId, node]));
    const selectable = (
      nodeId: string,
      named: { readonly name: string; readonly hostname?: string },
    ): Selectable =>
      reported.get(nodeId) ?? {
        ...bucketOf(requested.get(nodeId)),
        nodeId,
        name: named.name,
        hostname: named.hostname ?? hostnames.get(nodeId) ?? null,
      };
    const made = nodes.map((node) => selectable(node.nodeId, node));
    if (action.kind !== "create-nodes")
      return [
        ...made,
        ...action.nodes.map((node) => selectable(node.nodeId, { name: node.name, ...hostOf(node) })),
      ];
    const wanted = action.sets.flatMap((set) =>
      set.names.map((name) => ({ ...bucketOf(set), nodeId: null, name, hostname: null })),
    );
    // The requested names mean nothing once its nodes are known.
    return made.length > 0 ? made : wanted;
  };
}

function hostOf({ hostname }: { readonly hostname?: string | undefined }): { readonly hostname?: string } {
  return hostname === undefined ? {} : { hostname };
}

function bucketOf(
  set: Pick<RequestedNode, "nodeArray" | "vmSize" | "placementGroup"> | undefined,
): Pick<Selectable, "nodeArray" | "vmSize" | "placementGroup"> {
  const { nodeArray = "", vmSize = "", placementGroup = null } = set ?? {};
  return { nodeArray, vmSize, placementGroup };
}
