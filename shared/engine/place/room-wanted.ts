import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import type { OpenedLedger } from "../ledger/open-ledger.ts";
import type { Charge } from "../limits/quota.ts";
import { scopesIn } from "../limits/raise.ts";
import type { Cluster, ClusterNode } from "../model/bucket.ts";
import type { Job } from "../model/job.ts";
import { type LimitName, limitNames } from "../model/limits.ts";
import { type BucketName, bucketKey, type Reason } from "../model/reasons.ts";
import type { Target, TargetOutcome } from "../model/target.ts";
import type { Allocation } from "./allocation.ts";

type Place = Pick<ClusterNode, "nodeArray" | "vmSize" | "placementGroup">;

/** Whether something waits at a limit under which a node counts, so that it makes room there when it goes. */
export type RoomWanted = (node: Place) => boolean;

/** What is waiting after a run. */
interface Waiting {
  readonly opened: Pick<OpenedLedger, "ledger">;
  readonly allocations: readonly Allocation[];
  readonly targets: readonly TargetOutcome[];
}

/** Asks it of what a run left waiting. */
export function roomWanted(cluster: Cluster, waiting: Waiting): RoomWanted {
  const scopeOf = scopesIn(cluster);
  // Plans without failed or spare nodes never ask.
  let lacks: ReadonlySet<string> | undefined;
  const isLacking = (bucket: BucketName | Place, limit: LimitName): boolean => {
    lacks ??= lacksOf(cluster, waiting, scopeOf);
    return lacks.has(`${limit} ${scopeOf(bucket, limit)}`);
  };
  return (node) => limitNames.some((limit) => isLacking(node, limit));
}

type Refused = Pick<Reason, "code" | "limit" | "bucket">;

/**
 * The limits at which something waits, each with its scope. What does not come in however many nodes of this cluster go does not
 * wait for them: it may wait for ever, because others use the limit up.
 */
function lacksOf(
  cluster: Cluster,
  { opened, allocations, targets }: Waiting,
  scopeOf: ReturnType<typeof scopesIn>,
): ReadonlySet<string> {
  const lacks = new Set<string>();
  const waiting = allocations.filter(({ asked, granted, heldBy }) => granted < asked && heldBy === null);
  const short = targets.filter(({ asked, granted }) => granted < asked);
  if (waiting.length + short.length === 0) return lacks;
  const note = ({ code, limit, bucket }: Refused) => {
    if (code !== "NoCapacity" || limit === null || bucket === null) return;
    const scope = scopeOf(bucket, limit);
    if (scope !== null) lacks.add(`${limit} ${scope}`);
  };
  const { buckets } = opened.ledger;
  const byKey = new Map(buckets.map((bucket) => [bucketKey(bucket.name), bucket]));
  // A failed node is among the ledger's only while a job runs on it.
  const inLedger = new Set(
    buckets.flatMap(({ nodes }) => nodes.flatMap(({ reported }) => reported?.nodeId ?? [])),
  );
  const failed = cluster.nodes
    .filter(({ status, nodeId }) => status === "Failed" && !inLedger.has(nodeId))
    .flatMap((node) => byKey.get(bucketKey(node)) ?? []);
  const mostNodes = new MostNodes(heldOf(buckets, failed));
  // Many jobs share one list of refusals: it is gone through once, for the one that is content with the fewest nodes.
  const noted = new Set<Allocation["refusals"]>();
  for (const allocation of waiting) {
    const { refusals } = allocation;
    if (noted.has(refusals) || mostNodes.of(refusals, allocation.job) < wholeOf(allocation)) continue;
    noted.add(refusals);
    for (const { code, limit, bucket } of refusals) note({ code, limit, bucket: bucket?.name ?? null });
  }
  if (short.length === 0) return lacks;
  // Nodes of floors do not go for other floors.
  const besideFloors = heldOf(buckets, failed, ({ targets: holders }) => !holders.some(isFloor));
  for (const { unit, reasons } of short)
    for (const reason of reasons) {
      const bucket = reason.bucket === null ? undefined : byKey.get(bucketKey(reason.bucket));
      const most = bucket === undefined ? Number.POSITIVE_INFINITY : mostIn(bucket, besideFloors);
      if (most >= (unit === "groups" ? Number(reason.asked) : 1)) note(reason);
    }
  return lacks;
}

function isFloor({ wish }: Target): boolean {
  return wish.kind !== "spares" && wish.kind !== "slots";
}

/** Nodes without which a job gets nothing. */
function wholeOf({ job, asked, granted }: Allocation): number {
  return job.packingStrategy === "scatter" ? asked - granted : 1;
}

/** What nodes of this cluster take of each limit, by `keyOf`, in its unit. */
type Held = ReadonlyMap<string, number>;

/** A limit may have a counter of its own for a reserved size, and one scope all the same. */
function keyOf({ limit, scope }: Charge): string {
  return `${limit} ${scope}`;
}

/** What the nodes in buckets that count hold, and further ones, by the bucket of each. */
function heldOf(
  buckets: readonly LedgerBucket[],
  further: readonly LedgerBucket[],
  counts: (node: LedgerNode) => boolean = () => true,
): Held {
  const held = new Map<string, number>();
  const hold = ({ charges }: LedgerBucket, count: number) => {
    for (const charge of charges)
      held.set(keyOf(charge), (held.get(keyOf(charge)) ?? 0) + count * charge.perNode);
  };
  for (const bucket of buckets)
    hold(bucket, bucket.nodes.filter((node) => node.origin !== "deallocated" && counts(node)).length);
  for (const bucket of further) hold(bucket, 1);
  return held;
}

/** How many nodes of buckets the limits allow if no other node of this cluster is there; what others use stays used. */
class MostNodes {
  readonly #held: Held;
  readonly #known = new Map<Allocation["refusals"], { readonly any: number; readonly one: number }>();

  constructor(held: Held) {
    this.#held = held;
  }

  /** In the buckets that refused it, or in one of them. */
  of(refusals: Allocation["refusals"], { colocated }: Pick<Job, "colocated">): number {
    const known =
      this.#known.get(refusals) ??
      mostNodesOf(
        refusals.flatMap(({ bucket }) => bucket ?? []),
        this.#held,
      );
    this.#known.set(refusals, known);
    return colocated ? known.one : known.any;
  }
}

function mostNodesOf(buckets: readonly LedgerBucket[], held: Held) {
  const each = buckets.map((bucket) => mostIn(bucket, held));
  // Buckets that share a limit share its nodes.
  const shared = (buckets[0]?.charges ?? []).map(({ quota }) =>
    Math.max(
      ...buckets.map(({ charges }) => {
        const charge = charges.find((other) => other.quota === quota);
        return charge === undefined ? Number.POSITIVE_INFINITY : mostOf(charge, held);
      }),
    ),
  );
  const all = each.reduce((sum, nodes) => sum + nodes, 0);
  return { any: Math.min(all, ...shared), one: Math.max(0, ...each) };
}

function mostIn({ charges }: LedgerBucket, held: Held): number {
  return Math.min(...charges.map((charge) => mostOf(charge, held)));
}

/** Limits whose figures change with what others use: what there is in all, the other limits tell. */
const changing: ReadonlySet<LimitName> = new Set(["bucket", "spot-share"]);

function mostOf(charge: Charge, held: Held): number {
  const { limit, quota, perNode } = charge;
  if (changing.has(limit) || perNode <= 0) return Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(quota.max, quota.left + (held.get(keyOf(charge)) ?? 0)) / perNode);
}
