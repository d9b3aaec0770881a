import { extraPartsOf, partsOf, type Takes, take } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import type { MinimumResource } from "../constraints/minimum-resource.ts";
import type { KnownResources } from "../ledger/known-resources.ts";
import type { DemandCapHit, DemandCaps } from "../model/demand-caps.ts";
import type { Job } from "../model/job.ts";

/**
 * Holds back jobs whose constraints would cost a plan too much, before anything is made of them, in the order of the
 * demand.
 */
export class DemandGate {
  readonly #caps: DemandCaps;
  readonly #resources: KnownResources;
  /** Resources of schedulers' hosts that jobs so far count down. */
  readonly #admitted = new Set<string>();
  readonly #hits = new Map<string, DemandCapHit>();
  readonly #isNew = (resource: string): boolean =>
    !this.#admitted.has(resource) && this.#resources.isSchedulersOnly(resource);

  constructor(caps: DemandCaps, resources: KnownResources) {
    this.#caps = caps;
    this.#resources = resources;
  }

  /** Null: the job is planned. */
  check(job: Job): DemandCapHit | null {
    const hit = this.#hitOf(job);
    if (hit === null) return null;
    // One object for all jobs that ask for as much, so that their reason is worded once.
    const key = `${hit.cap} ${hit.asked}`;
    const known = this.#hits.get(key) ?? hit;
    this.#hits.set(key, known);
    return known;
  }

  #hitOf({ constraints, priority }: Job): DemandCapHit | null {
    const caps = this.#caps;
    const size = new Size(this.#isNew);
    for (const constraint of constraints) size.measure(constraint, 0, caps);
    if (size.parts > caps.maxConstraintParts)
      return { cap: "max-constraint-parts", asked: size.parts, limit: caps.maxConstraintParts };
    if (size.depth > caps.maxConstraintDepth)
      return { cap: "max-constraint-depth", asked: size.depth, limit: caps.maxConstraintDepth };
    const { more } = size;
    const asked = this.#admitted.size + (more?.size ?? 0);
    if (more !== null && asked > caps.maxDistinctResources)
      return { cap: "max-distinct-resources", asked, limit: caps.maxDistinctResources };
    for (const resource of more ?? []) this.#admitted.add(resource);
    return caps.minPriority !== null && priority < caps.minPriority
      ? { cap: "min-priority", asked: priority, limit: caps.minPriority }
      : null;
  }

  /**
   * What a job that is too large takes of the hosts on which it runs: its plain amounts of what node arrays have, and
   * whether it shares them. The rest of the job is not read.
   */
  plainPart(job: Job): Job {
    const isPlain = (constraint: Constraint) =>
      constraint.kind === "exclusive" ||
      (constraint.kind === "minimum-resource" && this.#resources.isOperators(constraint.resource));
    return { ...job, constraints: job.constraints.filter(isPlain) };
  }
}

/** The size of a job's constraints, which are many: one object for each job, none for each constraint. */
class Size implements Takes {
  parts = 0;
  depth = 0;
  /** Resources that count and that no job before asked for; null: none. */
  more: Set<string> | null = null;
  readonly #isNew: (resource: string) => boolean;

  constructor(isNew: (resource: string) => boolean) {
    this.#isNew = isNew;
  }

  amount({ resource }: MinimumResource): void {
    if (!this.#isNew(resource)) return;
    this.more ??= new Set();
    this.more.add(resource);
  }

  draws(): void {}

  exclusive(): void {}

  /** Levels below the first that is too deep are not read. */
  measure(constraint: Constraint, depth: number, caps: DemandCaps): void {
    this.parts += 1 + extraPartsOf(constraint);
    if (depth > this.depth) this.depth = depth;
    if (depth > caps.maxConstraintDepth) return;
    take(constraint, this);
    for (const part of partsOf(constraint)) this.measure(part, depth + 1, caps);
  }
}
