import type { ArchivedPlan, IfMatch, PlanHead, PlanStore, PlanSummary, Stored } from "../../ports/index.ts";
import { newestPlanFirst } from "../order.ts";
import { keyOf, Records } from "./records.ts";

/** Heads, archived plans, and the index of them. */
export class MemoryPlanStore implements PlanStore {
  readonly #heads = new Records<PlanHead>("plan head");
  readonly #archive = new Records<ArchivedPlan>("plan");
  readonly #index = new Records<PlanSummary>("plan summary");

  async loadHead(cluster: string): Promise<Stored<PlanHead> | undefined> {
    return this.#heads.get(cluster);
  }

  async saveHead(head: PlanHead, ifMatch: IfMatch): Promise<void> {
    this.#heads.save(head.cluster, head, ifMatch);
  }

  async archive(plan: ArchivedPlan): Promise<void> {
    const key = keyOf(plan.summary.cluster, plan.summary.planId);
    this.#archive.put(key, plan);
    this.#index.put(key, plan.summary);
  }

  async list(cluster: string, limit: number, untilSeconds = Infinity): Promise<readonly PlanSummary[]> {
    const all = this.#index.entries().map(({ stored }) => stored.value);
    return all
      .filter((summary) => summary.cluster === cluster && summary.atSeconds <= untilSeconds)
      .sort(newestPlanFirst)
      .slice(0, limit);
  }

  async load(cluster: string, planId: string): Promise<ArchivedPlan | undefined> {
    return this.#archive.get(keyOf(cluster, planId))?.value;
  }
}
