import type { DoctorAnswer } from "../api/index.ts";
import { UpstreamError } from "../errors/errors.ts";
import type { Ports } from "../ports/index.ts";
import { checkCluster } from "./cluster-checks.ts";
import { clusterStatus } from "./cluster-status.ts";
import { checkStorage } from "./storage-check.ts";

/** Most of a day with a plan a minute. */
const newestPlans = 1_000;

type DoctorPorts = Parameters<typeof clusterStatus>[0] & Partial<Pick<Ports, "unreadDemand">>;

/** Whether a cluster is set up and at work. Undefined for one that is not configured. */
export async function examineCluster(ports: DoctorPorts, cluster: string): Promise<DoctorAnswer | undefined> {
  const status = await clusterStatus(ports, cluster);
  if (status === undefined) return undefined;
  const [demand, plans, unread] = await Promise.all([
    ports.demand.summaries(cluster),
    ports.plans.list(cluster, newestPlans),
    unreadOf(ports),
  ]);
  const { atSeconds } = status;
  const checks = [...checkCluster({ status, demand, unread }), checkStorage(plans, atSeconds)];
  return { cluster, atSeconds, checks };
}

async function unreadOf({ unreadDemand }: DoctorPorts): Promise<number | undefined> {
  try {
    return await unreadDemand?.count();
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}
