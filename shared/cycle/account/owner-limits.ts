import type { OwnerLimit } from "../../engine/index.ts";
import type { DemandJob } from "../../messages/index.ts";
import type { OwnerCap } from "../../ports/index.ts";

/** Jobs without an owner share one limit: an unknown owner is not exempt. */
const unknownOwner = "unknown";

/** What the engine calls the caps. */
export const ownerCapName = {
  user: "max-cores-per-user",
  account: "max-cores-per-account",
  queue: "max-cores-per-queue",
} as const satisfies Record<OwnerCap["by"], OwnerLimit["cap"]>;

/** The limits of a job's owners; the same list for all jobs of the same owners. */
export function ownerLimits(
  caps: readonly OwnerCap[],
): (job: Pick<DemandJob, "user" | "account" | "queue">) => readonly OwnerLimit[] {
  const limitsByOwners = new Map<string, readonly OwnerLimit[]>();
  return (job) => {
    const owners = caps.map(({ by }) => job[by] ?? unknownOwner);
    const key = JSON.stringify(owners);
    const limits =
      limitsByOwners.get(key) ??
      caps.flatMap(({ by, maxCores: usual, byName }, index): readonly OwnerLimit[] => {
        const owner = owners[index] ?? unknownOwner;
        const maxCores = Object.hasOwn(byName, owner) ? (byName[owner] ?? null) : usual;
        return maxCores === null ? [] : [{ cap: ownerCapName[by], owner, maxCores }];
      });
    limitsByOwners.set(key, limits);
    return limits;
  };
}
