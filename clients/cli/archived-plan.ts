import type { ArchivedPlan, ConfigStore, Ports } from "../../shared/ports.ts";
import { CommandFailure } from "./exit-code.ts";

/** The archived plan of this id, in one cluster or any of those configured. Throws CommandFailure when there is none. */
export async function archivedPlan(
  ports: Pick<Ports, "plans"> & { readonly configs: Pick<ConfigStore, "clusters"> },
  { planId, cluster }: { readonly planId: string; readonly cluster: string | undefined },
): Promise<ArchivedPlan> {
  const clusters = cluster === undefined ? await ports.configs.clusters() : [cluster];
  for (const name of clusters) {
    const found = await ports.plans.load(name, planId);
    if (found !== undefined) return found;
  }
  const where = clusters.length === 0 ? "no cluster is configured" : `not in ${clusters.join(", ")}`;
  throw new CommandFailure(
    `Cannot find plan "${planId}": ${where}, expected an archived plan`,
    "The status of a cluster names its newest plans.",
  );
}
