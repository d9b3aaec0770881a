import { azureLimits } from "../../azure-limits.ts";
import { kindOf } from "../../errors.ts";
import type { ScaleAction } from "../../messages/scale-action.ts";
import type { Operation, Ports, Stored } from "../../ports/index.ts";

type OutboxPorts = Pick<Ports, "operations" | "scaleActions">;

/** Writes down what is going to be asked, so that whoever plans next counts on it, and sends it if this run dies. */
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

/** An action that no queue takes is left out, loudly: the others do not wait for it. */
function fitsMessage({ log }: Pick<Ports, "log">, action: ScaleAction): boolean {
  const { cluster, actionId, kind } = action;
  const bytes = Buffer.byteLength(JSON.stringify(action));
  const mostBytes = azureLimits.serviceBus.messageBytes - headerBytes;
  if (bytes <= mostBytes) return true;
  log.error("action-too-large", { cluster, actionId, kind, bytes, mostBytes });
  return false;
}

/**
 * Sends what was recorded, by this run or by an earlier one that perhaps did not send it. The broker drops an action
 * that it has seen, and the executor one that was carried out, so sending twice does no harm.
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

/** Takes back what was recorded and not sent. Should another run have sent it meanwhile, it stays. */
export async function withdraw(
  ports: Pick<Ports, "operations">,
  recorded: readonly Stored<Operation>[],
  why: { readonly message: string; readonly nowSeconds: number },
): Promise<void> {
  const { message, nowSeconds } = why;
  for (const operation of recorded)
    await advance(ports, operation, { state: "dropped", messages: [message], nowSeconds });
}

/** Somebody else may have been faster: then the operation is further on already, which is just as well. */
async function advance(
  ports: Pick<Ports, "operations">,
  { value, etag }: Stored<Operation>,
  to: Pick<Operation, "state"> & Partial<Pick<Operation, "messages">> & { readonly nowSeconds: number },
): Promise<void> {
  const { nowSeconds, ...changes } = to;
  try {
    await ports.operations.save({ ...value, ...changes, updatedAtSeconds: nowSeconds }, etag);
  } catch (error) {
    if (kindOf(error) !== "conflict") throw error;
  }
}

/** An action that is going to be sent. */
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
