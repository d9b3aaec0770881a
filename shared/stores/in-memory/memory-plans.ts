import {
  type ArchivedPlan,
  type ArchiveOutcome,
  type IfMatch,
  type PackedPlan,
  type PlanHead,
  type PlanOutline,
  type PlanRecord,
  type PlanStore,
  packPlan,
  type Stored,
  unpackPlan,
} from "../../ports/index.ts";
import { newestPlanFirst } from "../order.ts";
import { largestPlanCharacters, planTooLarge, recordOf } from "../store-limits.ts";
import { Records, recordKey } from "./memory-records.ts";

/** Heads, archived plans, and the index of them. */
export class MemoryPlanStore implements PlanStore {
  readonly #heads = new Records<PlanHead>("plan head");
  readonly #archive = new Map<string, string>();
  readonly #index = new Records<PlanRecord>("line of the plan index", { isRow: true });
  readonly #limit: number;

  constructor(options: { readonly limitCharacters?: number } = {}) {
    this.#limit = options.limitCharacters ?? largestPlanCharacters;
  }

  async loadHead(cluster: string): Promise<Stored<PlanHead> | undefined> {
    return this.#heads.get(cluster);
  }

  async saveHead(head: PlanHead, ifMatch: IfMatch): Promise<void> {
    this.#heads.save(head.cluster, head, ifMatch);
  }

  async archive(plan: ArchivedPlan): Promise<ArchiveOutcome> {
    const key = recordKey(plan.summary.cluster, plan.summary.planId);
    const text = JSON.stringify(packPlan(plan));
    if (text.length > this.#limit) return { outcome: "too-large", reason: planTooLarge(this.#limit) };
    this.#archive.set(key, text);
    this.#index.put(key, recordOf(plan, text.length));
    return { outcome: "archived" };
  }

  async recordFailed(record: PlanRecord): Promise<void> {
    const key = recordKey(record.cluster, record.planId);
    if (this.#index.get(key) === undefined) this.#index.put(key, record);
  }

  async list(cluster: string, limit: number, untilSeconds = Infinity): Promise<readonly PlanRecord[]> {
    return this.#index
      .which((record) => record.cluster === cluster && record.atSeconds <= untilSeconds)
      .map(({ value }) => value)
      .sort(newestPlanFirst)
      .slice(0, limit);
  }

  async load(cluster: string, planId: string): Promise<ArchivedPlan | undefined> {
    const text = this.#archive.get(recordKey(cluster, planId));
    return text === undefined ? undefined : unpackPlan(JSON.parse(text) as PackedPlan | PlanOutline);
  }
}
