import { type SupportPart, supportParts } from "../../../shared/api/index.ts";
import { redact } from "../../../shared/text/redact.ts";
import type { Service } from "../service/service.ts";
import { version } from "../version.ts";
import type { JsonFiles } from "./files.ts";

/** Version of the layout that `--offline` reads. */
export const archiveFormat = 1;

export interface Amounts {
  readonly plans: number;
  readonly operations: number;
  readonly rejections: number;
}

const listedPlans = 1_000;

const fileNames: Readonly<Partial<Record<SupportPart, string>>> = {
  "plan-head": "plans/head.json",
  plans: "plans/index.json",
};

/**
 * Everything that the service has about a cluster, as files without secrets. An archived plan holds the snapshot that it was made
 * from, so the last plans are the last snapshots too. The service takes out the secrets that it knows; `secrets` are those of
 * this machine.
 */
export async function collect(
  service: Service,
  options: {
    readonly amounts: Amounts;
    readonly secrets: readonly string[];
    readonly onPart: (part: string) => void;
  },
): Promise<JsonFiles> {
  const { amounts, secrets, onPart } = options;
  const limits: Readonly<Partial<Record<SupportPart, number>>> = {
    losses: amounts.operations,
    operations: amounts.operations,
    rejects: amounts.rejections,
    plans: listedPlans,
  };
  const collected: Record<string, unknown> = {};
  let aboutService: unknown;
  for (const part of supportParts) {
    const name = fileNames[part] ?? `${part}.json`;
    onPart(name);
    const { content } = await service.ask("support", {
      params: { part },
      query: { limit: limits[part] },
    });
    if (part === "service") aboutService = content;
    else if (content !== null && content !== undefined) collected[name] = content;
  }
  const plans = await service.ask("plans", { query: { limit: Math.min(amounts.plans, listedPlans) } });
  // The time of the last answer, so that nothing in the archive is later than it.
  collected["archive.json"] = about(service.cluster, plans.atSeconds, aboutService);
  for (const { planId } of plans.plans) {
    const name = `plans/${planId}.json`;
    onPart(name);
    const { archive } = await service.ask("plan-archive", { params: { planId } });
    // A plan that was not archived whole has only its line in the index.
    if (archive !== null) collected[name] = archive;
  }
  return redact(collected, secrets) as JsonFiles;
}

function about(cluster: string, takenAtSeconds: number, service: unknown): object {
  const { versions, platform, arch } = process;
  const own = { ccscale: version, node: versions.node, platform: `${platform} ${arch}` };
  return { format: archiveFormat, cluster, takenAtSeconds, versions: { ...own, service } };
}
