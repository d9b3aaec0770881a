import {
  type DefaultResource,
  defaultSettings,
  type EngineSettings,
  expiredRows,
  type Json,
  type NodeHistory,
  type Plan,
  type PlanInput,
  parseDefaultResources,
} from "../../../shared/engine/index.ts";
import { type JobJson, toJob } from "./job.ts";
import type { SharedConsumableResource } from "./shared-resources.ts";

export interface PlanInputOptions extends Partial<Omit<PlanInput, "cluster" | "jobs" | "settings">> {
  readonly cluster: PlanInput["cluster"];
  readonly jobs: readonly JobJson[];
  /** What is left out has its default. */
  readonly settings?: Partial<EngineSettings>;
  readonly sharedResources?: readonly SharedConsumableResource[];
}

/**
 * Everything that a plan depends on, with defaults for what is left out; the time is that of the call. Throws a TypeError
 * that names each constraint which cannot be read.
 */
export function planInput({
  cluster,
  jobs,
  settings,
  sharedResources = [],
  ...more
}: PlanInputOptions): PlanInput {
  const merged = { ...defaultSettings, ...settings };
  return {
    nowSeconds: Math.floor(Date.now() / 1000),
    schedulerNodes: [],
    pending: [],
    leavingNodeIds: [],
    history: [],
    lastPassSeconds: null,
    ...more,
    cluster,
    jobs: jobs.map(toJob),
    settings: {
      ...merged,
      sharedPools: [...merged.sharedPools, ...sharedResources.map((resource) => resource.toPool())],
    },
  };
}

/** Default resources from the JSON of `default_resources`. Throws a TypeError that names each one which cannot be read. */
export function defaultResources(
  entries: readonly { readonly [key: string]: Json }[],
): readonly DefaultResource[] {
  const parsed = parseDefaultResources(entries);
  if (parsed.ok) return parsed.defaultResources;
  throw new TypeError(parsed.problems.map(({ message }) => message).join("; "));
}

/**
 * What is remembered of the nodes after a plan, for the next one: `history` there. A plan returns the rows that it changed;
 * rows of nodes that are gone for a week are dropped.
 */
export function nextHistory(
  { cluster, history, nowSeconds }: Pick<PlanInput, "cluster" | "history" | "nowSeconds">,
  plan: Pick<Plan, "history">,
): readonly NodeHistory[] {
  const rows = new Map([...history, ...plan.history].map((row) => [row.nodeId, row]));
  for (const nodeId of expiredRows([...rows.values()], nowSeconds, cluster.nodes)) rows.delete(nodeId);
  return [...rows.values()];
}
