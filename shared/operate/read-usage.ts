import type { UsageAnswer, UsageQuery } from "../api/index.ts";
import { loadControl, whileLoggedIn } from "../cycle/index.ts";
import type { Ports } from "../ports/index.ts";

export type UsageRead =
  | { readonly outcome: "read"; readonly answer: UsageAnswer }
  /** CycleCloud refused the login before, so it is not called. */
  | { readonly outcome: "not-asked"; readonly why: string }
  | { readonly outcome: "unknown-cluster" };

/** CycleCloud's own account of a cluster. Throws UpstreamError when CycleCloud does not answer. */
export async function readUsage(
  ports: Pick<Ports, "clock" | "configs" | "controls" | "cycleCloudFor" | "events" | "log">,
  cluster: string,
  query: UsageQuery,
): Promise<UsageRead> {
  const config = await ports.configs.load(cluster);
  if (config === undefined) return { outcome: "unknown-cluster" };
  const cycleCloud = ports.cycleCloudFor(config);
  const control = await loadControl(ports, cluster);
  const asked = await whileLoggedIn(ports, { control, cycleCloud }, () => cycleCloud.readUsage(query));
  if (asked.outcome === "stopped") return { outcome: "not-asked", why: asked.why };
  return {
    outcome: "read",
    answer: { cluster, atSeconds: ports.clock.nowSeconds(), intervals: asked.value },
  };
}
