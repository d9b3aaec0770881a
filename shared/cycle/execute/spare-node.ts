import { type ClusterNode, type Plan, type PlanInput, plan, shortHostname } from "../../engine/index.ts";
import { StaleSnapshotError } from "../../errors/errors.ts";
import type { ClusterConfig, Ports, Snapshot } from "../../ports/index.ts";
import { jobHoldsAt } from "../account/holds.ts";
import { furthestAheadSeconds } from "../clocks.ts";
import { loadControl, withIgnored, withKept } from "../control.ts";
import { busyHostnames } from "../demand/live-demand.ts";
import { type Listings, listingsFor } from "../listings.ts";
import { type Loaded, toPlanInput } from "../plan/to-plan-input.ts";
import { readPastHours, targetsInForce } from "../spare-room.ts";

/** The data by which a node's use is judged, as of one moment. */
export interface Now {
  readonly loaded: Loaded;
  readonly nowSeconds: number;
}

/**
 * Reads the input of a plan, operations first, for the reason given at `planScale`. `without` names an action that does
 * not count. Throws StaleSnapshotError without a fresh snapshot.
 */
export async function readNow(
  ports: Pick<
    Ports,
    "clock" | "controls" | "demand" | "history" | "operations" | "samples" | "snapshots" | "targets"
  >,
  config: ClusterConfig,
  { without }: { readonly without?: string } = {},
): Promise<Now> {
  const { cluster } = config;
  const control = await loadControl(ports, cluster);
  const settings = withIgnored(config.engine, control);
  const { drainedNodes } = control;
  const open = await ports.operations.open(cluster);
  const operations = open.map(({ value }) => value).filter(({ actionId }) => actionId !== without);
  const reported = await freshSnapshot(ports, cluster, config.cycle.maxSnapshotAgeSeconds);
  const snapshot = withKept(reported, control);
  const demand = await ports.demand.list(cluster);
  const targets = await ports.targets.list(cluster);
  const history = await ports.history.list(cluster);
  const nowSeconds = ports.clock.nowSeconds();
  const past = await readPastHours(ports, config, { sets: targets, nowSeconds });
  return {
    loaded: {
      settings,
      snapshot,
      demand,
      targets: targetsInForce(targets, { config, history, nowSeconds, past }).targets,
      operations,
      history,
      drainedNodes,
      jobHolds: jobHoldsAt(config, snapshot, nowSeconds),
    },
    nowSeconds,
  };
}

/** Whether a job runs there, by the last message of its scheduler. */
export function runsJob({ loaded, nowSeconds }: Now, { hostname }: Pick<ClusterNode, "hostname">): boolean {
  return hostname !== null && busyHostnames(loaded.demand, nowSeconds).has(shortHostname(hostname));
}

/**
 * Whether a scheduler that can drain the node has not: a job may start there at any moment. Nobody drains a node that asks
 * to stop: its own software does, or the planner, once it has been idle for long enough.
 */
export function mayGetJobs(listings: Listings, { hostname }: Pick<ClusterNode, "hostname">): boolean {
  return listingsFor(listings, hostname).some(({ isLive, state }) => isLive && state !== "drained");
}

export type Use =
  /** The demand is met equally well without it. */
  | { readonly use: "spare" }
  | { readonly use: "needed"; readonly why: string }
  /** Not a node that plans use: of a disabled array, ignored, or being removed. */
  | { readonly use: "left-alone" };

/**
 * Whether demand needs a node: it holds no job in a plan as of now, or a plan that is made as if it were leaving meets as
 * much of the demand with no more new nodes. Nodes that are leaving already count as gone in both.
 */
export function useOf({ loaded, nowSeconds }: Now, nodeId: string): Use {
  const input = toPlanInput(loaded, nowSeconds);
  const withIt = plan(input);
  const planned = withIt.nodes.find((node) => node.nodeId === nodeId);
  if (planned === undefined) return { use: "left-alone" };
  const [first] = planned.jobs;
  const [target] = planned.targets ?? [];
  if (first === undefined && target === undefined) return { use: "spare" };
  const why = whyWorse(withIt, plan(withLeaving(input, [nodeId])));
  const user =
    first === undefined ? `target "${target?.name}" counts it` : `job "${first.job}" is planned on it`;
  return why === undefined ? { use: "spare" } : { use: "needed", why: `${user}, and without it ${why}` };
}

/**
 * Why these nodes cannot all be deleted: the demand that would be met less. Undefined: it is met equally well without
 * them.
 */
export function whyNeeded({ loaded, nowSeconds }: Now, nodeIds: readonly string[]): string | undefined {
  const input = toPlanInput(loaded, nowSeconds);
  return whyWorse(plan(input), plan(withLeaving(input, nodeIds)));
}

function withLeaving(input: PlanInput, nodeIds: readonly string[]): PlanInput {
  return { ...input, leavingNodeIds: [...input.leavingNodeIds, ...nodeIds] };
}

/**
 * The first result that is worse in the second plan; undefined: none. Limits count a node that is leaving until it is
 * gone.
 */
function whyWorse(plan: Plan, other: Plan): string | undefined {
  const short = plan.jobs.find(({ granted }, index) => granted > (other.jobs[index]?.granted ?? 0));
  if (short !== undefined) return `job "${short.name}" would get less`;
  const unmet = plan.targets.find(({ granted }, index) => granted > (other.targets[index]?.granted ?? 0));
  if (unmet !== undefined) return `target "${unmet.name}" would not be met`;
  const more = newNodes(other) - newNodes(plan);
  return more > 0 ? `${more} more would have to be started` : undefined;
}

function newNodes({ create, start }: Plan): number {
  return create.reduce((total, { count }) => total + count, start.length);
}

/** The newest snapshot. Throws StaleSnapshotError when there is none, or it is too old for a decision. */
async function freshSnapshot(
  ports: Pick<Ports, "clock" | "snapshots">,
  cluster: string,
  maxAgeSeconds: number,
): Promise<Snapshot> {
  const snapshot = await ports.snapshots.load(cluster);
  const ageSeconds =
    snapshot === undefined ? undefined : ports.clock.nowSeconds() - snapshot.value.takenAtSeconds;
  // The age of a snapshot from the future is not known; the next one replaces it.
  const isOdd = ageSeconds !== undefined && ageSeconds < -furthestAheadSeconds;
  if (snapshot === undefined || ageSeconds === undefined || ageSeconds > maxAgeSeconds || isOdd) {
    throw new StaleSnapshotError(cluster, { ageSeconds, maxAgeSeconds });
  }
  return snapshot.value;
}
