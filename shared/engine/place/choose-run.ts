import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import type { PendingNodes } from "../model/node.ts";
import type { PlacementPolicy } from "../model/placement.ts";
import { boughtIn, type Run, type RunInput, run } from "./run.ts";

/**
 * The run that counts. Filling nodes across buckets can go wrong where filling bucket by bucket does not: it may leave
 * out a job that could have been placed, or place jobs so that the next plan, with the same jobs and the nodes of this
 * one, buys again. Then the cluster is filled in order.
 */
export function chooseRun(input: RunInput): Run {
  for (const attempt of [input, ...(usesCost(input) ? [reusing(input)] : [])]) {
    const chosen = withoutHarm(attempt);
    if (isLasting(input, chosen)) return chosen;
  }
  return run(inOrder(input));
}

function usesCost({ settings: { placement } }: RunInput): boolean {
  return [placement.default, ...Object.values(placement.byNodeArray)].includes("cost");
}

/** The same without a look at prices. */
function reusing(input: RunInput): RunInput {
  const { default: all, byNodeArray } = input.settings.placement;
  const plain = (policy: PlacementPolicy): PlacementPolicy => (policy === "cost" ? "reuse" : policy);
  const arrays = Object.entries(byNodeArray).map(([name, policy]) => [name, plain(policy)] as const);
  const placement = { default: plain(all), byNodeArray: Object.fromEntries(arrays) };
  return { ...input, settings: { ...input.settings, placement } };
}

/** Whether the next plan buys nothing for the same jobs, and places all of them again. */
function isLasting(input: RunInput, chosen: Run): boolean {
  if (!chosen.opened.ledger.crossed) return true;
  const bought = boughtIn(chosen);
  if (bought.length === 0) return true;
  const next = withoutHarm(afterBuying(input, bought));
  return boughtIn(next).length === 0 && placesAsMuch(next, chosen);
}

/** A run that places all that filling in order places. */
function withoutHarm(input: RunInput): Run {
  const first = run(input);
  if (!first.isSound) return run(inOrder(input));
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
