import type { CauseView } from "../../api/index.ts";
import { busyHostnames, untilText } from "../../cycle/index.ts";
import { isIgnored, type Reason, shortHostname } from "../../engine/index.ts";
import { duration } from "../../text/durations.ts";
import { someOf } from "../../text/text.ts";
import type { Outlook } from "../outlook.ts";
import { actingOn, cause, isIn } from "./cause.ts";

/** Nodes beside the full ones that would have room, were they not ignored. */
export function ignoredNodes(outlook: Outlook, reasons: readonly Reason[]): readonly CauseView[] {
  const { input, control, snapshot, loaded, atSeconds } = outlook;
  const patterns = input.settings.ignoredNodes;
  if (patterns.length === 0) return [];
  const full = reasons.filter(({ bucket, constraint }) => bucket !== null && constraint === null);
  const busy = busyHostnames(loaded.demand, atSeconds);
  const ignored = snapshot.cluster.nodes.filter(
    (node) =>
      node.targetState === "Started" &&
      isIgnored(node, patterns) &&
      (node.hostname === null || !busy.has(shortHostname(node.hostname))) &&
      full.some(({ bucket }) => isIn(node, bucket)),
  );
  if (ignored.length === 0) return [];
  return [
    ignoredCause(
      outlook,
      ignored.map(({ name }) => name),
      control.ignoredNodes,
    ),
  ];
}

/** Nodes that the autoscaler leaves alone: by whose wish, and how that ends. */
export function ignoredCause(
  { atSeconds }: Outlook,
  names: readonly string[],
  wishes: Outlook["control"]["ignoredNodes"],
): CauseView {
  const wish = wishes.find(({ name }) => names.includes(name));
  const by =
    wish === undefined
      ? 'by "ignored_nodes" of the configuration'
      : `by ${wish.by}${untilText(wish)}: ${wish.reason}, ${duration(atSeconds - wish.atSeconds)} ago`;
  return cause("nodes-ignored", {
    text: `Ignored, so that no jobs are planned there: ${names.length} that might take it (${someOf(names)}; ${by}).`,
    next:
      wish === undefined
        ? 'Take them out of "ignored_nodes" and store the configuration: `ccscale config push FILE`.'
        : `Let them take part again: ${actingOn("unignore", names)}.`,
    left: names.length,
  });
}
