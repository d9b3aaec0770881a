import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import type { PendingNodes } from "../model/node.ts";
import { boughtIn, type Run, type RunInput, run } from "./run.ts";

/**
 * The run that counts. Filling nodes across buckets can go wrong where filling bucket by bucket does not: it may leave
 * out a job that could have been placed, or place jobs so that the next plan, with the same jobs and the nodes of this
 * one, buys again. Then the cluster is filled in order.
 */
export function chooseRun(input: RunInput): Run {
  const chosen = withoutHarm(input);
  if (!chosen.opened.ledger.crossed) return chosen;
  const bought = boughtIn(chosen);
  if (bought.length === 0) return chosen;
  return boughtIn(withoutHarm(afterBuying(input, bought))).length === 0 ? chosen : run(inOrder(input));
}

/** A run that places all that filling in order places. */
function withoutHarm(input: RunInput): Run {
  const first = run(input);
  // Without a crossing they are the same.
  if (!first.opened.ledger.crossed || placesAll(first)) return first;
  const ordered = run(inOrder(input));
  return placesAsMuch(first, ordered) ? first : ordered;
}

function inOrder(input: RunInput): RunInput {
  const placement = { default: "order", byNodeArray: {} } as const;
  return { ...input, settings: { ...input.settings, placement } };
}

function placesAll({ allocations, targets }: Run): boolean {
  return (
    allocations.every(({ granted, asked }) => granted >= asked) &&
    targets.every(({ granted, asked }) => granted >= asked)
  );
}

function placesAsMuch(a: Run, b: Run): boolean {
  return (
    a.allocations.every(({ granted }, index) => granted >= (b.allocations[index]?.granted ?? 0)) &&
    a.targets.every(({ granted }, index) => granted >= (b.targets[index]?.granted ?? 0))
  );
}

/** The world when all that was bought is on order. */
function afterBuying(input: RunInput, bought: readonly LedgerNode[]): RunInput {
  return { ...input, pending: [...input.pending, ...bought.map(onOrder)] };
}

function onOrder({ name, bucket }: LedgerNode): PendingNodes {
  return { ...bucket.name, actionId: "planned", names: [name], count: 1 };
}
