import { app, type InvocationContext, type Timer } from "@azure/functions";
import { loginGroups } from "../shared/cycle/login-groups.ts";
import { snapshotCluster } from "../shared/cycle/snapshot-cluster.ts";
import type { Ports } from "../shared/ports.ts";
import { snapshotScheduleSetting } from "./support/names.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/**
 * Snapshots every configured cluster. One that cannot be read does not keep the others waiting or failing, except that the
 * first of those that share a login goes ahead.
 */
export async function snapshotNodes(_timer: Timer, context: InvocationContext): Promise<void> {
  const traceparent = context.traceContext?.traceParent;
  await service.run(context, { name: "snapshot-nodes", traceparent }, snapshotAll);
}

async function snapshotAll(ports: Ports): Promise<void> {
  const clusters = await ports.configs.clusters();
  const failures: unknown[] = [];
  const snapshot = async (cluster: string): Promise<void> => {
    try {
      const run = { trigger: "timer", log: ports.log, subject: cluster } as const;
      await settled(run, () => snapshotCluster(ports, cluster));
    } catch (error) {
      failures.push(error);
    }
  };
  const groups = await loginGroups(ports, clusters);
  await Promise.all(
    groups.map(async ([first, ...others]) => {
      await snapshot(first);
      await Promise.all(others.map(snapshot));
    }),
  );
  if (failures.length > 0) {
    throw new AggregateError(failures, `Cannot snapshot ${failures.length} of ${clusters.length} clusters`);
  }
}

app.timer("snapshot-nodes", { schedule: `%${snapshotScheduleSetting}%`, handler: snapshotNodes });
