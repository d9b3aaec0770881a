import type { PlanRequest } from "../../messages/index.ts";
import type { Ports } from "../../ports/index.ts";
import { requestSnapshot } from "../request-plan.ts";
import { isDue, rhythmOf } from "./rhythm.ts";
import { snapshotCluster } from "./snapshot-cluster.ts";

/**
 * Clusters of one beat begin so long after each other: a hundred of them read within 30 s, by few instances, and one
 * server that they share answers them in turn. Demand that comes meanwhile has to share the processors with that.
 */
const spacingSeconds = 0.3;
const longestSpreadSeconds = 30;

type TimerPorts = Pick<Ports, "clock" | "configs" | "log" | "planRequests" | "telemetry">;

/** What the timer does: one request for each cluster. Throws when some could not be sent; the others were. */
export async function requestSnapshots(ports: TimerPorts): Promise<void> {
  const clusters = await ports.configs.clusters();
  // An alert must know of clusters that have never been read, or not for days.
  ports.log.info("timer", { clusters: JSON.stringify(clusters) });
  // At the end of its second, so that whatever happened before any of the calls that share an id is seen.
  const beatSeconds = Math.floor(ports.clock.nowSeconds()) + 1;
  const spacing = Math.min(spacingSeconds, longestSpreadSeconds / clusters.length);
  const amongOthers = clusters.length > 1;
  const sent = await Promise.allSettled(
    clusters.map((cluster, index) => {
      const atSeconds = beatSeconds + index * spacing;
      return requestSnapshot(ports, { cluster, beatSeconds, atSeconds, amongOthers });
    }),
  );
  const failures = sent.filter((each) => each.status === "rejected").map(({ reason }) => reason as unknown);
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `Cannot request snapshots of ${failures.length} of ${clusters.length} clusters`,
    );
}

type BeatPorts = Parameters<typeof snapshotCluster>[0] & Pick<Ports, "operations">;

/**
 * When the newest reading of each cluster ended that this process began, with or without success. The broker hands a
 * session with waiting messages to the process that has it, so this suffices to skip the beats of a slow server.
 */
export type LastReadings = Map<string, number>;

export type BeatOutcome = "read" | "not-due" | "late";

/**
 * Reads one cluster for a beat of the timer, if its rhythm wants it. A beat that came while an earlier one was still
 * reading is skipped and counted: a server that is slow or dead is not asked again at once. Throws what `snapshotCluster`
 * throws.
 */
export async function snapshotOnBeat(
  ports: BeatPorts,
  { cluster, atSeconds, amongOthers }: PlanRequest,
  lastReadings: LastReadings,
): Promise<BeatOutcome> {
  const config = await ports.configs.load(cluster);
  if (config === undefined) return "not-due";
  const lastSeconds = lastReadings.get(cluster);
  // A time to come is from a clock that was ahead and was set right since.
  if (lastSeconds !== undefined && lastSeconds > atSeconds && lastSeconds <= ports.clock.nowSeconds()) {
    ports.log.warn("snapshot-late", { cluster, lateSeconds: Math.round(lastSeconds - atSeconds) });
    ports.telemetry.record("autoscale.snapshots.late", 1, { cluster });
    return "late";
  }
  const snapshot = (await ports.snapshots.load(cluster))?.value;
  const doings = async () => {
    const [head, open] = await Promise.all([ports.plans.loadHead(cluster), ports.operations.open(cluster)]);
    return { head: head?.value, open };
  };
  if (!(await isDue(snapshot, rhythmOf(config.cycle), { atSeconds, doings }))) return "not-due";
  try {
    await snapshotCluster(ports, cluster, { amongOthers: amongOthers === true });
    return "read";
  } finally {
    lastReadings.set(cluster, ports.clock.nowSeconds());
  }
}
