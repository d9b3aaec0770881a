import { ConflictError } from "../../errors/errors.ts";
import { type IfMatch, isOpen, type Operation, type OperationStore, type Stored } from "../../ports/index.ts";
import { fittingOperation } from "../fitting-operation.ts";
import { oldestOperationFirst } from "../order.ts";
import { Records, recordKey } from "./memory-records.ts";

/** Every operation of every cluster. */
export class MemoryOperationStore implements OperationStore {
  readonly #operations = new Records<Operation>("operation", { isRow: true });
  readonly #requests = new Records<{ readonly actionId: string }>("requests of cluster");

  async open(cluster: string): Promise<readonly Stored<Operation>[]> {
    return this.#operations
      .which((operation) => operation.cluster === cluster && isOpen(operation))
      .sort((a, b) => oldestOperationFirst(a.value, b.value));
  }

  async recent(
    cluster: string,
    limit: number,
    sinceSeconds = 0,
    untilSeconds = Infinity,
  ): Promise<readonly Operation[]> {
    const ofCluster = this.#operations.which(
      ({ cluster: of, createdAtSeconds: at }) => of === cluster && at >= sinceSeconds && at <= untilSeconds,
    );
    const newestFirst = ofCluster.map(({ value }) => value).sort((a, b) => oldestOperationFirst(b, a));
    return newestFirst.slice(0, limit);
  }

  async load(cluster: string, actionId: string): Promise<Stored<Operation> | undefined> {
    return this.#operations.get(recordKey(cluster, actionId));
  }

  async save(operation: Operation, ifMatch: IfMatch): Promise<string> {
    return this.#operations.save(
      recordKey(operation.cluster, operation.actionId),
      fittingOperation(operation),
      ifMatch,
    );
  }

  async requestsTag(cluster: string): Promise<string | undefined> {
    return this.#requests.get(cluster)?.etag;
  }

  async saveRequested(operation: Operation, tag: string | undefined): Promise<string> {
    const { cluster, actionId } = operation;
    const key = recordKey(cluster, actionId);
    if (this.#operations.get(key) !== undefined) throw new ConflictError(`operation ${key}`);
    this.#requests.save(cluster, { actionId }, tag);
    return this.#operations.save(key, operation, undefined);
  }
}
