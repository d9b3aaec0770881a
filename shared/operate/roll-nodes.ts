import type { ActionBody } from "../api/index.ts";
import { changeControl, requestPlan, stillThere } from "../cycle/index.ts";
import { shortHostname } from "../engine/index.ts";
import type { ClusterControl, DrainedNode, Rolling } from "../ports/index.ts";
import { counted } from "../text.ts";
import type { Outlook } from "../views/index.ts";
import { type ActOutcome, type ActPorts, answered, refused } from "./act-outcome.ts";
import { chooseNodes } from "./select-nodes.ts";

type RollBody = Extract<ActionBody, { kind: "roll" }>;
type StopBody = Extract<ActionBody, { kind: "stop-rolling" }>;

/**
 * Records that nodes are to be drained one after the other, so many at a time. Each snapshot then goes on by itself
 * (`rollOn`), whatever becomes of the process that was asked.
 */
export async function rollNodes(ports: ActPorts, outlook: Outlook, body: RollBody): Promise<ActOutcome> {
  const { cluster, atSeconds, control } = outlook;
  const { by, reason, replace, dryRun } = body;
  const { rolling } = control;
  if (rolling !== null)
    return refused(
      outlook,
      [
        `rolling: ${rolling.by} began one at ${isoOf(rolling.atSeconds)} that has ${counted(rolling.left.length, "nodes")} left, expected none; \`ccscale stop-rolling\` ends it`,
      ],
      dryRun,
    );
  const chosen = chooseNodes(outlook, { kind: "drain", nodes: body.nodes, force: true });
  if (!chosen.ok) return refused(outlook, chosen.problems, dryRun);
  const left = chosen.nodes.map(({ nodeId, name }) => ({ nodeId, name }));
  const { skipped } = chosen;
  if (left.length === 0) return answered(outlook, "nothing-to-do", "Nothing to do.", { skipped });
  const atOnce = atOnceOf(body.atOnce, left.length);
  const then = replace ? "and are deleted once no job runs there" : "and stay drained until undrain";
  const words = `${counted(left.length, "nodes")}, ${atOnce} at a time: they get no new jobs, ${then}.`;
  const more = { actions: [{ actionId: null, kind: "roll", nodes: left, create: [] }], skipped };
  if (dryRun) return answered(outlook, "would", `Would drain ${words}`, more);
  const started: Rolling = { by, reason, atSeconds, left, inTurn: [], atOnce, replace, total: left.length };
  await changeControl(ports, cluster, (current) => ({ ...current, rolling: current.rolling ?? started }));
  ports.log.info("requested", { cluster, kind: "roll", nodes: left.length, by, reason });
  // The first have their turn at once; each snapshot goes on.
  await changeControl(ports, cluster, (current) => stepped(current, outlook));
  await requestPlan(ports, { cluster, reason: `roll by ${by}: ${reason}` });
  return answered(outlook, "done", `Draining ${words}`, more);
}

/** Ends it: nodes that wait for their turn are left as they are, those that are drained stay so. */
export async function stopRolling(ports: ActPorts, outlook: Outlook, body: StopBody): Promise<ActOutcome> {
  const { rolling } = outlook.control;
  if (rolling === null) return answered(outlook, "nothing-to-do", "Nothing to do: no drain is rolling.");
  const words = `${counted(rolling.left.length, "nodes")} of ${rolling.total} are left as they are. Drained nodes stay drained: \`ccscale undrain\` takes them back.`;
  if (body.dryRun) return answered(outlook, "would", `Would stop: ${words}`);
  await changeControl(ports, outlook.cluster, (current) => ({ ...current, rolling: null }));
  ports.log.info("requested", {
    cluster: outlook.cluster,
    kind: body.kind,
    by: body.by,
    reason: body.reason,
  });
  return answered(outlook, "done", `Stopped: ${words}`);
}

/** The decisions about a cluster after one step; the same when there is nothing to do. */
export function stepped(control: ClusterControl, outlook: Outlook): ClusterControl {
  const { rolling, drainedNodes } = control;
  if (rolling === null) return control;
  const { snapshot, atSeconds } = outlook;
  const isBusy = busyIn(outlook);
  const there = stillThere(rolling.inTurn, snapshot);
  const inTurn = there.filter(({ nodeId }) => rolling.replace || isBusy(nodeId));
  const waiting = stillThere(rolling.left, snapshot);
  const next = waiting.slice(0, Math.max(0, rolling.atOnce - inTurn.length));
  const left = waiting.slice(next.length);
  if (next.length === 0 && inTurn.length === rolling.inTurn.length && left.length === rolling.left.length)
    return control;
  const known = new Set(drainedNodes.map(({ nodeId }) => nodeId));
  const { by, reason } = rolling;
  const drained = next
    .filter(({ nodeId }) => !known.has(nodeId))
    .map((node): DrainedNode => ({ ...node, by, reason, atSeconds }));
  const isOver = left.length === 0 && inTurn.length + next.length === 0;
  return {
    ...control,
    drainedNodes: [...drainedNodes, ...drained],
    rolling: isOver ? null : { ...rolling, left, inTurn: [...inTurn, ...next] },
  };
}

/** Whether a job runs on a node, by what schedulers say. */
export function busyIn({ input, snapshot }: Outlook): (nodeId: string) => boolean {
  const hosts = new Set(
    input.jobs.flatMap(({ executingHostnames }) => executingHostnames.map(shortHostname)),
  );
  const busy = new Set(
    snapshot.cluster.nodes
      .filter(({ hostname }) => hostname !== null && hosts.has(shortHostname(hostname)))
      .map(({ nodeId }) => nodeId),
  );
  return (nodeId) => busy.has(nodeId);
}

/** "10%" of the nodes, rounded up: at least one. */
function atOnceOf(wanted: RollBody["atOnce"], nodes: number): number {
  if (typeof wanted === "number") return wanted;
  return Math.max(1, Math.ceil((nodes * Number(wanted.slice(0, -1))) / 100));
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
