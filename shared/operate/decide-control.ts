import type { ActionBody } from "../api/index.ts";
import { changeControl, eventsOf, loadControl, noteEvents, requestPlan, stillThere } from "../cycle/index.ts";
import { isIgnored } from "../engine/index.ts";
import type { RefusedLogin } from "../ports/index.ts";
import { counted } from "../text.ts";
import type { Outlook } from "../views/index.ts";
import { type ActOutcome, type ActPorts, answered, refused } from "./act-outcome.ts";
import { pauseCluster, resumeCluster } from "./pause-cluster.ts";
import { selectNodes } from "./select-nodes.ts";

type PauseBody = Extract<ActionBody, { kind: "pause" | "resume" }>;

/** What pausing and resuming need: neither a snapshot nor a valid configuration. */
export type PausePorts = Parameters<typeof resumeCluster>[0];

/** Pauses or resumes a cluster, even one without a snapshot or with a broken configuration. */
export async function decidePause(
  ports: PausePorts,
  cluster: string,
  { kind, by, reason, dryRun }: PauseBody,
): Promise<ActOutcome> {
  const known = await ports.configs.clusters();
  if (!known.includes(cluster)) return { outcome: "unknown-cluster" };
  const about = { cluster, atSeconds: ports.clock.nowSeconds() };
  const name = `cluster "${cluster}"`;
  const decision = { cluster, by, reason };
  if (kind === "pause") {
    if (dryRun) return answered(about, "would", `Would pause ${name}.`);
    await pauseCluster(ports, decision);
    return answered(
      about,
      "done",
      `Paused ${name}: plans are made, and nothing is sent until it is resumed.`,
    );
  }
  const { paused, refusedLogin } = await loadControl(ports, cluster);
  const from = [...(paused === null ? [] : ["pause"]), ...(refusedLogin === null ? [] : ["refused login"])];
  if (from.length === 0) return answered(about, "nothing-to-do", `Nothing to do: ${name} was not stopped.`);
  if (dryRun) return answered(about, "would", `Would resume ${name} from ${from.join(" and ")}.`);
  await resumeCluster(ports, decision);
  return answered(about, "done", `Resumed ${name} from ${from.join(" and ")}${whatFollows(refusedLogin)}`);
}

function whatFollows(refused: RefusedLogin | null): string {
  return refused === null
    ? ", and asked for a plan."
    : ". The next snapshot tries the login once more, a minute after the last refusal at the earliest; nothing is sent until it is taken.";
}

/** Decisions in our own records that take effect at once: actions and plans follow them from then on. */
export async function decideIgnored(
  ports: ActPorts,
  outlook: Outlook,
  body: Extract<ActionBody, { kind: "ignore" | "unignore" }>,
): Promise<ActOutcome> {
  const { cluster, snapshot, control, atSeconds } = outlook;
  const chosen = selectNodes(outlook, body.nodes);
  if (!chosen.ok) return refused(outlook, chosen.problems, body.dryRun);
  const { kind, by, reason } = body;
  const ignoredIds = new Set(control.ignoredNodes.map(({ nodeId }) => nodeId));
  const changing = chosen.nodes.filter(({ nodeId }) => ignoredIds.has(nodeId) === (kind === "unignore"));
  const nodes = changing.map(({ nodeId, name }) => ({ nodeId, name }));
  const actions = nodes.length === 0 ? [] : [{ actionId: null, kind, nodes, create: [] }];
  const unchanged = chosen.nodes
    .filter((node) => !changing.includes(node))
    .map((node) => ({
      node: node.name,
      why: kind === "ignore" ? "is ignored already" : "is not ignored by anybody's request",
      next:
        kind === "ignore" ? "Nothing." : "What the configuration ignores is changed there: ignored_nodes.",
      refused: kind === "unignore" && isIgnored(node, outlook.config.engine.ignoredNodes),
    }));
  const more = { actions, skipped: [...chosen.skipped, ...unchanged] };
  if (nodes.length === 0) return answered(outlook, "nothing-to-do", "Nothing to do.", more);
  if (body.dryRun)
    return answered(outlook, "would", `Would ${kind} ${counted(nodes.length, "nodes")}.`, more);
  const ids = new Set(nodes.map(({ nodeId }) => nodeId));
  await changeControl(ports, cluster, (current) => {
    const others = stillThere(current.ignoredNodes, snapshot).filter(({ nodeId }) => !ids.has(nodeId));
    const added = kind === "ignore" ? nodes.map((node) => ({ ...node, by, reason, atSeconds })) : [];
    return { ...current, ignoredNodes: [...others, ...added] };
  });
  await noteEvents(
    ports,
    cluster,
    eventsOf({ kind, by, reason, atSeconds: ports.clock.nowSeconds() }, nodes),
  );
  await requestPlan(ports, { cluster, reason: `${kind} by ${by}: ${reason}` });
  const count = counted(nodes.length, "nodes");
  const words = kind === "ignore" ? `Leaving ${count} alone from now on.` : `Taking care of ${count} again.`;
  return answered(outlook, "done", words, more);
}
