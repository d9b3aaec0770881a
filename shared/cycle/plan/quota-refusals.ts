import type { Cluster, NodeArray } from "../../engine/index.ts";
import type { NodeLoss, Operation, QuotaRefusal, Shortfall } from "../../ports/index.ts";

/** The quota named in a refusal. */
export interface RefusedBy {
  readonly limit: "family" | "region" | "spot";
  /** Cores that were left, when it gives figures. */
  readonly coresLeft: number | null;
}

const figures = [
  /Current Limit: *(\d+), *Current Usage: *(\d+)/i,
  /Maximum allowed: *(\d+), *Current in use: *(\d+)/i,
];

/**
 * Reads which of Azure's quotas a message is about: CycleCloud passes on what Azure says. Null for other reasons, and
 * when it does not name which quota: then its scope is unknown.
 */
export function readRefusal(message: string): RefusedBy | null {
  if (!/quota/i.test(message)) return null;
  const figuresFound = figures.map((pattern) => pattern.exec(message)).find((match) => match !== null);
  const coresLeft = figuresFound ? Math.max(0, Number(figuresFound[1]) - Number(figuresFound[2])) : null;
  if (/low-?_?priority ?cores|low-priority vcpus|\bspot\b/i.test(message))
    return { limit: "spot", coresLeft };
  if (/\bfamily\b|family ?(cores|vcpus|quota)|SKUFamilyQuota/i.test(message))
    return { limit: "family", coresLeft };
  return /\bregional\b|limits of core\b/i.test(message) ? { limit: "region", coresLeft } : null;
}

/** A create that a quota cut short. A set that was cut before it was sent is no news: the figures said so. */
export function isQuotaShortfall({ message }: Shortfall): boolean {
  return message !== null && readRefusal(message) !== null;
}

/**
 * Quotas that refused nodes lately although CycleCloud's figures left room: its reading of them is old, or somebody else
 * was faster. They count until the back-off is over, whatever the figures say until then.
 */
export function quotaRefusals(known: {
  readonly cluster: Cluster;
  readonly operations: readonly Operation[];
  readonly losses: readonly NodeLoss[];
  readonly backoffSeconds: number;
  readonly nowSeconds: number;
}): readonly QuotaRefusal[] {
  const { cluster, operations, losses, backoffSeconds, nowSeconds } = known;
  const refused = [
    ...operations.flatMap(({ shortfalls = [] }) =>
      shortfalls.filter(({ isForeseen }) => isForeseen !== true),
    ),
    ...losses.filter(isFamilyRefusal),
  ];
  const refusals = refused.flatMap(({ nodeArray, vmSize, message, atSeconds }): QuotaRefusal[] => {
    const refusedBy = typeof message === "string" ? readRefusal(message) : null;
    const array = cluster.nodeArrays.find(({ name }) => name === nodeArray);
    const bucket = array?.buckets.find((each) => each.vmSize === vmSize);
    const untilSeconds = atSeconds + backoffSeconds;
    if (refusedBy === null || array === undefined || bucket === undefined || untilSeconds <= nowSeconds)
      return [];
    const { vcpuQuotaCount, family } = bucket.vm;
    // The message has no figures, but one node more did not fit.
    const coresLeft = refusedBy.coresLeft ?? Math.max(0, vcpuQuotaCount - 1);
    const quota = quotaOf(array, refusedBy.limit === "family" ? family : null);
    return [{ ...quota, coresLeft, atSeconds, untilSeconds, why: message ?? "" }];
  });
  return strictest(refusals);
}

/** An event is not trusted input: it counts for the family of its node, and for no region. */
export function isFamilyRefusal({ reason, message }: NodeLoss): boolean {
  return reason === "AllocationFailed" && message !== undefined && readRefusal(message)?.limit === "family";
}

/** Spot VMs draw on the spot quota of their region whatever their family. */
function quotaOf(array: NodeArray, family: string | null): Pick<QuotaRefusal, "limit" | "scope"> {
  const { location, spot } = array;
  if (spot) return { limit: "region", scope: `${location} spot` };
  return family === null
    ? { limit: "region", scope: location }
    : { limit: "family", scope: `${location}/${family}` };
}

/** Each quota once, with what leaves least; of equals the newest. */
function strictest(refusals: readonly QuotaRefusal[]): readonly QuotaRefusal[] {
  const byQuota = new Map<string, QuotaRefusal>();
  for (const refusal of refusals.toSorted((a, b) => a.coresLeft - b.coresLeft || b.atSeconds - a.atSeconds)) {
    const key = `${refusal.limit} ${refusal.scope}`;
    if (!byQuota.has(key)) byQuota.set(key, refusal);
  }
  return [...byQuota.values()];
}
