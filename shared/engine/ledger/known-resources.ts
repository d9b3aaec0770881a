import type { PlanInput } from "../model/plan-input.ts";
import type { LedgerBucket } from "./ledger-bucket.ts";

/** Which resources there are in a cluster, and whose word that is. */
export class KnownResources {
  readonly #operators = new Set<string>();
  readonly #input: Pick<PlanInput, "schedulerNodes">;
  #schedulers: ReadonlySet<string> | null = null;

  constructor(input: Pick<PlanInput, "schedulerNodes" | "cluster">, buckets: readonly LedgerBucket[]) {
    this.#input = input;
    for (const { example, closed } of buckets)
      if (closed !== "on-premise") this.#noteAll(example.stock.resources);
    for (const { resources } of input.cluster.nodes) this.#noteAll(resources);
  }

  /** Node arrays, VM sizes, default resources and CycleCloud's nodes have it: as many as the operator configured. */
  isOperators(resource: string): boolean {
    return this.#operators.has(resource) || resource === "ccnodeid";
  }

  /** Only hosts have it that schedulers describe: there may be any number. */
  isSchedulersOnly(resource: string): boolean {
    if (this.isOperators(resource)) return false;
    this.#schedulers ??= new Set(
      this.#input.schedulerNodes.flatMap(({ resources }) => Object.keys(resources)),
    );
    return this.#schedulers.has(resource);
  }

  #noteAll(resources: object): void {
    for (const name of Object.keys(resources)) this.#operators.add(name);
  }
}
