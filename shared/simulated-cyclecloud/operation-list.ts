import { toIso } from "./simulated-clock.ts";

/** One accepted call that changes nodes. */
export interface Operation {
  readonly operationId: string;
  readonly cluster: string;
  readonly action: string;
  readonly requestId: string | undefined;
  readonly startedAt: number;
  /** The nodes that it made or touched. */
  readonly nodeIds: readonly string[];
}

export type Operations = ReturnType<typeof createOperations>;

/** What has been asked of this server, and the request ids that it will not take twice. `most`: the oldest beyond that are forgotten. */
export function createOperations(most = Number.POSITIVE_INFINITY) {
  const operations = new Map<string, Operation>();
  const requests = new Map<string, Operation>();
  return {
    add(operation: Operation): void {
      operations.set(operation.operationId, operation);
      if (operation.requestId !== undefined) requests.set(operation.requestId, operation);
      if (operations.size > most) forgetOldest();
    },
    byId: (operationId: string) => operations.get(operationId),
    byRequest: (requestId: string) => requests.get(requestId),
    all: (): readonly Operation[] => [...operations.values()],
  };

  function forgetOldest(): void {
    const [oldest] = operations.values();
    if (oldest === undefined) return;
    operations.delete(oldest.operationId);
    if (oldest.requestId !== undefined) requests.delete(oldest.requestId);
  }
}

export function toOperationStatus({ action, startedAt }: Operation): { action: string; startTime: string } {
  return { action, startTime: toIso(startedAt) };
}
