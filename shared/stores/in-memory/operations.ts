import { type IfMatch, isOpen, type Operation, type OperationStore, type Stored } from "../../ports.ts";
import { oldestOperationFirst } from "../order.ts";
import { keyOf, Records } from "./records.ts";

/** Every operation of every cluster. */
export class MemoryOperationStore implements OperationStore {
  readonly #operations = new Records<Operation>("operation");

  async open(cluster: string): Promise<readonly Stored<Operation>[]> {
    return this.#of(cluster)
      .filter((stored) => isOpen(stored.value))
      .sort((a, b) => oldestOperationFirst(a.value, b.value));
  }

  async recent(cluster: string, limit: number, sinceSeconds = 0): Promise<readonly Operation[]> {
    const all = this.#of(cluster)
      .map((stored) => stored.value)
      .filter((operation) => operation.createdAtSeconds >= sinceSeconds);
    return all.sort((a, b) => oldestOperationFirst(b, a)).slice(0, limit);
  }

  async load(cluster: string, actionId: string): Promise<Stored<Operation> | undefined> {
    return this.#operations.get(keyOf(cluster, actionId));
  }

  async save(operation: Operation, ifMatch: IfMatch): Promise<string> {
    return this.#operations.save(keyOf(operation.cluster, operation.actionId), operation, ifMatch);
  }

  #of(cluster: string): Stored<Operation>[] {
    return this.#operations
      .entries()
      .map(({ stored }) => stored)
      .filter((stored) => stored.value.cluster === cluster);
  }
}
