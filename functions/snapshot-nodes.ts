import { app, type InvocationContext, type Timer } from "@azure/functions";
import { snapshotCluster } from "../shared/cycle/snapshot-cluster.ts";
import { snapshotScheduleSetting } from "./support/names.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/** Snapshots every configured cluster. One that cannot be read does not keep the others waiting or failing. */
export async function snapshotNodes(_timer: Timer, context: InvocationContext): Promise<void> {
  const ports = service.portsFor(context);
  const clusters = await ports.configs.clusters();
  const runs = clusters.map((cluster) =>
    settled({ trigger: "timer", log: ports.log, subject: cluster }, () => snapshotCluster(ports, cluster)),
  );
  const failures = (await Promise.allSettled(runs)).filter((run) => run.status === "rejected");
  if (failures.length > 0) {
    throw new AggregateError(
      failures.map((failure) => failure.reason),
      `Cannot snapshot ${failures.length} of ${clusters.length} clusters`,
    );
  }
}

app.timer("snapshot-nodes", { schedule: `%${snapshotScheduleSetting}%`, handler: snapshotNodes });
