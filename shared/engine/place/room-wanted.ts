import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import type { Charge } from "../limits/quota.ts";
import { scopesIn } from "../limits/raise.ts";
import type { Cluster, ClusterNode } from "../model/bucket.ts";
import type { Job } from "../model/job.ts";
import { type LimitName, limitNames } from "../model/limits.ts";
import type { BucketName, Reason } from "../model/reasons.ts";
import type { TargetOutcome } from "../model/target.ts";
import type { Allocation } from "./allocation.ts";

type Place = Pick<ClusterNode, "nodeArray" | "vmSize" | "placementGroup">;

/** Whether something waits at a limit under which a node counts, so that it makes room there when it goes. */
export type RoomWanted = (node: Place) => boolean;

/** What is waiting after a run. */
interface Waiting {
  readonly allocations: readonly Allocation[];
  readonly targets: readonly TargetOutcome[];
}

/** Asks it of what a run left waiting. */
export function roomWanted(cluster: Cluster, waiting: Waiting): RoomWanted {
  const scopeOf = scopesIn(cluster);
  // Plans without failed or spare nodes never ask.
  let lacks: ReadonlySet<string> | undefined;
  const isLacking = (bucket: BucketName | Place, limit: LimitName): boolean => {
    lacks ??= lacksOf(scopeOf, waiting);
    return lacks.has(`${limit} ${scopeOf(bucket, limit)}`);
  };
  return (node) => limitNames.some((limit) => isLacking(node, limit));
}

type Refused = Pick<Reason, "code" | "limit" | "bucket">;

/** The limits at which something waits, each with its scope: not for a job that does not run however many nodes go. */
function lacksOf(
  scopeOf: ReturnType<typeof scopesIn>,
  { allocations, targets }: Waiting,
): ReadonlySet<string> {
  const lacks = new Set<string>();
  const note = ({ code, limit, bucket }: Refused) => {
    if (code !== "NoCapacity" || limit === null || bucket === null) return;
    const scope = scopeOf(bucket, limit);
    if (scope !== null) lacks.add(`${limit} ${scope}`);
  };
  const mostNodes = new MostNodes();
  // Many jobs share one list of refusals: it is gone through once, for the one that is content with the fewest nodes.
  const waiting = allocations.filter(({ asked, granted, heldBy }) => granted < asked && heldBy === null);
  const noted = new Set<Allocation["refusals"]>();
  for (const allocation of waiting) {
    const { refusals } = allocation;
    if (noted.has(refusals) || mostNodes.of(refusals, allocation.job) < wholeOf(allocation)) continue;
    noted.add(refusals);
    for (const { code, limit, bucket } of refusals) note({ code, limit, bucket: bucket?.name ?? null });
  }
  for (const { asked, granted, reasons } of targets) if (granted < asked) reasons.forEach(note);
  return lacks;
}

/** Nodes without which a job gets nothing. */
function wholeOf({ job, asked, granted }: Allocation): number {
  return job.packingStrategy === "scatter" ? asked - granted : 1;
}

/** How many nodes of buckets the limits allow in all, if nobody used any. */
class MostNodes {
  readonly #known = new Map<Allocation["refusals"], { readonly any: number; readonly one: number }>();

  /** In the buckets that refused it, or in one of them. */
  of(refusals: Allocation["refusals"], { colocated }: Pick<Job, "colocated">): number {
    const known = this.#known.get(refusals) ?? mostNodesOf(refusals.flatMap(({ bucket }) => bucket ?? []));
    this.#known.set(refusals, known);
    return colocated ? known.one : known.any;
  }
}

function mostNodesOf(buckets: readonly LedgerBucket[]): { readonly any: number; readonly one: number } {
  const each = buckets.map(({ charges }) => Math.min(...charges.map(mostOf)));
  // Buckets that share a limit share its nodes.
  const shared = (buckets[0]?.charges ?? []).map(({ quota }) =>
    Math.max(
      ...buckets.map(({ charges }) => {
        const charge = charges.find((other) => other.quota === quota);
        return charge === undefined ? Number.POSITIVE_INFINITY : mostOf(charge);
      }),
    ),
  );
  const all = each.reduce((sum, nodes) => sum + nodes, 0);
  return { any: Math.min(all, ...shared), one: Math.max(0, ...each) };
}

/** Limits whose figures change with what others use: what there is in all, the other limits tell. */
const changing: ReadonlySet<LimitName> = new Set(["bucket", "spot-share"]);

function mostOf({ limit, quota, perNode }: Charge): number {
  return changing.has(limit) || perNode <= 0 ? Number.POSITIVE_INFINITY : Math.floor(quota.max / perNode);
}
