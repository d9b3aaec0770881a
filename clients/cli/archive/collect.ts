import { resolveIncludes } from "../../../shared/config/resolve-includes.ts";
import type { Operation, Ports, RejectedMessage } from "../../../shared/ports.ts";
import type { BlobConfigFiles } from "../../../shared/stores/azure/index.ts";
import { version } from "../version.ts";
import type { JsonFiles } from "./files.ts";
import { redact } from "./redact.ts";

/** Of this layout; `--offline` reads it. */
export const archiveFormat = 1;

export type CollectedPorts = Pick<
  Ports,
  | "clock"
  | "losses"
  | "snapshots"
  | "demand"
  | "targets"
  | "history"
  | "operations"
  | "plans"
  | "rejections"
  | "controls"
>;

/** Configurations as texts. */
export type ConfigFiles = Pick<BlobConfigFiles, "read" | "readInclude">;

/** How much of what there can be any number of. */
export interface Amounts {
  readonly plans: number;
  readonly operations: number;
  readonly rejections: number;
}

const listedPlans = 1_000;

/**
 * All that is known of a cluster, as files without secrets. An archived plan holds the snapshot that it was made from, so
 * the last plans are the last snapshots too. `known` are secrets that are around: they go wherever they are.
 */
export async function collect(
  ports: CollectedPorts,
  files: ConfigFiles,
  options: {
    readonly cluster: string;
    readonly amounts: Amounts;
    readonly known: readonly string[];
    readonly onPart: (part: string) => void;
  },
): Promise<JsonFiles> {
  const { cluster, amounts, known, onPart } = options;
  const collected: Record<string, unknown> = {};
  const add = async (name: string, load: () => Promise<unknown>): Promise<void> => {
    onPart(name);
    const value = await load();
    if (value !== undefined) collected[name] = redact(value, known);
  };
  await add("archive.json", async () => ({
    format: archiveFormat,
    cluster,
    takenAtSeconds: ports.clock.nowSeconds(),
    versions: {
      ccscale: version,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
    },
  }));
  await add("config.json", () => configOf(files, cluster));
  await add("snapshot.json", async () => (await ports.snapshots.load(cluster))?.value);
  await add("control.json", async () => (await ports.controls.load(cluster))?.value);
  await add("demand.json", () => ports.demand.list(cluster));
  await add("targets.json", () => ports.targets.list(cluster));
  await add("history.json", () => ports.history.list(cluster));
  await add("losses.json", () => ports.losses.recent(cluster, amounts.operations));
  await add("operations.json", () => operationsOf(ports, cluster, amounts.operations));
  await add("rejects.json", () => rejectionsOf(ports, cluster, amounts.rejections));
  await add("plans/head.json", async () => (await ports.plans.loadHead(cluster))?.value);
  const summaries = await ports.plans.list(cluster, listedPlans);
  await add("plans/index.json", async () => summaries);
  for (const { planId } of summaries.slice(0, amounts.plans))
    await add(`plans/${planId}.json`, () => ports.plans.load(cluster, planId));
  return collected;
}

/** What cannot be read as JSON is not copied: nobody could take secrets out of it. */
async function configOf(files: ConfigFiles, cluster: string): Promise<unknown> {
  const file = await files.read(cluster);
  if (file === undefined) return undefined;
  try {
    const json: unknown = JSON.parse(file.text);
    const loadInclude = async (path: string): Promise<unknown> => {
      const text = await files.readInclude(path);
      return text === undefined ? undefined : JSON.parse(text);
    };
    const included = await resolveIncludes({ path: `${cluster}.json`, json, loadInclude });
    return included.ok ? included.json : json;
  } catch {
    return { unreadable: "no JSON" };
  }
}

/** Open ones, however old, and the newest. */
async function operationsOf(
  { operations }: CollectedPorts,
  cluster: string,
  limit: number,
): Promise<readonly Operation[]> {
  const open = (await operations.open(cluster)).map(({ value }) => value);
  const recent = await operations.recent(cluster, limit);
  const ids = new Set(recent.map(({ actionId }) => actionId));
  return [...recent, ...open.filter(({ actionId }) => !ids.has(actionId))];
}

/** Of the cluster, and those that name no known one. */
async function rejectionsOf(
  { rejections }: CollectedPorts,
  cluster: string,
  limit: number,
): Promise<readonly RejectedMessage[]> {
  const found: RejectedMessage[] = [];
  for (const owner of [cluster, undefined])
    for (const { rejectionId } of await rejections.list(owner, limit)) {
      const message = await rejections.load(owner, rejectionId);
      if (message !== undefined) found.push(message);
    }
  return found;
}
