import type { LimitsAnswer, SharedLimit } from "../api/index.ts";
import { claimsAt, quotaKeysOf, quotaNamed, standings } from "../cycle/index.ts";
import type { CoreQuota } from "../engine/index.ts";
import type { Outlook } from "./outlook.ts";

/** What CycleCloud reports where there is no quota is not below this. */
const unlimited = 2 ** 31 - 1;

/** Who has what of the quotas that the cluster shares; nothing for one that is alone. */
export function sharedLimits(outlook: Outlook): Pick<LimitsAnswer, "shared" | "unshared"> {
  const { snapshot, loaded, atSeconds } = outlook;
  if (snapshot.amongOthers !== true) return {};
  const shared = (loaded.shared ?? []).flatMap((subscription) => {
    const claims = claimsAt(subscription, atSeconds);
    const keys = new Set(claims.flatMap(({ uses }) => Object.keys(uses)));
    return [...keys].map((key): SharedLimit => {
      const { limit, scope } = quotaNamed(key);
      const figures = figuresOf(outlook, subscription.nodeArrays, key);
      const maxCores = figures?.maxCores ?? 0;
      const stood = standings(claims, key, { maxCores, nowSeconds: atSeconds });
      const rich = stood.filter(({ cores, dueCores }) => cores > dueCores).map((each) => each.cluster);
      const clusters = claims.flatMap(({ cluster, seenAtSeconds, uses: { [key]: use } }) => {
        const own = stood.find((each) => each.cluster === cluster);
        if (own === undefined || (use === undefined && own.guaranteedCores === 0)) return [];
        const { waitingCores, guaranteedCores, dueCores, cores } = own;
        const { held = 0, ordered = 0 } = use ?? {};
        return {
          cluster,
          heldCores: held,
          orderedCores: ordered,
          waitingCores,
          guaranteedCores,
          dueCores,
          lendsCores: Math.max(0, guaranteedCores - cores - waitingCores),
          waitsFor: waitingCores > 0 && cores < dueCores ? rich.filter((name) => name !== cluster) : [],
          seenAtSeconds,
        };
      });
      const held = clusters.reduce((sum, { heldCores }) => sum + heldCores, 0);
      return {
        limit,
        scope,
        max: figures === undefined || figures.maxCores >= unlimited ? null : figures.maxCores,
        clusters: clusters.toSorted((a, b) => b.heldCores + b.orderedCores - a.heldCores - a.orderedCores),
        otherCores: figures === undefined ? null : Math.max(0, figures.usedCores - held),
      };
    });
  });
  const sharing = new Set(loaded.shared?.flatMap(({ nodeArrays }) => nodeArrays));
  const unshared = snapshot.cluster.nodeArrays.map(({ name }) => name).filter((name) => !sharing.has(name));
  return {
    shared: shared.toSorted((a, b) => `${a.limit} ${a.scope}`.localeCompare(`${b.limit} ${b.scope}`)),
    ...(unshared.length > 0 && { unshared }),
  };
}

/** Undefined: no array of this cluster draws on that quota. */
function figuresOf({ snapshot }: Outlook, nodeArrays: readonly string[], key: string): CoreQuota | undefined {
  for (const array of snapshot.cluster.nodeArrays)
    for (const bucket of nodeArrays.includes(array.name) ? array.buckets : [])
      if (quotaKeysOf(array, bucket).includes(key)) return bucket.limits[quotaNamed(key).limit];
  return undefined;
}
