import { isDeepStrictEqual } from "node:util";
import type { ClusterDefinition, RegionQuota } from "./definition.ts";

export type Quotas = ReturnType<typeof createQuotas>;

/**
 * What each subscription may use in each region; all its clusters share it. Throws a TypeError when two clusters of one subscription
 * disagree about a quota.
 */
export function createQuotas(definitions: readonly ClusterDefinition[]) {
  const quotas = new Map<string, RegionQuota>();
  const initial: { readonly subscription: string; readonly key: string; readonly quota: RegionQuota }[] = [];
  for (const { name, subscription, quotas: own } of definitions) {
    for (const [region, quota] of Object.entries(own)) {
      const key = keyOf(subscription, region);
      if (!isDeepStrictEqual(quotas.get(key) ?? quota, quota)) {
        throw new TypeError(
          `Cannot use the quota of "${region}" in cluster "${name}": another cluster of subscription ` +
            `"${subscription}" gives other figures, expected the same`,
        );
      }
      quotas.set(key, quota);
      initial.push({ subscription, key, quota });
    }
  }

  function of(subscription: string, region: string): RegionQuota {
    const quota = quotas.get(keyOf(subscription, region));
    if (quota === undefined) throw new RangeError(`Cannot find a quota of "${subscription}" in "${region}"`);
    return quota;
  }

  return {
    of,
    change(subscription: string, region: string, change: Partial<RegionQuota>): void {
      const quota = of(subscription, region);
      const families = { ...quota.families, ...change.families };
      quotas.set(keyOf(subscription, region), { ...quota, ...change, families });
    },
    /** All of a subscription as its clusters were defined. */
    reset(subscription: string): void {
      for (const { key, quota } of initial.filter((each) => each.subscription === subscription))
        quotas.set(key, quota);
    },
  };
}

function keyOf(subscription: string, region: string): string {
  return JSON.stringify([subscription, region]);
}
