import { firstRefusing } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import { WantedResources } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import { openLedger } from "../ledger/open-ledger.ts";
import { Pools } from "../ledger/pools.ts";
import { memoryOf, memoryResources } from "../ledger/stock.ts";
import { availableNodes, bindingCharge, nodesLeft } from "../limits/charges.ts";
import { figuresOf, type LimitFigure } from "../limits/figure.ts";
import { type LimitName, limitNames } from "../model/limits.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { BucketUse } from "../model/plan-result.ts";
import type { BucketName, Reason } from "../model/reasons.ts";
import { amountOf } from "../values/amounts.ts";
import type { Resources, Scalar } from "../values/resources.ts";
import { reasonFor } from "./reasons-of.ts";

/** A bucket before any job is placed. */
export interface BucketSurvey extends BucketName {
  readonly bucketId: string;
  /** Whether new nodes come from it at all. */
  readonly isOpen: boolean;
  /** New nodes that all limits together allow; 0 when it is not open. */
  readonly nodesLeft: number;
  /** The limit that allows least; null when it is not open. */
  readonly binding: LimitName | null;
  readonly limits: readonly LimitFigure[];
  /** Resources of a new node. */
  readonly resources: Resources;
  /** What a scheduler counts of a new node that is not what its VM has. */
  readonly counted: readonly CountedResource[];
}

/** What a scheduler counts of new nodes, and what their VMs have. */
export interface CountedResource {
  readonly resource: string;
  /** The source that reports it. */
  readonly by: string;
  /** Null: it has none. */
  readonly amount: Scalar;
  /** Null: a VM has no such thing by itself. */
  readonly ofVm: Scalar;
}

/** Every bucket of the cluster with its limits, in order of arrival. On-premise hosts are in no such bucket. */
export function survey(input: PlanInput): readonly BucketSurvey[] {
  return open(input).buckets.flatMap((bucket) => {
    const { size } = bucket;
    if (size === null) return [];
    const isOpen = bucket.closed === null;
    return [
      {
        ...bucket.name,
        bucketId: bucket.bucketId,
        isOpen,
        nodesLeft: isOpen ? availableNodes(bucket.charges) : 0,
        binding: isOpen ? (bindingCharge(bucket.charges)?.limit ?? null) : null,
        limits: figuresOf(size, bucket.charges),
        resources: bucket.example.stock.resources,
        counted: countedIn(bucket),
      },
    ];
  });
}

function countedIn({ counted, vm }: LedgerBucket): readonly CountedResource[] {
  if (counted === null) return [];
  const ofVm = new Map<string, Scalar>([
    ["ncpus", vm.vcpuCount],
    ["pcpus", vm.pcpuCount],
    ["ngpus", vm.gpuCount],
    ...memoryResources(vm.memoryBytes),
  ]);
  // What is said of memory holds in every unit.
  const once = [...counted.countedBy].filter(
    ([name]) => name === "memmb" || memoryOf({ [name]: 1 }) === undefined,
  );
  return once.flatMap(([resource, by]) => {
    const amount = counted.resources[resource] ?? null;
    const own = ofVm.get(resource) ?? null;
    return amount === own || (own !== null && amountOf(amount) === amountOf(own))
      ? []
      : [{ resource, by, amount, ofVm: own }];
  });
}

/** Which buckets and nodes satisfy constraints while no job is on them. */
export interface Examination {
  readonly buckets: readonly (BucketName & {
    /** Null: an empty node of the bucket satisfies them. */
    readonly reason: Reason | null;
  })[];
  /** Ids of the nodes that satisfy them, in any state. Nodes of unknown sizes and of switched-off arrays never do. */
  readonly nodeIds: ReadonlySet<string>;
  /** Names of the on-premise hosts that satisfy them: they have no ids. */
  readonly hosts: ReadonlySet<string>;
}

export function examine(input: PlanInput, constraints: readonly Constraint[]): Examination {
  // Checks every node, including those that the plan must not use.
  const { settings, cluster } = input;
  const everyNode = {
    ...input,
    leavingNodeIds: [],
    settings: { ...settings, ignoredNodes: [] },
    cluster: { ...cluster, nodes: cluster.nodes.map((node) => ({ ...node, targetState: "Started" })) },
  };
  const { buckets } = open(everyNode, true);
  const satisfying = buckets
    .flatMap((bucket) => bucket.nodes)
    .filter((node) => firstRefusing(constraints, node) === null);
  return {
    buckets: buckets
      .filter(({ size }) => size !== null)
      .map((bucket) => ({ ...bucket.name, reason: refusalOf(constraints, bucket.example) })),
    nodeIds: new Set(satisfying.flatMap(({ reported }) => (reported === null ? [] : [reported.nodeId]))),
    hosts: new Set(satisfying.filter(({ origin }) => origin === "on-premise").map(({ name }) => name)),
  };
}

function refusalOf(constraints: readonly Constraint[], example: LedgerNode): Reason | null {
  const refusing = firstRefusing(constraints, example);
  return refusing === null ? null : reasonFor(refusing, example, example.bucket);
}

function open(input: PlanInput, failedTakeJobs?: boolean) {
  const opened = openLedger(input, new Pools(input.settings.sharedPools), new Set(), failedTakeJobs);
  opened.open(new WantedResources());
  return opened.ledger;
}

/** How many nodes the limits of every bucket still allow after the plan, in order of arrival. */
export function bucketUses(ledger: Ledger): readonly BucketUse[] {
  return ledger.buckets
    .filter((bucket) => bucket.closed === null)
    .map((bucket) => ({
      ...bucket.name,
      bucketId: bucket.bucketId,
      availableCount: ledger.capacityOf(bucket),
      left: leftOf(bucket),
      binding: bindingCharge(bucket.charges)?.limit ?? "bucket",
    }));
}

/** Nodes left under each limit. One that a bucket does not have (no placement group; spot has no family) never binds. */
function leftOf(bucket: LedgerBucket): Readonly<Record<LimitName, number>> {
  const left = Object.fromEntries(limitNames.map((name) => [name, Number.MAX_SAFE_INTEGER]));
  for (const charge of bucket.charges)
    left[charge.limit] = Math.min(left[charge.limit] ?? Number.MAX_SAFE_INTEGER, nodesLeft(charge));
  return left as Record<LimitName, number>;
}
