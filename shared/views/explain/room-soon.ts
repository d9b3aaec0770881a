import type { CauseView } from "../../api/index.ts";
import type { ClusterNode, LimitFigure, Reason } from "../../engine/index.ts";
import { duration } from "../../text/durations.ts";
import { someOf } from "../../text/text.ts";
import type { NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";

/** What gives room under a limit without anybody's doing. */
export interface RoomSoon {
  /** A sentence; empty: nothing is known to go. */
  readonly text: string;
  /** When the first idle node goes; null: no idle node does, or only nodes that are on their way out already. */
  readonly untilSeconds: CauseView["untilSeconds"];
}

const nothing: RoomSoon = { text: "", untilSeconds: null };

/** Nodes that count under a limit and are on their way out, or idle with their time-out running. */
export function roomSoon(
  outlook: Outlook,
  views: NodeViews,
  { bucket, limit }: Reason,
  figure: LimitFigure | undefined,
): RoomSoon {
  if (bucket === null || figure === undefined || limit === "max-nodes-per-plan") return nothing;
  const arrays = new Map(outlook.snapshot.cluster.nodeArrays.map((array) => [array.name, array]));
  const own = arrays.get(bucket.nodeArray);
  const familyOf = ({ nodeArray, vmSize }: Pick<ClusterNode, "nodeArray" | "vmSize">) =>
    arrays.get(nodeArray)?.buckets.find((size) => size.vmSize === vmSize)?.vm.family;
  const counts = (node: ClusterNode): boolean => {
    const array = arrays.get(node.nodeArray);
    if (array === undefined) return false;
    const isThere = array.location === own?.location && array.spot === own?.spot;
    switch (limit) {
      case "bucket":
        return node.nodeArray === bucket.nodeArray && node.vmSize === bucket.vmSize;
      case "node-array":
        return node.nodeArray === bucket.nodeArray;
      case "placement-group":
        return node.nodeArray === bucket.nodeArray && node.placementGroup === bucket.placementGroup;
      case "region":
        return isThere;
      case "family":
        return isThere && familyOf(node) === familyOf(bucket);
      // Only more regular nodes make room there.
      case "spot-share":
      // Nor does a node that goes end a hold.
      case "back-off":
      case "budget":
        return false;
      case "cluster":
      case "max-cores":
      case "monthly-budget":
      case "unknown-price":
      case null:
        return true;
    }
  };
  const leavingIds = new Set(outlook.input.leavingNodeIds);
  const counting = outlook.snapshot.cluster.nodes.filter(counts);
  const leaving = counting.filter(
    ({ nodeId, targetState }) => leavingIds.has(nodeId) || targetState === "Terminated",
  );
  const idle = views
    .idle()
    .filter(({ reported }) => !leavingIds.has(reported.nodeId) && counts(reported))
    .map(({ reported: { name }, deleteAtSeconds }) => ({ name, deleteAtSeconds }));
  const firstSeconds = idle.reduce(
    (first, { deleteAtSeconds }) => Math.min(first, deleteAtSeconds),
    Number.POSITIVE_INFINITY,
  );
  const named = (nodes: readonly { readonly name: string }[]) =>
    `${nodes.length} (${someOf(nodes.map(({ name }) => name))})`;
  const sentences = [
    ...(leaving.length === 0 ? [] : [`On their way out there: ${named(leaving)}.`]),
    ...(idle.length === 0
      ? []
      : [`Idle there: ${named(idle)}; the first goes in ${duration(firstSeconds - outlook.atSeconds)}.`]),
  ];
  return {
    text: sentences.map((sentence) => ` ${sentence}`).join(""),
    untilSeconds: idle.length > 0 && firstSeconds > outlook.atSeconds ? firstSeconds : null,
  };
}
