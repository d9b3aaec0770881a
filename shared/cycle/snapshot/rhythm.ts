import { nodesOfArrays } from "../../engine/index.ts";
import type { ClusterConfig, Operation, PlanHead, Snapshot, Stored } from "../../ports/index.ts";
import { isAhead } from "../clocks.ts";

/** A cluster at rest is read at least this often, so that its limits and prices are known when a job comes. */
const longestRestSeconds = 300;

/** How often a cluster is read, in seconds. Each is a whole number of beats of the timer, in practice. */
export interface Rhythm {
  /** While it has nodes, or something to wait for; 0: on every beat, at rest too. */
  readonly atWorkSeconds: number;
  readonly atRestSeconds: number;
}

/** Two readings fall into `max_snapshot_age`, so that one of them may fail. */
export function rhythmOf({
  snapshotIntervalSeconds,
  maxSnapshotAgeSeconds,
}: Pick<ClusterConfig["cycle"], "snapshotIntervalSeconds" | "maxSnapshotAgeSeconds">): Rhythm {
  const longestSeconds = maxSnapshotAgeSeconds / 2;
  const atWorkSeconds = Math.min(snapshotIntervalSeconds, longestSeconds);
  if (atWorkSeconds === 0) return { atWorkSeconds, atRestSeconds: 0 };
  return {
    atWorkSeconds,
    atRestSeconds: Math.max(atWorkSeconds, Math.min(longestSeconds, longestRestSeconds)),
  };
}

/** The newest plan of a cluster, and its open operations. */
export interface Doings {
  readonly head: PlanHead | undefined;
  readonly open: readonly Stored<Operation>[];
}

/** Whether the beat at `atSeconds` reads the cluster: the first one of each of its intervals does. Its doings are read where they decide. */
export async function isDue(
  snapshot: Snapshot | undefined,
  { atWorkSeconds, atRestSeconds }: Rhythm,
  { atSeconds, doings }: { readonly atSeconds: number; readonly doings: () => Promise<Doings> },
): Promise<boolean> {
  if (snapshot === undefined || isAhead(snapshot.takenAtSeconds, atSeconds)) return true;
  const isPast = (everySeconds: number) =>
    everySeconds === 0 ||
    intervalOf(atSeconds, everySeconds) > intervalOf(snapshot.takenAtSeconds, everySeconds);
  if (!isPast(atWorkSeconds)) return false;
  const mayRest = nodesOfArrays(snapshot.cluster).length === 0 && snapshot.untold.length === 0;
  return !mayRest || isPast(atRestSeconds) || !rests(await doings(), atSeconds);
}

/** Intervals are counted by the clock: beats that come a little early or late do not shift them. */
function intervalOf(atSeconds: number, everySeconds: number): number {
  return Math.floor(atSeconds / everySeconds);
}

/** Besides having no nodes but head nodes: none on their way, nobody who waits for any, and no plan due. News comes as demand, or as an event. */
function rests({ head, open }: Doings, atSeconds: number): boolean {
  if (head === undefined) return false;
  const isPlanDue = head.nextDeadlineSeconds !== null && head.nextDeadlineSeconds <= atSeconds;
  return (
    open.length === 0 &&
    head.jobs <= head.placedJobs &&
    head.targets.every(({ asked, granted }) => granted >= asked) &&
    !isPlanDue
  );
}
