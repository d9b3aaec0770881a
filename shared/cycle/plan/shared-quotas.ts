import { type Cluster, type NodeArray, type Plan, type PlanInput, plan } from "../../engine/index.ts";
import { ConflictError, kindOf } from "../../errors/errors.ts";
import type {
  ClusterConfig,
  Operation,
  PlanHead,
  Ports,
  QuotaClaim,
  QuotaClaims,
  QuotaRefusal,
  QuotaShare,
  QuotaUse,
  SharedQuota,
  Snapshot,
  Stored,
} from "../../ports/index.ts";
import { Cores, foreseeQuotas, heldCores, type OtherUse, quotaKeysOf, quotaNamed } from "./foresee-quotas.ts";
import { keptFor, sum } from "./quota-shares.ts";

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

/** A cluster whose jobs wait plans every minute or so. */
const waitsForSeconds = 600;

/** Tries to save a claim before the plan is made again. */
const mostTries = 10;

/** One account of a CycleCloud server has one subscription. Null: CycleCloud does not say which account. */
function subscriptionOf(
  { connection, cycle }: ClusterConfig,
  { account }: Pick<NodeArray, "account">,
): string | null {
  if (cycle.shares?.subscription !== undefined) return cycle.shares.subscription;
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
  self: {
    readonly cluster: string;
    readonly takenAtSeconds: number;
    readonly nowSeconds: number;
    /** The share of this cluster; undefined: the usual one. */
    readonly share: QuotaShare | undefined;
  },
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
    if (uses.length === 0 && self.share === undefined) return undefined;
    const orders = uses
      .map(({ cluster, use }) => ({ cluster, cores: unseenIn(use, self.takenAtSeconds) }))
      .filter(({ cores }) => cores > 0);
    return {
      claimedCores: sum(uses.map(({ use }) => use.held + use.ordered)),
      unseenCores: sum(orders.map(({ cores }) => cores)),
      orders: orders.toSorted((a, b) => b.cores - a.cores),
      most: self.share?.most ?? 1,
      kept: (maxCores, ownCores) =>
        keptFor(claimsOf.get(nodeArray) ?? [], key, { ...self, maxCores, ownCores }),
    };
  };
}

/** Why a configuration guarantees more than others leave; none: it does not, or nothing is known of others. */
export async function guaranteeProblems(
  ports: Pick<Ports, "clock" | "quotaClaims" | "snapshots">,
  config: ClusterConfig,
): Promise<readonly string[]> {
  const guaranteed = config.cycle.shares?.guaranteed ?? 0;
  if (guaranteed === 0) return [];
  const snapshot = await ports.snapshots.load(config.cluster);
  if (snapshot === undefined) return [];
  const shared = await readClaims(ports, config, snapshot.value);
  return shared.flatMap((each) => {
    const others = claimsAt(each, ports.clock.nowSeconds()).filter(
      ({ cluster }) => cluster !== config.cluster,
    );
    const left = 1 - sum(others.map(({ share }) => share?.guaranteed ?? 0));
    if (guaranteed <= left + 1e-9) return [];
    const whose = others
      .flatMap(({ cluster, share }) =>
        share && share.guaranteed > 0 ? [`${cluster} (${share.guaranteed})`] : [],
      )
      .join(", ");
    return [
      `shares.guaranteed: ${guaranteed}, expected at most ${Number(Math.max(0, left).toFixed(6))}: the rest of the quotas of "${each.subscription}" is guaranteed to ${whose}`,
    ];
  });
}

/** What jobs of the cluster would take besides if no other cluster had any of the quotas. Only where somebody has a share of his own. */
export function waitingCores(
  shared: readonly SharedSubscription[],
  claiming: Omit<Claiming, "waiting"> & { readonly input: PlanInput; readonly made: Plan },
): Cores | undefined {
  const { config, isSent, made, input, snapshot, nowSeconds } = claiming;
  const isShared =
    config.cycle.shares !== undefined ||
    shared.some((each) => claimsAt(each, nowSeconds).some(({ share }) => share !== undefined));
  const waits = [...made.jobs, ...made.targets].some(({ asked, granted }) => granted < asked);
  if (!isShared || !isSent || !waits) return undefined;
  const held = heldCores(snapshot.cluster);
  const sharing = new Set(shared.flatMap(({ nodeArrays }) => nodeArrays));
  const alone = (array: NodeArray): NodeArray => ({
    ...array,
    buckets: array.buckets.map((bucket) => {
      const { limits } = bucket;
      const quota = (name: "region" | "family") => {
        const key = quotaKeysOf(array, bucket).find((each) => each.startsWith(name));
        const { maxCores, usedCores } = limits[name];
        return { maxCores, usedCores: key === undefined ? usedCores : held.of(key) };
      };
      const availableCount = Math.max(limits.availableCount, limits.maxCount - limits.activeCount);
      return {
        ...bucket,
        limits: { ...limits, availableCount, region: quota("region"), family: quota("family") },
      };
    }),
  });
  const nodeArrays = input.cluster.nodeArrays.map((array) =>
    sharing.has(array.name) ? alone(array) : array,
  );
  const wanted = createdBy(plan({ ...input, cluster: { ...input.cluster, nodeArrays } }), snapshot.cluster);
  return wanted.without(createdBy(made, snapshot.cluster));
}

function onOrder(pending: PlanInput["pending"], cluster: Cluster): Cores {
  const ordered = new Cores(cluster);
  for (const { nodeArray, vmSize, count } of pending) ordered.add(nodeArray, vmSize, count);
  return ordered;
}

/** What a plan creates and starts. */
function createdBy({ create, start }: Pick<Plan, "create" | "start">, cluster: Cluster): Cores {
  const created = new Cores(cluster);
  for (const { nodeArray, vmSize, count } of create) created.add(nodeArray, vmSize, count);
  const sizes = new Map(cluster.nodes.map(({ nodeId, vmSize }) => [nodeId, vmSize]));
  for (const { nodeId, nodeArray } of start) created.add(nodeArray, sizes.get(nodeId) ?? "", 1);
  return created;
}

/** What figures that were read then cannot contain. */
function unseenIn({ ordered, grown }: QuotaUse, takenAtSeconds: number): number {
  return (
    ordered + sum(grown.filter(({ atSeconds }) => atSeconds >= takenAtSeconds).map(({ cores }) => cores))
  );
}

/** The quotas of which other clusters have ordered what the figures do not show. */
export function sharedQuotas(cluster: Cluster, others: ReturnType<typeof otherUses>): readonly SharedQuota[] {
  const held = heldCores(cluster);
  const quotas = new Map<string, SharedQuota>();
  for (const array of cluster.nodeArrays)
    for (const bucket of array.buckets)
      for (const key of quotaKeysOf(array, bucket)) {
        const { limit, scope } = quotaNamed(key);
        const use = others(array.name, key);
        const kept = use?.kept(bucket.limits[limit].maxCores, held.of(key)) ?? [];
        const orders = use?.orders ?? [];
        if (orders.length + kept.length > 0) quotas.set(key, { limit, scope, orders, kept });
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
  /** What its jobs would take besides. */
  readonly waiting: Cores | undefined;
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
      if (tries > mostTries || (current !== read && !fits(created, known, claiming)))
        return readAgain(ports, shared);
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

/** As they are with what this plan has claimed of some of them already. */
function readAgain(
  ports: Pick<Ports, "quotaClaims">,
  shared: readonly SharedSubscription[],
): Promise<readonly SharedSubscription[]> {
  return Promise.all(
    shared.map(async (each) => ({ ...each, stored: await ports.quotaClaims.load(each.subscription) })),
  );
}

/** When a plan has to renew the claims of its cluster; null: it has none. */
export function renewalSeconds(
  shared: readonly SharedSubscription[],
  claiming: Pick<Claiming, "config" | "snapshot" | "pending" | "plan" | "nowSeconds">,
): number | null {
  const { config, snapshot, pending, plan: orders, nowSeconds } = claiming;
  const hasNodes =
    config.cycle.shares !== undefined ||
    [heldCores(snapshot.cluster).keys(), pending, orders.create].some(({ length }) => length > 0);
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
  const { planId, config, snapshot, plan: orders, pending, isSent, waiting, nowSeconds } = claiming;
  const before = ownClaim(shared, claiming);
  const sharing = new Set(shared.nodeArrays);
  const nodeArrays = snapshot.cluster.nodeArrays.filter(({ name }) => sharing.has(name));
  const cluster = { ...snapshot.cluster, nodeArrays };
  const held = heldCores(cluster);
  const created = isSent ? createdBy(orders, cluster) : new Cores(cluster);
  const ordered = onOrder(pending, cluster);
  const earlier = mayStillOrder(before, claiming) ? (before?.uses ?? {}) : {};
  const wanted = waiting?.keys().filter((key) => waiting.of(key) > 0) ?? [];
  const keys = new Set([
    ...[held, ordered, created].flatMap((cores) => cores.keys()),
    ...Object.keys(earlier),
    ...wanted,
  ]);
  const uses = [...keys].toSorted().map((key): [string, QuotaUse] => {
    // At most one of two plans of a cluster is sent.
    const own = Math.max(ordered.of(key) + created.of(key), earlier[key]?.ordered ?? 0);
    const grown = grownOf(before, { key, held, snapshot, nowSeconds });
    return [key, { held: held.of(key), ordered: own, grown, waiting: waiting?.of(key) ?? 0 }];
  });
  const claim = {
    cluster: cluster.name,
    orderedBy: created.keys().length === 0 ? null : planId,
    seenAtSeconds: snapshot.takenAtSeconds,
    untilSeconds: nowSeconds + lifeSeconds(config),
    ...(wanted.length > 0 && { waitsUntilSeconds: nowSeconds + waitsForSeconds }),
    ...(config.cycle.shares !== undefined && { share: config.cycle.shares }),
    uses: Object.fromEntries(uses),
  };
  return { claim, created };
}

/** Whether the plan that made the claim is not known to have recorded its orders: it may have died, or be about to. */
function mayStillOrder(
  claim: QuotaClaim | undefined,
  { planId, before: head, loaded, operations }: Pick<Claiming, "planId" | "before" | "loaded" | "operations">,
): boolean {
  const by = claim?.orderedBy ?? null;
  // This plan may be made again after it claimed.
  if (by === null || by === planId || by === head?.planId) return false;
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
  { config, snapshot, pending, refusals, operations, nowSeconds }: Claiming,
): boolean {
  const { cluster, takenAtSeconds } = snapshot;
  const share = config.cycle.shares;
  const others = otherUses(shared, { cluster: cluster.name, takenAtSeconds, nowSeconds, share });
  const foreseen = foreseeQuotas(cluster, { refusals, pending, operations, others });
  const ordered = onOrder(pending, cluster);
  return foreseen.nodeArrays.every((array) =>
    array.buckets.every((bucket) =>
      quotaKeysOf(array, bucket).every((key) => {
        const { maxCores, usedCores, mostLeftCores } = bucket.limits[quotaNamed(key).limit];
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
  claiming: Claiming,
): boolean {
  const { config, nowSeconds } = claiming;
  if (created.keys().length > 0) return true;
  if (before === undefined) return !isEmpty(claim);
  // The next plan knows then that those orders were never recorded.
  if (mayStillOrder(before, claiming)) return true;
  const figures = ({ share, uses }: QuotaClaim) =>
    JSON.stringify([
      share ?? null,
      ...Object.entries(uses).map(([key, { held, ordered, waiting = 0 }]) => [key, held, ordered, waiting]),
    ]);
  const isOld =
    before.untilSeconds - nowSeconds <= lifeSeconds(config) / 2 ||
    (before.waitsUntilSeconds ?? Number.POSITIVE_INFINITY) - nowSeconds <= waitsForSeconds / 2;
  return isOld || figures(claim) !== figures(before);
}

/** Everybody's claims with this one; those whose time is over are left out. */
function withClaim(shared: SharedSubscription, claim: QuotaClaim, nowSeconds: number): QuotaClaims {
  const { subscription } = shared;
  const others = claimsAt(shared, nowSeconds).filter(({ cluster }) => cluster !== claim.cluster);
  return { subscription, claims: isEmpty(claim) ? others : [...others, claim] };
}

function isEmpty({ share, uses }: QuotaClaim): boolean {
  return share === undefined && Object.keys(uses).length === 0;
}
