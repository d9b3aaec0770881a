import type { ActionBody } from "../api/index.ts";
import { takesAway, untilText } from "../cycle/index.ts";
import type { ClusterNode } from "../engine/index.ts";
import type { KeptNode } from "../ports/index.ts";
import { counted } from "../text/text.ts";
import type { Outlook } from "../views/index.ts";
import { type ActOutcome, type ActPorts, refused } from "./act-outcome.ts";
import { ending, whyOver } from "./ending.ts";
import { markNodes } from "./mark-nodes.ts";
import { type Skipped, selectNodes } from "./select-nodes.ts";

type KeepAliveBody = Extract<ActionBody, { kind: "keep-alive" }>;

/** Records that only an operator may delete nodes, or ends that. Ours: CycleCloud documents no call that changes its own record. */
export async function decideKeepAlive(
  ports: ActPorts,
  outlook: Outlook,
  body: KeepAliveBody,
): Promise<ActOutcome> {
  const chosen = selectNodes(outlook, body.nodes);
  if (!chosen.ok) return refused(outlook, chosen.problems, body.dryRun);
  const { cluster, control, atSeconds } = outlook;
  const { on } = body;
  const end = ending(body);
  const over = whyOver(end, atSeconds);
  if (over !== undefined) return refused(outlook, [over], body.dryRun);
  const kept = new Map(control.keptNodes.map((node) => [node.nodeId, node]));
  const changing: ClusterNode[] = [];
  const skipped = [...chosen.skipped];
  for (const node of chosen.nodes) {
    const why = on
      ? whyNotKept(node, kept.get(node.nodeId), end.untilSeconds)
      : whyNotFreed(node, kept.has(node.nodeId));
    if (why === undefined) changing.push(node);
    else skipped.push({ node: node.name, ...why });
  }
  const count = counted(changing.length, "nodes");
  return markNodes(ports, outlook, {
    list: "keptNodes",
    on,
    kind: `keep-alive ${on ? "on" : "off"}`,
    event: on ? "keep-alive" : "release",
    body,
    end,
    changing,
    skipped,
    would: `Would ${on ? "keep" : "no longer keep"} ${count} alive${untilText(end)}.`,
    done: on
      ? `Keeping ${count} alive${untilText(end)}: jobs run there as ever, and nobody but an operator deletes them.`
      : `No longer keeping ${count} alive: idle ones may be deleted again.`,
    after: (ids) => (on ? tooLate(ports, cluster, ids) : stillKept(ports, cluster, ids)),
  });
}

type Why = Omit<Skipped, "node"> | undefined;

function whyNotKept(
  { keepAlive, targetState }: ClusterNode,
  kept: KeptNode | undefined,
  untilSeconds: number | undefined,
): Why {
  // A different end time is a new decision.
  if (kept !== undefined && kept.untilSeconds !== untilSeconds) return undefined;
  if (kept !== undefined)
    return {
      why: `is kept alive already, by ${kept.by}${untilText(kept)}: ${kept.reason}`,
      next: "Nothing.",
      refused: false,
    };
  if (keepAlive) return { why: "is keep-alive already, in CycleCloud", next: "Nothing.", refused: false };
  return targetState === "Terminated"
    ? { why: "is on its way out", next: "It is too late for this node.", refused: true }
    : undefined;
}

function whyNotFreed({ keepAlive }: ClusterNode, isKept: boolean): Why {
  if (isKept) return undefined;
  return keepAlive
    ? {
        why: "is keep-alive in CycleCloud, by nobody's request here",
        next: "Take keep-alive off there: CycleCloud's API has no call for it.",
        refused: true,
      }
    : { why: "is not kept alive", next: "Nothing.", refused: false };
}

/** The executor records its request before it reads this record for the last time, so the later of the two sees the other. */
async function tooLate(ports: ActPorts, cluster: string, ids: ReadonlySet<string>): Promise<string> {
  const open = await ports.operations.open(cluster);
  const names = open
    .filter(({ value }) => value.state === "accepted" || value.asked === true)
    .flatMap(({ value: { action } }) => (takesAway(action) ? action.nodes : []))
    .filter(({ nodeId }) => ids.has(nodeId))
    .map(({ name }) => name);
  if (names.length === 0) return "";
  return ` It may be too late for ${names.join(", ")}: CycleCloud is being asked to take them away, see operations.`;
}

async function stillKept(ports: ActPorts, cluster: string, ids: ReadonlySet<string>): Promise<string> {
  const reported = (await ports.snapshots.load(cluster))?.value.cluster.nodes ?? [];
  const names = reported
    .filter(({ nodeId, keepAlive }) => keepAlive && ids.has(nodeId))
    .map(({ name }) => name);
  return names.length === 0
    ? ""
    : ` CycleCloud's own record keeps ${names.join(", ")} alive: take it off there.`;
}
