import type { Job, JobOutcome, Plan, PlanInput } from "../../shared/engine/index.ts";
import type { ArchivedPlan, NodeLoss, SpotSettings } from "../../shared/ports/index.ts";
import type { Cloud } from "./cloud.ts";
import type { Run } from "./fleet.ts";

interface Seen {
  readonly input: PlanInput;
  readonly plan: Plan;
  /** Where each node of the plan is. */
  readonly arrayOf: ReadonlyMap<string, string>;
}

/**
 * What must be true of every plan where a spot array is paired: a job that has waited long enough gets a spot node only
 * where no regular one is left; no regular node is bought for a job that a spot node on order could take; a job that lost
 * its spot nodes stays off them. Judged by the plan's input and by what really was evicted.
 */
export class SpotWatch {
  readonly #cluster: string;
  readonly #cloud: Cloud;
  readonly #settings: () => SpotSettings | undefined;
  readonly #report: (violation: string) => void;

  constructor(parts: {
    readonly cluster: string;
    readonly cloud: Cloud;
    readonly settings: () => SpotSettings | undefined;
    readonly report: (violation: string) => void;
  }) {
    this.#cluster = parts.cluster;
    this.#cloud = parts.cloud;
    this.#settings = parts.settings;
    this.#report = parts.report;
  }

  onPlan(run: Run, archived: ArchivedPlan): void {
    const settings = this.#settings();
    if (settings === undefined || archived.archive !== "whole") return;
    const { input, plan } = archived;
    const seen = {
      input,
      plan,
      arrayOf: new Map(plan.nodes.map(({ name, nodeArray }) => [name, nodeArray])),
    };
    input.jobs.forEach((job, place) => {
      const outcome = plan.jobs[place];
      if (outcome === undefined || job.executingHostnames.length > 0) return;
      this.#checkPatience(seen, settings, { job, outcome });
      this.#checkBoughtOnce(seen, settings, { job, outcome });
      this.#checkEvicted(run, seen, settings, { job, outcome });
    });
  }

  #checkPatience(seen: Seen, settings: SpotSettings, of: { job: Job; outcome: JobOutcome }): void {
    const { job, outcome } = of;
    const since = job.metadata.waitingSinceSeconds;
    if (typeof since !== "number" || seen.input.nowSeconds - since < settings.patienceSeconds) return;
    const onSpot = outcome.placements.filter(({ node }) => isSpot(settings, seen.arrayOf.get(node)));
    const room = settings.pairs.some(({ regular }) => roomOf(seen.plan, regular) > 0);
    if (onSpot.length > 0 && room)
      this.#report(
        `plan: job "${job.name}" has waited ${Math.round(seen.input.nowSeconds - since)} s and gets a spot node, though there is room for regular ones`,
      );
  }

  /** A regular node was made for a job that spot nodes may take: then none of those on order is free. */
  #checkBoughtOnce(seen: Seen, settings: SpotSettings, of: { job: Job; outcome: JobOutcome }): void {
    const { job, outcome } = of;
    const since = job.metadata.waitingSinceSeconds;
    if (typeof since !== "number" || seen.input.nowSeconds - since >= settings.patienceSeconds) return;
    const isChoosy = job.constraints.some(({ kind }) => kind === "property-options");
    if (isChoosy || job.interruptible === false || job.metadata.interruptedOn !== undefined) return;
    const made = new Set(seen.plan.create.flatMap(({ names }) => names));
    const regular = outcome.placements.filter(
      ({ node }) => made.has(node) && settings.pairs.some((pair) => pair.regular === seen.arrayOf.get(node)),
    );
    const free = seen.plan.nodes.filter(
      ({ nodeArray, name, jobs }) => isSpot(settings, nodeArray) && jobs.length === 0 && !made.has(name),
    );
    if (regular.length > 0 && free.length > 0)
      this.#report(
        `plan: job "${job.name}" gets a new regular node, though ${free[0]?.name} is there or on order for it`,
      );
  }

  #checkEvicted(run: Run, seen: Seen, settings: SpotSettings, of: { job: Job; outcome: JobOutcome }): void {
    const { job, outcome } = of;
    const { interruptedOn } = job.metadata;
    if (!Array.isArray(interruptedOn)) return;
    const losses = (run.saw.get("losses.recent") ?? []) as readonly NodeLoss[];
    const evicted = this.#cloud.evicted(this.#cluster);
    const interruptions = interruptedOn as readonly {
      readonly hostname: string;
      readonly atSeconds: number;
    }[];
    // Hostnames come again: a node of the same name that was evicted long before was not this job's.
    const lost = losses.filter(
      ({ hostname, nodeId, atSeconds }) =>
        evicted.has(nodeId ?? "") &&
        interruptions.some(
          (each) => each.hostname === hostname && Math.abs(each.atSeconds - atSeconds) <= 3_600,
        ),
    );
    const count = new Set(lost.map(({ nodeId }) => nodeId)).size;
    const onSpot = outcome.placements.some(({ node }) => isSpot(settings, seen.arrayOf.get(node)));
    if (onSpot && count >= settings.evictionsBeforeRegular)
      this.#report(`plan: job "${job.name}" was evicted ${count} times and gets a spot node`);
  }
}

function isSpot({ pairs }: SpotSettings, nodeArray: string | undefined): boolean {
  return pairs.some(({ spot }) => spot === nodeArray);
}

function roomOf({ buckets }: Plan, nodeArray: string): number {
  return buckets
    .filter((bucket) => bucket.nodeArray === nodeArray)
    .reduce((most, { availableCount }) => Math.max(most, availableCount), 0);
}
