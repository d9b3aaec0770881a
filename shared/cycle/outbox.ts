import { kindOf } from "../errors.ts";
import type { ScaleAction } from "../messages/scale-action.ts";
import type { Operation, Ports, Stored } from "../ports.ts";

type OutboxPorts = Pick<Ports, "operations" | "scaleActions">;

/**
 * Records actions, then sends them, together with those that an earlier run recorded and perhaps did not send. The
 * broker drops an action that it has seen, and the executor one that was carried out, so sending twice does no harm.
 */
export async function sendThroughOutbox(
  ports: OutboxPorts,
  unsent: readonly Stored<Operation>[],
  actions: readonly ScaleAction[],
  nowSeconds: number,
): Promise<void> {
  const recorded: Stored<Operation>[] = [...unsent];
  for (const action of actions) {
    const operation = planned(action, nowSeconds);
    recorded.push({ value: operation, etag: await ports.operations.save(operation, undefined) });
  }
  if (recorded.length === 0) return;
  await ports.scaleActions.send(recorded.map((operation) => operation.value.action));
  for (const operation of recorded) await markSent(ports, operation, nowSeconds);
}

/** The executor may have been faster: then the operation is further on than `sent`, which is just as well. */
async function markSent(ports: OutboxPorts, operation: Stored<Operation>, nowSeconds: number): Promise<void> {
  try {
    const sent: Operation = { ...operation.value, state: "sent", updatedAtSeconds: nowSeconds };
    await ports.operations.save(sent, operation.etag);
  } catch (error) {
    if (kindOf(error) !== "conflict") throw error;
  }
}

function planned(action: ScaleAction, nowSeconds: number): Operation {
  return {
    cluster: action.cluster,
    actionId: action.actionId,
    state: "planned",
    action,
    operationId: null,
    nodes: [],
    added: [],
    messages: [],
    createdAtSeconds: nowSeconds,
    updatedAtSeconds: nowSeconds,
  };
}
