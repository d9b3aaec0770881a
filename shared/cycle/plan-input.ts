import {
  defineJob,
  type EngineSettings,
  generatePlacementGroups,
  type Job,
  type NodeHistory,
  type PlanInput,
  parseAmount,
  parseConstraints,
  type Scalar,
  type SchedulerNode,
} from "../engine/index.ts";
import type { DemandJob, DemandNode } from "../messages/job-demand.ts";
import type { Operation, RequestSet, Snapshot, SourceDemand } from "../ports.ts";
import { underWay } from "./operations.ts";
import { toTargets } from "./to-targets.ts";

/** Everything that was loaded for a plan. */
export interface Loaded {
  readonly settings: EngineSettings;
  readonly snapshot: Pick<Snapshot, "cluster">;
  /** All sources, silent ones too. */
  readonly demand: readonly SourceDemand[];
  /** All request sets, expired ones too. */
  readonly targets: readonly RequestSet[];
  readonly operations: readonly Operation[];
  readonly history: readonly NodeHistory[];
}

/**
 * What the engine plans from. A source that has been silent past its time to live has no demand any more.
 *
 * Plans run on events, not on a beat, and until this one what the last plan saw was still so: a node that turns out to
 * be unmatched now was matched until now, however long ago the last plan was. So the pass before this one ended now.
 */
export function toPlanInput(loaded: Loaded, nowSeconds: number): PlanInput {
  const live = liveSources(loaded.demand, nowSeconds);
  const { cluster } = loaded.snapshot;
  const targets = toTargets(loaded.targets, nowSeconds);
  return {
    nowSeconds,
    cluster: generatePlacementGroups(cluster, loaded.settings),
    jobs: live.flatMap((source) => source.jobs.map((job) => toJob(job, source.source))),
    ...(targets.length === 0 ? {} : { targets }),
    schedulerNodes: live.flatMap((source) => source.nodes.map(toSchedulerNode)),
    ...underWay(loaded.operations, cluster, nowSeconds),
    history: loaded.history,
    lastPassSeconds: nowSeconds,
    settings: loaded.settings,
  };
}

export function liveSources(demand: readonly SourceDemand[], nowSeconds: number): readonly SourceDemand[] {
  return demand.filter((source) => source.expiresAtSeconds > nowSeconds);
}

function toJob(job: DemandJob, source: string): Job {
  const parsed = parseConstraints(job.constraints);
  return defineJob({
    name: job.name,
    // Only checked jobs are stored; should the rules have become stricter since, the job waits and says why.
    constraints: parsed.ok ? parsed.constraints : [{ kind: "never", message: "constraints cannot be read" }],
    iterations: job.iterations,
    nodeCount: job.nodeCount,
    colocated: job.colocated,
    exclusive: job.exclusive,
    ...(job.packingStrategy === undefined ? {} : { packingStrategy: job.packingStrategy }),
    executingHostnames: job.executingHostnames,
    priority: job.priority,
    ...(job.submittedAt === undefined ? {} : { submittedAtSeconds: Date.parse(job.submittedAt) / 1000 }),
    source,
  });
}

function toSchedulerNode(node: DemandNode): SchedulerNode {
  const override = node.metadata?.override_resources ?? node.metadata?.overrideResources;
  return {
    hostname: node.hostname,
    resources: Object.fromEntries(
      Object.entries(node.resources).map(([name, value]) => [name, toScalar(value)]),
    ),
    overrideResources: override !== false,
  };
}

function toScalar(value: string | number | boolean | null): Scalar {
  return typeof value === "string" ? (parseAmount(value) ?? value) : value;
}
