import { strToU8, zipSync } from "fflate";
import type { PlanArchiveAnswer, PlansAnswer, SupportAnswer } from "../../shared/api/index.ts";
import { type SupportPart, supportParts } from "../../shared/names/support-parts.ts";
import { redact } from "../../shared/text/redact.ts";

/** Version of the layout that `--offline` reads. */
export const archiveFormat = 1;

/** How many of the newest of each; each plan with the snapshot that it was made from. */
export interface Amounts {
  readonly plans: number;
  readonly operations: number;
  readonly rejections: number;
}

export const usualAmounts: Amounts = { plans: 10, operations: 500, rejections: 100 };

/** The service that an archive is made of, with the ways to ask it. */
export interface ArchivedService {
  readonly cluster: string;
  part(part: SupportPart, limit: number | undefined): Promise<Pick<SupportAnswer, "content">>;
  plans(limit: number): Promise<PlansAnswer>;
  plan(planId: string): Promise<PlanArchiveAnswer>;
}

export type JsonFiles = Readonly<Record<string, unknown>>;

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
  service: ArchivedService,
  options: {
    readonly amounts: Amounts;
    readonly secrets: readonly string[];
    /** Of the program that packs. */
    readonly versions: Readonly<Record<string, string>>;
    readonly onPart: (part: string) => void;
  },
): Promise<JsonFiles> {
  const { amounts, secrets, versions, onPart } = options;
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
    const { content } = await service.part(part, limits[part]);
    if (part === "service") aboutService = content;
    else if (content !== null && content !== undefined) collected[name] = content;
  }
  const plans = await service.plans(Math.min(amounts.plans, listedPlans));
  // The time of the last answer, so that nothing in the archive is later than it.
  collected["archive.json"] = {
    format: archiveFormat,
    cluster: service.cluster,
    takenAtSeconds: plans.atSeconds,
    versions: { ...versions, service: aboutService },
  };
  for (const { planId } of plans.plans) {
    const name = `plans/${planId}.json`;
    onPart(name);
    const { archive } = await service.plan(planId);
    // A plan that was not archived whole has only its line in the index.
    if (archive !== null) collected[name] = archive;
  }
  return redact(collected, secrets) as JsonFiles;
}

export function toZip(files: JsonFiles): Uint8Array {
  const entries = Object.entries(files).map(([name, value]) => [
    name,
    strToU8(JSON.stringify(value, null, 1)),
  ]);
  return zipSync(Object.fromEntries(entries));
}

/** A cluster's name may contain characters that a file's may not. */
export function archiveName(cluster: string, nowSeconds: number): string {
  const time = new Date(nowSeconds * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `ccscale-${cluster.replaceAll(/[^\w.-]/g, "_")}-${time}Z.zip`;
}
