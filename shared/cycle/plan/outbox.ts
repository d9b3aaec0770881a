import { isWritten } from "../../errors/errors.ts";
import type { ScaleAction } from "../../messages/index.ts";
import type { Operation, Ports, Stored } from "../../ports/index.ts";
import { azureLimits } from "../../ports/index.ts";

type OutboxPorts = Pick<Ports, "operations" | "scaleActions">;

/** Records the actions that will be sent, so that the next planner counts on them, and sends them if this run dies. */
export async function recordActions(
  ports: Pick<Ports, "log" | "operations">,
  actions: readonly ScaleAction[],
  nowSeconds: number,
): Promise<readonly Stored<Operation>[]> {
  const recorded: Stored<Operation>[] = [];
  for (const action of actions) {
    if (!fitsMessage(ports, action)) continue;
    const operation = plannedOperation(action, nowSeconds);
    recorded.push({ value: operation, etag: await ports.operations.save(operation, undefined) });
  }
  return recorded;
}

/** Room for the header of a message: session and message id, subject, times. */
const headerBytes = 4_096;

/** An action that does not fit a queue message is left out and logged as an error: the others do not wait for it. */
function fitsMessage({ log }: Pick<Ports, "log">, action: ScaleAction): boolean {
  const { cluster, actionId, kind } = action;
  const bytes = Buffer.byteLength(JSON.stringify(action));
  const mostBytes = azureLimits.serviceBus.messageBytes - headerBytes;
  if (bytes <= mostBytes) return true;
  log.error("action-too-large", { cluster, actionId, kind, bytes, mostBytes });
  return false;
}

/**
 * Sends recorded actions, of this run or of an earlier one that may not have sent them. The broker drops an action that
 * it has seen, and the executor one that was executed, so sending twice is harmless.
 */
export async function sendRecorded(
  ports: OutboxPorts,
  recorded: readonly Stored<Operation>[],
  nowSeconds: number,
): Promise<void> {
  if (recorded.length === 0) return;
  await ports.scaleActions.send(recorded.map((operation) => operation.value.action));
  for (const operation of recorded) await advance(ports, operation, { state: "sent", nowSeconds });
}

/** Cancels operations that were recorded and not sent. If another run has sent one meanwhile, it stays. */
export async function withdraw(
  ports: Pick<Ports, "operations">,
  recorded: readonly Stored<Operation>[],
  why: { readonly message: string; readonly nowSeconds: number },
): Promise<void> {
  const { message, nowSeconds } = why;
  for (const operation of recorded)
    await advance(ports, operation, { state: "dropped", messages: [message], nowSeconds });
}

/** Another run may have been faster: then the operation has moved on already, which is fine. */
async function advance(
  ports: Pick<Ports, "operations">,
  { value, etag }: Stored<Operation>,
  to: Pick<Operation, "state"> & Partial<Pick<Operation, "messages">> & { readonly nowSeconds: number },
): Promise<void> {
  const { nowSeconds, ...changes } = to;
  await isWritten(() => ports.operations.save({ ...value, ...changes, updatedAtSeconds: nowSeconds }, etag));
}

/** An action that will be sent. */
export function plannedOperation(action: ScaleAction, nowSeconds: number): Operation {
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
