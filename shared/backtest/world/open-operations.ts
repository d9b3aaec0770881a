import { type IfMatch, isOpen, type Operation, type OperationStore, type Stored } from "../../ports/index.ts";

/** Twice the longest period for which closed operations are queried. */
const keptSeconds = 7_200;

/** Operations of one cluster: those that are open, and those of the last hours, oldest first. */
export class OpenOperations implements OperationStore {
  readonly #nowSeconds: () => number;
  readonly #all = new Map<string, Stored<Operation>>();
  readonly #open = new Map<string, Stored<Operation>>();
  #writes = 0;

  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds;
  }

  async open(): Promise<readonly Stored<Operation>[]> {
    return [...this.#open.values()];
  }

  async recent(
    _cluster: string,
    limit: number,
    sinceSeconds = 0,
    untilSeconds = Number.POSITIVE_INFINITY,
  ): Promise<readonly Operation[]> {
    const operations: Operation[] = [];
    for (const { value } of this.#all.values())
      if (value.createdAtSeconds >= sinceSeconds && value.createdAtSeconds <= untilSeconds)
        operations.push(value);
    return operations.slice(-limit).reverse();
  }

  async load(_cluster: string, actionId: string): Promise<Stored<Operation> | undefined> {
    return this.#all.get(actionId);
  }

  async save(operation: Operation, _ifMatch: IfMatch): Promise<string> {
    const { actionId } = operation;
    const stored = { value: operation, etag: String(++this.#writes) };
    this.#all.set(actionId, stored);
    if (isOpen(operation)) this.#open.set(actionId, stored);
    else this.#open.delete(actionId);
    this.#forget();
    return stored.etag;
  }

  async requestsTag(): Promise<string | undefined> {
    return undefined;
  }

  saveRequested(operation: Operation): Promise<string> {
    return this.save(operation, undefined);
  }

  #forget(): void {
    const before = this.#nowSeconds() - keptSeconds;
    for (const [actionId, { value }] of this.#all) {
      if (value.createdAtSeconds >= before || this.#open.has(actionId)) return;
      this.#all.delete(actionId);
    }
  }
}
