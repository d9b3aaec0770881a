import { expect } from "vitest";
import type { QuotaClaimStore, QuotaClaims } from "../../../../shared/ports/index.ts";
import { recordCases } from "./record-cases.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { startSeconds } from "./values.ts";

function claimsOf(subscription: string, ordered: number): QuotaClaims {
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

export const quotaClaimStoreCases: ContractCases<QuotaClaimStore> = {
  ...recordCases<QuotaClaimStore, QuotaClaims>({
    what: "claims",
    of: claimsOf,
    load: (store, name) => store.load(name),
    save: (store, _, value, ifMatch) => store.save(value, ifMatch),
  }),
  "holds the claims of a hundred clusters on twenty quotas": async (store) => {
    const subscription = uniqueCluster();
    const [claim] = claimsOf(subscription, 8).claims;
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
};
