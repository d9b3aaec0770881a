import { decidedOnce, endDecisions, type LastReadings, readOnce, snapshotOnBeat } from "../cycle/index.ts";
import { messageOf } from "../errors/errors.ts";
import type { PlanRequest } from "../messages/index.ts";
import type { Notifier, Ports } from "../ports/index.ts";
import { notify } from "./notify.ts";
import { rollOn } from "./roll-on.ts";

/** What a beat of the timer works with, beside the ports. */
export interface Tending {
  readonly notifier: Notifier;
  readonly lastReadings: LastReadings;
}

/**
 * All that one beat of the timer does for one cluster: decisions that have ended by themselves become events, the cluster
 * is read if that is due, a rolling drain goes on, and its problems are reported. The parts do not depend on each other,
 * except that a drain goes on from a new snapshot. Throws, after all of them, what reading threw.
 */
export async function tendCluster(
  given: Ports,
  request: PlanRequest,
  { notifier, lastReadings }: Tending,
): Promise<void> {
  const { cluster } = request;
  const ports = { ...given, configs: readOnce(given.configs), controls: decidedOnce(given.controls) };
  await endDecisions(ports, cluster).catch((error: unknown) =>
    ports.log.warn("decisions-not-ended", { cluster, message: messageOf(error) }),
  );
  try {
    if ((await snapshotOnBeat(ports, request, lastReadings)) === "read") await rollOn(ports, cluster);
  } finally {
    await notify(ports, notifier, cluster).catch((error: unknown) =>
      ports.log.error("notify-failed", { cluster, message: messageOf(error) }),
    );
  }
}
