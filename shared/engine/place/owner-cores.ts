import type { Demand } from "../ledger/availability.ts";
import type { Taking } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import type { DemandCapHit } from "../model/demand-caps.ts";
import type { OwnerLimit } from "../model/job.ts";
import type { OwnerUse } from "../model/plan-result.ts";
import { covers } from "../values/amounts.ts";
import type { Allocation, OwnerCores } from "./allocation.ts";
import type { Shape } from "./shape.ts";

/** Gives the jobs of each owner the one counter of their limit. */
export function openOwners(
  allocations: readonly Allocation[],
  buckets: readonly LedgerBucket[],
): readonly OwnerCores[] {
  if (allocations.every(({ job }) => job.ownerLimits === undefined)) return [];
  const largest = buckets.reduce((most, bucket) => Math.max(most, largestIn(bucket)), 0);
  const owners = new Map<string, OwnerCores>();
  const wanted = new Map<OwnerCores, number>();
  const ownersOf = new Map<Allocation, OwnerCores[]>();
  for (const allocation of allocations)
    for (const limit of allocation.job.ownerLimits ?? []) {
      const key = `${limit.cap} ${limit.owner}`;
      const owner = owners.get(key) ?? { limit, mayBind: false, left: limit.maxCores };
      owners.set(key, owner);
      const places = Math.max(allocation.asked, allocation.job.executingHostnames.length);
      wanted.set(owner, (wanted.get(owner) ?? 0) + places * mostCores(allocation.shape, largest));
      ownersOf.set(allocation, [...(ownersOf.get(allocation) ?? []), owner]);
    }
  for (const [owner, cores] of wanted) owner.mayBind = cores > owner.limit.maxCores;
  for (const [allocation, all] of ownersOf) allocation.owners = all;
  return [...owners.values()];
}

/** Whether a job may get more than its owners may have, if it is put somewhere without asking. */
export function mayBind({ owners }: Pick<Allocation, "owners">): boolean {
  return owners.some((owner) => owner.mayBind);
}

/** What owners have before anything is placed. */
export function usesOf(owners: readonly OwnerCores[]): readonly OwnerUse[] {
  return owners.map(({ limit: { cap, owner, maxCores }, left }) => ({
    cap,
    owner,
    maxCores,
    usedCores: maxCores - left,
  }));
}

function largestIn({ closed, vm, nodes }: LedgerBucket): number {
  return closed === "on-premise" ? Math.max(0, ...nodes.map(wholeNode)) : vm.vcpuCount;
}

/** The size of a host that CycleCloud does not have is what its scheduler says. */
function wholeNode(node: LedgerNode): number {
  const { closed, vm } = node.bucket;
  const told = closed === "on-premise" ? node.resource("ncpus") : undefined;
  return typeof told === "number" ? told : vm.vcpuCount;
}

function mostCores(shape: Shape, largest: number): number {
  const mayTakeMore = shape.exclusive !== "none" || shape.profile.alternatives.length > 0;
  return mayTakeMore ? Math.max(largest, coresAsked(shape)) : coresAsked(shape);
}

/** Each place counts with the ncpus that it asks for, or with one core. */
function coresAsked({ minimums }: Shape): number {
  const asked = minimums.reduce(
    (sum, { resource, amount }) => (resource === "ncpus" && typeof amount === "number" ? sum + amount : sum),
    0,
  );
  return asked || 1;
}

/** Cores that a place takes of a node. Who has a node alone has all of it. */
function coresOn(node: LedgerNode, { columns, amounts }: Demand, closes: boolean): number {
  if (closes) return wholeNode(node);
  const column = node.bucket.columns.byName.get("ncpus");
  const index = column === undefined ? -1 : columns.indexOf(column);
  return amounts[index] || 1;
}

/** Places that the owners of a job may still have on a node, of those that it offers; 0: the job is held back from now on. */
export function placesLeft(
  allocation: Allocation,
  node: LedgerNode,
  { demand, closes }: Taking,
  slots: number,
): number {
  const cores = coresOn(node, demand, closes);
  let places = slots;
  for (const { left, limit } of allocation.owners) {
    // All places of a closed node together take it once.
    const most = closes ? (covers(left, cores) ? places : 0) : Math.floor(left / cores + tolerance);
    if (most < 1) allocation.heldBy ??= hitOf(limit, { left, cores });
    places = Math.min(places, Math.max(0, most));
  }
  return places;
}

/** Sums of fractions of cores need not be exact. */
const tolerance = 1e-9;

function hitOf(
  { cap, owner, maxCores }: OwnerLimit,
  { left, cores }: { readonly left: number; readonly cores: number },
): DemandCapHit {
  return { cap, owner, asked: maxCores - left + cores, limit: maxCores };
}

/** Charges places that a job got, or has, to its owners. */
export function chargeOwners(
  { owners }: Allocation,
  node: LedgerNode,
  { demand, closes }: Taking,
  slots: number,
): void {
  if (owners.length === 0) return;
  const cores = coresOn(node, demand, closes) * (closes ? 1 : slots);
  for (const owner of owners) owner.left -= cores;
}

/** The same of a host that no plan counts with: its size is not known. */
export function chargeUnknownHost({ owners, shape }: Allocation): void {
  for (const owner of owners) owner.left -= coresAsked(shape);
}
