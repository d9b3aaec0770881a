import type { QuotaClaim, QuotaShare, SharedQuota } from "../../ports/index.ts";

const usualShare: QuotaShare = { guaranteed: 0, most: 1, weight: 1 };

/** What a cluster has of a quota, and what it is entitled to while all who have some or wait want more. */
interface Standing {
  readonly cluster: string;
  readonly cores: number;
  readonly waitingCores: number;
  readonly share: QuotaShare;
  readonly guaranteedCores: number;
  /** Its guarantee, or its part of the quota by its weight. */
  readonly dueCores: number;
}

type Claim = Pick<QuotaClaim, "cluster" | "share" | "uses" | "waitsUntilSeconds">;

/** How clusters stand to each other under a quota. Guarantees that add up to more than the quota are cut alike. */
export function standings(
  claims: readonly Claim[],
  key: string,
  { maxCores, nowSeconds }: { readonly maxCores: number; readonly nowSeconds: number },
): readonly Standing[] {
  const known = claims.map((claim) => {
    const { cluster, share = usualShare, uses, waitsUntilSeconds = 0 } = claim;
    const { held = 0, ordered = 0, waiting = 0 } = uses[key] ?? {};
    const waitingCores = waitsUntilSeconds > nowSeconds ? waiting : 0;
    return { cluster, share, cores: held + ordered, waitingCores };
  });
  const guaranteed = Math.max(1, sum(known.map(({ share }) => share.guaranteed)));
  const weights = sum(
    known.map(({ share, cores, waitingCores }) => (cores + waitingCores > 0 ? share.weight : 0)),
  );
  return known.map((each) => {
    const { guaranteed: own, most, weight } = each.share;
    const guaranteedCores = (own / guaranteed) * maxCores;
    const byWeight = weights === 0 ? 0 : (weight / weights) * maxCores;
    return {
      ...each,
      guaranteedCores,
      dueCores: Math.min(most * maxCores, Math.max(guaranteedCores, byWeight)),
    };
  });
}

/**
 * What a cluster leaves to others who wait and have less than is due to them: first those below their guarantee, then those
 * with least for their weight. Each sees another order of the same list, so one of them always may take what is free.
 */
export function keptFor(
  claims: readonly QuotaClaim[],
  key: string,
  self: {
    readonly cluster: string;
    readonly share: QuotaShare | undefined;
    readonly nowSeconds: number;
    readonly maxCores: number;
    readonly ownCores: number;
  },
): SharedQuota["kept"] {
  const { cluster, share, ownCores: held } = self;
  const uses = { [key]: { held, ordered: 0, grown: [], waiting: 1 } };
  const claim = { cluster, waitsUntilSeconds: Number.POSITIVE_INFINITY, uses, ...(share && { share }) };
  const all = standings([...claims, claim], key, self);
  const own = all.find((each) => each.cluster === cluster);
  if (own === undefined) return [];
  return all
    .filter((each) => each.cluster !== cluster && each.waitingCores > 0 && comesBefore(each, own))
    .map((each) => ({
      cluster: each.cluster,
      cores: Math.max(0, Math.min(each.waitingCores, each.dueCores - each.cores)),
    }))
    .filter(({ cores }) => cores > 0);
}

function comesBefore(a: Standing, b: Standing): boolean {
  const isShort = ({ cores, guaranteedCores }: Standing) => cores < guaranteedCores;
  if (isShort(a) !== isShort(b)) return isShort(a);
  const forWeight = ({ cores, share }: Standing) => cores / share.weight;
  return forWeight(a) === forWeight(b) ? a.cluster < b.cluster : forWeight(a) < forWeight(b);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
