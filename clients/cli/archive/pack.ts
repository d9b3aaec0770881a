import { type Amounts, collect, type JsonFiles } from "../../archive/pack.ts";
import type { Service } from "../service/service.ts";
import { version } from "../version.ts";

/** What a support archive holds, with the secrets of this machine taken out as well; `onPart`: what is asked for now. */
export function archivedFiles(
  service: Service,
  options: {
    readonly amounts: Amounts;
    readonly secrets: readonly string[];
    readonly onPart: (part: string) => void;
  },
): Promise<JsonFiles> {
  const { versions, platform, arch } = process;
  return collect(
    {
      cluster: service.cluster,
      part: (part, limit) => service.ask("support", { params: { part }, query: { limit } }),
      plans: (limit) => service.ask("plans", { query: { limit } }),
      plan: (planId) => service.ask("plan-archive", { params: { planId } }),
    },
    { ...options, versions: { ccscale: version, node: versions.node, platform: `${platform} ${arch}` } },
  );
}
