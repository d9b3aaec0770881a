import type { Cluster, NodeArray, Plan, PlanInput } from "../../engine/index.ts";
import { ConflictError, kindOf } from "../../errors/errors.ts";
import type {
  ClusterConfig,
  Operation,
  PlanHead,
  Ports,
  QuotaClaim,
  QuotaClaims,
  QuotaRefusal,
  QuotaUse,
  SharedQuota,
  Snapshot,
  Stored,
} from "../../ports/index.ts";
import { Cores, foreseeQuotas, heldCores, type OtherUse, quotaKeysOf } from "./foresee-quotas.ts";

/** A subscription whose quotas a cluster shares, the arrays that draw on them, and what is claimed there. */
export interface SharedSubscription {
  readonly subscription: string;
  readonly nodeArrays: readonly string[];
  readonly stored: Stored<QuotaClaims> | undefined;
}

/** Nodes that a snapshot showed longer ago are in the figures of every snapshot that plans still use. */
const shownForSeconds = 900;

/** A cluster that cannot plan for a while still has its nodes. */
const shortestLifeSeconds = 3_600;

/** Tries to save a claim before the plan is made again. */
const mostTries = 10;

/** One account of a CycleCloud server has one subscription. Null: CycleCloud does not say which account. */
function subscriptionOf(
  { connection }: Pick<ClusterConfig, "connection">,
  { account }: Pick<NodeArray, "account">,
): string | null {
  return account === undefined ? null : `${connection.url} ${account}`;
}

/** Reads what is claimed where the cluster shares. Costs nothing where it is alone. */
export async function readClaims(
  ports: Pick<Ports, "quotaClaims">,
  config: ClusterConfig,
  { amongOthers, cluster }: Snapshot,
): Promise<readonly SharedSubscription[]> {
  if (amongOthers !== true) return [];
  const arrays = Map.groupBy(cluster.nodeArrays, (array) => subscriptionOf(config, array));
  return Promise.all(
    [...arrays].flatMap(([subscription, sharing]) => {
      if (subscription === null) return [];
      const nodeArrays = sharing.map(({ name }) => name);
      return ports.quotaClaims.load(subscription).then((stored) => ({ subscription, nodeArrays, stored }));
    }),
  );
}

/** Claims that count at a moment. */
export function claimsAt({ stored }: SharedSubscription, nowSeconds: number): readonly QuotaClaim[] {
  return (stored?.value.claims ?? []).filter(({ untilSeconds }) => untilSeconds > nowSeconds);
}

/** What other clusters have of the quotas of an array, for the figures of a snapshot that was taken then. */
export function otherUses(
  shared: readonly SharedSubscription[],
  self: { readonly cluster: string; readonly takenAtSeconds: number; readonly nowSeconds: number },
): (nodeArray: string, key: string) => OtherUse | undefined {
  const claimsOf = new Map(
    shared.flatMap((each) => {
      const claims = claimsAt(each, self.nowSeconds).filter(({ cluster }) => cluster !== self.cluster);
      return each.nodeArrays.map((name) => [name, claims] as const);
    }),
  );
  return (nodeArray, key) => {
    const uses = (claimsOf.get(nodeArray) ?? []).flatMap(({ cluster, uses: { [key]: use } }) =>
      use === undefined ? [] : [{ cluster, use }],
    );
    if (uses.length === 0) return undefined;
    const orders = uses
      .map(({ cluster, use }) => ({ cluster, cores: unseenIn(use, self.takenAtSeconds) }))
      .filter(({ cores }) => cores > 0);
    return {
      claimedCores: sum(uses.map(({ use }) => use.held + use.ordered)),
      unseenCores: sum(orders.map(({ cores }) => cores)),
      orders: orders.toSorted((a, b) => b.cores - a.cores),
    };
  };
}

/** What figures that were read then cannot contain. */
function unseenIn({ ordered, grown }: QuotaUse, takenAtSeconds: number): number {
  return (
    ordered + sum(grown.filter(({ atSeconds }) => atSeconds >= takenAtSeconds).map(({ cores }) => cores))
  );
}

/** The quotas of which other clusters have ordered what the figures do not show. */
export function sharedQuotas(cluster: Cluster, others: ReturnType<typeof otherUses>): readonly SharedQuota[] {
  const quotas = new Map<string, SharedQuota>();
  for (const array of cluster.nodeArrays)
    for (const bucket of array.buckets)
      for (const key of quotaKeysOf(array, bucket)) {
        const orders = others(array.name, key)?.orders ?? [];
        const limit = key.startsWith("family ") ? "family" : "region";
        const scope = key.slice(limit.length + 1);
        if (orders.length > 0) quotas.set(key, { limit, scope, orders });
      }
  return [...quotas.values()];
}

/** What a plan claims for its cluster. */
interface Claiming {
  readonly planId: string;
  readonly config: ClusterConfig;
  readonly snapshot: Snapshot;
  readonly plan: Pick<Plan, "create" | "start">;
  readonly pending: PlanInput["pending"];
  readonly isSent: boolean;
  readonly refusals: readonly QuotaRefusal[];
  /** The newest plan, and operations of recent ones: open ones, and those of the last minutes. */
  readonly before: PlanHead | undefined;
  readonly loaded: { readonly operations: readonly Operation[] };
  readonly operations: readonly Operation[];
  readonly nowSeconds: number;
}

/**
 * Claims what a plan orders before it is recorded anywhere, so that no plan of another cluster orders the same cores. If this run
 * dies before it orders them, the claim ends with the next plan of the cluster, or at the latest when its time is over.
 *
 * Undefined: it is claimed. Otherwise what is claimed by now, under which the plan does not fit and has to be made again. Throws
 * ConflictError when another plan of the same cluster claimed something meanwhile.
 */
export async function claimQuotas(
  ports: Pick<Ports, "quotaClaims">,
  shared: readonly SharedSubscription[],
  claiming: Claiming,
): Promise<readonly SharedSubscription[] | undefined> {
  let known = shared;
  for (const read of shared) {
    const ownRead = ownClaim(read, claiming);
    let current = read;
    for (let tries = 1; ; tries += 1) {
      const { claim, created } = claimOf(current, claiming);
      if (!isNews(claim, ownRead, created, claiming)) break;
      if (tries > mostTries || (current !== read && !fits(created, known, claiming))) return known;
      try {
        await ports.quotaClaims.save(withClaim(current, claim, claiming.nowSeconds), current.stored?.etag);
        break;
      } catch (error) {
        if (kindOf(error) !== "conflict") throw error;
      }
      current = { ...read, stored: await ports.quotaClaims.load(read.subscription) };
      const own = JSON.stringify(ownClaim(current, claiming));
      // A save whose answer was lost.
      if (own === JSON.stringify(claim)) break;
      if (own !== JSON.stringify(ownRead)) throw new ConflictError(`claim of cluster "${claim.cluster}"`);
      const next = current;
      known = known.map((each) => (each.subscription === next.subscription ? next : each));
    }
  }
  return undefined;
}

/** When a plan has to renew the claims of its cluster; null: it has none. */
export function renewalSeconds(
  shared: readonly SharedSubscription[],
  claiming: Pick<Claiming, "config" | "snapshot" | "pending" | "plan" | "nowSeconds">,
): number | null {
  const { config, snapshot, pending, plan, nowSeconds } = claiming;
  const hasNodes = heldCores(snapshot.cluster).keys().length + pending.length + plan.create.length > 0;
  return shared.length === 0 || !hasNodes ? null : nowSeconds + lifeSeconds(config) / 2;
}

/** Orders are carried out or expired by then, and a cluster that can plan has planned. */
function lifeSeconds({ cycle }: ClusterConfig): number {
  return Math.max(shortestLifeSeconds, cycle.actionTtlSeconds + cycle.operationTimeoutSeconds);
}

function ownClaim(
  { stored }: SharedSubscription,
  { snapshot }: Pick<Claiming, "snapshot">,
): QuotaClaim | undefined {
  return stored?.value.claims.find(({ cluster }) => cluster === snapshot.cluster.name);
}

/** The claim of the cluster with what the plan creates and starts. */
function claimOf(
  shared: SharedSubscription,
  claiming: Claiming,
): { readonly claim: QuotaClaim; readonly created: Cores } {
  const { planId, config, snapshot, plan, pending, isSent, nowSeconds } = claiming;
  const before = ownClaim(shared, claiming);
  const sharing = new Set(shared.nodeArrays);
  const nodeArrays = snapshot.cluster.nodeArrays.filter(({ name }) => sharing.has(name));
  const cluster = { ...snapshot.cluster, nodeArrays };
  const held = heldCores(cluster);
  const created = new Cores(cluster);
  if (isSent) {
    for (const { nodeArray, vmSize, count } of plan.create) created.add(nodeArray, vmSize, count);
    const sizes = new Map(cluster.nodes.map(({ nodeId, vmSize }) => [nodeId, vmSize]));
    for (const { nodeId, nodeArray } of plan.start) created.add(nodeArray, sizes.get(nodeId) ?? "", 1);
  }
  const ordered = new Cores(cluster);
  for (const { nodeArray, vmSize, count } of pending) ordered.add(nodeArray, vmSize, count);
  const earlier = mayStillOrder(before, claiming) ? (before?.uses ?? {}) : {};
  const keys = new Set([...held.keys(), ...ordered.keys(), ...created.keys(), ...Object.keys(earlier)]);
  const uses = [...keys].toSorted().map((key): [string, QuotaUse] => {
    // Of two plans of one cluster one is sent at most.
    const own = Math.max(ordered.of(key) + created.of(key), earlier[key]?.ordered ?? 0);
    return [
      key,
      { held: held.of(key), ordered: own, grown: grownOf(before, { key, held, snapshot, nowSeconds }) },
    ];
  });
  const claim = {
    cluster: cluster.name,
    orderedBy: created.keys().length === 0 ? null : planId,
    seenAtSeconds: snapshot.takenAtSeconds,
    untilSeconds: nowSeconds + lifeSeconds(config),
    uses: Object.fromEntries(uses),
  };
  return { claim, created };
}

/** Whether the plan that made the claim is not known to have recorded its orders: it may have died, or be about to. */
function mayStillOrder(
  claim: QuotaClaim | undefined,
  { before: head, loaded, operations }: Pick<Claiming, "before" | "loaded" | "operations">,
): boolean {
  const by = claim?.orderedBy ?? null;
  if (by === null || by === head?.planId) return false;
  const known = [...loaded.operations, ...operations];
  return !known.some(({ action, state }) => action.planId === by && state !== "planned");
}

/** A snapshot that shows more nodes: figures that others read before do not contain them. */
function grownOf(
  before: QuotaClaim | undefined,
  now: {
    readonly key: string;
    readonly held: Cores;
    readonly snapshot: Snapshot;
    readonly nowSeconds: number;
  },
): QuotaUse["grown"] {
  const { key, held, snapshot, nowSeconds } = now;
  const use = before?.uses[key];
  const recent = (use?.grown ?? []).filter(({ atSeconds }) => atSeconds > nowSeconds - shownForSeconds);
  const cores = held.of(key) - (use?.held ?? 0);
  return cores <= 0 ? recent : [...recent, { atSeconds: snapshot.takenAtSeconds, cores }];
}

/** Whether what a plan creates fits what is claimed by now. */
function fits(
  created: Cores,
  shared: readonly SharedSubscription[],
  { snapshot, pending, refusals, operations, nowSeconds }: Claiming,
): boolean {
  const { cluster, takenAtSeconds } = snapshot;
  const others = otherUses(shared, { cluster: cluster.name, takenAtSeconds, nowSeconds });
  const foreseen = foreseeQuotas(cluster, { refusals, pending, operations, others });
  const ordered = new Cores(cluster);
  for (const { nodeArray, vmSize, count } of pending) ordered.add(nodeArray, vmSize, count);
  return foreseen.nodeArrays.every((array) =>
    array.buckets.every((bucket) =>
      quotaKeysOf(array, bucket).every((key) => {
        const { region, family } = bucket.limits;
        const { maxCores, usedCores, mostLeftCores } = key.startsWith("family ") ? family : region;
        const left = Math.min(maxCores - usedCores, mostLeftCores ?? Number.POSITIVE_INFINITY);
        return created.of(key) === 0 || ordered.of(key) + created.of(key) <= left;
      }),
    ),
  );
}

/** Whether the claim says something new, or is to be renewed. */
function isNews(
  claim: QuotaClaim,
  before: QuotaClaim | undefined,
  created: Cores,
  { config, nowSeconds }: Claiming,
): boolean {
  if (created.keys().length > 0) return true;
  if (before === undefined) return Object.keys(claim.uses).length > 0;
  const figures = ({ uses }: QuotaClaim) =>
    JSON.stringify(Object.entries(uses).map(([key, { held, ordered }]) => [key, held, ordered]));
  return figures(claim) !== figures(before) || before.untilSeconds - nowSeconds <= lifeSeconds(config) / 2;
}

/** Everybody's claims with this one; those whose time is over are left out. */
function withClaim(shared: SharedSubscription, claim: QuotaClaim, nowSeconds: number): QuotaClaims {
  const { subscription } = shared;
  const others = claimsAt(shared, nowSeconds).filter(({ cluster }) => cluster !== claim.cluster);
  return { subscription, claims: Object.keys(claim.uses).length === 0 ? others : [...others, claim] };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
