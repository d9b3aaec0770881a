import type { Service } from "../service/service.ts";
import type { Checked } from "./checked.ts";
import { checkCluster } from "./cluster-checks.ts";
import { checkRights, failed } from "./service-checks.ts";
import { checkStorage } from "./storage-check.ts";

/** One page, the longest: most of a day with a plan a minute. */
const newestPlans = 1_000;

/** All checks of one cluster. `cluster`: undefined where the service has only one. */
export async function examineCluster(service: Service, cluster?: string): Promise<readonly Checked[]> {
  try {
    const [rights, status, { plans }] = await Promise.all([
      checkRights(service),
      service.ask("status"),
      service.ask("plans", { query: { limit: newestPlans } }),
    ]);
    return [rights, ...checkCluster(status), checkStorage(status.cluster, plans, status.atSeconds)];
  } catch (error) {
    return [failed(error, { check: "status", cluster: cluster ?? null })];
  }
}
