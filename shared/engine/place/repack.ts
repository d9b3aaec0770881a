import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import type { Allocation } from "./allocation.ts";
import { applyPacking } from "./apply-packing.ts";
import type { BucketKind } from "./bucket-kinds.ts";
import { type LooseSlots, looseSlotsOf } from "./loose-slots.ts";
import { hoursFor, type Packing } from "./packing/packing-problem.ts";
import { manyItems, packingsOf, packThere } from "./packing/portfolio.ts";
import { type RepackProblem, repackProblem } from "./repack-problem.ts";
import { surelyHasNoRoom } from "./room-there.ts";
import { runHoursOf } from "./run-hours.ts";
import { holdsOnceBought, trimmed } from "./trim.ts";

/**
 * Chooses nodes anew for slots that are placed already, so that nobody loses a place: first whether the nodes that are there
 * hold all of them, which buys nothing at all; then, where `placement` is `cost`, the new nodes that together cost least. False: the
 * packing did not come out as worked out, and the ledger is of no use any more.
 */
export function repack(
  ledger: Ledger,
  allocations: readonly Allocation[],
  reservedLeft: ReadonlyMap<string, number>,
  /** Whether it is known that the nodes that are there do not hold all. */
  isTriedThere = false,
): boolean {
  const loose = looseSlotsOf(allocations);
  const vanishing = vanishingNodes(loose);
  if (vanishing.size === 0) return true;
  const hasNoRoom = isTriedThere || surelyHasNoRoom(ledger, allocations, (node) => vanishing.has(node));
  const looksAtPrices = [...vanishing].some(({ bucket }) => bucket.placement === "cost");
  if (hasNoRoom && !looksAtPrices) return true;
  const terms = { ledger, reservedLeft, vanishing, hours: runHoursOf(loose) };
  const all = repackProblem(loose, { ...terms, usesThere: true });
  const there = hasNoRoom ? null : packThere(all, { refines: looksAtPrices });
  if (there !== null) return applyPacking(ledger, all, there, vanishing);
  if (!looksAtPrices) return true;
  const moved = loose.filter(({ node }) => vanishing.has(node));
  const bought = repackProblem(moved, { ...terms, usesThere: false });
  const before = priceOfLoads(bought, vanishing);
  const choices = [
    ...(all.items.length > manyItems ? [] : packingsOf(bought)).map((packing) => ({
      problem: bought,
      packing,
    })),
    ...packingsOf(all).map((packing) => ({ problem: all, packing })),
  ].filter(({ packing }) => packing.price < before - leastGain);
  choices.sort(bySizeThenPrice(choices.map(({ packing }) => packing)));
  const chosen = choices.find(
    ({ problem, packing }) => holdsOnceBought(all, boughtIn(problem, packing)) !== null,
  );
  const fewer = trimmed(
    all,
    chosen === undefined ? boughtNow(bought, vanishing) : boughtIn(chosen.problem, chosen.packing),
  );
  if (fewer !== null) return applyPacking(ledger, all, fewer, vanishing);
  return chosen === undefined || applyPacking(ledger, chosen.problem, chosen.packing, vanishing);
}

/** More for the same nodes that are smaller, in parts of the least: what runs longest keeps less with it. */
const mostForSmaller = 0.01;

/** Packings that cost about the least come first, of those the one with the most nodes; then the others, the cheapest first. */
function bySizeThenPrice(packings: readonly Packing[]) {
  const most =
    (1 + mostForSmaller) *
    packings.reduce((least, { price }) => Math.min(least, price), Number.POSITIVE_INFINITY);
  const nodesOf = ({ loads, price }: Packing): number =>
    price > most ? 0 : loads.reduce((sum, { nodes }) => sum + nodes, 0);
  return (a: { readonly packing: Packing }, b: { readonly packing: Packing }): number =>
    nodesOf(b.packing) - nodesOf(a.packing) || a.packing.price - b.packing.price;
}

/** US dollars for an hour: less is not worth another plan than that of the order of preference. */
const leastGain = 1e-6;

/** Nodes that are bought for nothing but slots that may be moved. */
function vanishingNodes(loose: readonly LooseSlots[]): ReadonlySet<LedgerNode> {
  const onNode = new Map<LedgerNode, number>();
  for (const { node, slots } of loose)
    if (node.origin === "new" || node.origin === "starting")
      onNode.set(node, (onNode.get(node) ?? 0) + slots);
  const isAll = ([node, slots]: [LedgerNode, number]): boolean =>
    node.jobs.reduce((sum, entry) => sum + entry.slots, 0) === slots;
  return new Set([...onNode].filter(isAll).map(([node]) => node));
}

/** What nodes cost as the problem counts them: those that a reservation pays for cost nothing. */
function priceOfLoads({ kinds, limits, hours }: RepackProblem, nodes: ReadonlySet<LedgerNode>): number {
  const left = [...limits];
  let price = 0;
  for (const { bucket, jobs } of nodes) {
    const [paid, regular = paid] = kinds.filter((kind) => kind.bucket === bucket && kind.there === null);
    const reserved = regular === paid ? undefined : paid?.charges.at(-1)?.limit;
    if (reserved !== undefined && (left[reserved] ?? 0) >= 1) left[reserved] = (left[reserved] ?? 0) - 1;
    else
      price +=
        (regular?.price ?? 0) *
        hoursFor(
          { hours },
          jobs.map(({ slots }, k) => [k, slots] as const),
        );
  }
  return price;
}

function boughtIn({ kinds }: RepackProblem, { loads }: Packing): readonly BucketKind[] {
  const counts = new Map<number, number>();
  for (const { kind, nodes } of loads)
    if (kinds[kind]?.there === null) counts.set(kind, (counts.get(kind) ?? 0) + nodes);
  return [...counts].map(([kind, there]) => ({ ...(kinds[kind] as BucketKind), there, charges: [] }));
}

/** The nodes that were chosen first, as kinds that are there. */
function boughtNow({ kinds }: RepackProblem, nodes: ReadonlySet<LedgerNode>): readonly BucketKind[] {
  const counts = new Map<BucketKind, number>();
  for (const { bucket } of nodes) {
    const kind = kinds.findLast((each) => each.bucket === bucket && each.there === null);
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, there]) => ({ ...kind, there, charges: [] }));
}
