import type { ActionBody } from "../api/index.ts";
import { changeControl, eventsOf, noteEvents, requestPlan, stillThere } from "../cycle/index.ts";
import { shortHostname } from "../engine/index.ts";
import type { ClusterControl, DrainedNode, Rolling } from "../ports/index.ts";
import { moment } from "../text/moment.ts";
import { counted } from "../text/text.ts";
import type { Outlook } from "../views/index.ts";
import { type ActOutcome, type ActPorts, answered, refused } from "./act-outcome.ts";
import { chooseNodes } from "./select-nodes.ts";

type RollBody = Extract<ActionBody, { kind: "roll" }>;
type StopBody = Extract<ActionBody, { kind: "stop-rolling" }>;

/** Records that nodes are to be drained in turn, a few at a time. Each snapshot continues the drain (`rollOn`). */
export async function rollNodes(ports: ActPorts, outlook: Outlook, body: RollBody): Promise<ActOutcome> {
  const { cluster, atSeconds, control } = outlook;
  const { by, reason, replace, dryRun } = body;
  if (control.rolling !== null) return refused(outlook, [whyRolling(control.rolling)], dryRun);
  // Only nodes that may be deleted can be replaced.
  const kind = replace ? "delete" : "drain";
  const chosen = chooseNodes(outlook, { kind, nodes: body.nodes, force: true });
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
  // The first nodes are drained at once; each snapshot continues.
  const decided = await takeTurns(ports, outlook, ({ rolling }) => rolling ?? started);
  const { rolling } = decided;
  if (rolling !== null && !isSameRolling(rolling, started))
    return refused(outlook, [whyRolling(rolling)], false);
  ports.log.info("requested", { cluster, kind: "roll", nodes: left.length, by, reason });
  await requestPlan(ports, { cluster, reason: `roll by ${by}: ${reason}` });
  return answered(outlook, "done", `Draining ${words}`, more);
}

function whyRolling({ by, atSeconds, left }: Rolling): string {
  return `rolling: ${by} began one at ${moment(atSeconds)} that has ${counted(left.length, "nodes")} left, expected none; \`ccscale stop-rolling\` ends it`;
}

/** Whether it is the same rolling drain, some steps later, and not another operator's. */
function isSameRolling(a: Rolling, b: Rolling): boolean {
  return a.by === b.by && a.reason === b.reason && a.atSeconds === b.atSeconds && a.total === b.total;
}

/** Ends a rolling drain: waiting nodes stay as they are, drained nodes stay drained. */
export async function stopRolling(ports: ActPorts, outlook: Outlook, body: StopBody): Promise<ActOutcome> {
  const { rolling } = outlook.control;
  if (rolling === null) return answered(outlook, "nothing-to-do", "Nothing to do: no drain is rolling.");
  const left = rolling.left.length;
  const words = `${left} of ${counted(rolling.total, "nodes")} ${left === 1 ? "is left as it is" : "are left as they are"}. Drained nodes stay drained: \`ccscale undrain\` takes them back.`;
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

/** Saves one step of a rolling drain, with an event for each node in turn. `begin` returns the drain to continue. */
export async function takeTurns(
  ports: ActPorts,
  outlook: Outlook,
  begin: (control: ClusterControl) => Rolling | null = ({ rolling }) => rolling,
): Promise<ClusterControl> {
  const { cluster, snapshot } = outlook;
  let turns: readonly DrainedNode[] = [];
  const decided = await changeControl(ports, cluster, (current) => {
    const rolling = begin(current);
    const next = stepped(rolling === current.rolling ? current : { ...current, rolling }, outlook);
    turns = next.drainedNodes.filter((node) => !current.drainedNodes.includes(node));
    return next;
  });
  const hostnames = new Map(snapshot.cluster.nodes.map(({ nodeId, hostname }) => [nodeId, hostname]));
  const events = turns.flatMap(({ nodeId, name, by, reason, atSeconds }) =>
    eventsOf({ kind: "drain", by, reason: `rolling drain: ${reason}`, atSeconds }, [
      { nodeId, name, hostname: hostnames.get(nodeId) ?? null },
    ]),
  );
  await noteEvents(ports, cluster, events);
  return decided;
}

/** The decisions about a cluster after one step; the same when there is nothing to do. */
function stepped(control: ClusterControl, outlook: Outlook): ClusterControl {
  const { rolling, drainedNodes } = control;
  if (rolling === null) return control;
  const { snapshot, atSeconds } = outlook;
  const isBusy = busyIn(outlook);
  const drainedIds = new Set(drainedNodes.map(({ nodeId }) => nodeId));
  // An operator decided otherwise since: such a node would never be deleted, and the others would wait for it.
  const isKept = rolling.replace ? keptIn(outlook) : () => false;
  const inTurn = stillThere(rolling.inTurn, snapshot).filter(
    ({ nodeId }) => drainedIds.has(nodeId) && !isKept(nodeId) && (rolling.replace || isBusy(nodeId)),
  );
  const waiting = stillThere(rolling.left, snapshot).filter(({ nodeId }) => !isKept(nodeId));
  const next = waiting.slice(0, Math.max(0, rolling.atOnce - inTurn.length));
  const left = waiting.slice(next.length);
  if (next.length === 0 && inTurn.length === rolling.inTurn.length && left.length === rolling.left.length)
    return control;
  const { by, reason } = rolling;
  // A drain with an end time could give the node jobs again before it is deleted.
  const drainedForGood = drainedNodes.filter(({ untilSeconds }) => untilSeconds === undefined);
  const knownIds = new Set(drainedForGood.map(({ nodeId }) => nodeId));
  const drained = next
    .filter(({ nodeId }) => !knownIds.has(nodeId))
    .map((node): DrainedNode => ({ ...node, by, reason, atSeconds }));
  const replacedIds = new Set(drained.map(({ nodeId }) => nodeId));
  const isOver = left.length === 0 && inTurn.length + next.length === 0;
  return {
    ...control,
    drainedNodes: [...drainedNodes.filter(({ nodeId }) => !replacedIds.has(nodeId)), ...drained],
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

function keptIn({ snapshot }: Outlook): (nodeId: string) => boolean {
  const kept = new Set(snapshot.cluster.nodes.flatMap(({ nodeId, keepAlive }) => (keepAlive ? nodeId : [])));
  return (nodeId) => kept.has(nodeId);
}

/** "10%" of the nodes, rounded up. */
function atOnceOf(wanted: RollBody["atOnce"], nodes: number): number {
  if (typeof wanted === "number") return wanted;
  return Math.ceil((nodes * Number(wanted.slice(0, -1))) / 100);
}
