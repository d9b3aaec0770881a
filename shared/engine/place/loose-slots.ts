import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import type { Allocation } from "./allocation.ts";
import { mayBind } from "./owner-cores.ts";
import { endOfTurn } from "./turns.ts";

/** Slots of one job on one node that could as well lie elsewhere. */
export interface LooseSlots {
  readonly allocation: Allocation;
  readonly node: LedgerNode;
  readonly slots: number;
}

/**
 * Slots that may be moved before the plan counts: of packed jobs that run nowhere yet and ask for nothing but amounts and
 * for what all nodes of a bucket share. On-premise hosts keep what they have.
 */
export function looseSlotsOf(allocations: readonly Allocation[]): readonly LooseSlots[] {
  return allocations.flatMap((allocation) =>
    // On a node of another size, a job that has it alone would count otherwise.
    mayMove(allocation) && (!mayBind(allocation) || allocation.shape.exclusive === "none")
      ? allocation.placements.flatMap(({ node, slots }) =>
          node.bucket.closed === "on-premise" ? [] : [{ allocation, node, slots }],
        )
      : [],
  );
}

/** Whether the slots of a job may be moved, by what it asks for. */
export function mayMove({ job, shape }: Pick<Allocation, "job" | "shape">): boolean {
  const { profile, exclusive } = shape;
  return (
    job.packingStrategy === "pack" &&
    !job.colocated &&
    job.gangApart !== true &&
    job.executingHostnames.length === 0 &&
    profile.own.length === 0 &&
    profile.alternatives.length === 0 &&
    exclusive !== "task" &&
    (shape.minimums.length > 0 || exclusive === "iteration")
  );
}

/** The buckets that take their turn together with one of them, as indexes into the candidates: from, and up to. */
export function turnOf(
  candidates: Parameters<typeof endOfTurn>[0],
  bucket: LedgerNode["bucket"],
): { readonly from: number; readonly to: number } {
  for (let from = 0; from < candidates.length; ) {
    const to = endOfTurn(candidates, from);
    if (candidates.indexOf(bucket, from) < to && candidates.indexOf(bucket, from) >= 0) return { from, to };
    from = to;
  }
  return { from: 0, to: 0 };
}
