import type { KnownResources } from "../ledger/known-resources.ts";
import type { Constraint } from "../model/constraint.ts";
import { childrenOf, resourceTaken } from "../model/constraint-kinds.ts";
import type { DemandCapHit, DemandCaps } from "../model/demand-caps.ts";
import type { Job } from "../model/job.ts";
import { hasWildcard } from "../model/wildcard.ts";

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

  #hitOf({ constraints }: Job): DemandCapHit | null {
    const caps = this.#caps;
    const size = sizeOf(constraints, caps);
    if (size.parts > caps.maxConstraintParts)
      return { cap: "max-constraint-parts", asked: size.parts, limit: caps.maxConstraintParts };
    if (size.depth > caps.maxConstraintDepth)
      return { cap: "max-constraint-depth", asked: size.depth, limit: caps.maxConstraintDepth };
    const more = [...size.resources].filter(
      (resource) => !this.#admitted.has(resource) && this.#resources.isSchedulersOnly(resource),
    );
    const asked = this.#admitted.size + more.length;
    if (asked > caps.maxDistinctResources)
      return { cap: "max-distinct-resources", asked, limit: caps.maxDistinctResources };
    for (const resource of more) this.#admitted.add(resource);
    return null;
  }

  /**
   * What a job that is held back takes of the hosts on which it runs: its plain amounts of what node arrays have, and
   * whether it shares them. The rest of the job is not read.
   */
  plainPart(job: Job): Job {
    const isPlain = (constraint: Constraint) =>
      constraint.kind === "exclusive" ||
      (constraint.kind === "minimum-resource" && this.#resources.isOperators(constraint.resource));
    return { ...job, constraints: job.constraints.filter(isPlain) };
  }
}

interface Size {
  parts: number;
  depth: number;
  readonly resources: Set<string>;
}

/** The size of constraints. Levels below the first that is too deep are not read. */
function sizeOf(constraints: readonly Constraint[], caps: DemandCaps): Size {
  const size: Size = { parts: 0, depth: 0, resources: new Set() };
  for (const constraint of constraints) measure(constraint, 0, size, caps);
  return size;
}

function measure(constraint: Constraint, depth: number, size: Size, caps: DemandCaps): void {
  size.parts += 1 + extraParts(constraint);
  size.depth = Math.max(size.depth, depth);
  if (depth > caps.maxConstraintDepth) return;
  const resource = resourceTaken(constraint);
  if (resource !== null) size.resources.add(resource);
  for (const child of childrenOf(constraint)) measure(child, depth + 1, size, caps);
}

function extraParts(constraint: Constraint): number {
  switch (constraint.kind) {
    case "shared-consumable":
      return constraint.draws.length;
    case "property-options":
    case "resource-options":
      return constraint.options.filter((option) => typeof option === "string" && hasWildcard(option)).length;
    case "minimum-resource":
    case "exclusive":
    case "in-a-placement-group":
    case "and":
    case "or":
    case "xor":
    case "not":
    case "never":
    case "shared-value":
    case "capacity-failure-backoff":
    case "array-choice":
      return 0;
  }
}
