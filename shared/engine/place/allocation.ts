import type { Share } from "../ledger/effort.ts";
import type { LedgerNode, Refusal } from "../ledger/ledger-bucket.ts";
import type { DemandCapHit } from "../model/demand-caps.ts";
import type { Job, OwnerLimit, SpentBudget } from "../model/job.ts";
import type { Shape } from "./shape.ts";

/** What the jobs of one owner may still take. */
export interface OwnerCores {
  readonly limit: OwnerLimit;
  /** False: its jobs want no more than the limit in all, so that no plan can go beyond it. */
  mayBind: boolean;
  left: number;
}

interface NodeSlots {
  readonly node: LedgerNode;
  readonly slots: number;
}

/** The places of a job, and what it lacks. */
export interface Allocation {
  readonly job: Job;
  readonly shape: Shape;
  /** Slots for `pack`, nodes for `scatter`; fewer while only so many are placed. */
  asked: number;
  /** The checks that its source has left. */
  readonly share: Share;
  /** The cap that it reached, or the budget that is spent; null: none. */
  heldBy: DemandCapHit | SpentBudget | null;
  /** Whose limits on cores may bind; see `openOwners`. */
  owners: readonly OwnerCores[];
  granted: number;
  placements: NodeSlots[];
  /** Nodes on which it runs already; null: none. */
  runsOn: ReadonlySet<LedgerNode> | null;
  /** Nodes of jobs of its gang from which it lies apart; null: it may lie anywhere. */
  avoids: ReadonlySet<LedgerNode> | null;
  /** The placement group that is tried for it and the other jobs of its gang that have to be in one; null: any. */
  group: string | null;
  refusals: readonly Refusal[];
}

/** Pays for so many checks out of the share of the job's source; false: there are none left, and the job is held back. */
export function spend(allocation: Allocation, checks: number): boolean {
  if (checks === 0) return true;
  const { share } = allocation;
  if (share.left >= checks) {
    share.left -= checks;
    return true;
  }
  allocation.heldBy ??= share.hit;
  return false;
}
