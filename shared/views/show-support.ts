import type { SupportAnswer } from "../api/index.ts";
import { jsonPieces } from "../json/json.ts";
import type { SupportPart } from "../names/support-parts.ts";
import type { ConfigFiles, Operation, Ports, RejectedMessage, SourceDemand } from "../ports/index.ts";
import { redact } from "../text/redact.ts";
import { readDictionary } from "./show-config.ts";

export type SupportPorts = Pick<
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
> & { readonly configFiles: ConfigFiles };

export interface SupportOptions {
  /** Limit of newest records where there can be any number. */
  readonly limit: number;
  /** Secrets that are known to be around: they go wherever they are. */
  readonly knownSecrets: readonly string[];
  /** The content of the part `service`: versions. */
  readonly about: Readonly<Record<string, string>>;
}

/** One part of what is known of a cluster, as it is stored, without secrets. */
export async function showSupport(
  ports: SupportPorts,
  { cluster, part }: { readonly cluster: string; readonly part: SupportPart },
  options: SupportOptions,
): Promise<SupportAnswer> {
  const stored = await contents[part](ports, cluster, options);
  // As it is written: what JSON leaves out is not there.
  const json: unknown = JSON.parse(JSON.stringify(stored ?? null));
  const content = redact(json, options.knownSecrets);
  return { cluster, atSeconds: ports.clock.nowSeconds(), part, content };
}

type Load = (ports: SupportPorts, cluster: string, options: SupportOptions) => Promise<unknown>;

const contents: Readonly<Record<SupportPart, Load>> = {
  service: async (_ports, _cluster, { about }) => about,
  config: (ports, cluster) => configOf(ports.configFiles, cluster),
  snapshot: async ({ snapshots }, cluster) => (await snapshots.load(cluster))?.value,
  control: async ({ controls }, cluster) => (await controls.load(cluster))?.value,
  demand: async ({ demand }, cluster) => withinCharacters(await demand.list(cluster)),
  targets: ({ targets }, cluster) => targets.list(cluster),
  history: ({ history }, cluster) => history.list(cluster),
  losses: ({ losses }, cluster, { limit }) => losses.recent(cluster, limit),
  operations: (ports, cluster, { limit }) => operationsOf(ports, cluster, limit),
  rejects: (ports, cluster, { limit }) => rejectionsOf(ports, cluster, limit),
  "plan-head": async ({ plans }, cluster) => (await plans.loadHead(cluster))?.value,
  plans: ({ plans }, cluster, { limit }) => plans.list(cluster, limit),
};

/**
 * Limit for all demand together: an answer is one text, and the jobs of many sources may be longer than a text can be.
 */
const mostDemandCharacters = 64 * 1024 * 1024;

/** Sources in their order; what does not fit any more comes without its jobs, with their number. */
export function withinCharacters(
  demand: readonly SourceDemand[],
  mostCharacters = mostDemandCharacters,
): readonly object[] {
  let characters = 0;
  return demand.map((source) => {
    for (const piece of jsonPieces(source)) {
      characters += piece.length;
      if (characters > mostCharacters) break;
    }
    return characters <= mostCharacters ? source : { ...source, jobs: [], jobsLeftOut: source.jobs.length };
  });
}

/** The configuration with its includes merged in. No JSON is not copied: secrets could not be removed from it. */
async function configOf(files: ConfigFiles, cluster: string): Promise<unknown> {
  const file = await files.read(cluster);
  if (file === undefined) return undefined;
  const json = readDictionary(file.text);
  return json === undefined ? { unreadable: "no JSON object" } : (await files.check(cluster, json)).json;
}

/** Open ones, however old, and the newest. */
async function operationsOf(
  { operations }: SupportPorts,
  cluster: string,
  limit: number,
): Promise<readonly Operation[]> {
  const open = (await operations.open(cluster)).map(({ value }) => value);
  const recent = await operations.recent(cluster, limit);
  const ids = new Set(recent.map(({ actionId }) => actionId));
  return [...recent, ...open.filter(({ actionId }) => !ids.has(actionId))];
}

/** Rejections of the cluster, and those that name no known one. */
async function rejectionsOf(
  { rejections }: SupportPorts,
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
