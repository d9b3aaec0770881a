import { loadControl, requestPlan, whyHeld } from "../cycle/index.ts";
import { StaleSnapshotError } from "../errors/errors.ts";
import type { Rolling } from "../ports/index.ts";
import { lookAhead, type Outlook } from "../views/index.ts";
import { act } from "./act.ts";
import type { ActPorts } from "./act-outcome.ts";
import { busyIn, takeTurns } from "./roll-nodes.ts";

/** One step: nodes without jobs are deleted, and the next ones drained. Not while the cluster is held or running jobs are unknown. */
export async function rollOn(ports: ActPorts, cluster: string): Promise<void> {
  if ((await loadControl(ports, cluster)).rolling === null) return;
  const outlook = await seen(ports, cluster);
  if (outlook === undefined || whyHeld(outlook.config, outlook.control) !== undefined) return;
  const turned = await takeTurns(ports, outlook);
  const { rolling } = turned;
  if (rolling === null) ports.log.info("rolled", { cluster });
  else if (rolling.replace) await replaceIdle(ports, outlook, rolling);
  await requestPlan(ports, { cluster, reason: "a rolling drain" });
}

/** Asks for those in turn to be deleted on which no job runs. The executor looks again before it does. */
async function replaceIdle(ports: ActPorts, outlook: Outlook, rolling: Rolling): Promise<void> {
  const isBusy = busyIn(outlook);
  const isLeaving = new Set(
    outlook.snapshot.cluster.nodes
      .filter(({ targetState }) => targetState !== "Started")
      .map(({ nodeId }) => nodeId),
  );
  const drainedBefore = new Set(outlook.control.drainedNodes.map(({ nodeId }) => nodeId));
  const idle = rolling.inTurn.filter(
    // A node drained only now may get a job before its scheduler knows.
    ({ nodeId }) => drainedBefore.has(nodeId) && !isLeaving.has(nodeId) && !isBusy(nodeId),
  );
  if (idle.length === 0) return;
  const { by, reason } = rolling;
  const nodes = { nodeIds: idle.map(({ nodeId }) => nodeId) };
  const body = { kind: "delete", by, reason, nodes, force: false, dryRun: false } as const;
  // The key has the snapshot's time: a failed deletion is requested again with the next snapshot, one under way is not.
  const key = `roll-${rolling.atSeconds}-${outlook.snapshot.takenAtSeconds}`;
  await act(ports, { cluster: outlook.cluster, body, key });
}

async function seen(ports: ActPorts, cluster: string): Promise<Outlook | undefined> {
  try {
    return await lookAhead(ports, cluster);
  } catch (error) {
    if (error instanceof StaleSnapshotError) return undefined;
    throw error;
  }
}
