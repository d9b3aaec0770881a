import type { NodeActionBody } from "../../api/index.ts";
import { shortHostname } from "../../engine/index.ts";
import type { SourceDemand } from "../../ports.ts";
import { liveSources } from "../plan-input.ts";
import type { Outlook } from "../views/index.ts";
import type { ActOutcome, ActPorts } from "./act.ts";
import { answered, refused } from "./decide-control.ts";
import { chooseNodes, type Skipped } from "./select-nodes.ts";

/**
 * Asks the schedulers that know the nodes to start no more jobs there. CycleCloud has no part in it, so nothing is recorded
 * as an operation; the idle time-out deletes a drained node like any other.
 */
export async function drainNodes(
  ports: ActPorts,
  outlook: Outlook,
  body: NodeActionBody,
): Promise<ActOutcome> {
  const { cluster, atSeconds, loaded } = outlook;
  const chosen = chooseNodes(outlook, body);
  if (!chosen.ok) return refused(outlook, chosen.problems, body.dryRun);
  const drainers = liveSources(loaded.demand, atSeconds).filter(canDrain);
  const tellable = chosen.nodes.filter(({ hostname }) => hostname !== null);
  const skipped: Skipped[] = [
    ...chosen.skipped,
    ...chosen.nodes
      .filter(({ hostname }) => hostname === null)
      .map(({ name }) => ({
        node: name,
        why: "has no host name yet",
        next: "No scheduler knows it; delete it instead.",
      })),
  ];
  if (tellable.length > 0 && drainers.length === 0)
    return refused(
      outlook,
      ["nodes: no live source of the cluster says that it can drain nodes"],
      body.dryRun,
    );
  const nodes = tellable.map(({ nodeId, name, hostname }) => ({ nodeId, name, hostname }));
  const actions =
    nodes.length === 0
      ? []
      : [
          {
            actionId: null,
            kind: "drain",
            nodes: nodes.map(({ nodeId, name }) => ({ nodeId, name })),
            create: [],
          },
        ];
  if (nodes.length === 0) return answered(outlook, "nothing-to-do", "Nothing to do.", { skipped });
  const names = drainers.map(({ source }) => `"${source}"`).join(", ");
  if (body.dryRun)
    return answered(outlook, "would", `Would tell ${names} to drain ${nodes.length} nodes.`, {
      actions,
      skipped,
    });
  for (const { source } of drainers)
    await ports.schedulerEvents.send({
      version: 1,
      cluster,
      source,
      kind: "drain",
      nodes: known(nodes),
      atSeconds,
    });
  ports.log.info("requested", {
    cluster,
    kind: "drain",
    nodes: nodes.length,
    by: body.by,
    reason: body.reason,
  });
  return answered(outlook, "done", `Told ${names} to drain ${nodes.length} nodes.`, { actions, skipped });
}

function canDrain({ capabilities = [] }: SourceDemand): boolean {
  return capabilities.includes("drain");
}

function known<T extends { readonly hostname: string | null }>(nodes: readonly T[]): T[] {
  return nodes.map((node) => ({
    ...node,
    hostname: node.hostname === null ? null : shortHostname(node.hostname),
  }));
}
