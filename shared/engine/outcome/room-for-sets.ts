import { openLedger } from "../ledger/open-ledger.ts";
import { Pools } from "../ledger/pools.ts";
import { availableNodes, bindingCharge, charge } from "../limits/charges.ts";
import type { Cluster } from "../model/bucket.ts";
import type { LimitName } from "../model/limits.ts";
import type { PendingNodes } from "../model/node.ts";
import type { BucketName } from "../model/reasons.ts";
import { defaultSettings } from "../model/settings.ts";

/** New nodes of one bucket. */
export interface WantedSet extends Omit<BucketName, "dynamicArray"> {
  readonly dynamicArray?: string | undefined;
  readonly count: number;
}

/** What the limits leave for one set of new nodes. */
export interface SetRoom {
  /** Of the nodes that it asks for. */
  readonly count: number;
  /** What keeps it from having more; null: it has all. */
  readonly binding: { readonly limit: LimitName; readonly scope: string } | null;
}

/**
 * How many nodes of each set the limits of a cluster still allow, one set after the other, with the nodes on order
 * counted. Sets of unknown arrays and sizes are left as they are: the server knows better.
 */
export function roomForSets(
  cluster: Cluster,
  pending: readonly PendingNodes[],
  sets: readonly WantedSet[],
): readonly SetRoom[] {
  const opened = openLedger(
    {
      cluster,
      pending,
      nowSeconds: 0,
      lastPassSeconds: null,
      settings: defaultSettings,
      jobs: [],
      schedulerNodes: [],
      leavingNodeIds: [],
      history: [],
    },
    new Pools([]),
    new Set(),
  );
  return sets.map(({ count: wanted, dynamicArray, ...name }) => {
    const bucket = opened.bucketFor(dynamicArray === undefined ? name : { ...name, dynamicArray });
    if (bucket === null) return { count: wanted, binding: null };
    const room = availableNodes(bucket.charges);
    const binding = room < wanted ? bindingCharge(bucket.charges) : null;
    const count = Math.min(wanted, room);
    charge(bucket.charges, count);
    return { count, binding: binding && { limit: binding.limit, scope: binding.scope } };
  });
}
