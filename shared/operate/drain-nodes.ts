import type { ActionBody, DrainBody } from "../api/index.ts";
import { liveSources, outNodesOf, untilText } from "../cycle/index.ts";
import { counted } from "../text/text.ts";
import type { Outlook } from "../views/index.ts";
import { type ActOutcome, type ActPorts, refused } from "./act-outcome.ts";
import { ending, whyOver } from "./ending.ts";
import { markNodes } from "./mark-nodes.ts";
import { chooseNodes, type Skipped, selectNodes } from "./select-nodes.ts";

type UndrainBody = Extract<ActionBody, { kind: "undrain" }>;

/** Records that nodes take no new jobs, and asks for the plan that tells their schedulers. CycleCloud is not involved. */
export async function drainNodes(ports: ActPorts, outlook: Outlook, body: DrainBody): Promise<ActOutcome> {
  const chosen = chooseNodes(outlook, body);
  if (!chosen.ok) return refused(outlook, chosen.problems, body.dryRun);
  const over = whyOver(body, outlook.atSeconds);
  if (over !== undefined) return refused(outlook, [over], body.dryRun);
  // A different end time is a new decision.
  const drainedBefore = new Map(
    outlook.control.drainedNodes
      .filter(({ untilSeconds }) => untilSeconds === body.untilSeconds)
      .map((node) => [node.nodeId, node]),
  );
  const changing = chosen.nodes.filter(({ nodeId }) => !drainedBefore.has(nodeId));
  const already = chosen.nodes.flatMap(({ nodeId, name }): Skipped[] => {
    const drained = drainedBefore.get(nodeId);
    if (drained === undefined) return [];
    const why = `is drained already, by ${drained.by}${untilText(drained)}: ${drained.reason}`;
    return [{ node: name, why, next: "Nothing.", refused: false }];
  });
  const skipped = [...chosen.skipped, ...already];
  const words = `${counted(changing.length, "nodes")}: no new jobs go there${untilText(body)}.${noteOf(outlook)}`;
  return markNodes(ports, outlook, {
    list: "drainedNodes",
    on: true,
    kind: "drain",
    event: "drain",
    body,
    end: ending(body),
    changing,
    skipped,
    would: `Would drain ${words}`,
    done: `Draining ${words}`,
  });
}

/** Ends a drain that was requested here. A drain made at the scheduler must be ended there. */
export async function undrainNodes(
  ports: ActPorts,
  outlook: Outlook,
  body: UndrainBody,
): Promise<ActOutcome> {
  const chosen = selectNodes(outlook, body.nodes);
  if (!chosen.ok) return refused(outlook, chosen.problems, body.dryRun);
  const drainedIds = new Set(outlook.control.drainedNodes.map(({ nodeId }) => nodeId));
  const changing = chosen.nodes.filter(({ nodeId }) => drainedIds.has(nodeId));
  const out = outNodesOf(outlook.snapshot.cluster, outlook.loaded.demand, outlook.atSeconds);
  const outIds = new Set(out.map(({ nodeId }) => nodeId));
  const unchanged = chosen.nodes
    .filter((node) => !changing.includes(node))
    .map(({ name, nodeId }) => ({
      node: name,
      why: "is not drained by anybody's request",
      next: "What was drained at the scheduler is taken back there.",
      refused: outIds.has(nodeId),
    }));
  const words = counted(changing.length, "nodes");
  return markNodes(ports, outlook, {
    list: "drainedNodes",
    on: false,
    kind: "undrain",
    event: "undrain",
    body,
    end: {},
    changing,
    skipped: [...chosen.skipped, ...unchanged],
    would: `Would take ${words} back.`,
    done: `${words} may take jobs again.`,
  });
}

/** What the summary says about the schedulers. */
function noteOf({ loaded, atSeconds, held }: Outlook): string {
  const drainers = liveSources(loaded.demand, atSeconds).filter(({ capabilities }) =>
    capabilities?.includes("drain"),
  );
  if (drainers.length === 0)
    return " No live source of the cluster can drain nodes, so its scheduler may still start jobs there.";
  const names = drainers.map(({ source }) => `"${source}"`).join(", ");
  if (held !== undefined) return ` ${names} will be informed once plans are sent again: ${held}.`;
  return ` The next plan informs ${names}.`;
}
