import type { Service } from "../service/service.ts";
import type { Checked } from "./checked.ts";
import { checkRights, failed } from "./service-checks.ts";

/** All checks of one cluster. `named`: undefined where the service has only one. */
export async function examineCluster(service: Service, named?: string): Promise<readonly Checked[]> {
  try {
    const [rights, { cluster, checks }] = await Promise.all([checkRights(service), service.ask("doctor")]);
    return [rights, ...checks.map(({ check, ...each }) => ({ check, cluster, ...each }))];
  } catch (error) {
    return [failed(error, { check: "status", cluster: named ?? null })];
  }
}
