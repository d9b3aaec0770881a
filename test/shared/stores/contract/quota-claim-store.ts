import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import type { QuotaClaimStore, QuotaClaims } from "../../../../shared/ports/index.ts";
import { type ContractCase, uniqueCluster } from "./suite.ts";
import { startSeconds } from "./values.ts";

function claimsOf(subscription: string, ordered = 8): QuotaClaims {
  const use = { held: 4, ordered, grown: [{ atSeconds: startSeconds + 0.5, cores: 4 }] };
  const times = { seenAtSeconds: startSeconds, untilSeconds: startSeconds + 1_500 };
  const uses = { "family westeurope/standardFSv2Family": use };
  return {
    subscription,
    claims: [
      { cluster: "hpc", orderedBy: "plan-1", ...times, uses },
      { cluster: "a b/ü", orderedBy: null, ...times, uses: {} },
    ],
  };
}

export const quotaClaimStoreCases: readonly ContractCase<QuotaClaimStore>[] = [
  {
    name: "nobody claims anything of a subscription that was never saved",
    async run(store) {
      expect(await store.load(uniqueCluster())).toBeUndefined();
    },
  },
  {
    name: "gives back what was saved, and subscriptions are kept apart, whatever their names",
    async run(store) {
      const one = `https://cyclecloud.example:8443/${uniqueCluster()} #1`;
      await store.save(claimsOf(one), undefined);
      await store.save(claimsOf(`${one}?`, 0), undefined);
      expect((await store.load(one))?.value).toEqual(claimsOf(one));
      expect((await store.load(`${one}?`))?.value).toEqual(claimsOf(`${one}?`, 0));
    },
  },
  {
    name: "of two who save what they read, one is told of the conflict and changes nothing",
    async run(store) {
      const subscription = uniqueCluster();
      await store.save(claimsOf(subscription), undefined);
      const read = await store.load(subscription);
      await store.save(claimsOf(subscription, 12), read?.etag);
      await expect(store.save(claimsOf(subscription, 16), read?.etag)).rejects.toThrow(ConflictError);
      await expect(store.save(claimsOf(subscription, 20), undefined)).rejects.toThrow(ConflictError);
      expect((await store.load(subscription))?.value).toEqual(claimsOf(subscription, 12));
    },
  },
  {
    name: "holds the claims of a hundred clusters on twenty quotas",
    async run(store) {
      const subscription = uniqueCluster();
      const [claim] = claimsOf(subscription).claims;
      const use = { held: 10_000, ordered: 10_000, grown: [{ atSeconds: startSeconds, cores: 10_000 }] };
      const uses = Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`family westeurope/standardFamily${index}`, use]),
      );
      const claims = Array.from({ length: 100 }, (_, index) => ({
        cluster: `cluster-${index}`,
        orderedBy: null,
        seenAtSeconds: claim?.seenAtSeconds ?? 0,
        untilSeconds: claim?.untilSeconds ?? 0,
        uses,
      }));
      await store.save({ subscription, claims }, undefined);
      expect((await store.load(subscription))?.value.claims).toHaveLength(100);
    },
  },
];
