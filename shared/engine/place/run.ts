import { WantedResources } from "../ledger/columns.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { type OpenedLedger, openLedger } from "../ledger/open-ledger.ts";
import { Pools } from "../ledger/pools.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { EngineSettings } from "../model/settings.ts";
import type { TargetOutcome } from "../model/target.ts";
import { allocate } from "./allocate.ts";
import type { Allocation } from "./allocation.ts";
import { meetTargets } from "./meet-targets.ts";
import { occupy } from "./occupy.ts";
import { openJobs } from "./open-jobs.ts";
import { Shapes } from "./shape.ts";

/** What a run needs besides the input: nodes that take no more jobs since they never came up. */
export interface RunInput extends PlanInput {
  readonly overdueNodeIds: ReadonlySet<string>;
}

/** Jobs and targets put on a cluster that was laid out anew. */
export interface Run {
  readonly opened: OpenedLedger;
  readonly allocations: readonly Allocation[];
  /** How many of the buckets jobs could choose from: targets add some behind them. */
  readonly bucketsOfJobs: number;
  readonly targets: readonly TargetOutcome[];
}

/** Lays the cluster out, and puts the jobs and then the targets on it. */
export function run(input: RunInput): Run {
  const pools = new Pools(input.settings.sharedPools);
  const opened = openLedger(input, pools, input.overdueNodeIds);
  const { ledger } = opened;
  const wanted = new WantedResources();
  const shapes = new Shapes(wanted, pools, exclusiveScope(input.settings));
  const allocations = openJobs(input, opened.resources, shapes);
  // Only now is it known what nodes have and jobs want: no other resource is counted.
  opened.open(wanted);
  for (const allocation of allocations)
    if (allocation.job.executingHostnames.length > 0) occupy(ledger, allocation, opened.byHostname);
  for (const allocation of byPriority(allocations)) allocate(ledger, allocation);
  const bucketsOfJobs = ledger.buckets.length;
  return { opened, allocations, bucketsOfJobs, targets: meetTargets(opened, input) };
}

/** Nodes that a run makes or starts. */
export function boughtIn({ opened }: Run): readonly LedgerNode[] {
  return opened.ledger.buckets.flatMap(({ nodes }) =>
    nodes.filter(({ origin }) => origin === "new" || origin === "starting"),
  );
}

function exclusiveScope({ compatibility, exclusiveScope }: EngineSettings): EngineSettings["exclusiveScope"] {
  return compatibility === "scalelib" ? "job" : exclusiveScope;
}

/** Higher priority first, ties by arrival. Untouched when all are equal, as they nearly always are. */
function byPriority(allocations: readonly Allocation[]): readonly Allocation[] {
  const first = allocations[0]?.job.priority;
  if (allocations.every(({ job }) => job.priority === first)) return allocations;
  return allocations.toSorted((a, b) => b.job.priority - a.job.priority);
}
