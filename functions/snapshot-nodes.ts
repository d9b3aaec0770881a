import { setTimeout as wait } from "node:timers/promises";
import { app, type InvocationContext, type Timer } from "@azure/functions";
import { snapshotScheduleSetting } from "../shared/app/names.ts";
import { endDecisions, snapshotCluster } from "../shared/cycle/index.ts";
import { messageOf } from "../shared/errors/errors.ts";
import { notify, rollOn } from "../shared/operate/index.ts";
import type { Ports } from "../shared/ports/index.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/** No beat may wait longer: the next one, for all clusters, begins only after it. */
const longestWaitSeconds = 10;
/** Messages wait for receivers; they are tried again, so that no beat has to wait for them. */
const longestNotifySeconds = 3;
/** Clusters of this process that an earlier beat still reads: a server that is slow is not asked again meanwhile. */
const reading = new Set<string>();
/** Clusters of this process for which an earlier beat still sends messages. */
const notifying = new Set<string>();

/**
 * Snapshots every configured cluster. One that cannot be read does not keep the others waiting or failing, except that the
 * first call of those that share a login goes ahead (`LoginGate`). One that takes long is read to its end behind the back
 * of later beats.
 */
export async function snapshotNodes(_timer: Timer, context: InvocationContext): Promise<void> {
  const traceparent = context.traceContext?.traceParent;
  await service.run(context, { name: "snapshot-nodes", traceparent }, snapshotAll);
}

async function snapshotAll(ports: Ports): Promise<void> {
  const clusters = await ports.configs.clusters();
  // An alert must know of clusters that have never been read, or not for days.
  ports.log.info("timer", { clusters: JSON.stringify(clusters) });
  const failures: unknown[] = [];
  let isOver = false;
  const snapshot = async (cluster: string): Promise<void> => {
    if (reading.has(cluster)) return;
    reading.add(cluster);
    try {
      await endedOf(ports, cluster);
      const run = { trigger: "timer", log: ports.log, subject: cluster } as const;
      await settled(run, async () => {
        await snapshotCluster(ports, cluster);
        await rollOn(ports, cluster);
      });
    } catch (error) {
      failures.push(error);
      // The caller no longer waits for this one, so its error is logged here.
      if (isOver) ports.log.error("snapshot-failed", { cluster, message: messageOf(error) });
    } finally {
      reading.delete(cluster);
    }
  };
  await waitAtMost(longestWaitSeconds, clusters.map(snapshot));
  isOver = true;
  for (const cluster of reading)
    ports.log.warn("snapshot-slow", { cluster, waitedSeconds: longestWaitSeconds });
  await waitAtMost(
    longestNotifySeconds,
    clusters.map((cluster) => notifyOf(ports, cluster)),
  );
  if (failures.length > 0) {
    throw new AggregateError(failures, `Cannot snapshot ${failures.length} of ${clusters.length} clusters`);
  }
}

/** Never throws: a snapshot does not depend on events, and the next beat notes what this one could not. */
async function endedOf(ports: Ports, cluster: string): Promise<void> {
  try {
    await endDecisions(ports, cluster);
  } catch (error) {
    ports.log.warn("decisions-not-ended", { cluster, message: messageOf(error) });
  }
}

/** Never throws: scaling does not depend on notifications. */
async function notifyOf(ports: Ports, cluster: string): Promise<void> {
  if (notifying.has(cluster)) return;
  notifying.add(cluster);
  try {
    await notify(ports, service.notifier, cluster);
  } catch (error) {
    ports.log.error("notify-failed", { cluster, message: messageOf(error) });
  } finally {
    notifying.delete(cluster);
  }
}

async function waitAtMost(seconds: number, work: readonly Promise<void>[]): Promise<void> {
  const done = new AbortController();
  const late = wait(seconds * 1000, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([Promise.all(work).finally(() => done.abort()), late]);
}

app.timer("snapshot-nodes", { schedule: `%${snapshotScheduleSetting}%`, handler: snapshotNodes });
